import type { Analyzer } from "../contracts/analyzer.ts";
import { segmentWords } from "../text/words.ts";
import { wrap } from "./text-layout.ts";

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The words of `text` that share a term with the query, in order. */
export function findQueryWords(
  text: string,
  terms: ReadonlySet<string>,
  analyzer: Analyzer,
  language = "",
): readonly Range[] {
  const ranges: Range[] = [];
  for (const word of segmentWords(text)) {
    if (analyzer.analyze(word.text, language).some((term) => terms.has(term)))
      ranges.push({ start: word.start, end: word.end });
  }
  return ranges;
}

/** Noncharacters, which no neutralised text contains. They take no column, so marks survive wrapping. */
const on = "\uFDD0";
const off = "\uFDD1";

/** Wraps a neutralised text into lines, with some ranges marked. Ranges ascend and do not overlap. */
export function wrapMarked(
  text: string,
  ranges: readonly Range[],
  mark: (text: string) => string,
  width: number,
): readonly string[] {
  let marked = "";
  let from = 0;
  for (const { start, end } of ranges) {
    marked += text.slice(from, start) + on + text.slice(start, end) + off;
    from = end;
  }
  let inMark = false;
  return wrap(marked + text.slice(from), width).map((line) =>
    line
      .split(/([\uFDD0\uFDD1])/u)
      .map((part) => {
        if (part !== on && part !== off) return inMark ? mark(part) : part;
        inMark = part === on;
        return "";
      })
      .join(""),
  );
}

/**
 * Cuts about `length` characters around the first match, as one line with its matches.
 *
 * **Shape** cut at white space; an ellipsis where text is missing.
 */
export function cutAroundMatches(
  text: string,
  matches: readonly Range[],
  length: number,
): { readonly text: string; readonly matches: readonly Range[] } {
  const first = matches[0]?.start ?? 0;
  let start = Math.max(0, first - Math.floor(length / 4));
  while (start > 0 && start < first && !/\s/u.test(text.charAt(start - 1))) start++;
  let end = Math.min(text.length, Math.max(start + length, matches[0]?.end ?? 0));
  while (end < text.length && end > (matches[0]?.end ?? 0) && !/\s/u.test(text.charAt(end))) end--;
  const before = start > 0 ? "…" : "";
  const shift = before.length - start;
  const inside = matches.filter((match) => match.start >= start && match.end <= end);
  return {
    text: before + text.slice(start, end).replaceAll(/\s/gu, " ") + (end < text.length ? "…" : ""),
    matches: inside.map((match) => ({ start: match.start + shift, end: match.end + shift })),
  };
}
