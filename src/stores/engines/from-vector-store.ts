import { type EmbeddingVersion, type VersionedEmbedding, versionKey } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { ChunkEntry } from "../../contracts/document-store.ts";
import type { ChunkRef, Leg, LegMatch, MatchCount, QueryEmbedding, Within } from "../../contracts/leg.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { JsonValue } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { DeleteTarget, DocumentStore, ListChunksOptions, Store, StoreParts } from "../../contracts/store.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { createMemoryParts } from "../memory/memory-store.ts";
import { checkNotRevoked, checkOptions } from "../../runtime/check-options.ts";
import { type ChunkPlace, compareChunkPlaces } from "../../runtime/compare-text.ts";
import { hashParts } from "../../runtime/hash.ts";
import { composeStore } from "../compose/compose-store.ts";

/**
 * One entry that a vector store found.
 *
 * @experimental
 */
export type VectorStoreMatch = { readonly id?: string | undefined } & (
  | { readonly score: number }
  | { readonly similarityScore: number }
);

/**
 * A vector store with three methods, as databases of vectors offer them.
 *
 * **Shape** `add` replaces an entry of the same id. `query` gives at most `topK` entries, best first, each with its id and its `score` (or `similarityScore`,
 * its name in Ballerina); higher is better. Methods may return promises.
 * **Source** Ballerina's `VectorStore`.
 *
 * @experimental
 */
export interface AnyVectorStore {
  add(
    entries: readonly {
      readonly id: string;
      readonly embedding: readonly number[];
      readonly chunk: {
        readonly type: "text-chunk";
        readonly content: string;
        readonly metadata: Readonly<Record<string, string>>;
      };
    }[],
  ): unknown;
  query(query: {
    readonly embedding: readonly number[];
    readonly topK: number;
    /** `storeOptions` of the search. */
    readonly options?: JsonValue;
  }): readonly VectorStoreMatch[] | PromiseLike<readonly VectorStoreMatch[]>;
  delete(ids: readonly string[]): unknown;
  /** Whether it can be written: some databases make an index in the background. Asked again until it is true. Default: at once. **Source** Pinecone's `status.ready`. */
  ready?(signal?: AbortSignal): boolean | PromiseLike<boolean>;
}

/**
 * Options of {@link fromVectorStore}. @experimental
 *
 * @experimental
 */
export interface FromVectorStoreOptions {
  /** The parts that keep documents, chunks and words. Default: in memory. */
  readonly parts?: StoreParts | undefined;
  /** Name in errors. Default `"The vector store"`. */
  readonly name?: string | undefined;
}

const methods = ["add", "query", "delete"] as const;

/**
 * Makes a store over a vector store: vectors lie there, and documents, chunks and words in `parts`.
 *
 * **Shape** Dense search asks the vector store, and shows only chunks that `parts` holds, in the caller's scopes, admitted by the filter. Lexical and pattern
 * search are those of `parts`. Deleting is final: there is no trash. One embedding version at a time: a change of model needs another ingestion.
 * **Errors** `invalid-argument` for an object without one of the methods, by its name; `store-failed` when the vector store fails; `unsupported` for sparse
 * vectors.
 * **Cost** a write adds vectors before it commits, and removes replaced ones afterwards. A search that a filter or a scope narrows asks for more candidates until
 * enough are left, or the vector store has no more.
 *
 * @example
 * ```ts
 * const kb = await openKnowledgeBase({ store: fromVectorStore(myVectors), models: { embedding: "openai/text-embedding-3-small" } });
 * ```
 *
 * @experimental
 */
export function fromVectorStore(vectors: AnyVectorStore, options: FromVectorStoreOptions = {}): Store {
  return composeStore(createVectorStoreParts(vectors, options), { name: options.name ?? usualName });
}

const usualName = "The vector store";

/** Makes the parts of {@link fromVectorStore}. */
export function createVectorStoreParts(vectors: AnyVectorStore, options: FromVectorStoreOptions = {}): StoreParts {
  checkNotRevoked("fromVectorStore", "vectors", vectors);
  checkOptions("fromVectorStore", options, { parts: true, name: true });
  const missing = methods.find((name) => typeof (vectors as Partial<AnyVectorStore> | null)?.[name] !== "function");
  if (missing !== undefined) {
    throw new IbidError("invalid-argument", `The vector store has no method "${missing}".`, {
      hint: "Give an object with add, query and delete.",
    });
  }
  const { documents, legs, upkeep, secret } = options.parts ?? createMemoryParts({ embeddings: ["dense"] });
  const shelf = createVectorShelf(vectors, options.name ?? usualName);
  const [first, ...others] = legs.filter(({ name }) => name !== "dense" && name !== "latent");
  return {
    documents: withVectors(documents, shelf),
    legs: [...(first ? [first] : []), createVectorLeg(documents, shelf), ...others],
    upkeep,
    secret,
  };
}

