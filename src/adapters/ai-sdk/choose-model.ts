import type { ChatModel } from "../../contracts/chat.ts";
import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import { type AiSdkEmbeddingModel, fromAiSdkEmbeddingModel } from "./embedding-model.ts";
import { type AiSdkLanguageModel, fromAiSdkLanguageModel } from "./language-model.ts";
import { resolveChatModel, resolveEmbeddingModel } from "./resolve-model.ts";

/** A model of the caller's own as it is, an AI SDK one made ours, one by name loaded. **Errors** as {@link resolveChatModel}. */
export function chooseChatModel(model: ChatModel | AiSdkLanguageModel | string): ChatModel | Promise<ChatModel> {
  if (typeof model === "string") return resolveChatModel(model);
  return "specificationVersion" in model ? fromAiSdkLanguageModel(model) : model;
}

/** The same for embedding models; `null` stays: none. **Errors** as {@link resolveEmbeddingModel}. */
export function chooseEmbeddingModel(model: EmbeddingModel | AiSdkEmbeddingModel | string): Promise<EmbeddingModel>;
export function chooseEmbeddingModel(
  model: EmbeddingModel | AiSdkEmbeddingModel | string | null,
): Promise<EmbeddingModel | null>;
export async function chooseEmbeddingModel(
  model: EmbeddingModel | AiSdkEmbeddingModel | string | null,
): Promise<EmbeddingModel | null> {
  if (model === null) return null;
  if (typeof model === "string") return await resolveEmbeddingModel(model);
  return "specificationVersion" in model ? fromAiSdkEmbeddingModel(model) : model;
}
