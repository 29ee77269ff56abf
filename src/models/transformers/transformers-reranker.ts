import { IbidError } from "../../contracts/errors.ts";
import type { Reranker } from "../../contracts/retriever.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import {
  createLoading,
  type NativeTensor,
  type TransformersOptions,
  transformersOptionNames,
} from "./load-transformers.ts";
import { createTurns, runModel } from "./run-model.ts";

/**
 * How a cross-encoder in this process is loaded and asked.
 *
 * @experimental
 */
export interface TransformersRerankerOptions extends TransformersOptions {
  /** Candidates that are read beside the query; the rest keep their order behind them. Default 32. */
  readonly maxBatchSize?: number;
}

/**
 * A cross-encoder that runs in this process, through the optional package `@huggingface/transformers`: it reads each text together with the query.
 *
 * **Shape** `name` is an id at the Hugging Face Hub, such as `Xenova/ms-marco-MiniLM-L-6-v2`, or a folder. Scores are between 0 and 1: the logistic function of the
 * one logit, or of the last less the first where there are several labels. Pairs that are too long are cut at the text's end.
 * **Errors** as `createTransformersEmbeddingModel`, with `model-failed` where that has `embedding-failed`.
 * **Cost** one run of the model for each text, one after another. **Source** Sentence-Transformers, `CrossEncoder.predict`; ToolUp.
 * @experimental
 */
export function createTransformersReranker(name: string, options: TransformersRerankerOptions = {}): Reranker {
  checkOptions("createTransformersReranker", options, { ...transformersOptionNames, maxBatchSize: true });
  const { maxBatchSize = 32 } = options;
  if (!(Number.isSafeInteger(maxBatchSize) && maxBatchSize >= 1)) {
    throw new IbidError("invalid-argument", "maxBatchSize must be a whole number of at least 1.", {
      hint: "Pass the number of texts for one batch, or leave it out.",
    });
  }
  const loaded = createLoading(name, "AutoModelForSequenceClassification", options);
  const inTurn = createTurns();
  return {
    name: `transformers/${name}`,
    maxBatchSize,
    async rerank(query, texts, { signal } = {}) {
      throwIfAborted(signal, "The reranking");
      if (texts.length === 0) return [];
      const { tokenizer, model } = await loaded();
      const scores: number[] = [];
      for (const text of texts) {
        throwIfAborted(signal, "The reranking");
        const pair = tokenizer([query], { text_pair: [text], padding: false, truncation: true });
        const { logits } = await inTurn(() => runModel(model, pair, { kind: "rerank", name }));
        scores.push(readScore(logits, name));
      }
      return scores;
    },
  };
}

function readScore(logits: NativeTensor | undefined, name: string): number {
  const values = Array.from(logits?.data ?? [], Number);
  const last = values.at(-1);
  if (last === undefined || !values.every(Number.isFinite)) {
    throw new IbidError("invalid-response", `transformers/${name} returned an unusable answer: it has no score.`, {
      hint: "Use a reranking model (a cross-encoder).",
      details: { provider: "transformers", model: name },
    });
  }
  const logit = values.length === 1 ? last : last - (values[0] ?? 0);
  return 1 / (1 + Math.exp(-logit));
}
