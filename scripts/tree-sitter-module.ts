// The parser of code and its grammars as modules of the bundle. The file src/readers/code/tree-sitter.ts looks for packages.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { type GrammarName, grammarFile } from "../src/readers/code/grammars.ts";
import { root } from "./subpaths.ts";

const { resolve } = createRequire(import.meta.url);

/** Stands in for src/readers/code/tree-sitter.ts. */
export function treeSitterModule(): string {
  const imports = grammarNames().map((name) => `  ${JSON.stringify(name)}: () => import("grammar:${name}"),`);
  return [
    `const modules = {\n${imports.join("\n")}\n};`,
    parserFactory(),
    `export async function createTreeSitter() {
  const { inflate, encoded } = await import("grammar:");
  return { module: makeTreeSitter(), wasm: inflate(encoded) };
}
export async function readGrammar(grammar) {
  const [{ inflate }, { encoded }] = await Promise.all([import("grammar:"), modules[grammar]()]);
  return inflate(encoded);
}`,
  ].join("\n");
}

/** A module that exports one file of WebAssembly as text: a grammar, or with `""` the parser. */
export function grammarModule(name: string): string {
  const file = name === "" ? join(parserFolder(), "web-tree-sitter.wasm") : resolve(grammarFile(name as GrammarName));
  const bytes = readFileSync(file);
  // Quality 9 takes half a second for all grammars; 11 takes half a minute and saves a tenth.
  const packed = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
  const encoded = `export const encoded = "${packed.toString("base64")}";`;
  if (name !== "") return encoded;
  return `import { brotliDecompressSync } from "node:zlib";
${encoded}
export const inflate = (text) => new Uint8Array(brotliDecompressSync(Buffer.from(text, "base64")));`;
}

/** Names of the grammars, as the type `GrammarName` lists them. */
function grammarNames(): readonly string[] {
  const source = readFileSync(join(root, "src", "readers", "code", "grammars.ts"), "utf8");
  const union = /type GrammarName =([^;]+);/u.exec(source)?.[1];
  if (union === undefined) throw new Error("src/readers/code/grammars.ts has no type GrammarName.");
  return [...union.matchAll(/"([\w-]+)"/gu)].map(([, name]) => name as string);
}

/**
 * The parser's module as a function that makes it anew: an ES module is kept for good, and a memory that is full stays full.
 *
 * Its three ways of looking for its file are cut, because its bytes are given.
 */
function parserFactory(): string {
  let code = readFileSync(join(parserFolder(), "web-tree-sitter.js"), "utf8");
  const cut = (from: string, to: string): void => {
    if (!code.includes(from))
      throw new Error(`web-tree-sitter.js no longer holds ${from}; see scripts/tree-sitter-module.ts.`);
    code = code.replaceAll(from, () => to);
  };
  cut(
    'const { createRequire } = await import("module");\n    var require = createRequire(import.meta.url);',
    "var require = (name) => process.getBuiltinModule(name);",
  );
  cut('new URL("web-tree-sitter.wasm", import.meta.url).href', '"web-tree-sitter.wasm"');
  cut("import.meta.url", '""');
  cut('await import("fs/promises")', 'process.getBuiltinModule("node:fs/promises")');
  // Code that a grammar carries as text: none of ours does, and pages and workers often forbid it.
  cut("eval(func)", 'abort("No code is made of text.")');
  const at = code.lastIndexOf("export {");
  const names = code.slice(at + "export".length, code.indexOf("}", at) + 1);
  return `function makeTreeSitter() {\n${code.slice(0, at)}\nreturn ${names};\n}`;
}

function parserFolder(): string {
  return dirname(resolve("web-tree-sitter"));
}
