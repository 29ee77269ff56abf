import type { EngineCandidate, EngineIndex, EngineRequest } from "../../contracts/engine.ts";

/** Constant of reciprocal rank fusion. **Source** Cormack, Clarke and Büttcher, SIGIR 2009. */
export const fusionConstant = 60;

/** Words of a question, without signs that an engine's query would read. */
export const plainWords = (text: string | undefined): readonly string[] => text?.match(/[\p{L}\p{N}]+/gu) ?? [];

/** Refs of entries that meet the condition of a request and have some of the words, best first. */
export type RankByWords = (words: readonly string[], request: EngineRequest) => Promise<readonly string[]>;

/** Two rankings as one: a candidate's score is the sum of its reciprocal ranks. Without `said`, `nearest` takes words itself, or nobody asks for them. */
export function joinWords(nearest: EngineIndex["nearest"], said: RankByWords | undefined): EngineIndex["nearest"] {
  if (said === undefined) return nearest;
  return async (request) => {
    const words = plainWords(request.words);
    if (words.length === 0) return nearest(request);
    const [near, refs] = await Promise.all([nearest(request), said(words, request)]);
    return fuseRanks([near.map(({ ref }) => ref), refs], request.limit);
  };
}

function fuseRanks(lists: readonly (readonly string[])[], limit: number): readonly EngineCandidate[] {
  const fused = new Map<string, number>();
  for (const refs of lists)
    for (const [rank, ref] of refs.entries()) fused.set(ref, (fused.get(ref) ?? 0) + 1 / (fusionConstant + rank + 1));
  const all = [...fused].map(([ref, score]) => ({ ref, score }));
  return all.sort((a, b) => b.score - a.score).slice(0, limit);
}
