import { IbidError } from "../../contracts/errors.ts";
import type { ProviderFacts } from "./providers.ts";

/** Environment variables: `process.env`, or what stands for it. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Settings of a provider's factory. */
export interface ProviderSettings {
  readonly apiKey?: string;
  readonly baseURL?: string;
}

const ollamaPort = "11434";

/**
 * Reads a provider's settings from the environment, and from the address in the model's name where there is one.
 *
 * Addresses are always given, so that no package reads the process's own environment instead of `env`.
 *
 * **Errors** `configuration-missing` for a required key or address that is not set; `invalid-argument` for an invalid address, and for an address in the name
 * of a provider that has its own.
 */
export function providerSettings(
  provider: string,
  facts: ProviderFacts,
  given: Variables,
  address?: string,
): ProviderSettings {
  if (address !== undefined && facts.addressVariable === undefined) {
    throw new IbidError("invalid-argument", `The provider ${provider} has an address of its own.`, {
      hint: "Remove the @ and the address after it from the model's name.",
    });
  }
  // An address in the name is one that the variable might have given.
  const env = address === undefined ? given : { ...given, [facts.addressVariable ?? ""]: address };
  const apiKey = read(env, facts.keyVariable);
  if (apiKey === undefined && facts.keyRequired) {
    throw new IbidError(
      "configuration-missing",
      `The provider ${provider} needs an API key, and ${facts.keyVariable} is not set.`,
      {
        hint: `Set ${facts.keyVariable} to your API key.`,
        details: { variable: facts.keyVariable },
      },
    );
  }
  const key = apiKey === undefined ? {} : { apiKey };
  switch (provider) {
    case "openai":
      return { ...key, baseURL: readAddress(env, "OPENAI_BASE_URL") ?? "https://api.openai.com/v1" };
    case "anthropic":
      return { ...key, baseURL: anthropicAddress(env) };
    case "ollama":
      return { ...key, baseURL: ollamaAddress(read(env, "OLLAMA_HOST")) };
    case "openai-compatible": {
      const baseURL = readAddress(env, "OPENAI_COMPATIBLE_BASE_URL");
      if (baseURL === undefined) {
        throw new IbidError(
          "configuration-missing",
          `The provider ${provider} needs an address, and OPENAI_COMPATIBLE_BASE_URL is not set.`,
          {
            hint: "Set OPENAI_COMPATIBLE_BASE_URL to the server's address, such as http://127.0.0.1:8080/v1, or append it to the name: openai-compatible/<model>@http://127.0.0.1:8080/v1.",
            details: { variable: "OPENAI_COMPATIBLE_BASE_URL" },
          },
        );
      }
      return { ...key, baseURL };
    }
    default:
      return key;
  }
}

/** Whether OpenAI itself is called, rather than another server in its place. */
export function isOpenAiItself({ baseURL }: ProviderSettings): boolean {
  const { hostname } = new URL(baseURL ?? "https://api.openai.com");
  return hostname === "api.openai.com" || hostname.endsWith(".api.openai.com");
}

/** The variable is set with the version (`…/v1`) by some and without by others; Anthropic's own library adds it. */
function anthropicAddress(env: Variables): string {
  const address = readAddress(env, "ANTHROPIC_BASE_URL");
  if (address === undefined) return "https://api.anthropic.com/v1";
  return new URL(address).pathname === "/" ? `${address}/v1` : address;
}

/**
 * Where Ollama listens, from the variable that Ollama itself reads.
 *
 * **Shape** `host`, `host:port`, `scheme://host:port/path`, or nothing. Without a scheme the port is 11434, with one the scheme's own.
 * An address that means "every interface" to a server means this machine to a client.
 * **Source** Ollama's documentation of `OLLAMA_HOST`.
 */
export function ollamaAddress(host: string | undefined): string {
  const given = host ?? "127.0.0.1";
  const hasScheme = /^[a-z][a-z+.-]*:\/\//iu.test(given);
  // A bare port, as in ":11435".
  const url = parseAddress(
    "OLLAMA_HOST",
    hasScheme ? given : `http://${given.startsWith(":") ? "127.0.0.1" : ""}${given}`,
  );
  if (!hasScheme && !/:\d+(?:\/|$)/u.test(given)) url.port = ollamaPort;
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  const path = url.pathname.replace(/\/+$/u, "");
  url.pathname = path.endsWith("/v1") ? path : `${path}/v1`;
  return url.href;
}

function readAddress(env: Variables, variable: string): string | undefined {
  const value = read(env, variable);
  return value === undefined ? undefined : parseAddress(variable, value).href.replace(/\/+$/u, "");
}

function parseAddress(variable: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && (url.username !== "" || url.password !== "")) {
    throw new IbidError("invalid-argument", `${variable} contains a user name or a password.`, {
      hint: "Give the address alone; the key has its own variable.",
      details: { variable },
    });
  }
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new IbidError("invalid-argument", `${variable} is not an http or https address.`, {
      hint: `Set ${variable} to an address such as http://127.0.0.1:11434.`,
      details: { variable },
    });
  }
  return url;
}

/** An empty variable counts as one that is not set. */
function read(env: Variables, variable: string): string | undefined {
  const value = env[variable]?.trim();
  return value === undefined || value === "" ? undefined : value;
}
