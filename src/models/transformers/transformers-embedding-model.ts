import type { EmbeddingInput, EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import {
  createLoading,
  type NativeTensor,
  type TransformersOptions,
  transformersOptionNames,
} from "./load-transformers.ts";
import { createTurns, runModel } from "./run-model.ts";

/** How the vectors of a text's tokens become the text's: their mean, the first one's, or the last one's. */
export type Pooling = "mean" | "cls" | "last";

/**
 * How a model in this process makes vectors of texts.
 *
 * @experimental
 */
export interface TransformersEmbeddingOptions extends TransformersOptions {
  /** Default: what the model's card says, for families that are known; else `mean`. */
  readonly pooling?: Pooling;
  /** Written before each text, for models that were trained with them. Default: what well-known models want; `{}` for none. */
  readonly prefixes?: { readonly query?: string; readonly document?: string };
  /** Treatment of a text beyond the model's length: its beginning stands for it, or the call fails. Default `"cut"`. */
  readonly tooLong?: "cut" | "error";
}

/** **Source** the model cards on the Hugging Face Hub: BAAI/bge-*, mixedbread-ai/mxbai-embed-*, Snowflake/snowflake-arctic-embed-*, Alibaba-NLP/gte-*-v1.5; Qwen/Qwen3-Embedding-*. */
const poolings: readonly (readonly [name: RegExp, pooling: Pooling])[] = [
  [/(?:^|[/_-])bge-|mxbai-embed|snowflake-arctic-embed|gte-(?:base|large|multilingual)/u, "cls"],
  [/qwen3-embedding/u, "last"],
];

/**
 * An embedding model that runs in this process, through the optional package `@huggingface/transformers` and its ONNX runtime.
 *
 * **Shape** `name` is an id at the Hugging Face Hub, such as `Xenova/all-MiniLM-L6-v2`, or a folder that holds the model. Vectors have length 1. Each text is
 * run alone, so that its vector does not depend on its neighbours. The first call loads the model; nothing is downloaded unless that is allowed.
 * **Errors** when called, `dependency-missing`, `configuration-missing` for a model that would have to be downloaded, `model-failed` for one that fails to load.
 * Also `unsupported-input` for input that is not text, `embedding-failed`, `aborted`.
 * **Cost** the model stays in memory; one text at a time runs on all cores.
 * **Source** Wesichain `CandleEmbedding`; Sentence-Transformers, `models.Pooling`.
 */
export function createTransformersEmbeddingModel(
  name: string,
  options: TransformersEmbeddingOptions = {},
): EmbeddingModel {
  checkOptions("createTransformersEmbeddingModel", options, {
    ...transformersOptionNames,
    pooling: true,
    prefixes: true,
    tooLong: true,
  });
  checkOptions("prefixes", options.prefixes, { query: true, document: true });
  const { prefixes = {}, tooLong = "cut", dtype = "fp32" } = options;
  const lower = name.toLowerCase();
  const pooling = options.pooling ?? poolings.find(([pattern]) => pattern.test(lower))?.[1] ?? "mean";
  const wrong = [
    ["the name of the model", name, name.trim() !== "", 'Give a name such as "Xenova/all-MiniLM-L6-v2".'],
    ["pooling", pooling, ["mean", "cls", "last"].includes(pooling), 'Give "mean", "cls" or "last".'],
    ["tooLong", tooLong, ["cut", "error"].includes(tooLong), 'Give "cut" or "error".'],
  ] as const;
  for (const [what, value, isRight, hint] of wrong) {
    if (isRight) continue;
    throw new IbidError("invalid-argument", `createTransformersEmbeddingModel: ${what} is ${JSON.stringify(value)}.`, {
      hint,
    });
  }
  const loaded = createLoading(name, "AutoModel", options);
  const inTurn = createTurns();
  return {
    provider: "transformers",
    model: name,
    kind: "dense",
    dimensions: undefined,
    fingerprint: hashParts(
      "transformers",
      dtype,
      pooling,
      options.revision ?? "",
      prefixes.query ?? "",
      prefixes.document ?? "",
    ),
    async embed(inputs, { purpose, signal }) {
      const prefix = prefixes[purpose] ?? "";
      const texts = inputs.map((input) => prefix + textOf(input));
      throwIfAborted(signal, "The embedding");
      if (texts.length === 0) return { embeddings: [] };
      const { tokenizer, model, maxTokens } = await loaded();
      const embeddings: Float32Array[] = [];
      let tokens = 0;
      for (const text of texts) {
        throwIfAborted(signal, "The embedding");
        // Tokens are counted before anything is cut: a text that is too long is never cut in silence where that was asked for.
        const whole = tokenizer([text], { padding: false, truncation: false });
        const count = whole["input_ids"]?.dims[1] ?? 0;
        if (count > maxTokens && tooLong === "error") {
          throw new IbidError(
            "embedding-failed",
            `transformers/${name} got more text than it accepts:  ${count} tokens.`,
            {
              hint: `Use a smaller chunk size; the model accepts ${maxTokens} tokens.`,
              details: { provider: "transformers", model: name, tokens: count, maxTokens, retryable: false },
            },
          );
        }
        const cut = count > maxTokens ? tokenizer([text], { padding: false, truncation: true }) : whole;
        tokens += Math.min(count, maxTokens);
        const output = await inTurn(() => runModel(model, cut, { kind: "embedding", name }));
        embeddings.push(
          poolTokens(
            output["sentence_embedding"] ?? output["last_hidden_state"] ?? output["token_embeddings"],
            pooling,
            name,
          ),
        );
      }
      return { embeddings, tokens };
    },
  };
}

function textOf(input: EmbeddingInput): string {
  if (typeof input === "string") return input;
  if ("text" in input && typeof input.text === "string") return input.text;
  throw new IbidError(
    "unsupported-input",
    `A document of type "${input.type}" cannot be embedded by a text model: only texts and text chunks are supported.`,
    { hint: "Leave it out, or embed a text that describes it.", details: { type: input.type } },
  );
}

/**
 * Pools the token vectors of one text into one of length 1; a zero vector stays zero.
 *
 * **Shape** input `[1, tokens, dimensions]`, or `[1, dimensions]` from models that pool themselves.
 */
function poolTokens(output: NativeTensor | undefined, pooling: Pooling, name: string): Float32Array {
  const [batch, rows = 1, dimensions = rows] = output?.dims ?? [];
  if (
    output === undefined ||
    batch !== 1 ||
    output.data.length !== (output.dims.length === 2 ? 1 : rows) * dimensions
  ) {
    throw new IbidError(
      "invalid-response",
      `transformers/${name} returned an unusable answer: it has no token vectors.`,
      {
        hint: "Use an embedding model.",
        details: { provider: "transformers", model: name },
      },
    );
  }
  const count = output.dims.length === 2 ? 1 : rows;
  const [from, to] = pooling === "mean" ? [0, count] : pooling === "cls" ? [0, 1] : [count - 1, count];
  const sum = new Float64Array(dimensions);
  for (let row = from; row < to; row++) {
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + Number(output.data[row * dimensions + at]);
  }
  // The mean's divisor goes with the length.
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
  return Float32Array.from(sum, (value) => (length === 0 ? 0 : value / length));
}
