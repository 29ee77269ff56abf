import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { lengthKey } from "../text/length-key.ts";
import { characters } from "../text/length.ts";
import { segmentSentences } from "../text/sentences.ts";
import { checkSizes } from "./check-sizes.ts";
import { findSentences } from "./document-sentences.ts";
import { gatherSpans } from "./gather-spans.ts";
import { createMeasure } from "./measure.ts";
import { createPiecesChunker } from "./pieces-chunker.ts";

/**
 * How many sentences, and sizes.
 *
 * @experimental
 */
export interface SentenceChunkerOptions {
  /** How many sentences a chunk holds at most, those it repeats included. Default 5. */
  readonly sentences?: number | undefined;
  /** Hard limit of a chunk, overlap included. Default 1500. **Units** as `length` counts. */
  readonly maxSize?: number | undefined;
  /** Largest overlap of neighbouring chunks, in whole sentences. Default 200. **Units** as `length` counts. */
  readonly overlap?: number | undefined;
  /** Default `characters`. */
  readonly length?: LengthFunction | undefined;
}

const version = 1;

/**
 * Cuts a document into groups of a few sentences.
 *
 * **Shape** whole sentences, in every script; a row of a table and a line of code count as one. A heading goes with the sentence after it. Only a sentence beyond
 * the size is cut. The overlap is whole sentences, and fewer than `sentences`.
 * **Errors** `invalid-argument` at construction for impossible sizes, fewer than one sentence or an unknown option; `unsupported-input` for a document without text.
 * **Cost** linear. **Source** ToolUp `splitBySentence`.
 * @experimental
 * @example createSentenceChunker({ sentences: 1, overlap: 0 }).chunk(document) // each sentence by itself
 */
export function createSentenceChunker(options: SentenceChunkerOptions = {}): Chunker {
  checkOptions("createSentenceChunker", options, { sentences: true, maxSize: true, overlap: true, length: true });
  const { sentences = 5, maxSize = 1500, overlap = 200, length = characters } = options;
  checkSizes("createSentenceChunker", maxSize, overlap, length);
  if (!Number.isSafeInteger(sentences) || sentences < 1) {
    throw new IbidError("invalid-argument", `createSentenceChunker: sentences must be a whole number of at least 1.`, {
      hint: "Give a larger number of sentences.",
      details: { sentences },
    });
  }
  const settings = { maxSize, overlap, maxCount: sentences };
  return createPiecesChunker(["sentence", version, sentences, maxSize, overlap, lengthKey(length)], (document) =>
    gatherSpans(document.text, findSentences(document), createMeasure(document.text, length), settings),
  );
}

/**
 * The sentences of a text, without white space around them.
 *
 * **Source** ToolUp `Chunking.splitBySentence`.
 *
 * @experimental
 */
export function splitBySentence(text: string): string[] {
  return segmentSentences(text)
    .map(({ start, end }) => text.slice(start, end).trim())
    .filter((sentence) => sentence !== "");
}
