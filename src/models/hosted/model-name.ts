import { IbidError } from "../../contracts/errors.ts";
import { factsOf, providers, type ProviderFacts } from "./providers.ts";

/** A model's name, taken apart. */
export interface ModelName {
  readonly provider: string;
  readonly facts: ProviderFacts;
  readonly model: string;
  /** Behind an `@`, as it was written. */
  readonly address?: string;
}

/**
 * Reads `provider/model`, `provider:model`, and either with `@address` behind it.
 *
 * **Errors** `invalid-argument` for anything else, and for a provider that is not known.
 */
export function parseModelName(name: string): ModelName {
  const known = Object.keys(providers).join(", ");
  const [, provider = "", rest = ""] = /^([^/:]+)[/:](.+)$/su.exec(name) ?? [];
  // Models have @ in their names too (`model@sha256:…`); an address says its scheme.
  const [, model = rest, address] = /^(.+)@([a-z][a-z+.-]*:\/\/.+)$/isu.exec(rest) ?? [];
  if (provider === "" || model === "") {
    throw new IbidError("invalid-argument", `A model is named provider/model, not "${name.slice(0, 100)}".`, {
      hint: `For example ollama/qwen3:8b. Known providers: ${known}. An embedding model or a reranker may be "local", or transformers/<model>.`,
    });
  }
  const facts = factsOf(provider);
  if (facts === undefined) {
    throw new IbidError("invalid-argument", `The provider "${provider.slice(0, 100)}" is not known.`, {
      hint: `Known providers: ${known}. Any server that speaks OpenAI's API is openai-compatible/<model>, with OPENAI_COMPATIBLE_BASE_URL.`,
    });
  }
  return { provider, model, facts, ...(address === undefined ? {} : { address }) };
}

/** The model behind `transformers/…`, which runs in this process. */
export const inProcess = /^transformers[/:](.+)$/su;
/** Whether a name is that of a local model: `local`, `local/…` or `local:…`. */
export const isLocal = (name: string): boolean => /^local(?:$|[/:])/u.test(name);

/** Checks the form of a name, and loads nothing. **Errors** as {@link parseModelName}. */
export function checkModelName(name: string): void {
  if (!isLocal(name) && !inProcess.test(name)) parseModelName(name);
}
