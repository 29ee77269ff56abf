import type { Metric } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Store } from "../../contracts/store.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import type { VectorMatch, VectorQuery } from "../../contracts/vector-store.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { searchByVector } from "../../search/search-by-vector.ts";
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
}

/**
 * A memory store under Ballerina's name and with its defaults: dense vectors alone, the three best.
 *
 * **Errors** `invalid-argument` for a `topK` that is no whole number; `unsupported` for a sparse or hybrid vector, before anything is stored; `not-found` for the delete of an unknown id, with `onMissing: "error"`.
 * **Source** Ballerina `InMemoryVectorStore`.
 *
 * @experimental
 */
export function createInMemoryVectorStore(options: InMemoryVectorStoreOptions = {}): VectorStore {
  checkOptions("createInMemoryVectorStore", options, { topK: true, similarityMetric: true, onMissing: true });
  const { similarityMetric = "cosine", onMissing: whenMissing = "ignore" } = options;
  const topK = readCount(options.topK ?? 3);
  const store = createNamedMemoryStore({ metric: similarityMetric, embeddings: ["dense"] }, "InMemoryVectorStore");
  // In Ballerina, a query without an embedding gives every match.
  const ownCount = ({ embedding }: VectorQuery): number | "all" => (embedding === undefined ? "all" : topK);
  const search: VectorStore["search"] = async (scopes, query) =>
    searchByVector(store, scopes, {
      ...query,
      topK: query.topK === undefined ? ownCount(query) : readCount(query.topK),
    });
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

/** Ballerina's count of matches: a number below 1 asks for all. **Errors** `invalid-argument`. */
function readCount(topK: number | "all"): number | "all" {
  if (topK === "all") return topK;
  if (Number.isInteger(topK)) return topK < 1 ? "all" : topK;
  throw new IbidError("invalid-argument", `createInMemoryVectorStore: topK is ${String(topK)}.`, {
    hint: 'Give a whole number, or "all".',
  });
}
