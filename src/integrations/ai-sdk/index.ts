/** `ibid/ai-sdk`. */
export { readUIMessages, type UIQuestion } from "./read-ui-messages.ts";
export type {
  UIAnswerData,
  UIAnswerMetadata,
  UICitation,
  UIGrounded,
  UIHit,
  UIMessageChunk,
} from "./ui-message-chunk.ts";
export {
  toUIMessageStream,
  toUIMessageStreamResponse,
  type UIMessageStreamOptions,
  type UIMessageStreamResponseOptions,
} from "./ui-message-stream.ts";
export type { AiSdkEmbeddingModel, AiSdkLanguageModel, AiSdkRerankingModel } from "../../models/ai-sdk/ai-sdk-model.ts";
export { type AiSdkEmbeddingOptions, fromAiSdkEmbeddingModel } from "../../models/ai-sdk/embedding-model.ts";
export { fromAiSdkLanguageModel } from "../../models/ai-sdk/language-model.ts";
export { type AiSdkRerankingOptions, fromAiSdkRerankingModel } from "../../models/ai-sdk/reranking-model.ts";
