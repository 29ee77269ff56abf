/** What of this room is public. Only the doors read it. */
export {
  type AiSdkEmbeddingModel,
  type AiSdkLanguageModel,
  type AiSdkRerankingModel,
  isAiSdkEmbeddingModel,
  isAiSdkLanguageModel,
  isAiSdkRerankingModel,
} from "./ai-sdk-model.ts";
export { type AiSdkEmbeddingOptions, fromAiSdkEmbeddingModel } from "./embedding-model.ts";
export {
  createHostedChatModel,
  createHostedEmbeddingModel,
  type HostedEmbeddingOptions,
  type HostedOptions,
} from "../hosted/hosted-models.ts";
export { fromAiSdkLanguageModel } from "./language-model.ts";
export { type AiSdkRerankingOptions, fromAiSdkRerankingModel } from "./reranking-model.ts";
