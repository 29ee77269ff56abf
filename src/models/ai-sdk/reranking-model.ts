import { IbidError } from "../../contracts/errors.ts";
import type { Reranker } from "../../contracts/retriever.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import {
  type AiSdkProviderOptions,
  type AiSdkRerankingModel,
  checkAiSdkModel,
  isObject,
  providerName,
} from "./ai-sdk-model.ts";
import { abortedError, invalidResponse, type ModelCall, toModelError } from "../hosted/to-model-error.ts";

export type { AiSdkRerankingModel } from "./ai-sdk-model.ts";

/**
 * How a reranking model of the AI SDK is asked.
 *
 * @experimental
 */
export interface AiSdkRerankingOptions {
  /** Candidates that one call may carry; the rest keep their order behind them. Default: no limit. */
  readonly maxBatchSize?: number | undefined;
  /** Sent with every call, as they are. */
  readonly providerOptions?: AiSdkProviderOptions | undefined;
}

/**
 * Wraps a reranking model of the AI SDK.
 *
 * **Shape** specifications v3 and v4; scores come in the order of the texts.
 * **Errors** `invalid-argument` for a value that is no reranking model. When called, `rate-limited`, `timeout`, `invalid-response` (a missing score, or one that is no
 * number), `configuration-missing`, `model-failed`, `aborted`. No retries.
 * **Source** AI SDK `RerankingModelV3`, `RerankingModelV4`; ToolUp.
 *
 * @experimental
 */
export function fromAiSdkRerankingModel(model: AiSdkRerankingModel, options: AiSdkRerankingOptions = {}): Reranker {
  checkAiSdkModel(model, "reranking");
  checkOptions("fromAiSdkRerankingModel", options, { maxBatchSize: true, providerOptions: true });
  const { maxBatchSize, providerOptions } = options;
  if (maxBatchSize !== undefined && !(Number.isSafeInteger(maxBatchSize) && maxBatchSize >= 1)) {
    throw new IbidError("invalid-argument", "maxBatchSize must be a whole number of at least 1.", {
      hint: "Pass the largest number of texts in one call, or leave it out.",
    });
  }
  const provider = providerName(model);
  const doRerank = model.doRerank.bind(model) as (call: object) => PromiseLike<unknown>;
  return {
    name: `${provider}/${model.modelId}`,
    ...(maxBatchSize === undefined ? {} : { maxBatchSize }),
    async rerank(query, texts, { signal } = {}) {
      if (texts.length === 0) return [];
      const call: ModelCall = { kind: "rerank", provider, model: model.modelId, sent: [query, ...texts], signal };
      try {
        if (signal?.aborted === true) throw abortedError(call);
        const result = await doRerank({
          documents: { type: "text", values: [...texts] },
          query,
          // Some rank only their best otherwise.
          topN: texts.length,
          ...(signal === undefined ? {} : { abortSignal: signal }),
          ...(providerOptions === undefined ? {} : { providerOptions }),
        });
        return readScores(result, texts.length, call);
      } catch (error) {
        throw toModelError(error, call);
      }
    },
  };
}

function readScores(result: unknown, expected: number, call: ModelCall): readonly number[] {
  const ranking = isObject(result) ? result["ranking"] : undefined;
  if (!Array.isArray(ranking)) throw invalidResponse(call, "it has no ranking");
  const scores = new Map<number, number>();
  for (const place of ranking as readonly unknown[]) {
    const { index, relevanceScore } = isObject(place) ? place : {};
    if (
      typeof index !== "number" ||
      !Number.isSafeInteger(index) ||
      index < 0 ||
      index >= expected ||
      scores.has(index)
    )
      throw invalidResponse(call, "it ranks a text that was not sent, or one twice");
    if (typeof relevanceScore !== "number" || !Number.isFinite(relevanceScore))
      throw invalidResponse(call, "a score is not a finite number");
    scores.set(index, relevanceScore);
  }
  if (scores.size !== expected) {
    throw invalidResponse(call, `${scores.size} scores for ${expected} texts`, { expected, got: scores.size });
  }
  return Array.from({ length: expected }, (_, index) => scores.get(index) ?? 0);
}
