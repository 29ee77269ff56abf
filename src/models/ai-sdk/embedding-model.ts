import type { EmbeddingInput, EmbeddingModel, EmbedResult } from "../../contracts/embedding-model.ts";
import type { Vector } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { JsonValue } from "../../contracts/metadata.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import { withDefaults } from "../../runtime/with-defaults.ts";
import {
  type AiSdkEmbeddingModel,
  type AiSdkProviderOptions,
  checkAiSdkModel,
  isObject,
  providerName,
} from "./ai-sdk-model.ts";
import { type ModelPurposes, purposesOf } from "../hosted/model-purposes.ts";
import { abortedError, invalidResponse, type ModelCall, toModelError } from "../hosted/to-model-error.ts";

export type { AiSdkEmbeddingModel } from "./ai-sdk-model.ts";

/**
 * How an embedding model of the AI SDK is asked.
 *
 * @experimental
 */
export interface AiSdkEmbeddingOptions {
  /** The vectors' length. A v4 model is asked for it; for v2 and v3 it only says what is known beforehand. Default: learned from the first answer. */
  readonly dimensions?: number | undefined;
  /** Written before each text, for models that were trained with them: `{ query: "query: ", document: "passage: " }`. Default: what well-known models want; `{}` for none. */
  readonly prefixes?: ModelPurposes["prefixes"] | undefined;
  /** Options of every call for documents, such as `{ google: { taskType: "RETRIEVAL_DOCUMENT" } }`. Default: the purpose, for providers with such a setting; `{}` for none. */
  readonly documentOptions?: AiSdkProviderOptions | undefined;
  /** Sent with every call for queries: `{ google: { taskType: "RETRIEVAL_QUERY" } }`. */
  readonly queryOptions?: AiSdkProviderOptions | undefined;
}

/** The options' names, for those who hand them on. */
export const aiSdkEmbeddingOptionNames = {
  dimensions: true,
  prefixes: true,
  documentOptions: true,
  queryOptions: true,
} as const;

/**
 * Wraps an embedding model of the AI SDK.
 *
 * **Shape** specifications v2, v3 and v4. A chunk's `text` is embedded. The fingerprint covers prefixes and options, so changing one makes a new
 * version. Inputs beyond the model's limit are split, also where the limit is a promise or in bytes.
 * **Errors** `invalid-argument` for a value that is no embedding model. When called, `unsupported-input` for a document that is not text,
 * `rate-limited` with `details.retryAfterMs`, `timeout`, `invalid-response`, `configuration-missing`, `embedding-failed`, `aborted`. No retries.
 * **Source** Ballerina `EmbeddingProvider`, ToolUp `IEmbeddingProvider`, Wesichain `OpenAiEmbedding`;
 * AI SDK `EmbeddingModelV2`, `EmbeddingModelV3`, `EmbeddingModelV4`.
 *
 * @experimental
 */
export function fromAiSdkEmbeddingModel(
  model: AiSdkEmbeddingModel,
  options: AiSdkEmbeddingOptions = {},
): EmbeddingModel {
  checkAiSdkModel(model, "embedding");
  checkOptions("fromAiSdkEmbeddingModel", options, aiSdkEmbeddingOptionNames);
  checkOptions("prefixes", options.prefixes, { query: true, document: true });
  const provider = providerName(model);
  const { dimensions } = options;
  const { prefixes, documentOptions, queryOptions } = withDefaults(purposesOf(provider, model.modelId), options);
  if (dimensions !== undefined && !(Number.isSafeInteger(dimensions) && dimensions >= 1)) {
    throw new IbidError("invalid-argument", "dimensions must be a whole number of at least 1.", {
      hint: "Pass the length of the model's vectors, or leave it out.",
    });
  }
  const doEmbed = model.doEmbed.bind(model) as (call: object) => PromiseLike<unknown>;
  const declared = model.maxEmbeddingsPerCall;
  const maxBytes = readMaxBytes(model);
  const known = typeof declared === "number" ? readLimit(declared) : undefined;

  return {
    provider,
    model: model.modelId,
    kind: "dense",
    dimensions,
    fingerprint: fingerprintOptions({ prefixes, documentOptions, queryOptions }),
    ...(known === undefined ? {} : { maxBatchSize: known }),
    async embed(inputs, { purpose, signal }): Promise<EmbedResult> {
      const prefix = prefixes[purpose] ?? "";
      const texts = inputs.map((input) => prefix + textOf(input));
      const call: ModelCall = { kind: "embedding", provider, model: model.modelId, sent: texts, signal };
      const providerOptions = purpose === "query" ? queryOptions : documentOptions;
      const embeddings: Vector[] = [];
      let tokens: number | undefined = 0;
      try {
        const limit = known ?? readLimit(await declared);
        for (const values of splitInto(texts, limit ?? texts.length, maxBytes)) {
          if (signal?.aborted === true) throw abortedError(call);
          const result = await doEmbed({
            values,
            ...(dimensions === undefined || model.specificationVersion !== "v4" ? {} : { dimensions }),
            ...(signal === undefined ? {} : { abortSignal: signal }),
            ...(providerOptions === undefined ? {} : { providerOptions }),
          });
          const { vectors, counted } = readEmbeddings(result, values.length, call);
          for (const vector of vectors) embeddings.push(vector);
          tokens = tokens === undefined || counted === undefined ? undefined : tokens + counted;
        }
      } catch (error) {
        throw toModelError(error, call);
      }
      return tokens === undefined || embeddings.length === 0 ? { embeddings } : { embeddings, tokens };
    },
  };
}

