import type { RetrieveOptions } from "../contracts/retriever.ts";
import type { SharedParts } from "./parts.ts";

/** Options with the prefixes that a person's words for a folder stand for: itself, and the uri of the path. */
export function withPrefixes<Options extends Pick<RetrieveOptions, "under">>(
  { resolveUri }: Pick<SharedParts, "resolveUri">,
  options: Options,
): Options {
  const { under } = options;
  if (under === undefined || resolveUri === undefined) return options;
  const prefixes = (typeof under === "string" ? [under] : under).flatMap((prefix) => {
    if (prefix === "" || /^[a-z][\d+.a-z-]+:/iu.test(prefix)) return [prefix];
    // A path loses the slash that ends the name of a folder.
    const resolved = resolveUri(prefix).replace(/\/$/u, "") + (prefix.endsWith("/") ? "/" : "");
    return [prefix, resolved];
  });
  return { ...options, under: [...new Set(prefixes)] };
}
