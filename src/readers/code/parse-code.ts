import type { Language, Parser, Tree } from "web-tree-sitter";
import type { GrammarName } from "./grammars.ts";
import { createTreeSitter, readGrammar } from "./tree-sitter.ts";

/** Longer texts are data or generated, and their trees would fill the parser's memory. **Units** UTF-16 code units. */
export const maxCodeLength = 1024 * 1024;

/**
 * Number of the parser's reports before it is stopped: a base, and more per kibibyte.
 *
 * Code takes 2 to 8 per kibibyte, minified code 20, a text full of
 * unbalanced brackets 10. A text with many possible readings takes 40 and more, and gigabytes.
 * A count rather than a time: the same bytes give the same sections on every machine, but for those that take {@link maxParseMs}.
 */
const patience = { least: 200, perKibibyte: 20 };
/**
 * The same for reports during error recovery. Each takes up to a hundred times as long as others. Code takes none, or a few after a slip;
 * tokens without order take 15 per kibibyte.
 */
const patienceInErrors = { least: 100, perKibibyte: 4, most: 1500 };
/**
 * The same for pieces of the text that the parser asks for: code takes one in three kibibytes. A scanner that looks through all comments again at each of them
 * takes hundreds in one.
 */
const patienceInReads = { least: 200, perKibibyte: 4 };
/** **Units** UTF-16 code units; the parser's own buffer holds a few more. */
const pieceLength = 5000;

/**
 * Whatever the counts say: a text of a mebibyte that keeps the parser busy within them took a quarter of a minute. Code of that size takes a second or two.
 * Processor time and not the clock's: on a machine that has much else to do, good code would lose its sections.
 * **Units** milliseconds.
 */
const maxParseMs = 5000;

/** Memory that a module may keep between texts. One with more is left to the garbage collector. */
const keptBytes = 128 * 1024 * 1024;

/** The module that the next text is given to. */
let current: Promise<LoadedParser> | undefined;

/**
 * Parses code and shows its tree, which lives for the call only. **Shape** `undefined` when the parser gave up.
 *
 * Earlier texts have no effect: a text that a used module cannot parse is tried again in a new one, whose result counts.
 * **Errors** none for an aborted `signal`: parsing stops.
 */
export async function parseCode<T>(
  text: string,
  grammar: GrammarName,
  signal: AbortSignal | undefined,
  show: (tree: Tree) => T,
  maxMs: number = maxParseMs,
): Promise<T | undefined> {
  if (text.length > maxCodeLength) return undefined;
  for (;;) {
    const loading = (current ??= loadParser());
    const forget = (): void => {
      if (current === loading) current = undefined;
    };
    try {
      const module = await loading;
      const language = await module.language(grammar);
      const isNew = module.parsed === 0;
      module.parsed += 1;
      const parsed = parseIn(module, language, text, signal, show, maxMs);
      if (parsed.isBroken || module.heldBytes() > keptBytes) forget();
      if (!parsed.isBroken || isNew) return parsed.shown;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

interface Parsed<T> {
  readonly shown?: T | undefined;
  /** Whether the module ran out of its memory, or of the stack. */
  readonly isBroken: boolean;
}

function parseIn<T>(
  module: LoadedParser,
  language: Language,
  text: string,
  signal: AbortSignal | undefined,
  show: (tree: Tree) => T,
  maxMs: number,
): Parsed<T> {
  const deadline = processorMs() + maxMs;
  let isLate = false;
  const checkTime = (): boolean => (isLate ||= processorMs() >= deadline);
  let reports = 0;
  let errorReports = 0;
  let reads = 0;
  const kibibytes = text.length / 1024;
  const most = patience.least + patience.perKibibyte * kibibytes;
  const mostInErrors = Math.min(
    patienceInErrors.least + patienceInErrors.perKibibyte * kibibytes,
    patienceInErrors.most,
  );
  const mostReads = patienceInReads.least + patienceInReads.perKibibyte * kibibytes;
  const read = (at: number): string | undefined => {
    reads += 1;
    return reads > mostReads || checkTime() ? undefined : text.slice(at, at + pieceLength);
  };
  const held: { delete: () => void }[] = [];
  try {
    const parser = module.createParser();
    held.push(parser);
    parser.setLanguage(language);
    const tree = parser.parse(read, null, {
      progressCallback: ({ hasError }) => {
        reports += 1;
        if (hasError) errorReports += 1;
        const isTooMuch = reports > most || errorReports > mostInErrors || reads > mostReads;
        return isTooMuch || checkTime() || (signal?.aborted ?? false);
      },
    });
    if (tree === null) return { isBroken: false };
    held.push(tree);
    // The parser was given a false end of the text.
    if (reads > mostReads || isLate) return { isBroken: false };
    return { shown: show(tree), isBroken: false };
  } catch (error) {
    if (!isExhausted(error)) throw error;
    return { isBroken: true };
  } finally {
    for (const each of held.toReversed()) release(each);
  }
}

/** Processor time of this process. During parsing, it runs nothing else of weight. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Gives memory back; a module that is broken has none to give, and must not be asked again when the collector comes by. */
function release(held: { delete: () => void }): void {
  try {
    held.delete();
  } catch (error) {
    if (!isExhausted(error)) throw error;
  }
}

function isExhausted(error: unknown): boolean {
  return error instanceof Error && /^(?:Runtime|Range)Error$/.test(error.name);
}

/** The parser's module in memory of its own. */
interface LoadedParser {
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

/** Loads the parser anew, apart from whatever was loaded before: one that has run out of its memory takes nothing more. */
async function loadParser(): Promise<LoadedParser> {
  const { module, wasm } = await createTreeSitter();
  const memory = new WebAssembly.Memory({ initial: firstBytes / pageBytes, maximum: mostBytes / pageBytes });
  // The module's messages at its end must not reach the terminal.
  await module.Parser.init({
    wasmMemory: memory,
    print: () => {},
    printErr: () => {},
    ...(wasm !== undefined && { wasmBinary: wasm }),
  });
  const languages = new Map<GrammarName, Promise<Language>>();
  return {
    createParser: () => new module.Parser(),
    language: (grammar) => {
      const known = languages.get(grammar);
      if (known !== undefined) return known;
      const loading = readGrammar(grammar).then((bytes) => module.Language.load(bytes));
      languages.set(grammar, loading);
      // A file that could not be read once is tried again.
      loading.catch(() => languages.delete(grammar));
      return loading;
    },
    parsed: 0,
    heldBytes: () => memory.buffer.byteLength,
  };
}