/** The vector store, with its failures as errors of ours. */
interface VectorShelf {
  ready(signal: AbortSignal | undefined): Promise<boolean>;
  add(scope: Scope, entries: readonly ChunkEntry[]): Promise<void>;
  query(
    embedding: readonly number[],
    topK: number,
    options: JsonValue | undefined,
  ): Promise<readonly { readonly id: string; readonly score: number }[]>;
  delete(ids: readonly string[]): Promise<void>;
}

function createVectorShelf(vectors: AnyVectorStore, store: string): VectorShelf {
  async function ask<Result>(operation: string, what: string, work: () => Result): Promise<Awaited<Result>> {
    try {
      return await work();
    } catch (cause) {
      if (IbidError.isInstance(cause)) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new IbidError("store-failed", `${store} failed to ${what}: ${reason}`, {
        hint: "See to the vector store, and call again.",
        details: { store, operation },
        cause,
      });
    }
  }
  return {
    ready: async (signal) => (await ask("ready", "say whether it is ready", () => vectors.ready?.(signal))) ?? true,
    async add(scope, entries) {
      const added = entries.flatMap(({ chunk, embeddings }) =>
        embeddings.map(({ version, embedding }) => ({
          id: entryId(scope, chunk, versionKey(version)),
          embedding: denseOf(embedding),
          chunk: {
            type: "text-chunk" as const,
            content: chunk.text,
            metadata: { scope, chunkId: chunk.id, documentId: chunk.documentId, uri: chunk.uri },
          },
        })),
      );
      if (added.length > 0) await ask("add", "add entries", () => vectors.add(added));
    },
    async query(embedding, topK, options) {
      const found = await ask("query", "answer a query", () =>
        vectors.query({ embedding, topK, ...(options !== undefined && { options }) }),
      );
      if (!Array.isArray(found)) throw badMatch(store, "The result of query is not a list.");
      return found.flatMap((match: VectorStoreMatch | undefined) => {
        const { id, score, similarityScore = score } = (match ?? {}) as Readonly<Record<string, unknown>>;
        if (typeof similarityScore !== "number") throw badMatch(store, "An entry of query has no score.");
        return typeof id === "string" && !Number.isNaN(similarityScore) ? [{ id, score: similarityScore }] : [];
      });
    },
    async delete(ids) {
      if (ids.length > 0) await ask("delete", "delete entries", () => vectors.delete(ids));
    },
  };
}

function badMatch(store: string, problem: string): IbidError {
  return new IbidError("store-failed", `${store} failed to answer a query: ${problem}`, {
    details: { store, operation: "query" },
    hint: "query returns a list of { id, score }, with the ids that add was given.",
  });
}

function denseOf(embedding: VersionedEmbedding["embedding"]): readonly number[] {
  if ("dense" in embedding || "indices" in embedding) {
    throw new IbidError("unsupported", "A vector store keeps dense vectors alone.", {
      hint: "Use an embedding model that makes dense vectors.",
    });
  }
  return Array.from(embedding);
}

/** The id of a vector: its chunk, and a hash of text and version. A changed text or another model gives another id, so an entry never changes. */
function entryId(scope: Scope, { id, text }: Pick<Chunk, "id" | "text">, version: string): string {
  return [scope, id, hashParts(text, version).slice(0, 16)].map(encodeURIComponent).join("/");
}

/** The chunk that an id names. `undefined` for an id that this adapter did not make. */
function refOf(id: string): ChunkRef | undefined {
  const [scope, chunk, hash, ...others] = id.split("/");
  if (scope === undefined || chunk === undefined || hash === undefined || others.length > 0) return undefined;
  try {
    return { scope: decodeURIComponent(scope) as Scope, id: decodeURIComponent(chunk) };
  } catch {
    return undefined;
  }
}

/** A one-dimensional vector in `parts`, which says that the vector store has the chunk's vector of a version. */
function markOf(version: EmbeddingVersion): VersionedEmbedding {
  return { version: markVersion(version), embedding: [1] };
}

function markVersion({ provider, model, dimensions, fingerprint }: EmbeddingVersion): EmbeddingVersion {
  return { provider, model, dimensions: 1, fingerprint: JSON.stringify([dimensions, fingerprint]) };
}

