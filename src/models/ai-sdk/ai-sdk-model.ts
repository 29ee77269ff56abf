import { checkNotRevoked } from "../../runtime/check-options.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { JsonValue } from "../../contracts/metadata.ts";

/** Options that only one provider understands, by the provider's name: `{ openai: { user: "ada" } }`. */
export type AiSdkProviderOptions = Readonly<Record<string, { readonly [key: string]: JsonValue }>>;

/**
 * An embedding model of the AI SDK, as far as ibid looks at it.
 *
 * **Shape** declared here by structure, and wider than each version's own type, so that neither ibid nor those who use it need the AI SDK's types.
 * **Source** AI SDK provider specification, `EmbeddingModelV2`, `EmbeddingModelV3`, `EmbeddingModelV4`.
 *
 * @experimental
 */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall?: number | PromiseLike<number | undefined> | undefined;
  doEmbed(options: never): PromiseLike<unknown>;
}

/**
 * A language model of the AI SDK, as far as ibid looks at it.
 *
 * **Shape** declared here by structure; see {@link AiSdkEmbeddingModel}.
 * **Source** AI SDK provider specification, `LanguageModelV2`, `LanguageModelV3`, `LanguageModelV4`.
 *
 * @experimental
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/**
 * A reranking model of the AI SDK, as far as ibid looks at it.
 *
 * **Shape** declared here by structure; see {@link AiSdkEmbeddingModel}. There were none in v2.
 * **Source** AI SDK provider specification, `RerankingModelV3`, `RerankingModelV4`.
 *
 * @experimental
 */
export interface AiSdkRerankingModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  doRerank(options: never): PromiseLike<unknown>;
}

/** Whether a value is an AI SDK embedding model of specification v2, v3 or v4, by its structure alone. */
export function isAiSdkEmbeddingModel(value: unknown): value is AiSdkEmbeddingModel {
  return hasIdentity(value) && isFunction(value, "doEmbed");
}

/** Whether a value is an AI SDK language model of specification v2, v3 or v4, by its structure alone. */
export function isAiSdkLanguageModel(value: unknown): value is AiSdkLanguageModel {
  return hasIdentity(value) && isFunction(value, "doGenerate") && isFunction(value, "doStream");
}

/** Whether a value is an AI SDK reranking model of specification v3 or v4, by its structure alone. */
export function isAiSdkRerankingModel(value: unknown): value is AiSdkRerankingModel {
  return hasIdentity(value) && isFunction(value, "doRerank");
}

const kinds = {
  embedding: { is: isAiSdkEmbeddingModel, an: "an embedding model", has: "doEmbed", by: "resolveEmbeddingModel" },
  language: {
    is: isAiSdkLanguageModel,
    an: "a language model",
    has: "doGenerate and doStream",
    by: "resolveChatModel",
  },
  reranking: { is: isAiSdkRerankingModel, an: "a reranking model", has: "doRerank", by: "resolveReranker" },
} as const;

/** **Errors** `invalid-argument` saying what was given instead: a model's name, another kind of model, a specification that is not spoken. */
export function checkAiSdkModel(value: unknown, kind: keyof typeof kinds): void {
  const wanted = `an AI SDK ${kind} model`;
  const { is, an, has, by } = kinds[kind];
  if (is(value)) return;
  if (typeof value === "string") {
    throw new IbidError("invalid-argument", `Expected ${wanted}, got a string.`, {
      hint: `Pass the model object that its provider makes, or call ${by}("provider/model").`,
    });
  }
  if (isAiSdkEmbeddingModel(value) || isAiSdkLanguageModel(value) || isAiSdkRerankingModel(value)) {
    throw new IbidError(
      "invalid-argument",
      `Expected ${wanted}, got another kind: ${value.provider} ${value.modelId}.`,
      {
        hint: `Make ${an} with the same provider.`,
      },
    );
  }
  const version = isObject(value) ? value["specificationVersion"] : undefined;
  if (typeof version === "string") {
    throw new IbidError(
      "invalid-argument",
      `Expected ${wanted} of specification v2, v3 or v4, got ${version.slice(0, 20)}.`,
      {
        hint: "Update the provider's package to one for AI SDK 5 or later.",
        details: { expected: ["v2", "v3", "v4"], got: version.slice(0, 20) },
      },
    );
  }
  throw new IbidError("invalid-argument", `Expected ${wanted}, got something else.`, {
    hint: `Pass an object with specificationVersion, provider, modelId and ${has}.`,
  });
}

/**
 * The provider's name without the kind of endpoint that the AI SDK appends: `openai.embedding` and `openai.chat` are both `openai`.
 *
 * Vectors then keep their version whether the model was made by hand or by `provider/model`.
 */
export function providerName(model: { readonly provider: string }): string {
  return model.provider.replace(
    /\.(?:chat|completion|responses|messages|embedding|embeddings|textEmbedding|reranking|generative-ai)$/u,
    "",
  );
}

/** A value whose properties may be looked at. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function hasIdentity(value: unknown): value is { readonly provider: string; readonly modelId: string } {
  // A provider's model may be a function with properties as well as an object.
  if (!isObject(value) && typeof value !== "function") return false;
  checkNotRevoked("a model of the AI SDK", "it", value);
  const model = value as Readonly<Record<string, unknown>>;
  const version = model["specificationVersion"];
  return (
    (version === "v2" || version === "v3" || version === "v4") &&
    typeof model["provider"] === "string" &&
    typeof model["modelId"] === "string"
  );
}

function isFunction(value: object, name: string): boolean {
  return typeof (value as Readonly<Record<string, unknown>>)[name] === "function";
}
