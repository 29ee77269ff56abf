import { alphabets, signScripts } from "../languages/alphabets.ts";
import { weighContext, weighLetters, weighSigns, type WordSpan } from "./letter-likelihood.ts";

/** So much of a text is weighed from its first byte beyond ASCII on, and as much again from its middle on. **Units** bytes. */
const sampleBytes = 2048;
/** Below this, for each byte of a word that is not all ASCII, no encoding makes sense of the bytes. **Units** natural logarithm. */
const leastLikelihood = -6;
/** Share of well-formed UTF-8 beyond ASCII from which a text is damaged UTF-8, and must not be read as anything else. */
const mostlyUtf8 = 0.5;

/** An encoding, and how likely the bytes are text in it. */
export interface CharsetGuess {
  /** As the Encoding Standard writes it. */
  readonly encoding: string;
  /** Natural logarithm of a probability: to be compared with other guesses on the same bytes, and with nothing else. */
  readonly log: number;
}

/**
 * The encoding of a text that is not UTF-8 and does not say what it is, by how likely its words are.
 *
 * Every encoding that decodes the bytes without an error proposes a text; the likeliest text wins.
 *
 * **Shape** a name of the Encoding Standard; `undefined` for ASCII, for UTF-8 with damage, and where no encoding makes words of the bytes.
 * The same bytes give the same name. **Cost** weighs 4 KiB, which takes some milliseconds; then decodes the whole once.
 * **Source** Bayes' rule over characters, as in Dunning, Statistical Identification of Language (1994).
 */
export function detectCharset(bytes: Uint8Array): string | undefined {
  if (hasEscapes(bytes) && canDecode(bytes, "iso-2022-jp")) return "iso-2022-jp";
  const sample = sampleOf(bytes);
  if (sample === undefined || isDamagedUtf8(sample)) return undefined;
  const least = leastLikelihood * findWords(sample).reduce((sum, { start, end }) => sum + end - start, 0);
  for (const { encoding, log } of rankCharsets(sample)) {
    if (log < least) return undefined;
    if (canDecode(bytes, encoding)) return encoding;
  }
  return undefined;
}

/** Every encoding that the bytes may be in, the likeliest first. */
export function rankCharsets(sample: Uint8Array): readonly CharsetGuess[] {
  const best = new Map<string, number>();
  const add = (encoding: string, log: number): void => {
    if (log > (best.get(encoding) ?? -Infinity)) best.set(encoding, log);
  };
  const texts = new Map<string, string | undefined>();
  const textIn = (encoding: string): string | undefined => {
    if (!texts.has(encoding)) texts.set(encoding, decodeSample(sample, encoding));
    return texts.get(encoding);
  };
  const words = findWords(sample);
  const around = countAsciiLetters(sample, words);
  const foreign = weighForeign(sample, around);
  for (const alphabet of alphabets) {
    const context = alphabet.ascii === undefined ? foreign : weighContext(around, alphabet);
    for (const [order, encoding] of alphabet.encodings.entries()) {
      const text = textIn(encoding);
      // The encodings of a language are listed by how common they are: each is met about a third as often as the one before.
      if (text !== undefined)
        add(encoding, weighLetters(text, words, alphabet) + context + alphabet.prior - order * Math.log(3));
    }
  }
  for (const script of signScripts) {
    const text = textIn(script.encoding);
    if (text !== undefined) add(script.encoding, weighSigns(sample, words, text, script) + foreign + script.prior);
  }
  return [...best].map(([encoding, log]) => ({ encoding, log })).toSorted((a, b) => b.log - a.log);
}

/** Cost of a few words of another script among many of ASCII: a single letter there is more likely an accented one. */
const fewAmongMany = -5;

function weighForeign(sample: Uint8Array, around: ReadonlyMap<string, number>): number {
  let ascii = 0;
  for (const times of around.values()) ascii += times;
  const beyond = sample.reduce((count, byte) => count + (byte >> 7), 0);
  return ascii > beyond * 2 ? fewAmongMany : 0;
}

/** The escape that begins Japanese in ISO-2022-JP, whose bytes are all ASCII. */
function hasEscapes(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x1b); at !== -1; at = bytes.indexOf(0x1b, at + 1)) {
    if (bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x40 || bytes[at + 2] === 0x42)) return true;
  }
  return false;
}

/** Sample to weigh: the beginning may be a name or a sign that is not typical of the rest. `undefined` for ASCII. */
function sampleOf(bytes: Uint8Array): Uint8Array | undefined {
  const first = sampleFrom(bytes, 0);
  if (first === undefined) return undefined;
  const second = sampleFrom(bytes, Math.max(first.end, bytes.length >>> 1));
  if (second === undefined) return bytes.subarray(first.start, first.end);
  return Uint8Array.from([
    ...bytes.subarray(first.start, first.end),
    0x0a,
    ...bytes.subarray(second.start, second.end),
  ]);
}

/** A stretch around the first byte beyond ASCII from `from` on. */
function sampleFrom(bytes: Uint8Array, from: number): WordSpan | undefined {
  const found = bytes.subarray(from).findIndex((byte) => byte >= 0x80);
  if (found === -1) return undefined;
  let start = from + found;
  while (start > from && start > from + found - sampleBytes / 4 && !isBoundary(bytes[start - 1]!)) start--;
  let end = Math.min(bytes.length, from + found + sampleBytes);
  for (let at = end; at > start && end < bytes.length; at--) {
    if (isBoundary(bytes[at]!)) {
      end = at;
      break;
    }
  }
  return { start, end };
}

/** White space, controls and most punctuation of ASCII are never a part of a longer character. **Source** the Encoding Standard's decoders. */
function isBoundary(byte: number): boolean {
  return byte < 0x30;
}

function isDamagedUtf8(sample: Uint8Array): boolean {
  let good = 0;
  let bad = 0;
  for (const character of new TextDecoder().decode(sample, { stream: true })) {
    if (character === "\uFFFD") bad++;
    else if (character >= "\x80") good++;
  }
  // Nothing wrong but that the end may be cut off: one byte there is more likely a last letter in another encoding.
  if (bad === 0) return good > 0 || sample.reduce((count, byte) => count + (byte >> 7), 0) > 1;
  // One pair or two are well-formed by chance now and then.
  return good >= 2 && good >= (good + bad) * mostlyUtf8;
}

function decodeSample(sample: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true });
  } catch {
    return undefined;
  }
}

/** Whether all bytes are characters of an encoding. */
export function canDecode(bytes: Uint8Array, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function findWords(sample: Uint8Array): WordSpan[] {
  const words: WordSpan[] = [];
  let start = 0;
  let counts = false;
  for (let at = 0; at <= sample.length; at++) {
    const byte = sample[at] ?? 0;
    if (byte >= 0x80) counts = true;
    else if (!isAsciiLetter(byte)) {
      if (counts) words.push({ start, end: at });
      counts = false;
      start = at + 1;
    }
  }
  return words;
}

/** How often each letter stands in words that are all ASCII, in lower case. */
function countAsciiLetters(sample: Uint8Array, words: readonly WordSpan[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  let from = 0;
  for (const { start, end } of [...words, { start: sample.length, end: sample.length }]) {
    for (const byte of sample.subarray(from, start)) {
      if (!isAsciiLetter(byte)) continue;
      const letter = String.fromCharCode(byte | 0x20);
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    from = end;
  }
  return counts;
}

function isAsciiLetter(byte: number): boolean {
  const small = byte | 0x20;
  return byte < 0x80 && small >= 0x61 && small <= 0x7a;
}
