import { IbidError } from "../contracts/errors.ts";

export interface DecodedText {
  /** Without byte order mark; newlines as they were. */
  readonly text: string;
  /** Name of the encoding, as the Encoding Standard writes it: `utf-8`, `utf-16le`, `utf-16be`, or the one declared. */
  readonly encoding: string;
}

/** How much of a file is looked at to tell text from other bytes. */
const sampleBytes = 64 * 1024;
/** A text may hold a stray control character, not one in fifty. */
const maxControlShare = 0.02;

/**
 * Bytes to text: by byte order mark (UTF-8, UTF-16), else by the declared `charset`, else as UTF-8. Nothing is guessed and nothing is replaced.
 *
 * **Errors** `binary` for bytes that are no text; `unreadable` for text that is not in its encoding, naming the byte where that begins, and for
 * a charset that does not exist. **Cost** linear.
 * **Source** the Encoding Standard's BOM sniffing, decoders in fatal mode.
 */
export function decodeText(bytes: Uint8Array, charset?: string): DecodedText {
  const mark = markedEncoding(bytes);
  const encoding = mark ?? normalizeCharset(charset);
  const wide = encoding.startsWith("utf-16");
  if (!wide && looksBinary(bytes)) throw notText();
  const text = decode(bytes, encoding);
  if (text === undefined) throw unreadable(bytes, encoding, charset === undefined && mark === undefined);
  // Two bytes that happen to look like a mark, or UTF-32.
  if (wide && text.slice(0, sampleBytes).includes("\0")) throw notText();
  return { text, encoding };
}

/**
 * Whether bytes without a byte order mark are something other than text: they hold a NUL, or many control characters.
 *
 * **Cost** looks for a NUL and counts in the first 64 KiB.
 */
export function looksBinary(bytes: Uint8Array): boolean {
  if (markedEncoding(bytes) !== undefined) return false;
  const end = Math.min(bytes.length, sampleBytes);
  let controls = 0;
  for (let i = 0; i < end; i++) {
    const byte = bytes[i]!;
    if (byte >= 0x20 && byte !== 0x7f) continue;
    if (byte === 0) return true;
    // Backspace to carriage return are what terminals and printers take; escape begins colours in logs.
    if ((byte < 0x08 || byte > 0x0d) && byte !== 0x1b) controls++;
  }
  return controls > Math.max(1, end * maxControlShare);
}

function notText(): IbidError {
  return new IbidError("binary", "These bytes are not text.", {
    mend: "Leave the file out, or give a reader for its media type.",
  });
}

function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

function normalizeCharset(charset: string | undefined): string {
  if (charset === undefined) return "utf-8";
  try {
    return new TextDecoder(charset.trim()).encoding;
  } catch (error) {
    throw new IbidError("unreadable", `No character encoding is called ${JSON.stringify(charset.slice(0, 60))}.`, {
      mend: "Declare one of the Encoding Standard's names, such as utf-8, windows-1252 or shift_jis.",
      cause: error,
    });
  }
}

/** `undefined` when the bytes are not in the encoding. */
function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function unreadable(bytes: Uint8Array, encoding: string, assumed: boolean): IbidError {
  const offset = firstBadByte(bytes, encoding);
  return new IbidError("unreadable", `The text is not ${encoding}: byte ${offset} does not belong to any character.`, {
    mend: assumed ? "Save the file as UTF-8, or declare its charset." : "Save the file as UTF-8.",
    details: { offset, encoding },
  });
}

/** Where the first sequence begins that the decoder refuses: the longest prefix that decodes as a stream ends there. */
function firstBadByte(bytes: Uint8Array, encoding: string): number {
  const isGood = (length: number): boolean => {
    try {
      new TextDecoder(encoding, { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (middle <= bytes.length && isGood(middle)) good = middle;
    else bad = middle;
  }
  // The prefix may end inside a sequence that has only just gone wrong, or that the file's end cuts off.
  while (good > 0 && !isWhole(bytes.subarray(0, good), encoding)) good--;
  return good;
}

function isWhole(bytes: Uint8Array, encoding: string): boolean {
  return decode(bytes, encoding) !== undefined;
}
