import { judgeRelevance } from "../../answers/relevance/judge-relevance.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Relevance } from "../../contracts/answer.ts";
import type { Hit } from "../../contracts/retriever.ts";

/**
 * Judges each hit by itself: how likely it answers the query, as the relevance of an answer is judged.
 *
 * **Shape** in the order of the hits; `undefined` for a hit that does not explain the query's terms, such as one of a pattern. **Cost** linear in the texts.
 */
export function judgeEach(query: string, hits: readonly Hit[], analyzer: Analyzer): readonly (Relevance | undefined)[] {
  return hits.map((hit) =>
    hit.explain?.queryTerms === undefined ? undefined : judgeRelevance(query, [hit], { analyzer }),
  );
}
