import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, subpaths } from "../../scripts/subpaths.ts";

const sources = new Map(subpaths.map(({ specifier, nodeSource }) => [specifier, join(root, nodeSource)]));

/** Rewrites the imports of `ibid` and its subpaths in a program to the source files behind them. */
export function useSources(code: string): string {
  return code.replaceAll(/from "(ibid(?:\/[a-z/-]+)?)"/gu, (_, specifier: string) => {
    const source = sources.get(specifier);
    if (source === undefined) throw new Error(`The package has no subpath ${specifier}.`);
    return `from ${JSON.stringify(pathToFileURL(source).href)}`;
  });
}
