import { type Embedding, type EmbeddingVersion, kindOf, versionKey } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Store } from "../../contracts/store.ts";
import type { ReadChunk } from "../../contracts/leg.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import type { VectorMatch, VectorQuery } from "../../contracts/vector-store.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { compareChunkPlaces } from "../../runtime/compare-text.ts";
import { createNamedMemoryStore } from "../../stores/memory/memory-store.ts";

/** A store that is searched by vector, without a session. */
export interface VectorStore extends Store {
  /** **Shape** with an embedding the nearest chunks of its version; without one, every admitted chunk at score 0. */
  search(scopes: AuthorizedScopes, query: VectorQuery): Promise<readonly VectorMatch[]>;
}

/** The part of a store that a search by vector needs. */
type SearchedStore = Pick<Store, "session" | "chunks">;

/** Options of {@link createInMemoryVectorStore}. */
export interface InMemoryVectorStoreOptions {
  /** Default 3. */
  readonly topK?: number;
  /** Default `"cosine"`. */
  readonly similarityMetric?: "cosine" | "dot" | "euclidean";
  /** Effect of deleting an unknown id, where the call names none. Default `"ignore"`; Ballerina's is `"error"`. */
  readonly onMissing?: "ignore" | "error";
}

/**
 * A memory store under Ballerina's name and with its defaults: dense vectors alone, the three best.
 *
 * **Errors** `unsupported` for a sparse or hybrid vector, before anything is stored; `not-found` for the delete of an unknown id, with `onMissing: "error"`.
 * **Source** Ballerina `InMemoryVectorStore`.
 *
 * @experimental
 */
export function createInMemoryVectorStore(options: InMemoryVectorStoreOptions = {}): VectorStore {
  checkOptions("createInMemoryVectorStore", options, { topK: true, similarityMetric: true, onMissing: true });
  const { topK = 3, similarityMetric = "cosine", onMissing: whenMissing = "ignore" } = options;
  const store = createNamedMemoryStore({ metric: similarityMetric, embeddings: ["dense"] }, "InMemoryVectorStore");
  const search: VectorStore["search"] = (scopes, query) => searchByVector(store, scopes, { topK, ...query });
  // The guarded store itself: a copy of it would be no store.
  const remove = store.delete;
  const deleting: VectorStore["delete"] = async (from, target, given = {}) => {
    const { onMissing = whenMissing } = given;
    if (onMissing === "ignore" || !("ids" in target)) return remove(from, target, given);
    try {
      return await remove(from, target, { ...given, onMissing });
    } catch (cause) {
      if (!IbidError.isInstance(cause, "not-found")) throw cause;
      const id = target.ids.find((each) => cause.message.includes(`"${each}"`)) ?? target.ids[0] ?? "";
      throw new IbidError("not-found", `Vector entry with reference id '${id}' not found`, {
        hint: 'Give onMissing: "ignore" where a missing id is no mistake.',
        cause,
      });
    }
  };
  return Object.assign(store, { search, delete: deleting });
}

/** Nearest chunks by a vector, in a session of its own; without an embedding, every admitted chunk at score 0. **Errors** `unsupported` without a dense leg. */
export async function searchByVector(
  store: SearchedStore,
  scopes: AuthorizedScopes,
  query: VectorQuery & { readonly topK: number | "all" },
): Promise<readonly VectorMatch[]> {
  const { embedding, version, metric, includeEmbeddings = false, filter, origins, chunkIds, topK, ...others } = query;
  if (embedding === undefined) return listChunks(store, scopes, query);
  const session = await store.session(scopes);
  const dense = session.legs.find(({ name }) => name === "dense");
  if (dense === undefined)
    throw new IbidError("unsupported", "The store has no dense leg.", { hint: "Use another store." });
  const only = chunkIds && session.scopes.flatMap((scope) => chunkIds.map((id) => ({ scope, id })));
  const embeddings = [{ embedding, version: version!, scopes: session.scopes, metric }];
  const asked = { question: "", text: "", syntax: "literal" as const, embeddings };
  const restriction = session.restrict(filter, origins);
  const found = (await dense.search(asked, topK, { restriction, only, ...others })).matches;
  // A leg may give more than it was asked for.
  const matches = topK === "all" ? found : found.slice(0, topK);
  const read = await session.readChunks(matches, { embeddings: includeEmbeddings });
  return matches.flatMap(({ scope, score, why }, i): VectorMatch[] => {
    const chunk = read[i];
    if (chunk === undefined) return [];
    const kept = embeddingOf(chunk.embeddings, version, embedding);
    const rawScore = why.kind === "vector" ? why.rawScore : score;
    return [{ scope, chunk: chunk.chunk, score, rawScore, ...(kept && { embedding: kept }) }];
  });
}

/** Without an embedding every admitted chunk matches at score 0, by uri, start, scope and id. */
async function listChunks(
  store: SearchedStore,
  scopes: AuthorizedScopes,
  query: VectorQuery & { readonly topK: number | "all" },
): Promise<readonly VectorMatch[]> {
  const { filter, origins, chunkIds, topK, minScore = 0, version, includeEmbeddings = false } = query;
  const matches: VectorMatch[] = [];
  const listed = store.chunks(scopes, { ...(filter && { filter }), includeEmbeddings });
  for await (const { scope, chunk, embeddings } of listed) {
    if (minScore > 0 || origins?.includes(chunk.origin) === false || chunkIds?.includes(chunk.id) === false) continue;
    const kept = embeddingOf(embeddings, version, undefined);
    matches.push({ scope, chunk, score: 0, rawScore: 0, ...(kept && { embedding: kept }) });
  }
  matches.sort((a, b) => compareChunkPlaces({ ...a.chunk, scope: a.scope }, { ...b.chunk, scope: b.scope }));
  return topK === "all" ? matches : matches.slice(0, topK);
}

function embeddingOf(
  embeddings: ReadChunk["embeddings"] = [],
  version: EmbeddingVersion | undefined,
  like: Embedding | undefined,
): Embedding | undefined {
  return embeddings.find(
    (one) =>
      (version === undefined || versionKey(one.version) === versionKey(version)) &&
      (like === undefined || kindOf(one.embedding) === kindOf(like)),
  )?.embedding;
}
