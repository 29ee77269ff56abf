import type { RetrieveOptions } from "../contracts/retriever.ts";
import type { SharedParts } from "./parts.ts";

/** Options with the prefixes that a person's words for a folder stand for: itself, and the uri of the path. A path of a document stands for its uri in the same way. */
export function withPrefixes<Options extends Pick<RetrieveOptions, "under" | "uris">>(
  { resolveUri }: Pick<SharedParts, "resolveUri">,
  options: Options,
): Options {
  const { under, uris } = options;
  if (resolveUri === undefined || (under === undefined && uris === undefined)) return options;
  const resolved = (named: string): readonly string[] => {
    if (named === "" || /^[a-z][\d+.a-z-]+:/iu.test(named)) return [named];
    // A path loses the slash that ends the name of a folder.
    return [named, resolveUri(named).replace(/\/$/u, "") + (named.endsWith("/") ? "/" : "")];
  };
  const all = (names: readonly string[]): readonly string[] => [...new Set(names.flatMap(resolved))];
  return {
    ...options,
    ...(under !== undefined && { under: all(typeof under === "string" ? [under] : under) }),
    ...(uris !== undefined && { uris: all(uris) }),
  };
}
