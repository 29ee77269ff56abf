import type { Quote } from "./find-quote.ts";
import { findWords } from "./find-words.ts";

/**
 * Finds the words of a quote in a text, with the freedom that people take in quoting.
 *
 * White space, forms of quotation marks, apostrophes and dashes, and the case of the first letter do not count. `…` omits words; punctuation at the end may be the quoter's.
 *
 * **Shape** the first place; with an ellipsis, from its first part to its last. `undefined` for a missing word or an empty quote. **Cost** linear in the text.
 */
export function locateWords(text: string, quote: string): Quote | undefined {
  const parts = quote
    .split(/\s*(?:\[\s*)?(?:…|\.{3})(?:\s*\])?\s*/u)
    .map((part) => part.trim().replace(/[.,;:!?]+$/u, ""))
    .filter((part) => part !== "");
  let found: Quote | undefined;
  for (const part of parts) {
    const from = found?.end ?? 0;
    const match = findPart(part, text, from) ?? findPart(turnFirst(part), text, from);
    if (match === undefined) return undefined;
    found = { start: found?.start ?? match.start, end: match.end };
  }
  return found;
}

function findPart(part: string, text: string, from: number): Quote | undefined {
  return findWords(text, part.split(/\s+/u), from, {
    patternOf: foldedPattern,
    before: spaced.test(part) ? "(?<![\\p{L}\\p{Nd}])" : "",
    after: spaced.test(part.slice(-1)) ? "(?![\\p{L}\\p{Nd}])" : "",
  });
}

/** Begins with a letter or digit of a script that sets words apart: there, "24" is not a place of "2". */
const spaced =
  /^(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{Nd}]/u;

/** A quote that begins a sentence has a capital that the source may not have, and the other way round. */
function turnFirst(part: string): string {
  const [first = ""] = part;
  return (first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase()) + part.slice(first.length);
}

const classes = ["'’‘ʼ", '"“”„«»', "-‐‑–—"] as const;

function foldedPattern(word: string): string {
  let pattern = "";
  for (const character of word) {
    const alike = classes.find((members) => members.includes(character));
    pattern +=
      alike === undefined ? character.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&") : `[${alike.replace("-", "\\-")}]`;
  }
  return pattern;
}
