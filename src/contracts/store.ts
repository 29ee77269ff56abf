import type { Chunk } from "./chunk.ts";
import type { EmbeddingKind, VersionedEmbedding } from "./embedding.ts";
import type { Filter } from "./filter.ts";
import type { AuthorizedScopes, Scope, SystemAuthority } from "./scope.ts";

/**
 * How a similarity is computed. `score` is monotone for each: higher is better, always.
 *
 * @experimental
 */
export type Metric = "cosine" | "dot" | "euclidean";

/**
 * When what was acknowledged is safe: at once and against power loss (`"commit"`), at the next snapshot (`"snapshot"`), or never (`"none"`).
 *
 * @experimental
 */
export type Durability = "commit" | "snapshot" | "none";

/**
 * What a store says of itself. A declared "no" is a promise too: the operation then throws `unsupported`.
 *
 * @experimental
 */
export interface StoreCapabilities {
  readonly durability: Durability;
  /** Whether a search returns exactly `min(topK, matches)`. An approximate store says false and falls back to a scan when starved. */
  readonly exact: boolean;
  readonly embeddings: readonly EmbeddingKind[];
  readonly metrics: readonly Metric[];
  /** Whether what was deleted without `purge` can be restored until it is vacuumed. */
  readonly restore: boolean;
}

/**
 * One chunk on its way into a store, with a vector for each version that must find it (two during a cut-over).
 *
 * @experimental
 */
export interface ChunkEntry {
  readonly chunk: Chunk;
  readonly embeddings: readonly VersionedEmbedding[];
}

/**
 * What to delete, in the one scope that the proof names.
 *
 * @experimental
 */
export type DeleteTarget =
  | { readonly ids: readonly string[] }
  | { readonly documentIds: readonly string[] }
  | { readonly filter: Filter }
  /** The whole scope: at once and for good, bypassing tombstones (T15). */
  | { readonly scope: true };

/** How a delete goes about it. */
export interface DeleteOptions {
  /** What to do about an id that is not there. Default `"ignore"`. */
  readonly onMissing?: "ignore" | "error";
  /** Gone at once from every row, posting and vector, instead of restorable until vacuumed. Default false. */
  readonly purge?: boolean;
}

/**
 * What every store of chunks can do, however it is searched.
 *
 * **Shape** every call carries the gate's proof. Writing needs a proof with exactly one scope. Identity of a chunk is (scope, id); the same id
 * replaces. Nothing taken in or handed out is aliased (B27). A call stores everything or nothing.
 * **Errors** `invalid-id` for an id that is blank or holds U+0000 or a lone surrogate, `dimension-mismatch` before anything is stored (law 6), `unsupported` for a kind of embedding that
 * the store does not keep, `access-denied` for a proof that the gate did not make, `store-closed`.
 * **Source** Ballerina (B17 to B31), ToolUp (T5 to T15), Wesichain (W7, W8, W15), Semantic Kernel (S4).
 */
export interface ChunkStore {
  readonly capabilities: StoreCapabilities;
  /** Resolves when the store can be written; some databases create an index in the background (S4). */
  ready(signal?: AbortSignal): Promise<void>;
  upsert(into: AuthorizedScopes<"write">, entries: readonly ChunkEntry[]): Promise<void>;
  /** **Shape** how many live chunks went. Deleting what is already deleted counts 0. */
  delete(from: AuthorizedScopes<"write">, target: DeleteTarget, options?: DeleteOptions): Promise<number>;
  /** Takes back a delete that was not a purge. **Shape** how many chunks came back. */
  restore(
    into: AuthorizedScopes<"write">,
    target: { readonly ids: readonly string[] } | { readonly documentIds: readonly string[] },
  ): Promise<number>;
  /** Removes for good what was deleted more than `olderThanMs` ago, in every scope. **Shape** how many chunks went. */
  vacuum(authority: SystemAuthority, options: { readonly olderThanMs: number }): Promise<number>;
  /** Live chunks in order of (scope, id), paged by key so that writers are never held up. */
  chunks(scopes: AuthorizedScopes, options?: ListChunksOptions): AsyncIterable<StoredChunk>;
  /** Scopes that hold at least one live chunk or document, sorted. */
  scopes(authority: SystemAuthority): Promise<readonly Scope[]>;
}

/**
 * Which chunks a listing gives, and how much of them.
 *
 * @experimental
 */
export interface ListChunksOptions {
  readonly filter?: Filter;
  readonly documentId?: string;
  /** Only chunks of these ids. **Cost** a look-up each, instead of a walk. */
  readonly ids?: readonly string[];
  readonly includeEmbeddings?: boolean;
}

/**
 * A chunk as a listing gives it.
 *
 * @experimental
 */
export interface StoredChunk {
  readonly scope: Scope;
  readonly chunk: Chunk;
  /** Only when asked for. */
  readonly embeddings?: readonly VersionedEmbedding[];
}
