import { createTopK, type TopK } from "../kernels/top-k.ts";
import type { Segment } from "../segments/segment.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

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

/**
 * The best of several segments.
 *
 * **Shape** at most `topK`, by score, highest first, ties by chunk id then scope (both by code point). `scan` offers each candidate once.
 * **Cost** ids are read only where scores tie across segments.
 */
export function findBest(
  searched: readonly SearchedSegment[],
  topK: number,
  scan: (
    searched: SearchedSegment,
    offer: (score: number, ordinal: number) => void,
    best: TopK,
    /** Index among the searched segments. */
    place: number,
  ) => void,
): FoundChunk[] {
  const found: FoundChunk[] = [];
  for (const [place, each] of searched.entries()) {
    const { segment } = each;
    best.reset(Math.min(topK, segment.liveCount));
    const { rank } = segment;
    // Ordinals stand for ids: they are in order of ids, or are ranked so.
    scan(
      each,
      rank === undefined
        ? (score, ordinal) => best.offer(score, ordinal)
        : (score, ordinal) => best.offer(score, rank[ordinal]!),
      best,
      place,
    );
    const { scores, items } = best.take();
    const unranked = rank && ordinalsBy(rank);
    for (let i = 0; i < items.length; i++) {
      const ordinal = unranked === undefined ? items[i]! : unranked[items[i]!]!;
      found.push({ segment, ordinal, score: scores[i]! });
    }
  }
  if (searched.length > 1) found.sort(createComparison());
  return found.slice(0, topK);
}

/** Searches are synchronous, so one serves all. */
const best = createTopK(0);

const inverted = new WeakMap<Uint32Array, Uint32Array>();

/** Ordinals by rank; cached as long as the ranks are. */
function ordinalsBy(rank: Uint32Array): Uint32Array {
  let ordinals = inverted.get(rank);
  if (ordinals === undefined) {
    ordinals = new Uint32Array(rank.length);
    for (let i = 0; i < rank.length; i++) ordinals[rank[i]!] = i;
    inverted.set(rank, ordinals);
  }
  return ordinals;
}

function createComparison(): (a: FoundChunk, b: FoundChunk) => number {
  const ids = new Map<FoundChunk, string>();
  const idOf = (chunk: FoundChunk): string => {
    let id = ids.get(chunk);
    if (id === undefined) ids.set(chunk, (id = chunk.segment.chunkId(chunk.ordinal)));
    return id;
  };
  return (a, b) =>
    b.score - a.score || compareCodePoints(idOf(a), idOf(b)) || compareCodePoints(a.segment.scope, b.segment.scope);
}
