import type { Hit } from "../contracts/retriever.ts";

/**
 * Chooses one language to compare a question, its hits and an answer in: words match only when both sides are stemmed by the same rules.
 *
 * **Shape** the language of most hits, of the better ones among equals; `""` when none has one.
 */
export function languageOfHits(hits: readonly Hit[]): string {
  const counts = new Map<string, number>();
  for (const { source } of hits) {
    if (source.language !== undefined) counts.set(source.language, (counts.get(source.language) ?? 0) + 1);
  }
  let found = "";
  let most = 0;
  for (const [language, count] of counts) {
    if (count > most) {
      most = count;
      found = language;
    }
  }
  return found;
}
