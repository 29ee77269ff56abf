import type { Quote } from "./find-quote.ts";
import { findWords } from "./find-words.ts";

/** Forms of one sign that a typesetter, not the quoter, chooses. */
const alike = ["'’‘ʼ", '"“”„'] as const;
/** Words left out: `…` or three full stops, in brackets or not, with white space on one side at least. */
const ellipsis = /(?:\s+(?:\[\s*)?(?:…|\.{3})(?:\s*\])?\s*|(?:\[\s*)?(?:…|\.{3})(?:\s*\])?\s+)/u;

/**
 * Finds quoted words in a text, character for character.
 *
 * White space and the form of quotation marks and apostrophes do not count, because files and typesetting change them. Every other character does. The quote begins and ends
 * at a word's border. An ellipsis omits words, unless the text has it.
 *
 * **Shape** the first place; with an ellipsis, from its first part to its last. `undefined` where the text lacks the words. **Cost** linear in the text.
 */
export function locateVerbatim(text: string, quote: string): Quote | undefined {
  const whole = quote.trim();
  if (whole === "") return undefined;
  const found = locatePart(text, whole, 0);
  if (found !== undefined) return found;
  const parts = whole.split(ellipsis).filter((part) => part !== "");
  if (parts.length < 2) return undefined;
  let place: Quote | undefined;
  for (const part of parts) {
    const next = locatePart(text, part, place?.end ?? 0);
    if (next === undefined) return undefined;
    place = { start: place?.start ?? next.start, end: next.end };
  }
  return place;
}

function locatePart(text: string, part: string, from: number): Quote | undefined {
  return findWords(text, part.split(/\s+/u), from, {
    patternOf,
    before: spaced.test(part) ? "(?<![\\p{L}\\p{Nd}])" : "",
    after: endsSpaced.test(part) ? "(?![\\p{L}\\p{Nd}])" : "",
  });
}

const scripts = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];
const unspaced = scripts.map((name) => `\\p{sc=${name}}`).join("");
/** A letter or digit of a script that sets words apart: there, "24" is no place of "2". */
const letter = `(?![${unspaced}])[\\p{L}\\p{Nd}]`;
const spaced = new RegExp(`^${letter}`, "u");
const endsSpaced = new RegExp(`${letter}$`, "u");

function patternOf(word: string): string {
  let pattern = "";
  for (const character of word) {
    const forms = alike.find((one) => one.includes(character));
    pattern += forms === undefined ? character.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&") : `[${forms}]`;
  }
  return pattern;
}
