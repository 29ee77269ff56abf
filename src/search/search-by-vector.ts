import { type Embedding, type EmbeddingVersion, kindOf, versionKey } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import type { ChunkRef, ReadChunk } from "../contracts/leg.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import type { VectorMatch, VectorQuery } from "../contracts/vector-store.ts";
import { isUnder } from "../engine/filters/create-restriction.ts";
import { mayBeginAhead } from "../runtime/begin-ahead.ts";
import { compareChunkPlaces } from "../runtime/compare-text.ts";

/** The part of a store that a search by vector needs. */
type SearchedStore = Pick<Store, "session" | "chunks">;

/** Nearest chunks by a vector, in a session of its own; without an embedding, every admitted chunk at score 0. **Errors** `unsupported` without a dense leg. */
export async function searchByVector(
  store: SearchedStore,
  scopes: AuthorizedScopes,
  query: VectorQuery & { readonly topK: number | "all" },
): Promise<readonly VectorMatch[]> {
  const {
    embedding,
    version,
    metric,
    includeEmbeddings = false,
    filter,
    origins,
    under,
    chunkIds,
    topK,
    order: _,
    ...others
  } = query;
  if (embedding === undefined) return listChunks(store, scopes, query);
  const session = await store.session(scopes, mayBeginAhead({}));
  const dense = session.legs.find(({ name }) => name === "dense");
  if (dense === undefined)
    throw new IbidError("unsupported", "The store has no dense leg.", { hint: "Use another store." });
  const only = chunkIds && session.scopes.flatMap((scope) => chunkIds.map((id) => ({ scope, id })));
  const embeddings = [{ embedding, version: version!, scopes: session.scopes, metric }];
  const asked = { question: "", text: "", syntax: "literal" as const, embeddings };
  const restriction = session.restrict(filter, origins, under);
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

/** Without an embedding every admitted chunk matches at score 0, by place or in the order in which they were written. */
export async function listChunks(
  store: SearchedStore,
  scopes: AuthorizedScopes,
  query: VectorQuery & { readonly topK: number | "all" },
): Promise<readonly VectorMatch[]> {
  const { filter, origins, under, chunkIds, topK, minScore = 0, version, includeEmbeddings = false } = query;
  const { order = "place" } = query;
  const matches: VectorMatch[] = [];
  const listed = store.chunks(scopes, { ...(filter && { filter }), includeEmbeddings });
  for await (const { scope, chunk, embeddings } of listed) {
    if (minScore > 0 || origins?.includes(chunk.origin) === false || chunkIds?.includes(chunk.id) === false) continue;
    if (!isUnder(chunk.uri, under)) continue;
    const kept = embeddingOf(embeddings, version, undefined);
    matches.push({ scope, chunk, score: 0, rawScore: 0, ...(kept && { embedding: kept }) });
  }
  const ordered = order === "place" ? matches.sort(comparePlaces) : await byInsertion(store, scopes, matches);
  return topK === "all" ? ordered : ordered.slice(0, topK);
}

const comparePlaces = (a: VectorMatch, b: VectorMatch): number =>
  compareChunkPlaces({ ...a.chunk, scope: a.scope }, { ...b.chunk, scope: b.scope });

/** A chunk's revision grows with each write of it. */
async function byInsertion(
  store: SearchedStore,
  scopes: AuthorizedScopes,
  matches: readonly VectorMatch[],
): Promise<readonly VectorMatch[]> {
  const session = await store.session(scopes);
  const refs = matches.map(({ scope, chunk }): ChunkRef => ({ scope, id: chunk.id }));
  const read = await session.readChunks(refs);
  return matches
    .map((match, i) => ({ match, revision: read[i]?.revision ?? Infinity }))
    .sort((a, b) => a.revision - b.revision || comparePlaces(a.match, b.match))
    .map(({ match }) => match);
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
