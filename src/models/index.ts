/** `ibid/models`, in any runtime. */
export type {
  ChatAssistantMessage,
  ChatFunctionMessage,
  ChatMessage,
  ChatModel,
  ChatOptions,
  ChatResult,
  ChatStreamPart,
  ChatSystemMessage,
  ChatTool,
  ChatUserMessage,
  Insertion,
  OnUsage,
  Price,
  Prices,
  Prompt,
  ToolCall,
  Usage,
} from "../contracts/chat.ts";
export type {
  EmbeddedTexts,
  EmbeddingCache,
  EmbeddingInput,
  EmbeddingModel,
  EmbedOptions,
  EmbedResult,
} from "../contracts/embedding-model.ts";
export type {
  Embedding,
  EmbeddingKind,
  EmbeddingVersion,
  HybridVector,
  SparseVector,
  Vector,
  VersionedEmbedding,
  VersionName,
} from "../contracts/embedding.ts";
export type { ImageEmbedder } from "../contracts/extraction.ts";
export { createHostedTranscription, type HostedTranscriptionOptions } from "./hosted/hosted-transcription.ts";
export type { Reranker } from "../contracts/retriever.ts";
export type { DownloadProgress } from "../contracts/download-progress.ts";
export type { SharedCache } from "../contracts/shared-cache.ts";
export { type BlobCache, createBlobCache } from "./embedder/blob-cache.ts";
export { createEmbeddingCache } from "./embedder/embedding-cache.ts";
export { createSharedEmbeddingCache } from "./embedder/shared-embedding-cache.ts";
export { createHashingModel, type HashingModelOptions } from "./hashing/hashing-model.ts";
export {
  createHostedChatModel,
  createHostedEmbeddingModel,
  type HostedChatOptions,
  type HostedEmbeddingOptions,
  type HostedOptions,
} from "./hosted/hosted-models.ts";
export { createHuggingFaceEmbeddingModel, type HuggingFaceOptions } from "./hosted/hugging-face.ts";
export { type LocalModel, localModels } from "./local-models.ts";
export { createModelReranker, type ModelRerankerOptions } from "./model-reranker.ts";
export { addUsage, withPrice } from "./price-usage.ts";
export type { LocalModelOptions } from "./transformers/local-model.ts";
export type { TransformersOptions } from "./transformers/open-runner.ts";
export type { TransformersEmbeddingOptions } from "./transformers/transformers-embedding-model.ts";
export type { TransformersRerankerOptions } from "./transformers/transformers-reranker.ts";
