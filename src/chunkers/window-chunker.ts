import type { Chunker } from "../contracts/chunker.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkNotRevoked, checkOptions, checkText } from "../runtime/check-options.ts";
import { showValue } from "../runtime/plan-options.ts";
import { codePoints } from "../text/length.ts";
import type { Span } from "../text/sentences.ts";
import { checkSizes } from "./check-sizes.ts";
import { createPiecesChunker } from "./pieces-chunker.ts";
import { afterCodePoint } from "./safe-cut.ts";
import { skipWhiteSpace } from "./white-space.ts";

/**
 * How long the window is, and how far it moves.
 *
 * @experimental
 */
export interface WindowChunkerOptions {
  /** How long a window is. Default 1000. **Units** code points. */
  readonly size?: number | undefined;
  /** Overlap of neighbouring windows. Default 200. **Units** code points. */
  readonly overlap?: number | undefined;
}

const version = 1;

/**
 * Slides a window over a text, whatever its content.
 *
 * **Shape** every window but the last is `size` code points long and begins `size - overlap` after the one before; the last ends with the text. A window of white space alone
 * is left out. A cut may split a grapheme, but never a surrogate pair.
 * **Errors** `invalid-argument` at construction for impossible sizes and unknown options; `unsupported-input` for a document without text.
 * **Cost** linear. **Source** Wesichain `TextSplitter`, whose form for bare texts is {@link splitText}.
 * @experimental
 * @example createWindowChunker({ size: 500, overlap: 50 }).chunk(document)
 */
export function createWindowChunker(options: WindowChunkerOptions = {}): Chunker {
  checkOptions("createWindowChunker", options, { size: true, overlap: true });
  const { size = 1000, overlap = 200 } = options;
  checkSizes("createWindowChunker", size, overlap, codePoints, ["size", "overlap"]);
  return createPiecesChunker(["window", version, size, overlap], function* pieces({ text }) {
    for (const { start, end } of slideWindow(text, size, overlap)) {
      if (skipWhiteSpace(text, start, end) < end) yield { start, end, header: "" };
    }
  });
}

function* slideWindow(text: string, size: number, overlap: number): Generator<Span, undefined> {
  const step = size - overlap;
  let start = 0;
  let end = 0;
  let held = 0;
  while (end < text.length) {
    for (; held < size && end < text.length; held += 1) end = afterPair(text, end);
    yield { start, end };
    for (let moved = 0; moved < step && start < end; moved += 1, held -= 1) start = afterPair(text, start);
  }
}

/** Half a pair by itself counts as one. */
function afterPair(text: string, position: number): number {
  return Math.min(text.length, afterCodePoint(text, position));
}

/**
 * The windows of a bare text.
 *
 * **Shape** a `size` of 0 gives none; an overlap that is not below the size counts as `size - 1`. **Units** code points.
 * **Errors** `invalid-argument` for a value that is no number. **Source** Wesichain `TextSplitter(chunk_size, overlap).split`.
 *
 * @experimental
 */
export function splitText(text: string, size: number, overlap: number): string[] {
  checkText("splitText", "text", text);
  for (const [name, value] of Object.entries({ size, overlap })) {
    if (typeof value === "number" && !Number.isNaN(value)) continue;
    checkNotRevoked("splitText", name, value);
    throw new IbidError("invalid-argument", `splitText: ${name} is ${showValue(value)}; it must be a number.`, {
      hint: `Give ${name} as a number of code points.`,
    });
  }
  if (size < 1) return [];
  const whole = Math.floor(size);
  const shared = Math.min(Math.max(0, Math.floor(overlap)), whole - 1);
  return Array.from(slideWindow(text, whole, shared), ({ start, end }) => text.slice(start, end));
}
