import type { LegResult, Query, ScoreBounds, TogetherBound, Within } from "../../contracts/leg.ts";
import type { KeptScores } from "../../engine/bm25/kept-sums.ts";
import { createKthBest } from "../../engine/kernels/kth-best.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import type { ChunkNeeds, KeptRows, KeptSegment } from "../../engine/vectors/nearest.ts";
import { knownPlace, recallPrepared, type SegmentMoment } from "./segment-moment.ts";

/** More than rounding can add to a sum of a few parts, as a share of it. */
const rounding = 2 ** -40;

/** Chunks of one segment that may reach the least in sum. */
export interface ReachingChunks extends KeptSegment {
  /** The most that the other legs give to them. */
  readonly others: readonly number[];
}

/** Chunks that may reach the least in sum, which is higher where enough of them surely do. */
export interface Reaching {
  readonly least: number;
  readonly found: readonly ReachingChunks[];
}

/**
 * Finds the kept chunks that may reach the least in sum of all legs, by the bounds that the other legs keep.
 *
 * **Shape** `undefined` where the leg no longer has its bounds. **Cost** two looks at each chunk that reaches `leastScore`; narrower bounds of those that reach the least.
 */
export function findTogether(
  leg: string,
  kept: Pick<KeptRows, "chunks" | "bounds">,
  bound: TogetherBound,
  scoresOf: (leg: string) => KeptScores | undefined,
  minScore = -Infinity,
): Reaching | undefined {
  const { least, leastScore, part, others } = bound;
  const known = others.map(({ leg: other, most }) => ({ other, most, scores: scoresOf(other) }));
  const leave = ({ segment, ordinals, uppers }: KeptSegment): ReachingChunks => {
    const given = known.map(({ scores }) => scores?.uppers(segment, ordinals));
    const left = { segment, ordinals: [] as number[], uppers: [] as number[], others: [] as number[] };
    let tooLow = -Infinity;
    for (let n = 0; n < ordinals.length; n++) {
      let sum = 0;
      for (let i = 0; i < known.length; i++) {
        const { other, most } = known[i]!;
        const score = given[i]?.[n];
        // Without a bound, a chunk outside the pools gets no more than the most.
        if (score !== 0) sum += score === undefined ? most : Math.max(0, part(other, score));
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
  const [only, ...more] = known;
  const needed = more.length === 0 && only?.scores !== undefined ? needsBy(leg, only, only.scores, bound) : undefined;
  const needs = (segment: Segment): ChunkNeeds | undefined => {
    const sums = needed && only!.scores!.sums(segment);
    return sums && { ...sums, ...needed };
  };
  const found = kept.chunks(leastScore, needs)?.map(leave);
  if (found === undefined || only?.scores === undefined || more.length > 0) return found && { least, found };
  return narrowTogether(leg, kept, bound, { ...only, scores: only.scores }, found, minScore);
}

/**
 * Leaves out chunks by narrower bounds, and by the sum that enough of them surely reach.
 *
 * **Shape** a chunk counts for that sum where both legs surely find it, so that it is a candidate. **Cost** for each chunk, its codes and a look for its heading.
 */
function narrowTogether(
  leg: string,
  kept: Pick<KeptRows, "bounds">,
  { least, part, wanted }: TogetherBound,
  { other, scores }: { readonly other: string; readonly scores: KeptScores },
  found: readonly ReachingChunks[],
  minScore: number,
): Reaching {
  const sums = createKthBest();
  sums.reset(wanted);
  const narrow = found.map((each): ReachingChunks => {
    const { segment, ordinals, uppers } = each;
    const [own, given] = [kept.bounds(segment, ordinals, true), scores.bounds(segment, ordinals)];
    if (own === undefined || given === undefined) return each;
    for (let n = 0; n < ordinals.length; n++) {
      if (!(own.least[n]! >= minScore && given.least[n]! > 0)) continue;
      const sum = part(leg, own.least[n]!) + part(other, given.least[n]!);
      sums.offer(sum - Math.abs(sum) * rounding);
    }
    return { ...each, uppers: uppers.map((upper, n) => Math.min(upper, own.most[n]!)) };
  });
  const reached = Math.max(least, sums.floor);
  const left = narrow.map(({ segment, ...each }): ReachingChunks => {
    const places = [...each.ordinals.keys()].filter((n) =>
      mayReach(reached, part(leg, each.uppers[n]!), each.others[n]!),
    );
    const at = (numbers: readonly number[]): number[] => places.map((n) => numbers[n]!);
    return { segment, ordinals: at(each.ordinals), uppers: at(each.uppers), others: at(each.others) };
  });
  return { least: reached, found: left };
}

/** Steps of the sums by which rows are left out before they are listed. */
const needSteps = 16;

/**
 * The least that chunks need in the leg, by the sum that the only other leg kept of them.
 *
 * **Shape** a step stands for its highest sum, so that none is left out that may reach the least. `undefined` where nothing says what the lowest score is.
 */
function needsBy(
  leg: string,
  { other, most }: { readonly other: string; readonly most: number },
  scores: Pick<KeptScores, "most">,
  { least, leastScore, part }: TogetherBound,
): Pick<ChunkNeeds, "leasts" | "perSum"> | undefined {
  if (!Number.isFinite(leastScore)) return undefined;
  const given = (sum: number): number => Math.min(most, Math.max(0, part(other, scores.most(sum))));
  let highest = 1;
  while (given(highest) < most && highest < largest) highest *= 2;
  let enough = Math.max(1, Math.abs(leastScore));
  while (!mayReach(least, part(leg, enough), 0) && enough < largest) enough *= 2;
  const leasts = new Float64Array(needSteps + 2);
  for (let step = 0; step < leasts.length; step++) {
    const others = step === 0 ? 0 : step > needSteps ? most : given((highest * step) / needSteps);
    // Lower scores are not enough. The next step needs no higher one.
    let low = leastScore;
    for (let halving = 0; halving < 14; halving++) {
      const middle = (low + enough) / 2;
      if (mayReach(least, part(leg, middle), others)) enough = middle;
      else low = middle;
    }
    leasts[step] = low;
  }
  return { leasts, perSum: needSteps / highest };
}

/** Above all scores. */
const largest = 2 ** 40;

/** Gives {@link LegResult.bounds} by bounds of the chunks of one segment. */
export function boundsOf(
  at: Pick<SegmentMoment, "places" | "rows">,
  within: (segment: Segment, ordinals: readonly number[]) => ScoreBounds | undefined,
): NonNullable<LegResult["bounds"]> {
  return (chunks) => {
    const most = new Float64Array(chunks.length).fill(Infinity);
    const least = new Float64Array(chunks.length).fill(-Infinity);
    const found = chunks.map((chunk) => knownPlace(at, chunk));
    const bySegment = new Map<Segment, number[]>();
    for (let i = 0; i < found.length; i++) {
      const segment = found[i]?.segment;
      if (segment === undefined) continue;
      const own = bySegment.get(segment);
      if (own === undefined) bySegment.set(segment, [i]);
      else own.push(i);
    }
    for (const [segment, own] of bySegment) {
      const bounds = within(
        segment,
        own.map((i) => found[i]!.ordinal),
      );
      if (bounds === undefined) return undefined;
      own.forEach((i, n) => {
        most[i] = bounds.most[n]!;
        least[i] = bounds.least[n]!;
      });
    }
    return { most, least };
  };
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
