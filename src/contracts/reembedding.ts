import type { Embedding, EmbeddingVersion } from "./embedding.ts";
import type { IbidError } from "./errors.ts";
import type { Run } from "./run.ts";
import type { Scope } from "./scope.ts";

/**
 * Embedding versions of a scope, and the one that its searches use.
 *
 * @experimental
 */
export interface ScopeVersions {
  readonly scope: Scope;
  /** Version that searches use. Absent where no chunk has a vector of a model. */
  readonly current?: EmbeddingVersion;
  /** Version of a re-embedding that has begun and not ended. */
  readonly next?: EmbeddingVersion;
  /** Former version: a rollback returns to it until a vacuum has removed its vectors. */
  readonly previous?: EmbeddingVersion;
}

/**
 * A vector for a chunk that is there already.
 *
 * @experimental
 */
export interface AddedVector {
  readonly chunkId: string;
  /** Text that was embedded. The vector is refused where the chunk's text has changed. */
  readonly text: string;
  readonly embedding: Embedding;
}

/**
 * Result of a change of version.
 *
 * @experimental
 */
export interface VersionChange {
  readonly changed: boolean;
  /** Live chunks that have no vector of the version. */
  readonly lacking: number;
}

/**
 * How a re-embedding goes about it; everything has a default.
 *
 * @experimental
 */
export interface ReembedOptions {
  /** Default: every scope that the caller may write. */
  readonly scope?: Scope | undefined;
  /** Only say what it would take: nothing is sent, nothing is written. */
  readonly estimate?: boolean | undefined;
  /** Lead searches back to the version before, which takes one transaction for each scope and no model. */
  readonly rollback?: boolean | undefined;
  /** The model's price, for the estimate, in the caller's currency. */
  readonly pricePerMillionTokens?: number | undefined;
  /** Chunks that are embedded and written at a time; a run that is killed loses no more than these. Default 64. */
  readonly batchSize?: number | undefined;
  /** No faster than this, so that searches and ingestions have their share of the model. Default: as fast as it answers. */
  readonly chunksPerMinute?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch, for a display; throwing in it fails nothing. */
  readonly onProgress?: ((progress: ReembedProgress) => void) | undefined;
}

/**
 * How far a scope's re-embedding has come.
 *
 * @experimental
 */
export interface ReembedProgress {
  readonly scope: Scope;
  readonly done: number;
  /** Chunks that were to do when it began. */
  readonly chunks: number;
}

/**
 * Extent of one scope's re-embedding.
 *
 * @experimental
 */
export interface ReembeddedScope {
  readonly scope: Scope;
  readonly from?: EmbeddingVersion;
  readonly to: EmbeddingVersion;
  /** Chunks that had no vector of the version when it began. */
  readonly chunks: number;
  /** Estimated tokens of the texts: one for every four characters. */
  readonly tokens: number;
  /** Chunks that got one. */
  readonly embedded: number;
  /** Chunks that the model refused; they keep their old vectors, and the scope its old version. */
  readonly failed: number;
  /** Whether searches of the scope changed over. */
  readonly changed: boolean;
}

/**
 * Events of a re-embedding. **Source** ToolUp's `KnowledgeChunkReembedded` and `KnowledgeChunkReembedFailed`.
 *
 * @experimental
 */
export type ReembedEvent =
  | {
      readonly type: "estimate";
      readonly scope: Scope;
      readonly chunks: number;
      readonly tokens: number;
      readonly cost?: number;
    }
  | {
      readonly type: "reembedded";
      readonly scope: Scope;
      readonly chunkId: string;
      readonly documentId: string;
      readonly version: EmbeddingVersion;
    }
  | {
      readonly type: "failed";
      readonly scope: Scope;
      readonly chunkId: string;
      readonly documentId: string;
      readonly version: EmbeddingVersion;
      readonly error: IbidError;
    }
  /** The model refused a whole batch; its chunks keep their old vectors, and the run ends with the error. */
  | {
      readonly type: "batch-failed";
      readonly scope: Scope;
      readonly chunkIds: readonly string[];
      readonly version: EmbeddingVersion;
      readonly error: IbidError;
    }
  | {
      readonly type: "changed-over";
      readonly scope: Scope;
      readonly from?: EmbeddingVersion;
      readonly to: EmbeddingVersion;
    };

/**
 * Result of a re-embedding.
 *
 * @experimental
 */
export interface ReembedSummary {
  readonly scopes: readonly ReembeddedScope[];
  readonly chunks: number;
  readonly tokens: number;
  /** Cost of `tokens`, where the price was given. */
  readonly cost?: number;
  readonly ms: number;
}

/**
 * A re-embedding, started when it is first awaited or iterated: `await` gives the summary, `for await` what happens on the way.
 *
 * @experimental
 */
export type ReembedRun = Run<ReembedEvent, ReembedSummary>;
