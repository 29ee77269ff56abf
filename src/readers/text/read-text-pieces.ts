import type { Reader } from "../../contracts/reader.ts";
import { encodingByBytes, findCharsetName } from "../../text/charsets/decode-text.ts";
import { textTooLarge } from "./decode-source.ts";
import { detectMediaType } from "../media-type.ts";
import { type DocumentInput, type FoundResult, readByText } from "../read-document.ts";
import { limitsOf } from "../read-limits.ts";

/** A document on its way to a reader, of which nobody has all bytes. */
export interface PiecesInput extends Omit<DocumentInput, "bytes" | "readElsewhere"> {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** How many bytes there are, as far as is known. */
  readonly size?: number | undefined;
}

/**
 * Reads a text whose bytes come in pieces. Each is in memory once, and freed as soon as it is decoded, before the text is examined.
 *
 * The head decides the format, as in `readDocument`. The reader gives up where only the whole file could decide. The
 * head must plainly be a UTF-8 text of a reader that takes texts, and the sender must not declare another encoding. The
 * rest must be UTF-8 without an escape. If not, the caller reads the bytes whole.
 *
 * **Shape** the result of `readDocument` for the same bytes, or `undefined`. **Errors** as `readDocument`; `too-large` as soon as there is too much text.
 * **Cost** memory for the bytes and the text, the bytes until they are decoded.
 */
export async function readTextPieces(
  readers: readonly Reader[],
  { pieces, size, ...input }: PiecesInput,
): Promise<FoundResult | undefined> {
  const { uri, charset } = input;
  const { maxTextLength } = limitsOf({ ...(input.limits && { limits: input.limits }) });
  let found: { readonly reader: Reader; readonly mediaType: string; readonly named: boolean } | undefined;
  const text = createPieceDecoder(size);
  for await (const piece of pieces) {
    if (found === undefined) {
      const hasMark = encodingByBytes(piece.subarray(0, 3)) === "utf-8";
      const isNamed = hasMark || (charset !== undefined && findCharsetName(charset) === "utf-8");
      if (charset !== undefined && !isNamed) return undefined;
      const mediaType = typeOfHead(piece, input);
      const reader = mediaType === undefined ? undefined : readers.find((one) => one.accepts(mediaType));
      if (mediaType === undefined || reader?.readText === undefined) return undefined;
      found = { reader, mediaType, named: isNamed };
    }
    // An escape may begin Japanese in ISO-2022-JP, all of whose bytes are ASCII.
    if (!found.named && piece.includes(escape)) return undefined;
    text.add(piece);
    if (text.isLongerThan(maxTextLength)) throw textTooLarge(uri, maxTextLength + 1, maxTextLength);
  }
  const whole = found && text.finish();
  if (found === undefined || whole === undefined) return undefined;
  return readByText(found.reader, { ...input, mediaType: found.mediaType }, whole);
}

const escape = 0x1b;

/** Media type by the head alone. `undefined` where the rest would be needed, or where the file is to be refused by `readDocument`. */
function typeOfHead(head: Uint8Array, { uri, mediaType }: Pick<PiecesInput, "uri" | "mediaType">): string | undefined {
  // UTF-16 has zeros, and so have most binary formats.
  if (head.includes(0)) return undefined;
  try {
    return detectMediaType(head, { declared: mediaType, name: uri });
  } catch {
    return undefined;
  }
}

/**
 * Decodes UTF-8 to canonical text, as `canonicalize` makes it of the whole.
 *
 * A string cannot grow: a piecewise decoder holds all pieces beside the whole when it joins them. Bytes take less, and lose carriage returns as they
 * come; so they are gathered, and decoded once.
 *
 * **Cost** memory for the bytes, and for the text while it is made of them. `size` is the largest number of bytes.
 */
export function createPieceDecoder(size = 0): {
  add(piece: Uint8Array): void;
  /** Whether there are more than `max` UTF-16 units by now. **Cost** nothing, until there are as many bytes. */
  isLongerThan(max: number): boolean;
  /** **Shape** `undefined` for what is no UTF-8. */
  finish(): string | undefined;
} {
  let bytes = new Uint8Array(size);
  let length = 0;
  let endsInReturn = false;
  let units = 0;
  let counted = 0;

  function append(part: Uint8Array): void {
    if (length + part.length > bytes.length) {
      const grown = new Uint8Array(Math.max(length + part.length, bytes.length * 2));
      grown.set(bytes.subarray(0, length));
      bytes = grown;
    }
    bytes.set(part, length);
    length += part.length;
  }

  return {
    add(piece) {
      let from = endsInReturn && piece[0] === lineFeed ? 1 : 0;
      if (piece.length > 0) endsInReturn = piece.at(-1) === carriageReturn;
      for (let at = piece.indexOf(carriageReturn, from); at !== -1; at = piece.indexOf(carriageReturn, from)) {
        append(piece.subarray(from, at));
        append(newline);
        from = piece[at + 1] === lineFeed ? at + 2 : at + 1;
      }
      append(piece.subarray(from));
    },
    isLongerThan(max) {
      if (length <= max) return false;
      for (; counted < length; counted++) units += unitsBy(bytes[counted]!);
      return units > max;
    },
    finish() {
      let start = 0;
      while (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3;
      try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start, length));
      } catch {
        return undefined;
      } finally {
        bytes = new Uint8Array(0);
      }
    },
  };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const newline = Uint8Array.of(lineFeed);

/**
 * Length that a byte of UTF-8 adds to its text: 1 for a character's first byte, 2 beyond the basic plane, 0 for the
 * rest.
 */
function unitsBy(byte: number): number {
  return byte < 0x80 ? 1 : byte < 0xc0 ? 0 : byte < 0xf0 ? 1 : 2;
}
