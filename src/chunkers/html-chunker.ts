import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { lengthKey } from "../text/length-key.ts";
import { characters } from "../text/length.ts";
import { checkChunkSize, checkStrategy } from "./check-sizes.ts";
import { createMarkedUpChunker, type MarkedUpStrategy } from "./marked-up-chunker.ts";
import { placesOf } from "./recursive-plan.ts";

/** Where cutting begins; what does not fit is cut at the next finer kind of place. */
export type HtmlStrategy = "header" | "paragraph" | "line" | "sentence" | "word" | "character";

/** Sizes, and where cutting begins. */
export interface HtmlChunkerOptions {
  /** The hard limit of a chunk's `text`, overlap included. Default 200. **Units** those of `length`. */
  readonly maxSize?: number;
  /** What neighbouring chunks share at most. Default 40. **Units** those of `length`. */
  readonly overlap?: number;
  /** Default `"header"`. */
  readonly strategy?: HtmlStrategy;
  /** Default `characters`. */
  readonly length?: LengthFunction;
}

const version = 1;

const strategies: Readonly<Record<HtmlStrategy, MarkedUpStrategy>> = {
  header: { byHeading: true, byRule: false },
  paragraph: { byHeading: false, byRule: false },
  line: placesOf(["line", "sentence", "word", "part"]),
  sentence: placesOf(["sentence", "word", "part"]),
  word: placesOf(["word", "part"]),
  character: placesOf([]),
};

/**
 * Cuts a page by its headings, `h1` first.
 *
 * **Shape** the chain: headings, paragraphs, lines (`<br>`), sentences, words, characters. It cuts what a reader of the page sees, the document's canonical text, so that
 * no tag is torn and places are exact. Metadata `header` and `header1` to `header6`: the headings, as they read, that all of a chunk stands under, a heading
 * itself included; what differs between the parts of a chunk is left out, and the overlap changes nothing.
 * **Errors** as {@link createMarkdownChunker}. Unclosed tags are the reader's business, which mends them as browsers do.
 * **Cost** linear. **Source** Ballerina `HtmlChunker`, without the delimiters that never match.
 * @example createHtmlChunker({ maxSize: 800, overlap: 80 }).chunk(document)
 */
export function createHtmlChunker(options: HtmlChunkerOptions = {}): Chunker {
  checkOptions("createHtmlChunker", options, ["maxSize", "overlap", "strategy", "length"]);
  const { maxSize = 200, overlap = 40, strategy = "header", length = characters } = options;
  checkChunkSize("createHtmlChunker", maxSize, overlap, length);
  checkStrategy("createHtmlChunker", strategy, strategies);
  return createMarkedUpChunker({
    maxSize,
    overlap,
    length,
    strategy: strategies[strategy],
    codeApart: false,
    fingerprint: JSON.stringify(["html", version, maxSize, overlap, lengthKey(length), strategy]),
  });
}
