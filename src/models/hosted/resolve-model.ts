import type { ChatModel } from "../../contracts/chat.ts";
import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Reranker } from "../../contracts/retriever.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import {
  isObject,
  type AiSdkEmbeddingModel,
  type AiSdkLanguageModel,
  type AiSdkRerankingModel,
} from "../ai-sdk/ai-sdk-model.ts";
import {
  aiSdkEmbeddingOptionNames,
  fromAiSdkEmbeddingModel,
  type AiSdkEmbeddingOptions,
} from "../ai-sdk/embedding-model.ts";
import { fromAiSdkLanguageModel } from "../ai-sdk/language-model.ts";
import { type ModelName, parseModelName } from "./model-name.ts";
import { providers, type ProviderFacts } from "./providers.ts";
import { isOpenAiItself, providerSettings, type ProviderSettings, type Variables } from "./provider-settings.ts";
import { fromAiSdkRerankingModel } from "../ai-sdk/reranking-model.ts";
import { callWire, wireError, type WirePlace } from "./wire-call.ts";
import { createWireEmbeddingModel } from "./wire-embedding-model.ts";
import { createWireLanguageModel } from "./wire-language-model.ts";
import { join } from "node:path";
import { findPackage, loadModule } from "../../runtime/packages.ts";

export interface ResolveModelOptions {
  /** Where keys and addresses are read. Default: the process's own environment. */
  readonly env?: Variables | undefined;
  /** Loads a provider's package. Default: from where ibid is installed, then from the current folder's project. */
  readonly load?: ((packageName: string) => Promise<unknown>) | undefined;
}

export interface ResolveEmbeddingModelOptions extends ResolveModelOptions, AiSdkEmbeddingOptions {}

/**
 * Opens the language model that `provider/model` names.
 *
 * | provider | package | key | address |
 * |---|---|---|---|
 * | `openai` | `@ai-sdk/openai` | `OPENAI_API_KEY` | `OPENAI_BASE_URL` |
 * | `anthropic` | `@ai-sdk/anthropic` | `ANTHROPIC_API_KEY` | `ANTHROPIC_BASE_URL` |
 * | `google` | `@ai-sdk/google` | `GOOGLE_GENERATIVE_AI_API_KEY` | |
 * | `cohere` | `@ai-sdk/cohere` | `COHERE_API_KEY` | |
 * | `ollama` | none | `OLLAMA_API_KEY`, if at all | `OLLAMA_HOST`, default `http://127.0.0.1:11434` |
 * | `openai-compatible` | none | `OPENAI_COMPATIBLE_API_KEY`, if at all | `OPENAI_COMPATIBLE_BASE_URL` |
 *
 * **Shape** everything after the first slash or colon is the model's name, further ones included: `ollama/qwen3:8b`, `openai-compatible/meta/llama`. An address may
 * follow behind an `@`, and wins over the variable: `openai-compatible/llama@http://127.0.0.1:8080/v1`. No request is sent before the model is called.
 * **Errors** `invalid-argument` for an unknown provider or a missing model name, `configuration-missing` for a key or address that is not set.
 * Also `dependency-missing` for a package that is not installed. The hint names the variable or the package.
 * @experimental
 * @example const model = await resolveChatModel("ollama/qwen3:8b");
 */
export async function resolveChatModel(name: string, options: ResolveModelOptions = {}): Promise<ChatModel> {
  checkGiven("resolveChatModel", "name", name, "text");
  checkOptions("resolveChatModel", options, { env: true, load: true });
  const made = await createProvider(parseModelName(name), options);
  const { provider, model } = made;
  if ("place" in made) return fromAiSdkLanguageModel(createWireLanguageModel(made.place, model));
  // OpenAI serves all its models by the Responses API, which the package prefers; other servers at OPENAI_BASE_URL mostly know Chat Completions only.
  const methods =
    provider !== "openai"
      ? ["languageModel", "chatModel"]
      : isOpenAiItself(made.settings)
        ? ["languageModel"]
        : ["chat"];
  return fromAiSdkLanguageModel(callMethod(made, methods) as AiSdkLanguageModel, {
    // OpenAI's Responses API stores requests for 30 days unless `store` is false.
    ...(provider === "openai" && { providerOptions: { openai: { store: false } } }),
  });
}

/**
 * The embedding model that `provider/model` names; see {@link resolveChatModel} for providers, variables and errors. Anthropic has none.
 *
 * **Shape** prefixes and options that tell documents and queries apart are those that the model is known to want, unless they are given.
 * @example const model = await resolveEmbeddingModel("ollama/nomic-embed-text");
 */
