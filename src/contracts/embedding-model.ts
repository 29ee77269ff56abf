import type { Chunk } from "./chunk.ts";
import type { MediaDocument } from "./document.ts";
import { type Embedding, type EmbeddingKind, type EmbeddingVersion, versionKey } from "./embedding.ts";

/** What a model is asked to embed. A model without eyes or ears refuses a `MediaDocument` with `unsupported-input`. */
export type EmbeddingInput = string | Chunk | MediaDocument;

/** What one call of an embedding model can be told. */
export interface EmbedOptions {
  /** Many models want documents and queries marked differently. */
  readonly purpose: "document" | "query";
  readonly signal?: AbortSignal;
}

/** What an embedding model answers. */
export interface EmbedResult {
  /** One per input, in order. */
  readonly embeddings: readonly Embedding[];
  /** Tokens that the provider counted, when it says. */
  readonly tokens?: number;
}

/**
 * What makes embeddings. The batch is the primary path; splitting, caching, checking and retrying are the core's.
 *
 * **Errors** whatever the provider throws may be thrown; the core wraps it as `embedding-failed` with its cause. An `IbidError` whose `details.tooLarge` is true says
 * that a smaller batch may pass, and two halves follow. Counts, dimensions and NaN are checked by the core, so an implementation need not.
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
   * What closeness means: `"meaning"` (default) for a learned model, `"form"` for one that only sees characters and words,
   * so that the lexical leg leads the fusion.
   */
  readonly similarity?: "meaning" | "form";
  embed(inputs: readonly EmbeddingInput[], options: EmbedOptions): Promise<EmbedResult>;
}

/**
 * Where embeddings are kept so as not to be computed twice.
 *
 * **Shape** keys are hashes made by the core under the knowledge base's own key; no text ever reaches a cache.
 * A read makes an entry recent. **Source** ToolUp `IEmbeddingCache`.
 */
export interface EmbeddingCache {
  get(key: string): Embedding | undefined | Promise<Embedding | undefined>;
  set(key: string, embedding: Embedding): void | Promise<void>;
  /** Lets go of entries, of those that are there. **Shape** what was deleted from a knowledge base has none left here; left out where that cannot be promised. */
  delete?(keys: readonly string[]): void | Promise<void>;
  /** Reads that found something, over all reads; 0 before the first. */
  readonly hitRate: number;
}

/** What an {@link Embedder} hands back: checked, in order, of one version. */
export interface EmbeddedTexts {
  readonly version: EmbeddingVersion;
  readonly embeddings: readonly Embedding[];
  /** Texts really sent to the model; the others came from the cache. */
  readonly sent: number;
  /** What the provider counted for them; absent where it does not count. */
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
  /** **Errors** with no inputs and unknown dimensions there is no version to give: `invalid-argument`. */
  embed(inputs: readonly EmbeddingInput[], options: EmbedOptions): Promise<EmbeddedTexts>;
  /** Takes documents' texts out of the cache. **Errors** those of the cache. Left out where there is none, or one that cannot. */
  forget?(texts: readonly string[]): Promise<void>;
}

/** Whether an embedder makes vectors of that version. One that does not know its dimensions yet is known by the rest. */
export function makesVersion({ model, version }: Embedder, wanted: EmbeddingVersion): boolean {
  const made = version ?? {
    provider: model.provider,
    model: model.model,
    dimensions: wanted.dimensions,
    fingerprint: model.fingerprint ?? "",
  };
  return versionKey(made) === versionKey(wanted);
}
