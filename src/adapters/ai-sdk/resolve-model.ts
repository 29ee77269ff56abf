import type { ChatModel } from "../../contracts/chat.ts";
import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkOptions } from "../../text/check-options.ts";
import type { AiSdkEmbeddingModel, AiSdkLanguageModel } from "./ai-sdk-model.ts";
import { type AiSdkEmbeddingOptions, aiSdkEmbeddingOptionNames, fromAiSdkEmbeddingModel } from "./embedding-model.ts";
import { fromAiSdkLanguageModel } from "./language-model.ts";
import { loadPeer } from "./load-peer.ts";
import { factsOf, type ProviderFacts, providers } from "./providers.ts";
import { isOpenAiItself, providerSettings, type Variables } from "./provider-settings.ts";

export interface ResolveModelOptions {
  /** Where keys and addresses are read. Default: the process's own environment. */
  readonly env?: Variables;
  /** Loads a provider's package. Default: from where ibid is installed, then from the current folder's project. */
  readonly load?: (packageName: string) => Promise<unknown>;
}

export interface ResolveEmbeddingModelOptions extends ResolveModelOptions, AiSdkEmbeddingOptions {}

/**
 * The language model that `provider/model` names, through the AI SDK's package for that provider.
 *
 * | provider | package | key | address |
 * |---|---|---|---|
 * | `openai` | `@ai-sdk/openai` | `OPENAI_API_KEY` | `OPENAI_BASE_URL` |
 * | `anthropic` | `@ai-sdk/anthropic` | `ANTHROPIC_API_KEY` | `ANTHROPIC_BASE_URL` |
 * | `google` | `@ai-sdk/google` | `GOOGLE_GENERATIVE_AI_API_KEY` | |
 * | `ollama` | `@ai-sdk/openai-compatible` | `OLLAMA_API_KEY`, if at all | `OLLAMA_HOST`, default `http://127.0.0.1:11434` |
 * | `openai-compatible` | `@ai-sdk/openai-compatible` | `OPENAI_COMPATIBLE_API_KEY`, if at all | `OPENAI_COMPATIBLE_BASE_URL` |
 *
 * **Shape** everything after the first slash is the model's name, slashes and colons included: `ollama/qwen3:8b`, `openai-compatible/meta/llama`.
 * Nothing is sent until the model is called.
 * **Errors** `invalid-argument` for an unknown provider or no model's name, `configuration-missing` for a key or address that is not set,
 * `dependency-missing` for a package that is not installed; their mends say what to set or install.
 * @example const model = await resolveChatModel("ollama/qwen3:8b");
 */
export async function resolveChatModel(name: string, options: ResolveModelOptions = {}): Promise<ChatModel> {
  checkOptions("resolveChatModel", options, ["env", "load"]);
  const { provider, model, facts } = parseName(name);
  const env = options.env ?? process.env;
  const instance = await createProvider(provider, facts, env, options.load ?? loadPeer);
  if (provider !== "openai") {
    return fromAiSdkLanguageModel(
      callMethod(instance, ["languageModel", "chatModel"], model, facts) as AiSdkLanguageModel,
    );
  }
  // OpenAI serves all its models by the Responses API, which the package prefers; other servers at OPENAI_BASE_URL mostly know Chat Completions only.
  const methods = isOpenAiItself(env) ? ["languageModel"] : ["chat"];
  return fromAiSdkLanguageModel(callMethod(instance, methods, model, facts) as AiSdkLanguageModel, {
    // Its Responses API keeps what was asked for 30 days unless told not to.
    providerOptions: { openai: { store: false } },
  });
}

/**
 * The embedding model that `provider/model` names; see {@link resolveChatModel} for providers, variables and errors. Anthropic has none.
 *
 * @example const model = await resolveEmbeddingModel("ollama/nomic-embed-text", { prefixes: { query: "search_query: ", document: "search_document: " } });
 */
export async function resolveEmbeddingModel(
  name: string,
  options: ResolveEmbeddingModelOptions = {},
): Promise<EmbeddingModel> {
  checkOptions("resolveEmbeddingModel", options, ["env", "load", ...aiSdkEmbeddingOptionNames]);
  const { env = process.env, load = loadPeer, ...embeddingOptions } = options;
  const { provider, model, facts } = parseName(name);
  if (!facts.embeddings) {
    const others = Object.keys(providers).filter((one) => providers[one]?.embeddings === true);
    throw new IbidError("invalid-argument", `The provider ${provider} has no embedding models.`, {
      mend: `Providers that have: ${others.join(", ")}.`,
    });
  }
  const instance = await createProvider(provider, facts, env, load);
  const found = callMethod(instance, ["embeddingModel", "textEmbeddingModel"], model, facts);
  return fromAiSdkEmbeddingModel(found as AiSdkEmbeddingModel, embeddingOptions);
}

function parseName(name: string): { readonly provider: string; readonly model: string; readonly facts: ProviderFacts } {
  const slash = name.indexOf("/");
  const known = Object.keys(providers).join(", ");
  if (slash < 1 || slash === name.length - 1) {
    throw new IbidError("invalid-argument", `A model is named provider/model, not "${name.slice(0, 100)}".`, {
      mend: `For example ollama/qwen3:8b. Known providers: ${known}.`,
    });
  }
  const provider = name.slice(0, slash);
  const facts = factsOf(provider);
  if (facts === undefined) {
    throw new IbidError("invalid-argument", `The provider "${provider.slice(0, 100)}" is not known.`, {
      mend: `Known providers: ${known}. Any server that speaks OpenAI's API is openai-compatible/<model>, with OPENAI_COMPATIBLE_BASE_URL.`,
    });
  }
  return { provider, model: name.slice(slash + 1), facts };
}

async function createProvider(
  provider: string,
  facts: ProviderFacts,
  env: Variables,
  load: (packageName: string) => Promise<unknown>,
): Promise<unknown> {
  // First what is free to check: a missing key is said before a package is loaded.
  const settings = providerSettings(provider, facts, env);
  const loaded = (await load(facts.packageName)) as Readonly<Record<string, unknown>>;
  const fallback = (loaded["default"] ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of facts.factories) {
    const factory = loaded[name] ?? fallback[name];
    if (typeof factory === "function") return (factory as (settings: object) => unknown)(settings);
  }
  throw unusable(facts);
}

function callMethod(instance: unknown, names: readonly string[], model: string, facts: ProviderFacts): unknown {
  const methods = instance as Readonly<Record<string, unknown>>;
  for (const name of names) {
    const method = methods[name];
    if (typeof method === "function") return (method as (model: string) => unknown).call(instance, model);
  }
  throw unusable(facts);
}

function unusable(facts: ProviderFacts): IbidError {
  return new IbidError(
    "dependency-missing",
    `The installed version of ${facts.packageName} does not offer what is needed.`,
    {
      mend: `npm install ${facts.packageName}@latest`,
      details: { package: facts.packageName },
    },
  );
}
