import type { Chunk } from "../contracts/chunk.ts";
import type { Store } from "../contracts/store.ts";
import type { Hit, Retriever } from "../contracts/retriever.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import { chunkStructure } from "../text/chunk-structure.ts";

type Counts = Pick<Store, "chunks" | "chunkCounts">;

/**
 * A retriever whose hits all say where they stand in their documents, of how many chunks, whichever retriever found them.
 *
 * Nothing of this is stored: a total would change every chunk of a document with each edit.
 *
 * **Cost** nothing for hits of the built-in retriever, whose session counts. For others a count for each document that was found, and a look-up for each hit
 * that does not know its place. **Source** Embabel.
 */
export function withStructure(store: Counts, retriever: Retriever): Retriever {
  return {
    async retrieve(scopes, query, options) {
      const hits = await retriever.retrieve(scopes, query, options);
      const areComplete = hits.every(({ structure }) => structure?.totalChunks !== undefined);
      return areComplete ? hits : completeStructure(store, scopes, hits);
    },
  };
}

async function completeStructure(
  store: Counts,
  scopes: AuthorizedScopes,
  hits: readonly Hit[],
): Promise<readonly Hit[]> {
  const documents = [...new Map(hits.map((hit) => [keyOf(hit), hit])).values()];
  const counts = await store.chunkCounts(scopes, documents);
  const totals = new Map(documents.map((hit, i) => [keyOf(hit), counts[i]]));
  const unplaced = hits.filter(({ structure }) => structure === undefined).map(({ chunkId }) => chunkId);
  const chunks = new Map<string, Chunk>();
  if (unplaced.length > 0) {
    for await (const { scope, chunk } of store.chunks(scopes, { ids: unplaced }))
      chunks.set(`${scope} ${chunk.id}`, chunk);
  }
  return hits.map((hit) => {
    const chunk = chunks.get(`${hit.scope} ${hit.chunkId}`);
    const structure = hit.structure ?? (chunk && chunkStructure(chunk));
    if (structure === undefined) return hit;
    // A document that was swapped between the search and the count may have fewer by now.
    const total = totals.get(keyOf(hit)) ?? 0;
    return { ...hit, structure: total > structure.chunkIndex ? { ...structure, totalChunks: total } : structure };
  });
}

const keyOf = ({ scope, documentId }: Pick<Hit, "scope" | "documentId">): string => `${scope} ${documentId}`;
