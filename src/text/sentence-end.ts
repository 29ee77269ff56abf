import {
  afterOrdinal,
  connectives,
  continuing,
  dates,
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
  // The next letter of one abbreviation: `z. B.`, `J. A. Smith`.
  if (/^\p{L}$/u.test(word) && (next === "Chr" || letterAfter(text, close))) return false;
  const letters = lettersBefore(text, at);
  if (connectives.has(letters)) return false;
  if (connectives.has(folded) || (titles.has(folded) && word !== folded)) return false;
  const isShort = shortened.test(word);
  if ((references.has(folded) || isShort) && /^(?:\p{N}|[IVXLC]+$|\p{L}$)/u.test(next)) return false;
  const isDate = dates.has(folded) && /^\p{Lu}/u.test(word);
  if ((continuing.has(folded) || isDate) && /^\p{N}/u.test(next)) return false;
  if (/^\d{1,2}$/.test(word) && afterOrdinal.has(next.toLowerCase())) return false;
  // A name such as `openStore` or `iPhone` may begin a sentence all the same.
  if (goesOn) return /\p{Lu}/u.test(next);
  const abbreviated =
    oftenFinal.has(folded) || isShort || isDate || letters !== "" || /^\p{Lu}$/u.test(word) || joinedLetters.test(word);
  return !abbreviated || !/^[\p{L}\p{N}]/u.test(next) || sentenceStarters.has(next.toLowerCase());
}

const joinedLetters = /^(?:\p{L}{1,2}\.)+\p{L}{1,2}$/u;
/** A capitalised word without a vowel, or one that ends as German streets do, is no whole word: `Bldg`, `Hwy`, `Hauptstr`. Small ones are often names: `npm`. */
const shortened = /^(?:\p{Lu}(?<![AEIOUYÄÖÜ])[bcdfghjklmnpqrstvwxzß]{1,5}|\p{L}{2,20}str|Str)$/u;

/** Whether a single letter with a full stop comes next. */
function letterAfter(text: string, from: number): boolean {
  return /^[ \t\u00a0\u202f\u2009]\p{L}\.(?![\p{L}\p{N}])/u.test(text.slice(from, from + 4));
}

/** Single letters with full stops and spaces that end at `end`, as one abbreviation: `z.b` for `z. B`; `""` where there is but one. */
function lettersBefore(text: string, end: number): string {
  const found = /(?<![\p{L}\p{N}])(?:\p{L}\.[ \u00a0\u202f\u2009])+(?:\p{L}\.)*(?:\p{L}|[Cc]hr|dgl|zt)$/u.exec(
    text.slice(Math.max(0, end - maxWordLength), end),
  );
  return found === null ? "" : found[0].toLowerCase().replaceAll(/\s/gu, "");
}

/** Whether a sentence ends with the terminators at `at`, where `close` is behind all that closes with them. */
export type SentenceEnd = typeof endsSentence;

/**
 * The same for a text in which a sentence may begin with a small letter: `Read the manual. npm installs it.`
 *
 * A full stop before a small letter ends a sentence too. It does not after an abbreviation, an initial or an ordinal, nor where a quote closes. Only Latin words are judged; after others a small letter goes on as in {@link endsSentence}.
 */
export function endsInformalSentence(text: string, at: number, close: number): boolean {
  if (endsSentence(text, at, close)) return true;
  if (signOf(text.charCodeAt(close)) !== space || !/^\p{Ll}/u.test(wordAfter(text, close))) return false;
  if (!/^\.(?: ?\[\d{1,4}\])*$/u.test(text.slice(at, close))) return false;
  // A marker that was taken out in front of the full stop leaves a space.
  const end = text[at - 1] === " " ? at - 1 : at;
  return !mayAbbreviate(wordBefore(text, end));
}

/** Whether a full stop may belong to a word, whatever follows. An ordinal has few digits; a word has a vowel, or capitals alone. */
function mayAbbreviate(word: string): boolean {
  if (/^(?:\d{3,}|\d[\d.]*\.\d+)$/u.test(word)) return false;
  const last = word.slice(word.lastIndexOf(".") + 1);
  if (!/^\p{Script=Latin}{2,}$/u.test(last) || /^(?:\p{L}{1,2}\.)+\p{L}{1,2}$/u.test(word)) return true;
  if (/^\p{Lu}+$/u.test(last)) return false;
  const folded = word.toLowerCase();
  // References that are words as well.
  if (/^(?:app|apt|art|mo|no|opt|sat|so|sun|tab|wed|geb|do|di|mi|sa|est|mon)$/u.test(word)) return false;
  return (
    !/[aeiouy]/u.test(last.normalize("NFD").toLowerCase()) ||
    [connectives, continuing, dates, oftenFinal, references, titles].some((list) => list.has(folded))
  );
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
