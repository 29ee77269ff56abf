import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { lengthKey } from "../text/length-key.ts";
import { characters } from "../text/length.ts";
import { checkChunkSize, checkStrategy } from "./check-sizes.ts";
import { createMarkedUpChunker, type MarkedUpStrategy } from "./marked-up-chunker.ts";
import { placesOf } from "./recursive-plan.ts";

/**
 * Where cutting begins; what does not fit is cut at the next finer kind of place.
 *
 * @experimental
 */
export type MarkdownStrategy =
  | "header"
  | "code-block"
  | "rule"
  | "paragraph"
  | "line"
  | "sentence"
  | "word"
  | "character";

/**
 * Sizes, and where cutting begins.
 *
 * @experimental
 */
export interface MarkdownChunkerOptions {
  /** Hard limit of a chunk's `text`, overlap included. Default 200. **Units** as `length` counts. */
  readonly maxSize?: number | undefined;
  /** Largest overlap of neighbouring chunks. Default 40. **Units** as `length` counts. */
  readonly overlap?: number | undefined;
  /** Default `"header"`. */
  readonly strategy?: MarkdownStrategy | undefined;
  /** Default `characters`. */
  readonly length?: LengthFunction | undefined;
}

const version = 2;

const strategies: Readonly<Record<MarkdownStrategy, MarkedUpStrategy>> = {
  header: { byHeading: true, byRule: true },
  "code-block": { byHeading: false, byRule: true },
  rule: { byHeading: false, byRule: true },
  paragraph: { byHeading: false, byRule: false },
  line: placesOf(["line", "sentence", "word", "part"]),
  sentence: placesOf(["sentence", "word", "part"]),
  word: placesOf(["word", "part"]),
  character: placesOf([]),
};

/**
 * Cuts Markdown by its headings, with code blocks as chunks of their own.
 *
 * **Shape** the chain: headings (the highest within the size first), code blocks, rules, paragraphs, lines, sentences, words, characters. A heading stays with the text that
 * follows, and the rest of a section that was cut never shares a chunk with the next heading. A code block never shares a chunk with its neighbours, whatever the strategy. Its metadata have `type: "code_block"` and `language` (`"unknown"` without a name in
 * the fence). One that does not fit is cut between lines, and each further piece has `prev`, the id of the one before. Metadata `header` and `header1` to
 * `header6` are the headings above the whole chunk, its overlap left out. Tables are cut between rows, with their header repeated in `text`.
 * Works on the blocks and sections that a reader found, not on delimiters: `#` in code is no heading.
 * **Errors** `invalid-argument` at construction: "Chunk size must be greater than 0", "Max overlap size must be less than or equal to chunk size". Also for an overlap equal
 * to the size, an unknown strategy or option; `unsupported-input` for a document without text.
 * **Cost** linear. **Source** Ballerina `MarkdownChunker`, without the delimiters that never match.
 * @experimental
 * @example createMarkdownChunker({ maxSize: 800, overlap: 80 }).chunk(document)
 */
export function createMarkdownChunker(options: MarkdownChunkerOptions = {}): Chunker {
  checkOptions("createMarkdownChunker", options, { maxSize: true, overlap: true, strategy: true, length: true });
  const { maxSize = 200, overlap = 40, strategy = "header", length = characters } = options;
  checkChunkSize("createMarkdownChunker", maxSize, overlap, length);
  checkStrategy("createMarkdownChunker", strategy, strategies);
  return createMarkedUpChunker({
    maxSize,
    overlap,
    length,
    strategy: strategies[strategy],
    codeApart: true,
    fingerprint: JSON.stringify(["markdown", version, maxSize, overlap, lengthKey(length), strategy]),
  });
}