export async function resolveEmbeddingModel(
  name: string,
  options: ResolveEmbeddingModelOptions = {},
): Promise<EmbeddingModel> {
  checkOptions("resolveEmbeddingModel", options, { env: true, load: true, ...aiSdkEmbeddingOptionNames });
  const { env, load, ...embeddingOptions } = options;
  const named = parseModelName(name);
  if (!named.facts.embeddings) throw hasNone(named.provider, "embedding", ({ embeddings }) => embeddings);
  const made = await createProvider(named, { ...(env && { env }), ...(load && { load }) });
  const found =
    "place" in made
      ? createWireEmbeddingModel(made.place, made.model)
      : (callMethod(made, ["embeddingModel", "textEmbeddingModel"]) as AiSdkEmbeddingModel);
  return fromAiSdkEmbeddingModel(found, embeddingOptions);
}

/**
 * The reranking model that `provider/model` names; see {@link resolveChatModel} for providers, variables and errors.
 *
 * **Shape** `cohere`, and `openai-compatible` for servers that have `POST /rerank`, as vLLM and llama.cpp do.
 * @example const reranker = await resolveReranker("openai-compatible/bge-reranker-v2-m3@http://127.0.0.1:8080/v1");
 */
export async function resolveReranker(name: string, options: ResolveModelOptions = {}): Promise<Reranker> {
  checkOptions("resolveReranker", options, { env: true, load: true });
  const named = parseModelName(name);
  if (named.facts.reranking !== true) throw hasNone(named.provider, "reranking", ({ reranking }) => reranking === true);
  const made = await createProvider(named, options);
  return fromAiSdkRerankingModel(
    "place" in made
      ? createWireRerankingModel(made.place, made.model)
      : (callMethod(made, ["rerankingModel", "reranking"]) as AiSdkRerankingModel),
  );
}

function hasNone(provider: string, kind: string, has: (facts: ProviderFacts) => boolean): IbidError {
  const others = Object.keys(providers).filter((one) => has(providers[one] as ProviderFacts));
  return new IbidError("invalid-argument", `The provider ${provider} has no ${kind} models.`, {
    hint: `Providers that have: ${others.join(", ")}.`,
  });
}

/** A provider, made: by its package, or a server that needs none. */
type Made = ModelName & { readonly settings: ProviderSettings } & (
    | { readonly instance: unknown }
    | { readonly place: WirePlace }
  );

async function createProvider(
  named: ModelName,
  { env = process.env, load = loadPeer }: ResolveModelOptions,
): Promise<Made> {
  const { provider, facts, address } = named;
  // First what is free to check: a missing key is said before a package is loaded.
  const settings = providerSettings(provider, facts, env, address);
  if (facts.packageName === undefined) {
    return {
      ...named,
      settings,
      place: { provider, baseURL: (settings.baseURL ?? "").replace(/\/+$/u, ""), token: settings.apiKey },
    };
  }
  const loaded = (await load(facts.packageName)) as Readonly<Record<string, unknown>>;
  const fallback = (loaded["default"] ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of facts.factories ?? []) {
    const factory = loaded[name] ?? fallback[name];
    if (typeof factory === "function")
      return { ...named, settings, instance: (factory as (settings: object) => unknown)(settings) };
  }
  throw unusable(facts);
}

function callMethod(made: ModelName & { readonly instance: unknown }, names: readonly string[]): unknown {
  const methods = made.instance as Readonly<Record<string, unknown>>;
  for (const name of names) {
    const method = methods[name];
    if (typeof method === "function") return (method as (model: string) => unknown).call(made.instance, made.model);
  }
  throw unusable(made.facts);
}

function unusable(facts: ProviderFacts): IbidError {
  return new IbidError(
    "dependency-missing",
    `The installed version of ${facts.packageName} lacks a function that ibid needs.`,
    {
      hint: `npm install ${facts.packageName}@latest`,
      details: { package: facts.packageName },
    },
  );
}

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
function createWireRerankingModel(place: WirePlace, modelId: string): AiSdkRerankingModel {
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

/**
 * Loads an optional package.
 *
 * Node's own lookup, from the place where ibid is installed, comes first. It would miss packages of the user's project
 * if ibid is installed globally or run by `npx` from a cache, so `folder` comes next.
 *
 * **Errors** `dependency-missing` for a package that is missing or broken.
 */
export async function loadPeer(packageName: string, folder: string = process.cwd()): Promise<unknown> {
  const path = findPackage(packageName, [import.meta.url, join(folder, "package.json")]);
  if (path === undefined) {
    throw new IbidError("dependency-missing", `The package ${packageName} is not installed.`, {
      hint: `npm install ${packageName}`,
      details: { package: packageName },
    });
  }
  try {
    return loadModule(path);
  } catch (error) {
    throw brokenPeer(packageName, error);
  }
}

function brokenPeer(packageName: string, cause: unknown): IbidError {
  return new IbidError("dependency-missing", `The package ${packageName} is installed but cannot be loaded.`, {
    hint: `Install it again: npm install ${packageName}`,
    details: { package: packageName },
    cause,
  });
}
