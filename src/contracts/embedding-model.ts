import type { Chunk } from "./chunk.ts";
import type { MediaDocument } from "./document.ts";
import {
  type Embedding,
  type EmbeddingKind,
  type EmbeddingVersion,
  fingerprintVectors,
  versionKey,
} from "./embedding.ts";

/**
 * Input of an embedding model. A text-only model refuses a `MediaDocument` with `unsupported-input`.
 *
 * @experimental
 */
export type EmbeddingInput = string | Chunk | MediaDocument;

/**
 * Options of one call of an embedding model.
 *
 * @experimental
 */
export interface EmbedOptions {
  /** Many models want documents and queries marked differently. */
  readonly purpose: "document" | "query";
  readonly signal?: AbortSignal | undefined;
}

/**
 * Result of one call of an embedding model.
 *
 * @experimental
 */
export interface EmbedResult {
  /** One per input, in order. */
  readonly embeddings: readonly Embedding[];
  /** Tokens that the provider counted, when it says. */
  readonly tokens?: number;
}

/**
 * Makes embeddings. The batch is the primary path; the core does splitting, caching, checking and retrying.
 *
 * **Errors** any error of the provider may be thrown; the core wraps it as `embedding-failed` with its cause. `details.tooLarge` on an `IbidError` asks for
 * smaller batches, and two halves follow. The core checks counts, dimensions and NaN, so an implementation need not.
 * **Source** Ballerina `EmbeddingProvider`, ToolUp `IEmbeddingProvider`, Wesichain `Embedding`.
 */
export interface EmbeddingModel {
  readonly provider: string;
  readonly model: string;
  readonly kind: EmbeddingKind;
  /** `undefined` when it is known only from the first answer. */
  readonly dimensions: number | undefined;
  /** Everything else that changes the vectors; see {@link EmbeddingVersion}. */
  readonly fingerprint?: string;
  /** Inputs that one `embed` call may carry. Default: no limit. */
  readonly maxBatchSize?: number;
  /**
   * Meaning of closeness: `"meaning"` (default) for a learned model, `"form"` for one that only sees characters and words.
   * With `"form"` the lexical leg leads the fusion.
   */
  readonly similarity?: "meaning" | "form";
  /** Kinds of documents besides text that it embeds into the same space. Default: none. */
  readonly media?: readonly MediaDocument["type"][];
  embed(inputs: readonly EmbeddingInput[], options: EmbedOptions): Promise<EmbedResult>;
}

/**
 * Where embeddings are kept so as not to be computed twice.
 *
 * **Shape** keys are hashes made by the core under the knowledge base's own key; no text ever reaches a cache.
 * A read makes an entry recent. **Source** ToolUp `IEmbeddingCache`.
 *
 * @experimental
 */
export interface EmbeddingCache {
  get(key: string): Embedding | undefined | Promise<Embedding | undefined>;
  set(key: string, embedding: Embedding): void | Promise<void>;
  /** Removes entries by key. A knowledge base that deletes a text removes it here too. Absent where the cache cannot promise that. */
  delete?(keys: readonly string[]): void | Promise<void>;
  /** Reads that found something, over all reads; 0 before the first. */
  readonly hitRate: number;
}

/**
 * Result of an {@link Embedder}: checked, in order, of one version.
 *
 * @experimental
 */
export interface EmbeddedTexts {
  readonly version: EmbeddingVersion;
  readonly embeddings: readonly Embedding[];
  /** Texts really sent to the model; the others came from the cache. */
  readonly sent: number;
  /** Tokens that the provider counted; absent where it does not count. */
  readonly tokens?: number;
}

/**
 * A model with everything around it that is written once: batches, the cache, checks of count, dimension and NaN, typed errors.
 *
 * **Errors** `embedding-failed`, `invalid-response`, `dimension-mismatch`, `unsupported-input`, `rate-limited`, `timeout`, `aborted`. No retries.
 */
export interface Embedder {
  readonly model: EmbeddingModel;
  /** `undefined` until the first answer when the model does not say its dimensions. */
  readonly version: EmbeddingVersion | undefined;
  readonly cacheHitRate: number;
  /** Most inputs of one request. Absent where it is unknown. */
  readonly batchSize?: number | undefined;
  /** **Errors** with no inputs and unknown dimensions there is no version to give: `invalid-argument`. */
  embed(inputs: readonly EmbeddingInput[], options: EmbedOptions): Promise<EmbeddedTexts>;
  /** Removes documents' texts from the cache. **Errors** every error of the cache. Absent without a cache that can delete. */
  forget?(texts: readonly string[]): Promise<void>;
}

/** Whether an embedder makes vectors of that version. One that does not know its dimensions yet is known by the rest. */
export function makesVersion({ model, version }: Embedder, wanted: EmbeddingVersion): boolean {
  const made = version ?? {
    provider: model.provider,
    model: model.model,
    dimensions: wanted.dimensions,
    fingerprint: fingerprintVectors(model.fingerprint),
  };
  return versionKey(made) === versionKey(wanted);
}
