import type { Query, TogetherBound, Within } from "../../contracts/leg.ts";
import type { ScoreBounds } from "../../engine/bm25/likely-chunks.ts";
import { createKthBest } from "../../engine/kernels/kth-best.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import type { KeptRows } from "../../engine/vectors/nearest.ts";
import { recallPrepared, type SegmentMoment } from "./segment-moment.ts";

/** Bounds the scores of given chunks in the leg that prepared it. */
export type BoundScores = (segment: Segment, ordinals: readonly number[]) => ScoreBounds;

/** More than rounding can add to a sum of a few parts, as a share of it. */
const rounding = 2 ** -40;

/** A kept chunk that may reach the least. */
interface Reaching {
  readonly segment: Segment;
  readonly ordinal: number;
  /** The most that it gives in sum. */
  readonly most: number;
}

/**
 * Finds the kept chunks that may count in the sum of all legs.
 *
 * A chunk is left out whose bound in sum is below `least`, or below the bound that `wanted` of the kept ones surely reach.
 *
 * **Shape** ordinals by segment. **Cost** one look-up in the other legs for each chunk that reaches `least` with the most that they give.
 */
export function findTogether(
  leg: string,
  kept: KeptRows,
  bound: TogetherBound,
  boundsOf: (leg: string) => BoundScores | undefined,
): ReadonlyMap<Segment, readonly number[]> {
  const { wanted, part, others } = bound;
  const { floor: keptFloor } = kept;
  const partOf = (name: string, score: number): number => Math.max(0, part(name, score));
  const known = others.map(({ leg: other, most }) => ({ other, most, bounds: boundsOf(other) }));
  const isKnown = known.every(({ bounds }) => bounds !== undefined);
  const sure = createKthBest();
  sure.reset(wanted);
  const reaching: Reaching[] = [];
  for (const { segment, ordinals, uppers, lowers } of kept.chunks(bound.leastScore)) {
    const { length } = ordinals;
    if (length === 0) continue;
    const most = Float64Array.from(uppers, (upper) => partOf(leg, upper));
    const least = Float64Array.from(lowers, (lower) => part(leg, lower));
    for (const { other, most: unknown, bounds } of known) {
      const given = bounds?.(segment, ordinals);
      for (let n = 0; n < length; n++) {
        most[n]! += given === undefined ? unknown : given.uppers[n]! > 0 ? partOf(other, given.uppers[n]!) : 0;
        // Only a chunk that every leg finds is sure to stand.
        least[n]! += given !== undefined && given.lowers[n]! > 0 ? part(other, given.lowers[n]!) : -Infinity;
      }
    }
    for (let n = 0; n < length; n++) {
      const sum = least[n]! - rounding * most[n]!;
      if (isKnown && lowers[n]! >= keptFloor && sum > Math.max(0, bound.least)) sure.offer(sum);
      reaching.push({ segment, ordinal: ordinals[n]!, most: most[n]! * (1 + rounding) });
    }
  }
  const floor = Math.max(bound.least, sure.floor);
  const found = new Map<Segment, number[]>();
  for (const { segment, ordinal, most } of reaching) {
    if (most < floor) continue;
    const own = found.get(segment);
    if (own === undefined) found.set(segment, [ordinal]);
    else own.push(ordinal);
  }
  return found;
}

/** A leg's state, where it bounds scores. */
export interface BoundingState {
  readonly bound: BoundScores;
}

/** The bounds of legs that prepared the same query at this moment. */
export function preparedBounds(
  at: SegmentMoment,
  query: Query,
  { restriction }: Pick<Within, "restriction">,
): (leg: string) => BoundScores | undefined {
  return (leg) => {
    const state = recallPrepared(at, leg, query, restriction);
    return typeof state === "object" && state !== null && "bound" in state ? (state as BoundingState).bound : undefined;
  };
}
