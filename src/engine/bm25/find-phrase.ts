import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { SearchedSegment } from "./best-chunks.ts";
import { postingsOf } from "./word-index.ts";
import { lowerBound } from "./word-list.ts";
import type { Postings, Segment } from "../segments/segment.ts";

/** A chunk's words, from where they are kept. */
export type ReadFields = (segment: Segment, ordinal: number) => Pick<Chunk, "title" | "headings" | "text" | "language">;

/**
 * Finds admitted chunks that have some words next to one another, in one name or in the text.
 *
 * The index holds no positions: chunks that have all the words are analysed again, which is exact and costs nothing without a phrase.
 *
 * **Shape** `words` as {@link Analyzer.analyzeQuery} groups them, two or more. Occurrences may overlap.
 */
export function findPhrase(
  { segment, admitted }: SearchedSegment,
  words: readonly (readonly string[])[],
  analyzer: Analyzer,
  read: ReadFields,
): Postings | undefined {
  const lists: Postings[] = [];
  for (const terms of words) {
    const list = postingsOf(segment, { terms });
    if (list === undefined) return undefined;
    lists.push(list);
  }
  const [rarest, ...others] = lists.sort((a, b) => a.ordinals.length - b.ordinals.length);
  const ordinals: number[] = [];
  const counts: number[] = [];
  const names: number[] = [];
  for (const ordinal of rarest!.ordinals) {
    if (
      admitted[ordinal] !== 1 ||
      !others.every((list) => list.ordinals[lowerBound(list.ordinals, ordinal)] === ordinal)
    )
      continue;
    const { title, headings, text, language } = read(segment, ordinal);
    const spoken = language ?? analyzer.languageOf?.(text) ?? "";
    const count = (part: string): number => countPhrase(analyzer.analyze(part, spoken), words);
    const inText = count(text);
    let inNames = 0;
    for (const name of new Set([title, ...headings])) inNames += count(name);
    if (inText + inNames === 0) continue;
    ordinals.push(ordinal);
    counts.push(inText);
    names.push(inNames);
  }
  return { ordinals: Uint32Array.from(ordinals), counts: Uint32Array.from(counts), names: Uint32Array.from(names) };
}

/** How often the words follow one another in a row of terms. */
export function countPhrase(terms: readonly string[], words: readonly (readonly string[])[]): number {
  let count = 0;
  for (let at = 0; at + words.length <= terms.length; at++) {
    if (words.every((group, i) => group.includes(terms[at + i]!))) count++;
  }
  return count;
}
