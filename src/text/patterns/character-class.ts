/** A letter of any script. */
export const letter = 1;
/** A number of any script: digits, Roman numerals, fractions, superscripts. */
export const number = 2;
/** A mark that belongs to the character before it. */
export const mark = 4;
/** A decimal digit of any script. */
export const digit = 8;
/** A letter of a script without spaces between words, or of one whose spaces stand between phrases (Hangul). */
export const dense = 16;
/** A Latin letter. */
export const latin = 32;
/** An upper-case letter. */
export const upper = 64;
/** Set for every character that has been looked at. */
const known = 128;

// Scripts of Unicode's line breaking class SA (UAX 14), those of East Asia, and their neighbours that run words together.
const denseScript = new RegExp(
  "Han Hiragana Katakana Bopomofo Yi Hangul Thai Lao Khmer Myanmar Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Ahom Javanese Balinese"
    .split(" ")
    .map((script) => `\\p{scx=${script}}`)
    .join("|"),
  "u",
);
const shared = /[\p{sc=Common}\p{sc=Inherited}]/u;

const table = new Uint8Array(0x10000);

/**
 * Class of a code point, as a sum of this module's constants; 0 for a character that no word has.
 *
 * **Cost** a table look-up in the basic plane after the first time; a few regular expressions beyond it.
 * **Source** Unicode's general categories and `Script_Extensions` (UAX 24).
 */
export function classOf(codePoint: number): number {
  if (codePoint > 0xffff) return classify(codePoint) - known;
  let found = table[codePoint]!;
  if (found === 0) {
    found = classify(codePoint);
    table[codePoint] = found;
  }
  return found - known;
}

/** ASCII, without the expressions: they take longer to compile than most queries to be read. */
function classifyAscii(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return known | letter | latin;
  if (unit >= 0x41 && unit <= 0x5a) return known | letter | latin | upper;
  return unit >= 0x30 && unit <= 0x39 ? known | number | digit : known;
}

function classify(codePoint: number): number {
  if (codePoint < 0x80) return classifyAscii(codePoint);
  // Half-width voicing marks are letters by name and marks by use.
  if (codePoint === 0xff9e || codePoint === 0xff9f) return known | mark;
  const character = String.fromCodePoint(codePoint);
  if (/\p{M}/u.test(character)) return known | mark;
  if (/\p{Nd}/u.test(character)) return known | number | digit;
  const isNumber = /\p{N}/u.test(character);
  if (!isNumber && !/\p{L}/u.test(character)) return known;
  let found = known | (isNumber ? number : letter);
  // Characters of several scripts are dense only where they are East Asian: the long vowel mark, iteration marks.
  if (denseScript.test(character) && (!shared.test(character) || (codePoint >= 0x3000 && !isNumber))) found |= dense;
  if (/\p{sc=Latin}/u.test(character)) found |= latin;
  if (/\p{Lu}/u.test(character)) found |= upper;
  return found;
}
