import { IbidError } from "../../contracts/errors.ts";
import type { Reranker } from "../../contracts/retriever.ts";
import { throwIfAborted, untilAborted } from "../../runtime/abort.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import {
  createRunnerOpening,
  type OpenRunner,
  type TransformersOptions,
  transformersOptionNames,
} from "./open-runner.ts";

/**
 * How a cross-encoder in this process is loaded and asked.
 *
 * @experimental
 */
export interface TransformersRerankerOptions extends TransformersOptions {
  /** Candidates that are read beside the query; the rest keep their order behind them. Default 32. */
  readonly maxBatchSize?: number | undefined;
}

/**
 * A cross-encoder that runs in a thread of this process, through the optional package `@huggingface/transformers`: it reads each text together with the query.
 *
 * **Shape** `name` is an id at the Hugging Face Hub, such as `Xenova/ms-marco-MiniLM-L-6-v2`, or a folder. Scores are between 0 and 1: the logistic function of the
 * one logit, or of the last less the first where there are several labels. Pairs that are too long are cut at the text's end.
 * **Errors** as `createTransformersEmbeddingModel`, with `model-failed` where that has `embedding-failed`.
 * **Cost** one run of the model for each text, one after another. **Source** Sentence-Transformers, `CrossEncoder.predict`; ToolUp.
 * @experimental
 */
export function createTransformersReranker(name: string, options: TransformersRerankerOptions = {}): Reranker {
  checkGiven("createTransformersReranker", "name", name, "text");
  checkOptions("createTransformersReranker", options, { ...transformersOptionNames, maxBatchSize: true });
  const { maxBatchSize = 32, load, packageFolder, maxTokens, ...place } = options;
  if (!(Number.isSafeInteger(maxBatchSize) && maxBatchSize >= 1)) {
    throw new IbidError("invalid-argument", "maxBatchSize must be a whole number of at least 1.", {
      hint: "Pass the number of texts for one batch, or leave it out.",
    });
  }
  const settings = {
    provider: "transformers",
    model: name,
    kind: "AutoModelForSequenceClassification",
    maxTokens,
  } as const;
  const open = createRunnerOpening(settings, { load, packageFolder }, async () => ({ name, options: place }));
  return createRerankerOver(open, `transformers/${name}`, maxBatchSize);
}

/** The reranker of a runner: one text after the other. */
export function createRerankerOver(open: OpenRunner, name: string, maxBatchSize = 32): Reranker {
  return {
    name,
    maxBatchSize,
    async rerank(query, texts, { signal } = {}) {
      throwIfAborted(signal, "The reranking");
      if (texts.length === 0) return [];
      const runner = await open(signal);
      const scores: number[] = [];
      for (const text of texts) {
        throwIfAborted(signal, "The reranking");
        scores.push(await untilAborted(runner.score(query, text), signal, "The reranking"));
      }
      return scores;
    },
  };
}
