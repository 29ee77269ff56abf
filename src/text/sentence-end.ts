import {
  afterOrdinal,
  connectives,
  oftenFinal,
  references,
  sentenceStarters,
  titles,
} from "./languages/abbreviations.ts";
import { classOf, dense } from "./patterns/character-class.ts";
import { endOfTerminators, signOf, space } from "./sentence-signs.ts";

/** No abbreviation is longer; no more of a word is looked at. */
const maxWordLength = 24;
const maxOpeners = 16;

/**
 * Whether a sentence ends with the terminators at `at`, where `close` is behind all that closes with them.
 *
 * A full stop asks for white space behind it, and is doubted before a small letter, after abbreviations, initials and ordinals. `!` and `?` end a
 * sentence unless a quote closes and a small letter follows. Terminators of other scripts end it as they stand.
 */
export function endsSentence(text: string, at: number, close: number): boolean {
  if (close >= text.length) return true;
  const terminators = text.slice(at, Math.min(endOfTerminators(text, at), at + maxWordLength));
  const stops = /^[.…]+$/.test(terminators);
  const strong = /^[.…!?]+$/.test(terminators);
  if (!strong) return !(terminators === "．" && /\p{Nd}/u.test(text[close]!));
  if (signOf(text.charCodeAt(close)) !== space) return isDense(text, close) && (!stops || isDense(text, at - 1));

  const next = wordAfter(text, close);
  if (next === "") return true;
  const goesOn = /^\p{Ll}/u.test(next);
  if (!stops) return !(goesOn && close > at + terminators.length);
  if (terminators !== ".") return !goesOn;

  const word = wordBefore(text, at);
  const folded = word.toLowerCase();
  if (connectives.has(folded) || (titles.has(folded) && word !== folded)) return false;
  if (references.has(folded) && /^(?:\p{N}|[IVXLC]+$|\p{L}$)/u.test(next)) return false;
  if (/^\d{1,2}$/.test(word) && afterOrdinal.has(next.toLowerCase())) return false;
  // A name such as `openStore` or `iPhone` may begin a sentence all the same.
  if (goesOn) return /\p{Lu}/u.test(next);
  const abbreviated = oftenFinal.has(folded) || /^\p{Lu}$/u.test(word) || /^(?:\p{L}{1,2}\.)+\p{L}{1,2}$/u.test(word);
  return !abbreviated || !/^[\p{L}\p{N}]/u.test(next) || sentenceStarters.has(next.toLowerCase());
}

/** The word that ends at `end`, with full stops inside it; `""` for one longer than any abbreviation. */
function wordBefore(text: string, end: number): string {
  let start = end;
  while (start > 0 && /[\p{L}\p{M}\p{N}.]/u.test(text[start - 1]!)) {
    start--;
    if (end - start > maxWordLength) return "";
  }
  return text.slice(start, end);
}

/** The beginning of the word after the white space at `from`; a sign when no word comes, `""` when nothing does. */
function wordAfter(text: string, from: number): string {
  let at = from;
  while (at < text.length && signOf(text.charCodeAt(at)) === space) at++;
  const openersEnd = Math.min(text.length, at + maxOpeners);
  while (at < openersEnd && /[\p{Ps}\p{Pi}\p{Pf}"'*_`~¿¡]/u.test(text[at]!)) at++;
  const word = /^[\p{L}\p{M}\p{N}]+/u.exec(text.slice(at, at + maxWordLength));
  return word?.[0] ?? text.slice(at, at + 1);
}

function isDense(text: string, at: number): boolean {
  return at >= 0 && (classOf(text.codePointAt(at)!) & dense) !== 0;
}
