import type { Metric } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { ChunkEntry, DocumentWrite } from "../../contracts/document-store.ts";
import type { Filter } from "../../contracts/filter.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Store } from "../../contracts/store.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import type { VectorMatch, VectorQuery } from "../../contracts/vector-store.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { checkRange } from "../../runtime/check-range.ts";
import { listChunks, searchByVector } from "../../search/search-by-vector.ts";
import { createNamedMemoryStore } from "../../stores/memory/memory-store.ts";

/** A store that is searched by vector, without a session. */
export interface VectorStore extends Store {
  /** **Shape** with an embedding the nearest chunks of its version; without one, every admitted chunk at score 0, and without a `topK` all of them. A `topK` below 1 is `"all"`, as in Ballerina. */
  search(scopes: AuthorizedScopes, query: VectorQuery): Promise<readonly VectorMatch[]>;
}

/** Options of {@link createInMemoryVectorStore}. */
export interface InMemoryVectorStoreOptions {
  /** Number of matches of a query with an embedding that names none. Default 3. `"all"`, or a number below 1 as in Ballerina, for every match. */
  readonly topK?: number | "all" | undefined;
  /** Default `"cosine"`. */
  readonly similarityMetric?: Metric | undefined;
  /** Effect of deleting an unknown id, where the call names none. Default `"ignore"`; Ballerina's is `"error"`. */
  readonly onMissing?: "ignore" | "error" | undefined;
  /** Effect of a vector with a number that is none. Default `"error"`; `"last"` is Wesichain's: the chunk is kept and found behind all others, at `-Infinity`. */
  readonly onInvalid?: "error" | "last" | undefined;
  /** Effect of a range of a filter over a value that is no number. Default `"typed"`: no match. `"checked"` is Ballerina's: `invalid-filter`. */
  readonly ranges?: "typed" | "checked" | undefined;
}

const words = { onInvalid: ["error", "last"], ranges: ["typed", "checked"] } as const;

/**
 * A memory store under Ballerina's name and with its defaults: dense vectors alone, the three best.
 *
 * **Errors** `invalid-argument` for a `topK` that is no whole number; `unsupported` for a sparse or hybrid vector, before anything is stored; `not-found` for the delete of an unknown id, with `onMissing: "error"`.
 * **Source** Ballerina `InMemoryVectorStore`.
 *
 * @experimental
 */
export function createInMemoryVectorStore(options: InMemoryVectorStoreOptions = {}): VectorStore {
  checkOptions("createInMemoryVectorStore", options, {
    topK: true,
    similarityMetric: true,
    onMissing: true,
    onInvalid: true,
    ranges: true,
  });
  for (const [name, known] of Object.entries(words)) checkWord(name, options[name as keyof typeof words], known);
  const {
    similarityMetric = "cosine",
    onMissing: whenMissing = "ignore",
    onInvalid = "error",
    ranges = "typed",
  } = options;
  const topK = readCount(options.topK ?? 3);
  const store = createNamedMemoryStore({ metric: similarityMetric, embeddings: ["dense"] }, "InMemoryVectorStore");
  // In Ballerina, a query without an embedding gives every match.
  const ownCount = ({ embedding }: VectorQuery): number | "all" => (embedding === undefined ? "all" : topK);
  const invalid = onInvalid === "last" ? keepInvalid(store) : undefined;
  const search: VectorStore["search"] = async (scopes, given) => {
    const query = { ...given, topK: given.topK === undefined ? ownCount(given) : readCount(given.topK) };
    if (ranges === "checked" && query.filter !== undefined)
      for await (const { chunk } of store.chunks(scopes)) checkRanges(query.filter, chunk.metadata);
    const found = await searchByVector(store, scopes, query);
    return invalid === undefined ? found : invalid.addTo(found, scopes, query);
  };
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
  return Object.assign(store, { search, delete: deleting, defaultTopK: topK, defaultOnMissing: whenMissing });
}

/** A vector that compares with nothing stays away from the store, and its chunk is remembered. */
function keepInvalid(store: Store) {
  const known = new Set<string>();
  const keyOf = (scope: string | undefined, id: string): string => JSON.stringify([scope, id]);
  const isValid = ({ embedding }: ChunkEntry["embeddings"][number]): boolean =>
    "indices" in embedding || "dense" in embedding || Array.from(embedding).every(Number.isFinite);
  const { replace } = store;
  Object.assign(store, {
    async replace(into: AuthorizedScopes<"write">, write: DocumentWrite) {
      const marks = new Map<string, boolean>();
      const strip = (entries: readonly ChunkEntry[]): readonly ChunkEntry[] =>
        entries.map((entry) => {
          const embeddings = entry.embeddings.filter(isValid);
          marks.set(keyOf(into.scopes[0], entry.chunk.id), embeddings.length < entry.embeddings.length);
          return { ...entry, embeddings };
        });
      const { chunks } = write;
      const result = await replace(into, {
        ...write,
        chunks: Symbol.asyncIterator in chunks ? stripEach(chunks, strip) : strip(chunks),
      });
      for (const [key, isInvalid] of marks)
        if (isInvalid) known.add(key);
        else known.delete(key);
      return result;
    },
  });
  return {
    async addTo(
      found: readonly VectorMatch[],
      scopes: AuthorizedScopes,
      query: VectorQuery & { topK: number | "all" },
    ) {
      const { embedding, topK, minScore } = query;
      if (embedding === undefined || minScore !== undefined || known.size === 0) return found;
      const all = await listChunks(store, scopes, { ...query, topK: "all" });
      const last = all.filter(({ scope, chunk }) => known.has(keyOf(scope, chunk.id)));
      const matches = [...found, ...last.map((match) => ({ ...match, score: -Infinity, rawScore: -Infinity }))];
      return topK === "all" ? matches : matches.slice(0, topK);
    },
  };
}

async function* stripEach(
  batches: AsyncIterable<readonly ChunkEntry[]>,
  strip: (entries: readonly ChunkEntry[]) => readonly ChunkEntry[],
): AsyncGenerator<readonly ChunkEntry[]> {
  for await (const batch of batches) yield strip(batch);
}

/** **Errors** `invalid-filter` for a value that a range of the filter meets and cannot compare. */
function checkRanges(filter: Filter, metadata: Metadata): void {
  switch (filter.op) {
    case "and":
    case "or":
      for (const inner of filter.filters) checkRanges(inner, metadata);
      return;
    case "not":
      checkRanges(filter.filter, metadata);
      return;
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      checkRange(filter, filter.value);
      if (Object.hasOwn(metadata, filter.key)) checkRange(filter, metadata[filter.key]);
      return;
    default:
  }
}

function checkWord(name: string, word: string | undefined, known: readonly string[]): void {
  if (word === undefined || known.includes(word)) return;
  throw new IbidError("invalid-argument", `createInMemoryVectorStore: ${name} cannot be ${JSON.stringify(word)}.`, {
    hint: `Choose from ${known.join(", ")}.`,
  });
}

/** Ballerina's count of matches: a number below 1 asks for all. **Errors** `invalid-argument`. */
function readCount(topK: number | "all"): number | "all" {
  if (topK === "all") return topK;
  if (Number.isInteger(topK)) return topK < 1 ? "all" : topK;
  throw new IbidError("invalid-argument", `createInMemoryVectorStore: topK is ${String(topK)}.`, {
    hint: 'Give a whole number, or "all".',
  });
}