function textOf(input: EmbeddingInput): string {
  if (typeof input === "string") return input;
  if ("text" in input && typeof input.text === "string") return input.text;
  throw new IbidError(
    "unsupported-input",
    `A document of type "${input.type}" cannot be embedded by a text model: only texts and text chunks are supported.`,
    {
      hint: "Leave it out, or embed a text that describes it.",
      details: { type: input.type },
    },
  );
}

/** A count that differs would put vectors beside the wrong texts as soon as batches are joined. */
function readEmbeddings(
  result: unknown,
  expected: number,
  call: ModelCall,
): { readonly vectors: readonly Vector[]; readonly counted: number | undefined } {
  const vectors = isObject(result) ? result["embeddings"] : undefined;
  if (!Array.isArray(vectors)) throw invalidResponse(call, "it has no embeddings");
  if (vectors.length !== expected) {
    throw invalidResponse(call, `${vectors.length} embeddings for ${expected} texts`, {
      expected,
      got: vectors.length,
    });
  }
  const usage = isObject(result) && isObject(result["usage"]) ? result["usage"]["tokens"] : undefined;
  return {
    vectors: vectors as readonly Vector[],
    counted: typeof usage === "number" && Number.isFinite(usage) ? usage : undefined,
  };
}

/** Infinity and nonsense mean that there is no limit. */
function readLimit(limit: unknown): number | undefined {
  return typeof limit === "number" && Number.isFinite(limit) && limit >= 1 ? Math.floor(limit) : undefined;
}

/**
 * How many UTF-8 bytes a call may carry, where the model says so.
 *
 * OpenAI refuses a call whose texts together have more than 300,000 tokens, which 2,048 chunks easily have.
 * **Source** AI SDK, `EMBEDDING_MODEL_MAX_INPUT_BYTES_PER_CALL`, outside the versioned specification.
 */
function readMaxBytes(model: object): number {
  const value = (model as Readonly<Record<symbol, unknown>>)[
    Symbol.for("vercel.ai.embeddingModel.maxInputBytesPerCall")
  ];
  return readLimit(value) ?? Number.POSITIVE_INFINITY;
}

/** In order; a text that is too long by itself travels alone, and the provider says what it thinks of it. */
function* splitInto(texts: readonly string[], limit: number, maxBytes: number): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const size = maxBytes === Number.POSITIVE_INFINITY ? 0 : byteLength(text);
    if (batch.length > 0 && (batch.length >= limit || bytes + size > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(text);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

const encoder = new TextEncoder();

function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** `""` without prefixes and options, so that the plain model keeps its plain version. */
function fingerprintOptions({
  prefixes,
  documentOptions,
  queryOptions,
}: {
  readonly prefixes: ModelPurposes["prefixes"];
  readonly documentOptions?: AiSdkProviderOptions | undefined;
  readonly queryOptions?: AiSdkProviderOptions | undefined;
}): string {
  const parts = [
    prefixes.document ?? "",
    prefixes.query ?? "",
    canonicalJson(documentOptions),
    canonicalJson(queryOptions),
  ];
  return parts.every((part) => part === "") ? "" : hashParts("ai-sdk-embedding", ...parts);
}

/** JSON with sorted keys: the order in which options are written does not change a vector. */
function canonicalJson(value: AiSdkProviderOptions | undefined): string {
  if (value === undefined || Object.keys(value).length === 0) return "";
  return JSON.stringify(sortKeys(value));
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value as { readonly [key: string]: JsonValue });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sortKeys(item)]));
}
