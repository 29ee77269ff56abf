import { type AiSdkEmbeddingModel, isObject } from "../ai-sdk/ai-sdk-model.ts";
import { callWire, wireError, type WirePlace } from "./wire-call.ts";

interface EmbedCall {
  readonly values: readonly string[];
  readonly dimensions?: number;
  readonly abortSignal?: AbortSignal;
}

/** One vector of 8,192 numbers as JSON. */
const maxVectorBytes = 200_000;

/**
 * An embedding model behind OpenAI's `POST /embeddings`, in the form of the AI SDK, so that it is checked and read like every other.
 *
 * **Shape** without a name the service decides which model it is. Vectors are put in the order that their `index` says.
 * **Source** OpenAI API reference, "Create embeddings"; AI SDK `EmbeddingModelV4`.
 */
export function createWireEmbeddingModel(place: WirePlace, modelId: string, named = true): AiSdkEmbeddingModel {
  return {
    specificationVersion: "v4",
    provider: `${place.provider}.embedding`,
    modelId,
    // As many as OpenAI takes; what a server can take less of it refuses, and smaller batches follow.
    maxEmbeddingsPerCall: 2048,
    async doEmbed({ values, dimensions, abortSignal }: EmbedCall) {
      const answer = await callWire(
        place,
        "/embeddings",
        {
          ...(named && { model: modelId }),
          input: values,
          encoding_format: "float",
          ...(dimensions === undefined ? {} : { dimensions }),
        },
        abortSignal,
        2 ** 20 + values.length * maxVectorBytes,
      );
      const usage = isObject(answer["usage"]) ? answer["usage"] : {};
      return {
        embeddings: inOrder(answer["data"]),
        usage: { tokens: usage["prompt_tokens"] ?? usage["total_tokens"] },
      };
    },
  };
}

function inOrder(data: unknown): readonly unknown[] {
  if (!Array.isArray(data)) throw wireError("AI_InvalidResponseDataError", "The answer has no list of embeddings.");
  const vectors: unknown[] = [];
  for (const [at, item] of (data as readonly unknown[]).entries()) {
    const { embedding, index = at } = isObject(item) ? item : {};
    if (
      typeof index !== "number" ||
      !Number.isSafeInteger(index) ||
      index < 0 ||
      index >= data.length ||
      index in vectors
    ) {
      throw wireError("AI_InvalidResponseDataError", "The answer does not say which embedding is whose.");
    }
    vectors[index] = embedding;
  }
  return vectors;
}
