import type { Analyzer } from "../../contracts/analyzer.ts";
import type { SearchedSegment } from "./best-chunks.ts";
import type { QueryWord } from "./bm25-scoring.ts";

/**
 * Finds a query's words, in the languages of the searched chunks.
 *
 * The stems of one language must not move scores in another, so only languages of live chunks count.
 */
export function findWords(analyzer: Analyzer, text: string, searched: readonly SearchedSegment[]): QueryWord[] {
  return countWords(analyzeQuery(analyzer, text, heldLanguages(searched)));
}

/** Each word of a text with its alternatives; as {@link Analyzer.analyzeQuery}, which an analyzer may leave out. */
export function analyzeQuery(
  analyzer: Analyzer,
  text: string,
  languages: readonly string[],
): readonly (readonly string[])[] {
  return analyzer.analyzeQuery?.(text, languages) ?? analyzer.analyze(text).map((term): [string] => [term]);
}

/** The distinct words, with how often each is there. **Shape** in order of first appearance. */
export function countWords(groups: readonly (readonly string[])[]): QueryWord[] {
  const words = new Map<string, { readonly terms: readonly string[]; count: number }>();
  for (const terms of groups) {
    const key = terms.join("\u0000");
    const known = words.get(key);
    if (known === undefined) words.set(key, { terms, count: 1 });
    else known.count++;
  }
  return [...words.values()];
}

/** **Shape** sorted, so that it does not depend on the segmentation. */
export function heldLanguages(searched: readonly SearchedSegment[]): readonly string[] {
  const held = new Set<string>();
  for (const { segment } of searched) for (const language of segment.languages()) held.add(language);
  return [...held].sort();
}
