/** A run of digits, to the index one sign. A code point that is never a character; should a text hold it, nothing is missed. */
export const anyDigits = 0x10_ffff;
/** A run of white space, to the index one sign. */
export const anySpace = 0x20;

/** Trigrams are hashed to numbers below this. **Source** measured by `bench/regex.ts`: twice as many cost 3 % of the text more, half as many let rare words pass with common ones. */
export const trigramKinds = 4096;
const kindBits = 12;

const folded = new Uint16Array(0x1_0000);

/**
 * One number for characters that the index does not tell apart: the forms of a letter in either case, and all white space.
 *
 * Patterns match with or without `ignoreCase` in one index, so characters that are equal under JavaScript's flags `iu` must have one number here. The
 * capital of the small letter is at least as coarse as Unicode's simple case folding; `ß` as an `S` costs no more than a look at a text.
 */
export function foldSymbol(codePoint: number): number {
  if (codePoint > 0xffff) return codePoint === anyDigits ? anyDigits : foldAnew(codePoint);
  const known = folded[codePoint]!;
  return known === 0 ? (folded[codePoint] = foldAnew(codePoint)) : known;
}

function foldAnew(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  return /\s/u.test(character) ? anySpace : character.toLowerCase().toUpperCase().codePointAt(0)!;
}

/** Whether a character is of a script that writes whole words in one or two of them. */
function isWordSign(symbol: number): boolean {
  return (
    symbol >= 0x3040 &&
    (symbol <= 0x30ff ||
      (symbol >= 0x3400 && symbol <= 0x9fff) ||
      (symbol >= 0xac00 && symbol <= 0xd7a3) ||
      (symbol >= 0xf900 && symbol <= 0xfaff) ||
      (symbol >= 0x2_0000 && symbol <= 0x3_ffff))
  );
}

/** Stands where there is no character. */
const none = -1;
/** Stands before a pair, where a trigram's first character would be. */
const pair = 0x11_0000;

/**
 * Collects the trigrams of a text for an index. Characters are folded ({@link foldSymbol}) and a run of white space is one. Then every three in a row
 * count, for Chinese characters, kana and Hangul every two. Then, with each run of digits made one sign as well, the threes with that sign count:
 * so `\d+` and `\s+` can be looked for.
 *
 * Every trigram of a part of a text is one of the whole.
 *
 * **Shape** writes numbers below {@link trigramKinds} from the front of `into`, some repeatedly, and returns how many; `into` must hold twice the text's length.
 * **Source** Cox, Regular Expression Matching with a Trigram Index (2012), for the threes.
 */
export function collectTrigrams(text: string, into: Uint16Array): number {
  let [a, b, c] = [none, none, none];
  let [x, y, z] = [none, none, none];
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    let symbol = folded[unit]!;
    if (symbol === 0 || (unit >= 0xd800 && unit <= 0xdbff)) {
      const codePoint = text.codePointAt(at)!;
      if (codePoint > 0xffff) at++;
      symbol = foldSymbol(codePoint);
    }
    if (symbol === anySpace && z === anySpace) continue;
    const digit = (symbol >= 0x30 && symbol <= 0x39) || symbol === anyDigits;

    a = b;
    b = c;
    c = symbol === anyDigits ? none : symbol;
    if (b !== none && c !== none) {
      if (isWordSign(b) && isWordSign(c)) into[count++] = hash(pair, b, c);
      else if (a !== none) into[count++] = hash(a, b, c);
    }

    if (digit && z === anyDigits) continue;
    x = y;
    y = z;
    z = digit ? anyDigits : symbol;
    if (x !== none && (x === anyDigits || y === anyDigits || z === anyDigits)) into[count++] = hash(x, y, z);
  }
  return count;
}

/** **Source** multipliers of MurmurHash3 (Appleby, 2011); the high bits are the well-mixed ones. */
function hash(a: number, b: number, c: number): number {
  const mixed = Math.imul(a, 0xcc9e2d51) ^ Math.imul(b, 0x1b873593) ^ Math.imul(c, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> (32 - kindBits);
}
