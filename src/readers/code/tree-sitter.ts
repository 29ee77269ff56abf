import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type * as treeSitter from "web-tree-sitter";
import { type GrammarName, grammarFile } from "./grammars.ts";

// In the package, scripts/bundle-node.ts puts another module in place of this one. It holds the parser and the grammars, and looks for nothing at run time.

const load = createRequire(import.meta.url);

/** Loads the parser anew: a module of its own, with a memory of its own, which the collector takes when nobody holds it. */
export function createTreeSitter(): Promise<{
  readonly module: typeof treeSitter;
  readonly wasm: Uint8Array | undefined;
}> {
  // As a CommonJS module it can be forgotten again; as an ES module Node would keep it for good.
  const path = load.resolve("web-tree-sitter");
  delete load.cache[path];
  const module = load(path) as typeof treeSitter;
  delete load.cache[path];
  return Promise.resolve({ module, wasm: undefined });
}

/** The bytes of a grammar. */
export function readGrammar(grammar: GrammarName): Promise<Uint8Array> {
  return readFile(load.resolve(grammarFile(grammar)));
}
