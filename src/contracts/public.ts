/** What of this room is public: every promise, so that whoever keeps one can name all that it speaks of. Only the doors read it. */
export type * from "./analyzer.ts";
export type * from "./answer.ts";
export type * from "./blob-store.ts";
export type * from "./chat.ts";
export type * from "./chunk.ts";
export type * from "./chunker.ts";
export type * from "./clock.ts";
export type * from "./collection.ts";
export type * from "./corpus-model.ts";
export type * from "./diagnosis.ts";
export type * from "./document-store.ts";
export type * from "./document.ts";
export type {
  EmbedOptions,
  EmbedResult,
  EmbeddedTexts,
  Embedder,
  EmbeddingCache,
  EmbeddingInput,
  EmbeddingModel,
} from "./embedding-model.ts";
export {
  kindOf,
  versionKey,
  type Embedding,
  type EmbeddingKind,
  type EmbeddingVersion,
  type HybridVector,
  type SparseVector,
  type Vector,
  type VersionedEmbedding,
} from "./embedding.ts";
export type * from "./entity.ts";
export { IbidError, type IbidErrorCode, type IbidErrorOptions } from "./errors.ts";
export type * from "./event-store.ts";
export type * from "./expansion.ts";
export type * from "./extraction.ts";
export type * from "./filter.ts";
export type * from "./health.ts";
export type * from "./http.ts";
export type * from "./ingestion-queue.ts";
export type * from "./job-store.ts";
export type * from "./knowledge-base.ts";
export type * from "./knowledge-store.ts";
export type * from "./latent-search.ts";
export type * from "./lexical-index.ts";
export type * from "./media-type-handler.ts";
export type * from "./metadata.ts";
export type * from "./reader.ts";
export type * from "./reembedding.ts";
export type * from "./refresh-policy.ts";
export type * from "./regex-search.ts";
export type * from "./retriever.ts";
export type * from "./schema.ts";
export type * from "./scope.ts";
export type * from "./shared-cache.ts";
export type * from "./sheet-data.ts";
export type * from "./store.ts";
export type * from "./suspicion.ts";
export type * from "./telemetry.ts";
export type * from "./tool.ts";
export type * from "./tracer.ts";
export type * from "./vector-store.ts";
