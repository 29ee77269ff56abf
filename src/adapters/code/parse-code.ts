import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import type { Language, Tree } from "web-tree-sitter";

import type { GrammarName } from "./grammars.ts";

/** Longer texts are data or generated, and their trees would fill the parser's memory. **Units** UTF-16 code units. */
export const maxCodeLength = 1024 * 1024;

/**
 * How often the parser reports before it is stopped: so often, and so much more per kibibyte. Code takes 2 to 8 per kibibyte, a text full of unbalanced
 * brackets 10; where it keeps many readings of a text in mind at once, it takes 40 and more, and gigabytes.
 * A count, not a time: the same bytes give the same sections on every machine.
 */
const patience = { least: 200, perKibibyte: 20 };

const languages = new Map<GrammarName, Promise<Language>>();
/** Once the parser has run out of its memory, it takes nothing more in this process. */
let isBroken = false;

/**
 * Parses code and shows its tree, which lives for the call only. **Shape** `undefined` when the parser gave up.
 * **Errors** whatever `signal` was aborted with is not thrown here: parsing just stops.
 */
export async function parseCode<T>(
  text: string,
  grammar: GrammarName,
  signal: AbortSignal | undefined,
  show: (tree: Tree) => T,
): Promise<T | undefined> {
  if (isBroken || text.length > maxCodeLength) return undefined;
  const { Parser } = await import("web-tree-sitter");
  await Parser.init();
  const language = await loadLanguage(grammar);
  const parser = new Parser();
  try {
    parser.setLanguage(language);
    let reports = 0;
    const most = patience.least + (patience.perKibibyte * text.length) / 1024;
    const tree = parser.parse(text, null, {
      progressCallback: () => (reports += 1) > most || (signal?.aborted ?? false),
    });
    if (tree === null) return undefined;
    try {
      return show(tree);
    } finally {
      tree.delete();
    }
  } catch (error) {
    if (!(error instanceof Error && /^(?:Runtime|Range)Error$/.test(error.name))) throw error;
    isBroken = true;
    return undefined;
  } finally {
    if (!isBroken) parser.delete();
  }
}

function loadLanguage(grammar: GrammarName): Promise<Language> {
  const known = languages.get(grammar);
  if (known !== undefined) return known;
  const loading = readGrammar(grammar);
  languages.set(grammar, loading);
  // A file that could not be read once is tried again.
  loading.catch(() => languages.delete(grammar));
  return loading;
}

async function readGrammar(grammar: GrammarName): Promise<Language> {
  const { Language: grammars } = await import("web-tree-sitter");
  const path = createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
  return grammars.load(await readFile(path));
}
