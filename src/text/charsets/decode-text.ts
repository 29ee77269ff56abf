import { IbidError } from "../../contracts/errors.ts";

export interface DecodedText {
  /** Without byte order mark; newlines as they were. */
  readonly text: string;
  /** Name of the encoding, as the Encoding Standard writes it: `utf-8`, `utf-16le`, `utf-16be`, or the one declared. */
  readonly encoding: string;
}

/** How much of a file is looked at to tell text from other bytes. */
const sampleBytes = 64 * 1024;
/** Largest share of control characters in a text: a few may occur, but not one in fifty. */
const maxControlShare = 0.02;

/**
 * Decodes bytes: by byte order mark (UTF-8, UTF-16), else by the declared `charset`, else as UTF-8, or as UTF-16 where every other byte shows it.
 * No encoding is guessed and no byte replaced; see {@link detectCharset} for bytes without a declaration.
 *
 * Well-formed UTF-8 is no accident: it wins over a label that does not fit, and over one that fits any bytes.
 *
 * **Errors** `binary` for bytes that are no text; `unreadable` for text that is not in its encoding, naming the first wrong byte. Also for UTF-32, and for
 * a charset that does not exist. **Cost** linear.
 * **Source** the Encoding Standard's BOM sniffing, decoders in fatal mode.
 */
export function decodeText(bytes: Uint8Array, charset?: string): DecodedText {
  const mark = encodingByBytes(bytes);
  if (mark === "utf-32") throw inUtf32();
  const declared = mark === undefined && charset !== undefined ? nameCharset(charset) : undefined;
  const encoding = mark ?? declared ?? "utf-8";
  const wide = encoding.startsWith("utf-16");
  if (!wide && looksBinary(bytes)) throw notText();
  if (declared !== undefined && fitsAnyBytes(declared) && isUtf8BeyondAscii(bytes)) return decodeText(bytes);
  const text = decode(bytes, encoding);
  if (text === undefined) {
    if (declared !== undefined && declared !== "utf-8" && decode(bytes, "utf-8") !== undefined)
      return decodeText(bytes);
    throw unreadable(bytes, encoding, charset === undefined && mark === undefined);
  }
  // Two bytes that happen to look like a mark.
  if (wide && text.slice(0, sampleBytes).includes("\0")) throw notText();
  return { text, encoding };
}

/**
 * Whether bytes are something other than text: they hold a NUL that is no part of UTF-16, or many control characters.
 *
 * **Cost** looks for a NUL and counts in the first 64 KiB.
 */
export function looksBinary(bytes: Uint8Array): boolean {
  if (encodingByBytes(bytes) !== undefined) return false;
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
    hint: "Leave the file out, or give a reader for its media type.",
  });
}

function inUtf32(): IbidError {
  return new IbidError("unreadable", "The text is in UTF-32, which ibid does not read.", {
    hint: "Save the file as UTF-8.",
    details: { offset: 0, encoding: "utf-32" },
  });
}

/** Encoding that the bytes themselves show: a byte order mark, or the zeros that UTF-16 has in every other byte. */
export function encodingByBytes(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | "utf-32" | undefined {
  const [first, second, third, fourth] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? "utf-32" : "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return "utf-32";
  return unmarkedUtf16(bytes);
}

/** Writing systems that stand together in one text; Latin letters, digits and signs stand in all. */
const writingSystems = [
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}]/gu,
  ...["Greek", "Cyrillic", "Hebrew", "Arabic", "Thai", "Devanagari", "Georgian", "Armenian"].map(
    (name) => new RegExp(`\\p{Script=${name}}`, "gu"),
  ),
];

/**
 * UTF-16 without a mark: half of each character of ASCII is a zero, and read in pairs the bytes are a plausible text.
 *
 * A line break or a space has its zero in every script; what has none at all does not show. Read the wrong way round, a text is letters of every script.
 * Where the other bytes are a text as they are, one zero between them proves nothing: any two letters are a Chinese character. Then a quarter must be zeros.
 */
function unmarkedUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const sample = bytes.subarray(0, sampleBytes);
  if (bytes.length % 2 !== 0 || !sample.includes(0)) return undefined;
  const others = sample.filter((byte) => byte !== 0);
  if (
    sample.length - others.length < sample.length / 4 &&
    !looksBinary(others) &&
    decode(others, "utf-8", true) !== undefined
  )
    return undefined;
  const little = countAscii(sample, "utf-16le");
  const big = countAscii(sample, "utf-16be");
  return Math.max(little, big) === 0 ? undefined : little >= big ? "utf-16le" : "utf-16be";
}

/** How many characters of ASCII are in the sample; 0 when it is no text in this encoding. */
function countAscii(sample: Uint8Array, encoding: "utf-16le" | "utf-16be"): number {
  const text = decode(sample, encoding, true);
  // oxlint-disable-next-line no-control-regex -- escape begins colours in logs
  if (text === undefined || /[\p{Cn}\p{Co}]|(?![\t\n\v\f\r\x1B\u0085])\p{Cc}/u.test(text)) return 0;
  const others = text.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0;
  const together = Math.max(...writingSystems.map((system) => text.match(system)?.length ?? 0));
  return together < others * 0.9 ? 0 : (text.match(/[\0-\x7F]/g)?.length ?? 0);
}

/** Names of other software for encodings of the Encoding Standard. */
const aliases: Readonly<Record<string, string>> = {
  cp932: "shift_jis",
  ms932: "shift_jis",
  cp936: "gbk",
  cp949: "euc-kr",
  ms949: "euc-kr",
  cp950: "big5",
  cp874: "windows-874",
  "latin-1": "windows-1252",
  utf8mb4: "utf-8",
};

/** The Encoding Standard's name of a charset, `undefined` when nothing is called so. **Shape** labels of the standard, and code pages as Python, Java and Windows write them. */
export function findCharsetName(charset: string): string | undefined {
  const label = charset.trim().toLowerCase();
  for (const candidate of [label, aliases[label] ?? label, label.replaceAll("_", "-")]) {
    try {
      const { encoding } = new TextDecoder(candidate);
      return encoding;
    } catch {
      // The next spelling may be known.
    }
  }
  return undefined;
}

function nameCharset(charset: string): string {
  const name = findCharsetName(charset);
  if (name !== undefined) return name;
  throw new IbidError("unreadable", `No character encoding is called ${JSON.stringify(charset.slice(0, 60))}.`, {
    hint: "Declare one of the Encoding Standard's names, such as utf-8, windows-1252 or shift_jis.",
  });
}

/** Encodings of one byte a character. */
function fitsAnyBytes(encoding: string): boolean {
  return /^(?:windows-|iso-8859-|koi8-|ibm866|macintosh|x-mac-)/.test(encoding);
}

function isUtf8BeyondAscii(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte >= 0x80) && decode(bytes, "utf-8") !== undefined;
}

/** `undefined` when the bytes are not in the encoding. */
function decode(bytes: Uint8Array, encoding: string, stream = false): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream });
  } catch {
    return undefined;
  }
}

function unreadable(bytes: Uint8Array, encoding: string, assumed: boolean): IbidError {
  const offset = firstBadByte(bytes, encoding);
  return new IbidError("unreadable", `The text is not ${encoding}: byte ${offset} belongs to no character.`, {
    hint: assumed ? "Save the file as UTF-8, or declare its charset." : "Save the file as UTF-8.",
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
