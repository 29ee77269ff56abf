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
export type HtmlStrategy = "header" | "paragraph" | "line" | "sentence" | "word" | "character";

/**
 * Sizes, and where cutting begins.
 *
 * @experimental
 */
export interface HtmlChunkerOptions {
  /** Hard limit of a chunk's `text`, overlap included. Default 200. **Units** as `length` counts. */
  readonly maxSize?: number | undefined;
  /** Largest overlap of neighbouring chunks. Default 40. **Units** as `length` counts. */
  readonly overlap?: number | undefined;
  /** Default `"header"`. */
  readonly strategy?: HtmlStrategy | undefined;
  /** Default `characters`. */
  readonly length?: LengthFunction | undefined;
}

const version = 2;

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
 * **Shape** the chain: headings, paragraphs, lines (`<br>`), sentences, words, characters. It cuts the canonical text, so that
 * no tag is torn and places are exact. Sections that fit together share a chunk. The rest of one that was cut never shares a chunk with
 * the next heading. Metadata `header` and `header1` to `header6`: the headings above the whole chunk, with a heading
 * in it. Headings above a part of it are left out, and the overlap does not count.
 * **Errors** as {@link createMarkdownChunker}. The reader has closed open tags as browsers do.
 * **Cost** linear. **Source** Ballerina `HtmlChunker`, without the delimiters that never match.
 * @experimental
 * @example createHtmlChunker({ maxSize: 800, overlap: 80 }).chunk(document)
 */
export function createHtmlChunker(options: HtmlChunkerOptions = {}): Chunker {
  checkOptions("createHtmlChunker", options, { maxSize: true, overlap: true, strategy: true, length: true });
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
