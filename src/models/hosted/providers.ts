/** Facts about one provider: its package, and the variables of its key and address. */
export interface ProviderFacts {
  /** The package of the AI SDK; `undefined` for servers that speak OpenAI's API and need none. */
  readonly packageName?: string;
  /** The package's exports that make the provider: the newest name first. */
  readonly factories?: readonly string[];
  readonly keyVariable: string;
  readonly keyRequired: boolean;
  readonly addressVariable?: string;
  readonly embeddings: boolean;
  readonly reranking?: boolean;
  /** Next action when no server answers at its address. */
  readonly unreachable: string;
}

const online = "Check the network, the proxy and the firewall.";

/** By the name that stands first in `provider/model`. */
export const providers: Readonly<Record<string, ProviderFacts>> = {
  openai: {
    packageName: "@ai-sdk/openai",
    factories: ["createOpenAI"],
    keyVariable: "OPENAI_API_KEY",
    keyRequired: true,
    addressVariable: "OPENAI_BASE_URL",
    embeddings: true,
    unreachable: `${online} If OPENAI_BASE_URL is set, check that it is right.`,
  },
  anthropic: {
    packageName: "@ai-sdk/anthropic",
    factories: ["createAnthropic"],
    keyVariable: "ANTHROPIC_API_KEY",
    keyRequired: true,
    addressVariable: "ANTHROPIC_BASE_URL",
    embeddings: false,
    unreachable: `${online} If ANTHROPIC_BASE_URL is set, check that it is right.`,
  },
  google: {
    packageName: "@ai-sdk/google",
    factories: ["createGoogle", "createGoogleGenerativeAI"],
    keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
    keyRequired: true,
    embeddings: true,
    unreachable: online,
  },
  ollama: {
    keyVariable: "OLLAMA_API_KEY",
    keyRequired: false,
    addressVariable: "OLLAMA_HOST",
    embeddings: true,
    unreachable: "Start Ollama (`ollama serve`), or set OLLAMA_HOST to where it runs.",
  },
  "openai-compatible": {
    keyVariable: "OPENAI_COMPATIBLE_API_KEY",
    keyRequired: false,
    addressVariable: "OPENAI_COMPATIBLE_BASE_URL",
    embeddings: true,
    reranking: true,
    unreachable:
      "Start the server, or say where it runs: OPENAI_COMPATIBLE_BASE_URL, or openai-compatible/<model>@http://…/v1.",
  },
  cohere: {
    packageName: "@ai-sdk/cohere",
    factories: ["createCohere"],
    keyVariable: "COHERE_API_KEY",
    keyRequired: true,
    embeddings: true,
    reranking: true,
    unreachable: online,
  },
};

/** Facts about a provider; `undefined` for an unknown one. */
export function factsOf(provider: string): ProviderFacts | undefined {
  return Object.hasOwn(providers, provider) ? providers[provider] : undefined;
}
