import type { Quote } from "./find-quote.ts";

/**
 * Where a text has the very words of a quote, as people quote: white space, the form of quotation marks, apostrophes and dashes, and the case of the first letter do
 * not count; `…` leaves something out; the punctuation at the end may be the quoter's.
 *
 * **Shape** the first place; with an ellipsis, from its first part to its last. `undefined` when a word is not there or there is none. **Cost** linear in the text.
 */
export function locateWords(text: string, quote: string): Quote | undefined {
  const parts = quote
    .split(/\s*(?:\[\s*)?(?:…|\.{3})(?:\s*\])?\s*/u)
    .map((part) => part.trim().replace(/[.,;:!?]+$/u, ""))
    .filter((part) => part !== "");
  let found: Quote | undefined;
  for (const part of parts) {
    const pattern = new RegExp(part.split(/\s+/u).map(foldedPattern).join("\\s+"), "gu");
    pattern.lastIndex = found?.end ?? 0;
    const match = pattern.exec(text) ?? lowerFirst(part, text, found?.end ?? 0);
    if (!match) return undefined;
    found = { start: found?.start ?? match.index, end: match.index + match[0].length };
  }
  return found;
}

/** A quote that begins a sentence has a capital that the source may not have, and the other way round. */
function lowerFirst(part: string, text: string, from: number): RegExpExecArray | null {
  const [first = ""] = part;
  const other = first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase();
  if (other === first) return null;
  const turned = other + part.slice(first.length);
  const pattern = new RegExp(turned.split(/\s+/u).map(foldedPattern).join("\\s+"), "gu");
  pattern.lastIndex = from;
  return pattern.exec(text);
}

const classes = ["'’‘ʼ", '"“”„«»', "-‐‑–—"] as const;

function foldedPattern(word: string): string {
  let pattern = "";
  for (const character of word) {
    const alike = classes.find((members) => members.includes(character));
    pattern += alike === undefined ? character.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&") : `[${alike.replace("-", "\\-")}]`;
  }
  return pattern;
}
