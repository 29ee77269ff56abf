import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import type * as treeSitter from "web-tree-sitter";
import type { Language, Parser } from "web-tree-sitter";

import type { GrammarName } from "./grammars.ts";

/** The parser's module in memory of its own. */
export interface LoadedParser {
  /** A parser for one text. */
  readonly createParser: () => Parser;
  /** Loaded at the first text in it. */
  readonly language: (grammar: GrammarName) => Promise<Language>;
  /** How many texts were given to it. A module that has met none gives what the text alone gives. */
  parsed: number;
  /** Memory of the module, which is freed only with the module. **Units** bytes. */
  readonly heldBytes: () => number;
}

const pageBytes = 65_536;
/** Initial memory, as in its own build. */
const firstBytes = 32 * 1024 * 1024;
/** A mebibyte of code takes a tenth of this. A text that takes more is kept in many readings at once, and would take all there is. */
const mostBytes = 512 * 1024 * 1024;

const { resolve } = createRequire(import.meta.url);

/**
 * Loads the parser anew, apart from whatever was loaded before: one that has run out of its memory takes nothing more.
 *
 * As a CommonJS module it can be forgotten again, with its memory; as an ES module Node would keep it for good.
 */
export async function loadParser(): Promise<LoadedParser> {
  const load = createRequire(import.meta.url);
  const path = resolve("web-tree-sitter");
  delete load.cache[path];
  const module = load(path) as typeof treeSitter;
  delete load.cache[path];
  const memory = new WebAssembly.Memory({ initial: firstBytes / pageBytes, maximum: mostBytes / pageBytes });
  // The module's messages at its end must not reach the terminal.
  await module.Parser.init({ wasmMemory: memory, print: () => {}, printErr: () => {} });
  const languages = new Map<GrammarName, Promise<Language>>();
  return {
    createParser: () => new module.Parser(),
    language: (grammar) => {
      const known = languages.get(grammar);
      if (known !== undefined) return known;
      const loading = readFile(resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`)).then((bytes) =>
        module.Language.load(bytes),
      );
      languages.set(grammar, loading);
      // A file that could not be read once is tried again.
      loading.catch(() => languages.delete(grammar));
      return loading;
    },
    parsed: 0,
    heldBytes: () => memory.buffer.byteLength,
  };
}
