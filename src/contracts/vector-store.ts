import type { Chunk } from "./chunk.ts";
import type { Origin } from "./document.ts";
import type { Embedding, EmbeddingVersion, Metric } from "./embedding.ts";
import type { Filter } from "./filter.ts";
import type { Scope } from "./scope.ts";

/**
 * **Shape** with an embedding, the nearest chunks of its version. With only a filter, every match at score 0; with neither, every chunk
 * at score 0.
 *
 * @experimental
 */
export interface VectorQuery {
  readonly embedding?: Embedding;
  /** Required beside `embedding`: only vectors of this version are compared. */
  readonly version?: EmbeddingVersion;
  readonly filter?: Filter;
  /** Only chunks of these origins, filtered before ranking like `filter`, so that no search starves. Default: all; `[]` matches nothing. */
  readonly origins?: readonly Origin[];
  /** Only these chunks: how a fusion learns one leg's exact score of what the other leg found. Default: all; `[]` matches nothing. */
  readonly chunkIds?: readonly string[];
  /** Default: the store's own. `"all"` for every match; a number below 1 is an error. */
  readonly topK?: number | "all";
  /** Inclusive threshold for `score`. */
  readonly minScore?: number;
  /** Default `"cosine"`. */
  readonly metric?: Metric;
  /** Default false. */
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
