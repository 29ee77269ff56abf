import type { Hit } from "../contracts/retriever.ts";

/**
 * The one language in which a question, its hits and an answer are compared: words meet only when both sides lose their endings by the same rules.
 *
 * **Shape** that of most hits, of the better ones among equals; `""` when none says any.
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