function unmarkVersion({ provider, model, fingerprint }: EmbeddingVersion): EmbeddingVersion {
  const [dimensions, own] = JSON.parse(fingerprint) as [number, string];
  return { provider, model, dimensions, fingerprint: own };
}

const marked = ({ chunk, embeddings }: ChunkEntry): ChunkEntry => ({
  chunk,
  embeddings: embeddings.map(({ version }) => markOf(version)),
});

/** Ids that one call deletes at most. */
const deletedAtOnce = 256;

/** Documents whose vectors lie in the vector store. */
function withVectors(documents: DocumentStore, shelf: VectorShelf): DocumentStore {
  /** Ids of the vectors of some chunks. */
  async function idsOf(scope: Scope, which: ListChunksOptions): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const { chunk, embeddings = [] } of documents.chunks([scope], { ...which, includeEmbeddings: true })) {
      for (const { version } of embeddings) ids.push(entryId(scope, chunk, versionKey(unmarkVersion(version))));
    }
    return ids;
  }

  async function deleteAll(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += deletedAtOnce)
      await shelf.delete(ids.slice(from, from + deletedAtOnce));
  }

  /** Runs a write, and then deletes vectors that no live chunk of `which` has any more. */
  async function replacing<Result>(
    scope: Scope,
    which: ListChunksOptions,
    write: () => Promise<Result>,
  ): Promise<Result> {
    const before = await idsOf(scope, which);
    const result = await write();
    const after = new Set(before.length === 0 ? [] : await idsOf(scope, which));
    await deleteAll(before.filter((id) => !after.has(id)));
    return result;
  }

  return {
    ...documents,
    embeddings: ["dense"],
    ready: async (signal) => ((await documents.ready?.(signal)) ?? true) && shelf.ready(signal),
    close: () => documents.close(),
    replace(scope, write) {
      const { chunks } = write;
      return replacing(scope, { documentId: write.document.id }, async () => {
        if (Symbol.asyncIterator in chunks) {
          const batches = async function* (): AsyncGenerator<readonly ChunkEntry[]> {
            for await (const batch of chunks) {
              await shelf.add(scope, batch);
              yield batch.map(marked);
            }
          };
          return documents.replace(scope, { ...write, chunks: batches() });
        }
        await shelf.add(scope, chunks);
        return documents.replace(scope, { ...write, chunks: chunks.map(marked) });
      });
    },
    // Vectors go first: a delete that was acknowledged has left none.
    async delete(scope, target, options = {}) {
      const final = { ...options, purge: true };
      if (options.onMissing === "error" && (await isAnyMissing(documents, scope, target)))
        return documents.delete(scope, target, final);
      for (const which of listingsOf(target)) await deleteAll(await idsOf(scope, which));
      return documents.delete(scope, target, final);
    },
    held: (scope, documentId, version) => documents.held(scope, documentId, version && markVersion(version)),
    async *chunks(scopes, listing) {
      for await (const { scope, chunk } of documents.chunks(scopes, { ...listing, includeEmbeddings: false }))
        yield { scope, chunk };
    },
    async status(scopes) {
      const status = await documents.status(scopes);
      const embeddingVersions = status.embeddingVersions.map(({ chunks, ...version }) => ({
        ...unmarkVersion(version),
        chunks,
      }));
      return { ...status, embeddingVersions };
    },
    readChunks: (refs, { moment }) => documents.readChunks(refs, { moment, embeddings: false }),
  };
}

function listingsOf(target: DeleteTarget): readonly ListChunksOptions[] {
  if ("ids" in target) return [{ ids: target.ids }];
  if ("documentIds" in target) return target.documentIds.map((documentId) => ({ documentId }));
  return "filter" in target ? [{ filter: target.filter }] : [{}];
}

async function isAnyMissing(documents: DocumentStore, scope: Scope, target: DeleteTarget): Promise<boolean> {
  if ("documentIds" in target) {
    const counts = await documents.chunkCounts(
      [scope],
      target.documentIds.map((documentId) => ({ scope, documentId })),
    );
    return counts.includes(0);
  }
  if (!("ids" in target)) return false;
  const found = new Set<string>();
  for await (const { chunk } of documents.chunks([scope], { ids: target.ids })) found.add(chunk.id);
  return target.ids.some((id) => !found.has(id));
}

/** **Source** `denseWeight` and `chanceLikeness` of the segment store's dense leg. */
const [denseWeight, chanceLikeness] = [0.2, 0.25];

/** Candidates that are asked for, for each match that is wanted. */
const spare = 4;

/** Candidates that are asked for at least. */
const leastCandidates = 64;

