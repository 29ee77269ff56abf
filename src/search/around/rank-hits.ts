import type { Hit, HitExplanation, RetrieverStep } from "../../contracts/retriever.ts";
import { compareChunkPlaces } from "../../runtime/compare-text.ts";

/** Hits by score, equal scores by uri, start, scope and id, with their ranks from 1. */
export function rankHits(hits: readonly Hit[], topK: number | "all" = "all"): readonly Hit[] {
  const sorted = hits.toSorted(compareHits);
  return numberHits(topK === "all" ? sorted : sorted.slice(0, topK));
}

/** **Shape** best first, equal scores by uri, start, scope and id. */
export function compareHits(a: Hit, b: Hit): number {
  const place = ({ source: { uri, start }, scope, chunkId: id }: Hit) => ({ uri, start, scope, id });
  return b.score - a.score || compareChunkPlaces(place(a), place(b));
}

/** Ranks from 1, in the order given. */
export function numberHits(hits: readonly Hit[]): readonly Hit[] {
  return hits.map((hit, index) => (hit.rank === index + 1 ? hit : { ...hit, rank: index + 1 }));
}

/** One string per chunk: ids repeat across scopes. */
export function hitKey({ scope, chunkId }: Pick<Hit, "scope" | "chunkId">): string {
  return `${scope} ${chunkId}`;
}

/** A hit that says what was done with it, when it says anything at all. */
export function addStep(hit: Hit, step: RetrieverStep, parts: Partial<HitExplanation> = {}): Hit {
  const { explain } = hit;
  if (explain === undefined) return hit;
  return { ...hit, explain: { ...explain, ...parts, steps: [...(explain.steps ?? []), step] } };
}

/** A hit without what was fetched for our own use. */
export function withoutExtras(
  hit: Hit,
  asked: { readonly explain: boolean; readonly includeEmbeddings: boolean },
): Hit {
  const { explain, embedding, ...rest } = hit;
  return {
    ...rest,
    ...(asked.explain && explain && { explain }),
    ...(asked.includeEmbeddings && embedding && { embedding }),
  };
}

/** Evidence of a hit that several hits became: true when one that counts is evidence. **Shape** `undefined` where none tells. */
export function joinEvidence(hits: readonly Hit[], counted: readonly Hit[] = hits): boolean | undefined {
  if (hits.every(({ evidence }) => evidence === undefined)) return undefined;
  return counted.some(({ evidence }) => evidence === true);
}
