import type { EmbeddingInput, EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted, untilAborted } from "../../runtime/abort.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import {
  createRunnerOpening,
  type OpenRunner,
  type TransformersOptions,
  transformersOptionNames,
} from "./open-runner.ts";
import type { Pooling } from "./run-model.ts";

/** Texts written before documents and queries. */
export interface Prefixes {
  readonly query?: string | undefined;
  readonly document?: string | undefined;
}

/**
 * How a model in this process makes vectors of texts.
 *
 * @experimental
 */
export interface TransformersEmbeddingOptions extends TransformersOptions {
  /** Default: what the model's card says, for families that are known; else `mean`. */
  readonly pooling?: Pooling | undefined;
  /** Written before each text, for models that were trained with them. Default: what well-known models want; `{}` for none. */
  readonly prefixes?: Prefixes | undefined;
  /** Treatment of a text beyond the model's length: its beginning stands for it, or the call fails. Default `"cut"`. */
  readonly tooLong?: "cut" | "error" | undefined;
}

/** **Source** the model cards on the Hugging Face Hub: BAAI/bge-*, mixedbread-ai/mxbai-embed-*, Snowflake/snowflake-arctic-embed-*, Alibaba-NLP/gte-*-v1.5; Qwen/Qwen3-Embedding-*. */
const poolings: readonly (readonly [name: RegExp, pooling: Pooling])[] = [
  [/(?:^|[/_-])bge-|mxbai-embed|snowflake-arctic-embed|gte-(?:base|large|multilingual)/u, "cls"],
  [/qwen3-embedding/u, "last"],
];

/** Pooling of a family of models, by its name. */
export function poolingOf(name: string): Pooling {
  const lower = name.toLowerCase();
  return poolings.find(([pattern]) => pattern.test(lower))?.[1] ?? "mean";
}

/**
 * An embedding model that runs in a thread of this process, through the optional package `@huggingface/transformers` and its ONNX runtime.
 *
 * **Shape** `name` is an id at the Hugging Face Hub, such as `Xenova/all-MiniLM-L6-v2`, or a folder that holds the model. Vectors have length 1. Each text is
 * run alone, so that its vector does not depend on its neighbours. The first call loads the model; nothing is downloaded unless that is allowed.
 * **Errors** when called, `dependency-missing`, `configuration-missing` for a model that would have to be downloaded, `model-failed` for one that fails to load.
 * Also `unsupported-input` for input that is not text, `embedding-failed`, `aborted`.
 * **Cost** the model stays in memory; one text at a time runs on all cores, and the calling thread stays free.
 * **Source** Wesichain `CandleEmbedding`; Sentence-Transformers, `models.Pooling`.
 */
export function createTransformersEmbeddingModel(
  name: string,
  options: TransformersEmbeddingOptions = {},
): EmbeddingModel {
  checkGiven("createTransformersEmbeddingModel", "name", name, "text");
  checkOptions("createTransformersEmbeddingModel", options, {
    ...transformersOptionNames,
    pooling: true,
    prefixes: true,
    tooLong: true,
  });
  checkOptions("prefixes", options.prefixes, { query: true, document: true });
  const { prefixes = {}, tooLong = "cut", dtype = "fp32", device = "cpu", maxTokens, load, packageFolder } = options;
  const pooling = options.pooling ?? poolingOf(name);
  const wrong = [
    ["the name of the model", name, name.trim() !== "", 'Give a name such as "Xenova/all-MiniLM-L6-v2".'],
    ["pooling", pooling, ["mean", "cls", "last"].includes(pooling), 'Give "mean", "cls" or "last".'],
    ["tooLong", tooLong, ["cut", "error"].includes(tooLong), 'Give "cut" or "error".'],
    ["maxTokens", maxTokens, maxTokens === undefined || isCount(maxTokens), "Give a whole number of at least 1."],
  ] as const;
  for (const [what, value, isRight, hint] of wrong) {
    if (isRight) continue;
    throw new IbidError("invalid-argument", `createTransformersEmbeddingModel: ${what} is ${JSON.stringify(value)}.`, {
      hint,
    });
  }
  const settings = { provider: "transformers", model: name, kind: "AutoModel", pooling, tooLong, maxTokens } as const;
  const { allowDownload, cacheFolder, revision } = options;
  const source = { name, options: { allowDownload, cacheFolder, dtype, device: options.device, revision } };
  return createEmbeddingModelOver(
    createRunnerOpening(settings, { load, packageFolder }, async () => source),
    {
      provider: "transformers",
      model: name,
      prefixes,
      fingerprint: hashParts(
        "transformers",
        dtype,
        pooling,
        revision ?? "",
        prefixes.query ?? "",
        prefixes.document ?? "",
        // Further parts only where they differ from the defaults: vectors that are stored already keep their version.
        ...(maxTokens === undefined ? [] : [`${maxTokens} tokens`]),
        ...(device === "cpu" ? [] : [device]),
      ),
    },
  );
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;

/** The embedding model of a runner: prefixes before texts, and one text after the other. */
export function createEmbeddingModelOver(
  open: OpenRunner,
  {
    prefixes,
    ...identity
  }: Pick<EmbeddingModel, "provider" | "model"> & {
    readonly fingerprint: string;
    readonly prefixes: Prefixes;
    readonly dimensions?: number | undefined;
  },
): EmbeddingModel {
  return {
    ...identity,
    kind: "dense",
    dimensions: identity.dimensions,
    async embed(inputs, { purpose, signal }) {
      const prefix = prefixes[purpose] ?? "";
      const texts = inputs.map((input) => prefix + textOf(input));
      throwIfAborted(signal, "The embedding");
      if (texts.length === 0) return { embeddings: [] };
      const runner = await open(signal);
      const embeddings: Float32Array[] = [];
      let tokens = 0;
      for (const text of texts) {
        throwIfAborted(signal, "The embedding");
        const embedded = await untilAborted(runner.embed(text), signal, "The embedding");
        embeddings.push(embedded.vector);
        tokens += embedded.tokens;
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
