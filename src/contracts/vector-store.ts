import type { Chunk } from "./chunk.ts";
import type { Origin } from "./document.ts";
import type { Embedding, EmbeddingVersion, Metric, VersionName } from "./embedding.ts";
import type { Filter, FilterInput } from "./filter.ts";
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
  /** Only documents whose uri has one of these prefixes, before ranking. Default: all; `[]` matches nothing. */
  readonly under?: readonly string[];
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
  /** Order of matches without an embedding. Default `"place"`. */
  readonly order?: MatchOrder;
}

/**
 * Order of matches that no score orders: by uri and start, or as they were written. A chunk that is written again is the last.
 *
 * @experimental
 */
export type MatchOrder = "place" | "inserted";

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
  /** The metric's own value; for a distance, lower is nearer. */
  readonly rawScore: number;
  readonly embedding?: Embedding;
}

/**
 * Options of `kb.find`, which finds by filter alone; everything has a default.
 *
 * @experimental
 */
export interface FindOptions {
  readonly filter?: FilterInput | undefined;
  /** Only chunks of these origins. Default: all. */
  readonly origins?: readonly Origin[] | undefined;
  /** Only documents whose uri has this prefix, or one of several: a folder. Default: all. */
  readonly under?: string | readonly string[] | undefined;
  /** Default `"all"`. */
  readonly topK?: number | "all" | undefined;
  /** Default `"place"`. */
  readonly order?: MatchOrder | undefined;
  /** Narrows to these scopes; those that the caller may not read are dropped. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Default false. */
  readonly includeEmbeddings?: boolean | undefined;
}

/**
 * Options of `kb.searchVector`; everything has a default.
 *
 * @experimental
 */
export interface VectorSearchOptions extends Omit<FindOptions, "order"> {
  /** Default 5. */
  readonly topK?: number | "all" | undefined;
  /** Version of the vector, by the caller's name or whole. Default: the one version of its length that the scopes hold. */
  readonly version?: VersionName | undefined;
  /** Inclusive threshold for `score`. */
  readonly minScore?: number | undefined;
  /** Default: the knowledge base's, else the cosine. */
  readonly metric?: Metric | undefined;
  /**
   * Effect of a vector of another length than every stored one: `dimension-mismatch`, or each admitted chunk has the score 0. Default `"error"`.
   * **Source** Embabel, where the cosine of vectors of different sizes is 0.
   */
  readonly onMismatch?: "error" | "zero" | undefined;
  /** Searches the knowledge base as it was at this time; see `SearchOptions.asOf`. ISO 8601. Default: the present. */
  readonly asOf?: string | undefined;
}
