import type { Query, TogetherBound, Within } from "../../contracts/leg.ts";
import type { KeptScores } from "../../engine/bm25/kept-sums.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import type { KeptRows, KeptSegment } from "../../engine/vectors/nearest.ts";
import { recallPrepared, type SegmentMoment } from "./segment-moment.ts";

/** More than rounding can add to a sum of a few parts, as a share of it. */
const rounding = 2 ** -40;

/** Chunks of one segment that may reach the least in sum. */
export interface ReachingChunks {
  readonly segment: Segment;
  readonly ordinals: number[];
  /** The most that they score in the leg that kept them. */
  readonly uppers: number[];
  /** The most that the other legs give to them. */
  readonly others: number[];
}

/**
 * Finds the kept chunks that may reach the least in sum of all legs, by the bounds that the other legs keep.
 *
 * **Shape** `undefined` where the leg no longer has its bounds. **Cost** two looks at each chunk that reaches `leastScore`; look-ups for those that reach the least with the
 * most that a name and a document give.
 */
export function findTogether(
  leg: string,
  kept: KeptRows,
  { least, leastScore, part, others }: TogetherBound,
  scoresOf: (leg: string) => KeptScores | undefined,
): readonly ReachingChunks[] | undefined {
  const known = others.map(({ leg: other, most }) => ({ other, most, scores: scoresOf(other) }));
  const leave = (how: "rough" | "near", { segment, ordinals, uppers }: KeptSegment): ReachingChunks => {
    const given = known.map(({ scores }) => scores?.[how](segment, ordinals));
    const left: ReachingChunks = { segment, ordinals: [], uppers: [], others: [] };
    let tooLow = -Infinity;
    for (let n = 0; n < ordinals.length; n++) {
      let sum = 0;
      for (let i = 0; i < known.length; i++) {
        const { other, most } = known[i]!;
        const score = given[i]?.[n];
        // A chunk whose score is not known gives no more than the most, whatever its bound.
        if (score !== 0) sum += score === undefined ? most : Math.min(most, Math.max(0, part(other, score)));
      }
      // Most chunks get nothing of the others, and then a lower score is not enough either.
      if (sum === 0 && uppers[n]! <= tooLow) continue;
      if (!mayReach(least, part(leg, uppers[n]!), sum)) {
        if (sum === 0) tooLow = uppers[n]!;
        continue;
      }
      left.ordinals.push(ordinals[n]!);
      left.uppers.push(uppers[n]!);
      left.others.push(sum);
    }
    return left;
  };
  return kept.chunks(leastScore)?.map((each) => leave("near", leave("rough", each)));
}

/** Whether two parts may give so much together. */
export function mayReach(least: number, part: number, others: number): boolean {
  return (Math.max(0, part) + others) * (1 + rounding) >= least;
}

/** The bounds that legs kept which searched for the same query at this moment. */
export function keptScores(
  at: SegmentMoment,
  query: Query,
  { restriction }: Pick<Within, "restriction">,
): (leg: string) => KeptScores | undefined {
  return (leg) => {
    const state = recallPrepared(at, leg, query, restriction);
    return typeof state === "object" && state !== null && "scores" in state
      ? (state as ScoringState).scores.kept
      : undefined;
  };
}

/** State of a leg that keeps bounds of its scores. */
export interface ScoringState {
  readonly scores: { kept?: KeptScores | undefined };
}
