import { type AiSdkRerankingModel, isObject } from "../ai-sdk/ai-sdk-model.ts";
import { callWire, wireError, type WirePlace } from "./wire-call.ts";

interface RerankCall {
  readonly documents: { readonly values: readonly string[] };
  readonly query: string;
  readonly abortSignal?: AbortSignal;
}

/**
 * A reranking model behind `POST /rerank`, as vLLM, llama.cpp, LocalAI, Jina and Cohere have it, in the form of the AI SDK.
 *
 * **Source** Cohere API reference, "Rerank" (v2), and vLLM's and llama.cpp's endpoints in its form; AI SDK `RerankingModelV4`.
 */
export function createWireRerankingModel(place: WirePlace, modelId: string): AiSdkRerankingModel {
  return {
    specificationVersion: "v4",
    provider: `${place.provider}.reranking`,
    modelId,
    async doRerank({ documents, query, abortSignal }: RerankCall) {
      const body = { model: modelId, query, documents: documents.values };
      const answer = await callWire(place, "/rerank", body, abortSignal);
      const { results } = answer;
      if (!Array.isArray(results)) throw wireError("AI_InvalidResponseDataError", "The answer has no list of results.");
      return {
        ranking: (results as readonly unknown[]).map((result) => {
          const { index, relevance_score: relevanceScore } = isObject(result) ? result : {};
          return { index, relevanceScore };
        }),
      };
    },
  };
}
