import type { Reader } from "../contracts/reader.ts";
import { encodingByBytes, findCharsetName } from "../text/decode-text.ts";
import { textTooLarge } from "./decode-source.ts";
import { detectMediaType } from "./media-type.ts";
import { type DocumentInput, type FoundResult, readByText } from "./read-document.ts";
import { limitsOf } from "./read-limits.ts";

/** A document on its way to a reader, of which nobody has all bytes. */
export interface PiecesInput extends Omit<DocumentInput, "bytes" | "readElsewhere"> {
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Reads a text as its bytes come: decoded piece by piece, so that they are never in memory beside it.
 *
 * The head says what it is, as it does for `readDocument`. What only the whole can tell, it does not guess: where the head is not plainly a UTF-8 text of a reader that
 * takes texts, where the sender declares another encoding, or where a later piece is no UTF-8 after all or holds an escape, it gives up, and whoever asked
 * reads the bytes whole.
 *
 * **Shape** what `readDocument` gives for the same bytes, or `undefined`. **Errors** as `readDocument`; `too-large` as soon as there is too much text.
 * **Cost** memory for the text, and once more while its pieces are joined.
 */
export async function readTextPieces(
  readers: readonly Reader[],
  { pieces, ...input }: PiecesInput,
): Promise<FoundResult | undefined> {
  const { uri, charset } = input;
  const { maxTextLength } = limitsOf({ ...(input.limits && { limits: input.limits }) });
  let found: { readonly reader: Reader; readonly mediaType: string; readonly named: boolean } | undefined;
  const text = createPieceDecoder();
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
    if (!text.add(piece)) return undefined;
    if (text.length > maxTextLength) throw textTooLarge(uri, text.length, maxTextLength);
  }
  const whole = found && text.finish();
  if (found === undefined || whole === undefined) return undefined;
  return readByText(found.reader, { ...input, mediaType: found.mediaType }, whole);
}

const escape = 0x1b;

/** What the head alone says. `undefined` where the rest would have to be asked, or where it is to be refused: that is for who has it whole. */
function typeOfHead(head: Uint8Array, { uri, mediaType }: Pick<PiecesInput, "uri" | "mediaType">): string | undefined {
  // UTF-16 has zeros, and so have most binary formats.
  if (head.includes(0)) return undefined;
  try {
    return detectMediaType(head, { declared: mediaType, name: uri });
  } catch {
    return undefined;
  }
}

/** UTF-8 to canonical text, as `canonicalize` makes it of the whole. */
export function createPieceDecoder(): {
  readonly length: number;
  /** **Shape** false for what is no UTF-8. */
  add(piece: Uint8Array): boolean;
  finish(): string | undefined;
} {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parts: string[] = [];
  let length = 0;
  let endsInReturn = false;

  function take(bytes: Uint8Array | undefined): boolean {
    let part: string;
    try {
      part = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      return false;
    }
    if (length === 0) part = part.replace(/^\uFEFF+/u, "");
    if (endsInReturn && part !== "") {
      part = part.startsWith("\n") ? part.slice(1) : part;
      endsInReturn = false;
    }
    if (part === "") return true;
    if (part.includes("\r")) {
      endsInReturn = part.endsWith("\r");
      part = part.replaceAll(/\r\n?/g, "\n");
    }
    parts.push(part);
    length += part.length;
    return true;
  }

  return {
    get length() {
      return length;
    },
    add: take,
    finish() {
      if (!take(undefined)) return undefined;
      const text = parts.join("");
      parts.length = 0;
      return text;
    },
  };
}
