import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { lengthKey } from "../text/length-key.ts";
import { heuristicTokens } from "../text/length.ts";
import type { Span } from "../text/sentences.ts";
import { firstLineStart } from "./boundaries.ts";
import { checkSizes } from "./check-sizes.ts";
import { gatherSpans } from "./gather-spans.ts";
import { halveText, type HalvingSettings, markdownSeparators, plainSeparators } from "./halve-text.ts";
import { createMeasure } from "./measure.ts";
import { createPiecesChunker } from "./pieces-chunker.ts";

/**
 * Sizes, in tokens.
 *
 * @experimental
 */
export interface LineChunkerOptions {
  /** The hard limit of a chunk, overlap included. Default 500. */
  readonly maxTokens?: number | undefined;
  /** Largest overlap of neighbouring chunks, in whole lines or halves of lines. Default 0. */
  readonly overlapTokens?: number | undefined;
  /** Above which a line is halved. Default: `maxTokens`. */
  readonly maxTokensPerLine?: number | undefined;
  /** How tokens are counted. Default `heuristicTokens`. */
  readonly length?: LengthFunction | undefined;
}

const version = 1;

/**
 * Cuts a text into lines, long ones into halves, and gathers them, as Semantic Kernel does, with their places kept.
 *
 * **Shape** as `splitPlainTextLines` and `splitPlainTextParagraphs`, for documents. Chunks are slices, so line breaks and blank lines stay. The overlap is the end of
 * the chunk before, and a size is a hard limit.
 * **Errors** `invalid-argument` at construction for impossible sizes and unknown options; `unsupported-input` for a document without text.
 * **Cost** n log n in the length of a line. **Source** Semantic Kernel `TextChunker`.
 * @experimental
 * @example createLineChunker({ maxTokens: 256, overlapTokens: 32 }).chunk(document)
 */
export function createLineChunker(options: LineChunkerOptions = {}): Chunker {
  checkOptions("createLineChunker", options, {
    maxTokens: true,
    overlapTokens: true,
    maxTokensPerLine: true,
    length: true,
  });
  const { maxTokens = 500, overlapTokens = 0, maxTokensPerLine = maxTokens, length = heuristicTokens } = options;
  const names = ["maxTokens", "overlapTokens"] as const;
  checkSizes("createLineChunker", maxTokens, overlapTokens, length, names);
  checkSizes("createLineChunker", maxTokensPerLine, 0, length, ["maxTokensPerLine", "overlap"]);
  const perLine = Math.min(maxTokens, maxTokensPerLine);
  const settings = { maxSize: maxTokens, overlap: overlapTokens };
  return createPiecesChunker(["line", version, maxTokens, overlapTokens, perLine, lengthKey(length)], (document) =>
    gatherSpans(document.text, partsOf(document, perLine, length), createMeasure(document.text, length), settings),
  );
}

function* partsOf(
  { text, mediaType }: TextDocument,
  maxSize: number,
  count: LengthFunction,
): Generator<Span, undefined> {
  const isMarkdown = mediaType === "text/markdown" || mediaType === "text/mdx";
  const separators = isMarkdown ? markdownSeparators : plainSeparators;
  const settings: HalvingSettings = { maxSize, separators, count, trim: true };
  for (let start = 0; start < text.length;) {
    const end = firstLineStart(text, start + 1, text.length) ?? text.length;
    for (const part of halveText(text, { start, end }, settings)) if (part.end > part.start) yield part;
    start = end;
  }
}
