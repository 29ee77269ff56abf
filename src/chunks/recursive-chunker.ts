import type { Chunk } from "../contracts/chunk.ts";
import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { Document, TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkOptions } from "../text/check-options.ts";
import { hashParts } from "../text/hash.ts";
import { characters } from "../text/length.ts";
import { firstSentenceStart, firstWordStart, lastBoundary, type Level } from "./boundaries.ts";
import { checkSizes, checkTextDocument } from "./check-sizes.ts";
import { createChunkFactory } from "./create-chunk.ts";
import { createMeasure, type Measure } from "./measure.ts";
import { afterCodePoint, firstSafeCut, lastSafeCut } from "./safe-cut.ts";
import { type SplitPlan, splitRange } from "./split-range.ts";
import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

/** Where cutting begins; what does not fit is cut at the next finer kind of place (B48). */
export type RecursiveStrategy = "paragraph" | "line" | "sentence" | "word" | "character";

export interface RecursiveChunkerOptions {
  /** The hard limit of a chunk, overlap included. Default 200. **Units** those of `length`. */
  readonly maxSize?: number;
  /** What neighbouring chunks share at most. Default 40. **Units** those of `length`. */
  readonly overlap?: number;
  /** Default `"paragraph"`. */
  readonly strategy?: RecursiveStrategy;
  /** Default `characters`. */
  readonly length?: LengthFunction;
}

const version = 1;

/** B48's chains: paragraph, sentence, word, character; line, word, character. A word of a script without spaces is a word too. */
const chains: Readonly<Record<RecursiveStrategy, readonly Exclude<Level, "character">[]>> = {
  paragraph: ["paragraph", "sentence", "word", "part"],
  line: ["line", "word", "part"],
  sentence: ["sentence", "word", "part"],
  word: ["word", "part"],
  character: [],
};

/**
 * Cuts a text without regard to its structure: into paragraphs, lines, sentences, words or characters, gathered as long as they fit, each that does not fit
 * cut more finely.
 *
 * **Shape** chunks are slices of the source, so what stands between two paragraphs, sentences or words stays as it was written (Ballerina joins them
 * anew with one blank line, line break or space). The overlap is whole sentences of the chunk before; where a sentence had to be cut, whole words;
 * where a word had to be cut, whole characters; never more than `overlap`, and none when it would force a finer cut.
 * **Errors** `invalid-argument` at construction for impossible sizes, an unknown strategy or option; `unsupported-input` for a document without text.
 * **Cost** linear. **Source** Ballerina `chunkDocumentRecursively` (B48).
 */
export function createRecursiveChunker(options: RecursiveChunkerOptions = {}): Chunker {
  checkOptions("createRecursiveChunker", options, ["maxSize", "overlap", "strategy", "length"]);
  const { maxSize = 200, overlap = 40, strategy = "paragraph", length = characters } = options;
  checkSizes("createRecursiveChunker", maxSize, overlap, length);
  if (!Object.hasOwn(chains, strategy)) {
    throw new IbidError("invalid-argument", `createRecursiveChunker has no strategy "${strategy}".`, {
      mend: `Use one of ${Object.keys(chains).join(", ")}.`,
    });
  }

  function* chunk(document: TextDocument): Generator<Chunk, undefined> {
    const { text } = document;
    const makeChunk = createChunkFactory(document);
    const plan = createRecursivePlan(text, createMeasure(text, length), { maxSize, overlap, chain: chains[strategy] });
    for (const { start, end } of splitRange(text, 0, text.length, plan)) yield makeChunk(start, end);
  }

  return {
    fingerprint: JSON.stringify(["recursive", version, maxSize, overlap, length.name, strategy]),
    chunk: (document) => {
      checkTextDocument(document);
      return { [Symbol.iterator]: () => chunk(document) };
    },
  };
}

interface RecursivePlanSettings {
  readonly maxSize: number;
  readonly overlap: number;
  readonly chain: readonly Exclude<Level, "character">[];
}

function createRecursivePlan(text: string, measure: Measure, settings: RecursivePlanSettings): SplitPlan {
  const { maxSize, overlap, chain } = settings;
  const to = trimEndAt(text, 0, text.length);

  function cutWithin(start: number, after: number, reach: number): { end: number; rank: number } | undefined {
    const window = { context: start, after, limit: skipWhiteSpace(text, reach, to), end: to };
    for (const [rank, level] of chain.entries()) {
      const end = lastBoundary(text, level, window);
      if (end !== undefined) return { end, rank };
    }
    const end = lastSafeCut(text, after, reach) ?? (after === start ? afterCodePoint(text, start) : undefined);
    return end === undefined ? undefined : { end, rank: chain.length };
  }

  return {
    cut(start, after) {
      let reach = measure.reach(start, to, maxSize);
      const isNear = reach < to && to - reach <= (reach - start) >> 5;
      if (reach >= to || (isNear && measure.of(start, to) <= maxSize)) return { end: to, rank: 0, header: "" };
      for (;;) {
        if (reach <= after && after > start) return undefined;
        const cut = cutWithin(start, after, reach);
        if (cut === undefined) return undefined;
        const end = trimEndAt(text, start, cut.end);
        if (measure.exact || end > reach || measure.of(start, end) <= maxSize) return { ...cut, header: "" };
        reach = start + (((end - start) * 7) >> 3);
      }
    },

    overlapStart(start, end, rank) {
      if (overlap === 0) return undefined;
      const from = Math.max(start + 1, measure.reachBack(start, end, overlap));
      if (from >= end) return undefined;
      const level = chain[rank];
      let found: number | undefined;
      if (level === undefined) found = firstSafeCut(text, from, end);
      else if (level === "word" || level === "part") found = firstWordStart(text, from, end);
      else found = firstSentenceStart(text, start, from, end);
      if (found === undefined) return undefined;
      const position = skipWhiteSpace(text, found, end);
      const isShared = position < end && (measure.exact || measure.of(position, end) <= overlap);
      return isShared ? position : undefined;
    },
  };
}

/**
 * Cuts a document, or a bare text, at once.
 *
 * **Shape** a bare text becomes a document named after its hash. **Errors** `unsupported-input`, "Only text documents are supported for chunking", for media;
 * `invalid-argument` as {@link createRecursiveChunker}.
 * **Source** Ballerina `chunkDocumentRecursively(document, maxChunkSize = 200, maxOverlapSize = 40, strategy = PARAGRAPH)` (B48).
 */
export function chunkDocumentRecursively(
  document: Document | string,
  maxSize = 200,
  overlap = 40,
  strategy: RecursiveStrategy = "paragraph",
): Chunk[] {
  const chunker = createRecursiveChunker({ maxSize, overlap, strategy });
  if (typeof document === "string") return [...chunker.chunk(documentOf(document))];
  checkTextDocument(document);
  return [...chunker.chunk(document as TextDocument)];
}

function documentOf(text: string): TextDocument {
  const id = hashParts("text", text);
  return {
    type: "text",
    id,
    uri: `text:${id}`,
    title: "",
    mediaType: "text/plain",
    text,
    metadata: {},
    origin: "user-content",
    root: { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
    sourceMap: { lines: "text" },
  };
}
