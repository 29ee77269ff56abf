import type { Chunk } from "../contracts/chunk.ts";
import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { Document, TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Metadata } from "../contracts/metadata.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { lengthKey } from "../text/length-key.ts";
import { characters } from "../text/length.ts";
import { segmentSentences } from "../text/sentences.ts";
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
 * Options of {@link chunkDocumentRecursively}.
 *
 * @experimental
 */
export interface RecursiveChunkingOptions {
  /** `"source"`: chunks are slices of the text. `"anew"`, as in Ballerina: parts are joined by one blank line, line break or space. Default `"source"`. */
  readonly joins?: "source" | "anew" | undefined;
}

/** A text as Ballerina writes it. */
interface TextLiteral {
  readonly type: "text";
  readonly content: string;
  readonly metadata?: Metadata | undefined;
}

/**
 * Cuts a document, or a bare text, at once.
 *
 * **Shape** a bare text becomes a document named after its hash. With `joins: "anew"`, places of the chunks are those of the text that was joined anew.
 * **Errors** `unsupported-input`, "Only text documents are supported for chunking", for media; `invalid-argument` as {@link createRecursiveChunker}.
 * **Source** Ballerina `chunkDocumentRecursively(document, maxChunkSize = 200, maxOverlapSize = 40, strategy = PARAGRAPH)`.
 *
 * @experimental
 */
export function chunkDocumentRecursively(
  document: Document | TextLiteral | string,
  maxSize = 200,
  overlap = 40,
  strategy: RecursiveStrategy | Uppercase<RecursiveStrategy> = "paragraph",
  options: RecursiveChunkingOptions = {},
): Chunk[] {
  checkOptions("chunkDocumentRecursively", options, { joins: true });
  const { joins = "source" } = options;
  if (joins !== "source" && joins !== "anew") {
    throw new IbidError("invalid-argument", `chunkDocumentRecursively: joins is ${JSON.stringify(joins)}.`, {
      hint: 'Give "source" or "anew".',
    });
  }
  const [named] = Object.keys(chains).filter((name) => name.toUpperCase() === strategy);
  const chosen = (named ?? strategy) as RecursiveStrategy;
  const chunker = createRecursiveChunker({ maxSize, overlap, strategy: chosen });
  const read = toTextDocument(document);
  if (joins === "source") return [...chunker.chunk(read)];
  const { id, uri, title, metadata, text } = read;
  const joined = createTextDocument(joinAnew(text, chosen, maxSize));
  return [...chunker.chunk({ ...joined, id, uri, title, metadata })];
}

function toTextDocument(given: Document | TextLiteral | string): TextDocument {
  if (typeof given === "string") return createTextDocument(given);
  checkTextDocument(given);
  const { content, metadata = {} } = given as TextLiteral;
  return typeof content === "string" && !("text" in given)
    ? { ...createTextDocument(content), metadata }
    : (given as TextDocument);
}

/** Joins the parts of a text by one separator; a part that is too long is joined as its own parts are. */
function joinAnew(text: string, strategy: RecursiveStrategy, maxSize: number): string {
  const finer = (next: RecursiveStrategy) => (part: string) =>
    part.length > maxSize ? joinAnew(part, next, maxSize) : part;
  const parts = {
    paragraph: () => [
      text
        .trim()
        .split(/\s*\n\s*\n\s*/u)
        .map(finer("sentence")),
      "\n\n",
    ],
    line: () => [text.split(/\r?\n/u).map(finer("word")), "\n"],
    sentence: () => [
      segmentSentences(text)
        .map(({ start, end }) => text.slice(start, end).trim())
        .filter((part) => part !== "")
        .map(finer("word")),
      " ",
    ],
    word: () => [text.trim().split(/\s+/u), " "],
    character: () => [[text], ""],
  } as const satisfies Record<RecursiveStrategy, () => readonly [readonly string[], string]>;
  const [found, separator] = parts[strategy]();
  return found.join(separator);
}
