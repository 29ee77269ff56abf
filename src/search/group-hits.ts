import type { Hit, HitGroup } from "../contracts/retriever.ts";

/** Hits by document. **Shape** groups in the order of their best hit, and hits in their own order. */
export function groupHits(hits: readonly Hit[]): readonly HitGroup[] {
  const byDocument = Map.groupBy(hits, ({ scope, documentId }) => JSON.stringify([scope, documentId]));
  return [...byDocument.values()].map((own) => {
    const { scope, documentId, score, source } = own[0]!;
    return { scope, documentId, uri: source.uri, title: source.title, score, hits: own };
  });
}

/**
 * A group as JSON: its hits by their ranks, since each hit stands in the list of hits.
 *
 * @experimental
 */
export type HitGroupJson = Omit<HitGroup, "hits"> & { readonly ranks: readonly number[] };

/** Renders a group for programs, as {@link toHitJson} does a hit. */
export function toGroupJson({ hits, ...group }: HitGroup): HitGroupJson {
  return { ...group, ranks: hits.map(({ rank }) => rank) };
}
