import type { Chunk } from "./chunk.ts";
import type { Origin } from "./document.ts";
import type { Embedding, EmbeddingVersion } from "./embedding.ts";
import type { Filter } from "./filter.ts";
import type { AuthorizedScopes, Scope } from "./scope.ts";
import type { ChunkStore, Metric } from "./store.ts";

/**
 * **Shape** with an embedding, the nearest chunks of its version; with only a filter, every match at score 0; with neither, every chunk
 * at score 0 (B20).
 *
 * @experimental
 */
export interface VectorQuery {
  readonly embedding?: Embedding;
  /** Required beside `embedding`: only vectors of this version are compared (law 6). */
  readonly version?: EmbeddingVersion;
  readonly filter?: Filter;
  /** Only chunks of these origins, filtered before ranking like `filter`, so that it starves nothing (law 4). Default: all; `[]` matches nothing. */
  readonly origins?: readonly Origin[];
  /** Only these chunks: how a fusion learns one leg's exact score of what the other leg found. Default: all; `[]` matches nothing. */
  readonly chunkIds?: readonly string[];
  /** Default: the store's own. `"all"` for every match; a number below 1 is an error. */
  readonly topK?: number | "all";
  /** Inclusive floor on `score`. */
  readonly minScore?: number;
  /** Default `"cosine"`. */
  readonly metric?: Metric;
  /** Default false (B34, W15). */
  readonly includeEmbeddings?: boolean;
}

/**
 * A chunk that was found by its vector.
 *
 * @experimental
 */
export interface VectorMatch {
  readonly scope: Scope;
  readonly chunk: Chunk;
  /** Higher is better: the cosine, the dot product, or `1 / (1 + distance)`. Never NaN; a zero vector scores 0. */
  readonly score: number;
  /** The metric's own value; for Euclidean, the distance. */
  readonly rawScore: number;
  readonly embedding?: Embedding;
}

/**
 * Nearest vectors, dense, sparse or hybrid.
 *
 * **Shape** `search` gives at most `topK` matches, best first, ties by chunk id then scope; exact stores give `min(topK, matches)` (law 4).
 * A hybrid vector scores the sum of its dense and its sparse similarity.
 * **Errors** `dimension-mismatch` for a query of another length than its version says; see also {@link ChunkStore}.
 * **Source** Ballerina `VectorStore` (B17 to B30), ToolUp `IVectorStore` (T5 to T7), Wesichain `VectorStore` (W7, W8), Embabel `FilteringVectorSearch` (E23).
 *
 * @experimental
 */
export interface VectorStore extends ChunkStore {
  search(scopes: AuthorizedScopes, query: VectorQuery): Promise<readonly VectorMatch[]>;
}
