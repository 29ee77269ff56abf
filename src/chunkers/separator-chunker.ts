import type { Chunk } from "../contracts/chunk.ts";
import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { lengthKey } from "../text/length-key.ts";
import { characters } from "../text/length.ts";
import { checkSizes } from "./check-sizes.ts";
import { createMeasure } from "./measure.ts";
import { createPiecesChunker } from "./pieces-chunker.ts";
import { type CutPlace, createRecursivePlan } from "./recursive-plan.ts";
import { isSafeCut } from "./safe-cut.ts";
import { type Piece, splitRange } from "./split-range.ts";
import { createTextDocument } from "./text-document.ts";

/**
 * Sizes, and what a text is cut behind.
 *
 * @experimental
 */
export interface SeparatorChunkerOptions {
  /** Hard limit of a chunk, overlap included. Default 1000. **Units** as `length` counts. */
  readonly maxSize?: number | undefined;
  /** Largest overlap of neighbouring chunks. Default 200. **Units** as `length` counts. */
  readonly overlap?: number | undefined;
  /** Separators from coarse to fine; a cut comes behind one, and `""` allows a cut anywhere. Default `["\n\n", "\n", " ", ""]`. */
  readonly separators?: readonly string[] | undefined;
  /** Default `characters`. */
  readonly length?: LengthFunction | undefined;
  /** Whether chunks hold white space at their ends too, so that without an overlap they are the whole text when joined. Default false. */
  readonly lossless?: boolean | undefined;
}

const version = 1;

/** Wesichain's, and LangChain's before it. */
const defaultSeparators: readonly string[] = ["\n\n", "\n", " ", ""];

/**
 * Cuts a text behind strings of one's own choice, the coarsest that lies within the size first.
 *
 * **Shape** separators are kept, with what stands before them; white space around a chunk is left out. Anywhere is always the last resort, whether `""` is listed or
 * not, for a size is a hard limit. The overlap begins behind a separator too, no coarser than the one that was cut at.
 * **Errors** `invalid-argument` at construction for impossible sizes, a separator that is no string, an unknown option; `unsupported-input` for a document without text.
 * **Cost** linear in the text, for each separator. **Source** Wesichain `RecursiveCharacterTextSplitter`, whose overlap cuts blindly; here it does not.
 * @experimental
 * @example createSeparatorChunker({ separators: ["\n---\n", "\n\n", "\n", " "] }).chunk(document)
 */
export function createSeparatorChunker(options: SeparatorChunkerOptions = {}): Chunker {
  checkOptions("createSeparatorChunker", options, {
    maxSize: true,
    overlap: true,
    separators: true,
    length: true,
    lossless: true,
  });
  const {
    maxSize = 1000,
    overlap = 200,
    separators = defaultSeparators,
    length = characters,
    lossless = false,
  } = options;
  checkSizes("createSeparatorChunker", maxSize, overlap, length);
  if (!Array.isArray(separators) || separators.some((separator) => typeof separator !== "string")) {
    throw new IbidError("invalid-argument", "createSeparatorChunker: separators must be a list of strings.", {
      hint: "Leave it out for blank lines, line ends and spaces.",
    });
  }
  const chain = separators.filter((separator) => separator !== "");
  const settings = { maxSize, overlap, chain: placesBehind(chain) };
  const marks = lossless ? ["lossless"] : [];
  return createPiecesChunker(
    ["separator", version, maxSize, overlap, lengthKey(length), chain, ...marks],
    ({ text }) => {
      const plan = createRecursivePlan(text, text.length, createMeasure(text, length), settings);
      const pieces = splitRange(text, 0, text.length, plan);
      return lossless ? fillGaps(text, pieces, (piece) => length(piece) <= maxSize, maxSize) : pieces;
    },
  );
}

/** Gives white space between pieces to the piece before it where that fits, else to pieces of its own. */
function* fillGaps(
  text: string,
  pieces: Iterable<Piece>,
  fits: (text: string) => boolean,
  most: number,
): Generator<Piece, undefined> {
  function* spread(piece: Piece | undefined, from: number, to: number): Generator<Piece, undefined> {
    if (piece !== undefined && fits(text.slice(piece.start, to))) return void (yield { ...piece, end: to });
    if (piece !== undefined) yield piece;
    for (let start = from; start < to; start += most)
      yield { start, end: Math.min(to, start + most), fresh: start, header: "" };
  }
  let open: Piece | undefined;
  let end = 0;
  for (const piece of pieces) {
    if (open !== undefined || piece.start > end) yield* spread(open, end, Math.max(end, piece.start));
    open = piece;
    end = Math.max(end, piece.end);
  }
  yield* spread(open, end, text.length);
}

/** The places behind each of some separators. Shared is what begins behind the separator that was cut at, or a finer one. */
function placesBehind(separators: readonly string[]): readonly CutPlace[] {
  return separators.map((separator, rank) => ({
    last(text, { after, limit }) {
      const window = text.slice(Math.max(0, after - separator.length + 1), limit);
      const behind = limit - window.length + separator.length;
      for (let found = window.lastIndexOf(separator); found !== -1; found = window.lastIndexOf(separator, found - 1)) {
        if (isSafeCut(text, behind + found)) return behind + found;
        if (found === 0) break;
      }
      return undefined;
    },
    firstShared(text, _context, from, end) {
      for (const one of separators.slice(rank)) {
        const begin = Math.max(0, from - one.length);
        const found = text.slice(begin, end).indexOf(one);
        const behind = begin + found + one.length;
        if (found !== -1 && isSafeCut(text, behind)) return behind;
      }
      return undefined;
    },
  }));
}

/**
 * Cuts a document, or a bare text, behind blank lines, line ends and spaces.
 *
 * **Shape** ids are `<document>:<i>`, and metadata has `chunk_index`. White space at a cut is left out, unless `lossless`. **Errors** as {@link createSeparatorChunker}.
 * **Source** Wesichain `RecursiveCharacterTextSplitter::split_documents`.
 *
 * @experimental
 */
export function splitTextRecursively(
  document: TextDocument | string,
  maxSize = 1000,
  overlap = 200,
  options: Pick<SeparatorChunkerOptions, "lossless"> = {},
): Chunk[] {
  checkOptions("splitTextRecursively", options, { lossless: true });
  const chunker = createSeparatorChunker({ ...options, maxSize, overlap });
  const whole = typeof document === "string" ? createTextDocument(document) : document;
  return Array.from(chunker.chunk(whole), (chunk) => ({
    ...chunk,
    id: `${whole.id}:${chunk.index}`,
    metadata: { ...chunk.metadata, chunk_index: chunk.index },
  }));
}
