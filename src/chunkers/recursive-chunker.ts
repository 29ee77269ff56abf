import type { Chunk } from "../contracts/chunk.ts";
import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { Document, TextDocument } from "../contracts/document.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { lengthKey } from "../text/length-key.ts";
import { characters } from "../text/length.ts";
import type { Level } from "./boundaries.ts";
import { checkSizes, checkStrategy, checkTextDocument } from "./check-sizes.ts";
import { createChunkFactory } from "./create-chunk.ts";
import { createMeasure } from "./measure.ts";
import { createRecursivePlan, placesOf } from "./recursive-plan.ts";
import { splitRange } from "./split-range.ts";
import { createTextDocument } from "./text-document.ts";

/** Where cutting begins; what does not fit is cut at the next finer kind of place. */
export type RecursiveStrategy = "paragraph" | "line" | "sentence" | "word" | "character";

export interface RecursiveChunkerOptions {
  /** Hard limit of a chunk, overlap included. Default 200. **Units** as `length` counts. */
  readonly maxSize?: number | undefined;
  /** Largest overlap of neighbouring chunks. Default 40. **Units** as `length` counts. */
  readonly overlap?: number | undefined;
  /** Default `"paragraph"`. */
  readonly strategy?: RecursiveStrategy | undefined;
  /** Default `characters`. */
  readonly length?: LengthFunction | undefined;
}

const version = 1;

/** Ballerina's chains: paragraph, sentence, word, character; line, word, character. A word of a script without spaces is a word too. */
const chains: Readonly<Record<RecursiveStrategy, readonly Exclude<Level, "character">[]>> = {
  paragraph: ["paragraph", "sentence", "word", "part"],
  line: ["line", "word", "part"],
  sentence: ["sentence", "word", "part"],
  word: ["word", "part"],
  character: [],
};

/**
 * Cuts a text by size alone: into paragraphs, lines, sentences, words or characters, gathered as long as they fit. A part that does not fit
 * is cut more finely.
 *
 * **Shape** chunks are slices of the source, so separators stay as they are (Ballerina joins parts
 * anew with one blank line, line break or space). The overlap is whole sentences of the chunk before. Where a sentence was cut, it is whole words;
 * where a word was cut, whole characters. It never exceeds `overlap`, and is empty when it would force a finer cut.
 * **Errors** `invalid-argument` at construction for impossible sizes, an unknown strategy or option; `unsupported-input` for a document without text.
 * **Cost** linear. **Source** Ballerina `chunkDocumentRecursively`.
 */
export function createRecursiveChunker(options: RecursiveChunkerOptions = {}): Chunker {
  checkOptions("createRecursiveChunker", options, { maxSize: true, overlap: true, strategy: true, length: true });
  const { maxSize = 200, overlap = 40, strategy = "paragraph", length = characters } = options;
  checkSizes("createRecursiveChunker", maxSize, overlap, length);
  checkStrategy("createRecursiveChunker", strategy, chains);

  function* chunk(document: TextDocument): Generator<Chunk, undefined> {
    const { text } = document;
    const makeChunk = createChunkFactory(document);
    const settings = { maxSize, overlap, chain: placesOf(chains[strategy]) };
    const plan = createRecursivePlan(text, text.length, createMeasure(text, length), settings);
    for (const { start, end } of splitRange(text, 0, text.length, plan)) yield makeChunk(start, end);
  }

  return {
    fingerprint: JSON.stringify(["recursive", version, maxSize, overlap, lengthKey(length), strategy]),
    chunk: (document) => {
      checkTextDocument(document);
      return { [Symbol.iterator]: () => chunk(document) };
    },
  };
}

/**
 * Cuts a document, or a bare text, at once.
 *
 * **Shape** a bare text becomes a document named after its hash. **Errors** `unsupported-input`, "Only text documents are supported for chunking", for media;
 * `invalid-argument` as {@link createRecursiveChunker}.
 * **Source** Ballerina `chunkDocumentRecursively(document, maxChunkSize = 200, maxOverlapSize = 40, strategy = PARAGRAPH)`.
 *
 * @experimental
 */
export function chunkDocumentRecursively(
  document: Document | string,
  maxSize = 200,
  overlap = 40,
  strategy: RecursiveStrategy = "paragraph",
): Chunk[] {
  const chunker = createRecursiveChunker({ maxSize, overlap, strategy });
  if (typeof document === "string") return [...chunker.chunk(createTextDocument(document))];
  checkTextDocument(document);
  return [...chunker.chunk(document as TextDocument)];
}