/** Dense search by a vector store. Each candidate is looked up in the document store, which knows its scope, its metadata and whether it is live. */
function createVectorLeg(documents: DocumentStore, shelf: VectorShelf): Leg {
  return {
    name: "dense",
    // A vector store may miss candidates, and its filters are not asked: this leg checks each candidate itself.
    capabilities: { exact: false, filters: "all", visibility: "commit", scoresGivenChunks: true },
    accepts: ({ embeddings }) => embeddings.length > 0,
    async search({ embeddings, storeOptions }, k, within) {
      const found = await Promise.all(embeddings.map((one) => nearest(documents, shelf, one, k, within, storeOptions)));
      const placed = found.flatMap((one) => one.matches).sort(comparePlaced);
      const matches = placed.map(({ scope, id, score, revision, why }): LegMatch => ({
        scope,
        id,
        score,
        revision,
        why,
      }));
      const isForm = embeddings.every(({ similarity }) => similarity === "form");
      return {
        matches: k === "all" ? matches : matches.slice(0, k),
        complete: found.every(({ complete }) => complete) && (k === "all" || matches.length <= k),
        exact: false,
        calibration: {
          weight: denseWeight,
          scale: 1,
          aloneAbove: isForm && within.minScore === undefined ? chanceLikeness : undefined,
        },
      };
    },
  };
}

async function nearest(
  documents: DocumentStore,
  shelf: VectorShelf,
  { embedding, version, scopes, metric = "cosine" }: QueryEmbedding,
  k: MatchCount,
  within: Within,
  options: JsonValue | undefined,
): Promise<{ readonly matches: readonly PlacedMatch[]; readonly complete: boolean }> {
  const vector = denseOf(embedding);
  const searched = { ...within, scopes: scopes.filter((scope) => within.scopes.includes(scope)) };
  const lookUp = createLookUp(documents, versionKey(version), searched);
  const wanted = within.only?.length ?? (k === "all" ? Infinity : k);
  let asked = wanted === Infinity ? leastCandidates : Math.max(leastCandidates, wanted * spare);
  for (; ; asked *= spare) {
    throwIfAborted(within.signal, "The search");
    const candidates = await shelf.query(vector, asked, options);
    const held = await lookUp(candidates.map(({ id }) => id));
    const seen = new Set<string>();
    const matches = candidates.flatMap(({ id, score }): readonly PlacedMatch[] => {
      const found = held.get(id);
      if (found === undefined || seen.has(id) || (within.minScore !== undefined && score < within.minScore)) return [];
      seen.add(id);
      const { scope, id: chunk, revision } = found;
      return [{ place: found, scope, id: chunk, score, revision, why: { kind: "vector", rawScore: score, metric } }];
    });
    const complete = candidates.length < asked;
    if (complete || matches.length >= wanted) return { matches, complete };
  }
}

type LookUp = (ids: readonly string[]) => Promise<ReadonlyMap<string, HeldChunk>>;

/** A candidate that may be shown, with its place. */
interface HeldChunk extends ChunkPlace {
  readonly scope: Scope;
  readonly revision: number;
}

interface PlacedMatch extends LegMatch {
  readonly place: ChunkPlace;
}

/** Looks candidates up, each once: live chunks of the searched scopes that the restriction admits, whose text is the one that was embedded. */
function createLookUp(
  documents: DocumentStore,
  version: string,
  { scopes, only, restriction, moment }: Within,
): LookUp {
  const asked = new Set<string>();
  const held = new Map<string, HeldChunk>();
  const chosen = only && new Set(only.map(keyOf));
  return async (ids) => {
    const fresh = ids.flatMap((id) => {
      const ref = asked.has(id) ? undefined : refOf(id);
      asked.add(id);
      if (ref === undefined || !scopes.includes(ref.scope) || chosen?.has(keyOf(ref)) === false) return [];
      return [{ id, ref }];
    });
    const read = await documents.readChunks(
      fresh.map(({ ref }) => ref),
      { moment },
    );
    fresh.forEach(({ id, ref }, i) => {
      const one = read[i];
      if (one === undefined || entryId(ref.scope, one.chunk, version) !== id) return;
      if (restriction?.admits(one.chunk) !== false) {
        const { revision, chunk } = one;
        held.set(id, { ...ref, uri: chunk.uri, start: chunk.start, revision });
      }
    });
    return held;
  };
}

const keyOf = ({ scope, id }: ChunkRef): string => `${scope} ${id}`;

function comparePlaced(a: PlacedMatch, b: PlacedMatch): number {
  return b.score - a.score || compareChunkPlaces(a.place, b.place);
}
