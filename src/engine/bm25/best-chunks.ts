import { createTopK, type TopK } from "../kernels/top-k.ts";
import type { Segment } from "../segments/segment.ts";
import { finishSteps } from "../../runtime/steps.ts";
import { type ChunkPlace, compareChunkPlaces } from "../../runtime/compare-text.ts";

/** A chunk that was found, by its place in the index. */
export interface FoundChunk {
  readonly segment: Segment;
  readonly ordinal: number;
  readonly score: number;
}

/** A segment with the chunks of it that a query may find: one flag per ordinal. */
export interface SearchedSegment {
  readonly segment: Segment;
  readonly admitted: Uint8Array;
  /** When only a few chunks are asked for: these, admitted or not. */
  readonly only?: readonly number[];
}

/** Offers each candidate of a segment once. `place` is its index among the searched ones. */
type ScanSegment<Result> = (
  searched: SearchedSegment,
  offer: (score: number, ordinal: number) => void,
  best: TopK,
  place: number,
) => Result;

/**
 * The best of several segments.
 *
 * **Shape** at most `topK`, by score, highest first, equal scores by uri, start, scope and id.
 * **Cost** places are read only of chunks whose scores are equal, down to those that equal the last one.
 */
export function findBest(searched: readonly SearchedSegment[], topK: number, scan: ScanSegment<void>): FoundChunk[] {
  return finishSteps(
    findBestInSteps(searched, topK, (...given) => {
      scan(...given);
      return [];
    }),
  );
}

/** {@link findBest} in the steps of `scan`, between which other searches may run. */
export function* findBestInSteps(
  searched: readonly SearchedSegment[],
  topK: number,
  scan: ScanSegment<Iterable<undefined>>,
): Generator<undefined, FoundChunk[]> {
  const best = spare ?? createTopK(0);
  spare = undefined;
  const found: FoundChunk[] = [];
  for (const [place, each] of searched.entries()) {
    const { segment } = each;
    best.reset(Math.min(topK, segment.liveCount));
    yield* scan(each, (score, ordinal) => best.offer(score, ordinal), best, place);
    const { scores, items } = best.take();
    for (let i = 0; i < items.length; i++) found.push({ segment, ordinal: items[i]!, score: scores[i]! });
  }
  spare = best;
  if (searched.length > 1) found.sort((a, b) => b.score - a.score);
  return orderTies(found, topK);
}

/** The heap of the search that ended last. */
let spare: TopK | undefined;

/** Cuts chunks to the best, and orders those of equal score by uri, start, scope and id. **Shape** `found` comes by score. */
export function orderTies<Found extends FoundChunk>(found: readonly Found[], topK: number): Found[] {
  const last = found.length > topK ? found[topK - 1]!.score : -Infinity;
  const reaching = found.length > topK ? found.filter(({ score }) => score >= last) : [...found];
  const tied = new Map<Segment, number[]>();
  // A look beyond the ends of a list would make each look at it slow.
  const { length } = reaching;
  for (let i = 0; i < length; i++) {
    const { segment, ordinal, score } = reaching[i]!;
    const isTied = (i > 0 && reaching[i - 1]!.score === score) || (i + 1 < length && reaching[i + 1]!.score === score);
    if (!isTied) continue;
    const ordinals = tied.get(segment);
    if (ordinals === undefined) tied.set(segment, [ordinal]);
    else ordinals.push(ordinal);
  }
  if (tied.size === 0) return reaching;
  const places = new Map(Array.from(tied, ([segment, ordinals]) => [segment, readPlaces(segment, ordinals)]));
  const placeOf = ({ segment, ordinal }: FoundChunk): ChunkPlace => places.get(segment)!.get(ordinal)!;
  return reaching
    .sort((a, b) => b.score - a.score || (a === b ? 0 : compareChunkPlaces(placeOf(a), placeOf(b))))
    .slice(0, topK);
}

function readPlaces(segment: Segment, ordinals: readonly number[]): ReadonlyMap<number, ChunkPlace> {
  const { scope } = segment;
  return new Map(
    segment.places(ordinals).map(({ uri, start }, i) => {
      const ordinal = ordinals[i]!;
      // Chunks seldom begin at one place of one document.
      const id = (): string => segment.chunkIds([ordinal])[0]!;
      const place = Object.defineProperty({ uri, start, scope } as ChunkPlace, "id", { get: id });
      return [ordinal, place];
    }),
  );
}
