import { findBest, type FoundChunk, type SearchedSegment } from "./best-chunks.ts";

/** Every admitted chunk at score 0: what a search without a vector finds. **Shape** by uri, start, scope and id. */
export function findEvery(searched: readonly SearchedSegment[], topK: number): FoundChunk[] {
  return findBest(searched, topK, ({ segment, admitted }, offer) => {
    for (let ordinal = 0; ordinal < segment.size; ordinal++) if (admitted[ordinal] === 1) offer(0, ordinal);
  });
}
