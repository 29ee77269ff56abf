import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { segmentSentences, type Span } from "../../text/sentences.ts";

/** The first and the last sentence of a run, from 0. */
export interface SentenceRun {
  readonly first: number;
  readonly last: number;
}

/** The sentences of a hit's text, without the white space around each. */
export function sentencesOf(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { start, end } of segmentSentences(text)) {
    const sentence = text.slice(start, end);
    const from = start + sentence.length - sentence.trimStart().length;
    const to = start + sentence.trimEnd().length;
    if (from < to) spans.push({ start: from, end: to });
  }
  return spans;
}

/**
 * The run of sentences that bears most on a query: each brings the share of the query's rarity that it holds, and costs `minShare`.
 *
 * **Shape** the run with the highest sum; of equals the first, then the shortest. `undefined` where no sentence holds a word of the query, so that nothing can be said.
 * **Cost** linear. **Source** the maximum sum of a run, in one pass: Bentley, Programming Pearls, column 8 (1984), after Kadane.
 */
export function findBearingRun(
  hit: Hit,
  sentences: readonly Span[],
  subject: string,
  analyzer: Analyzer,
  minShare: number,
): SentenceRun | undefined {
  const { language } = hit.source;
  const rarity = new Map(hit.explain?.queryTerms?.map(({ term, idf }) => [term, idf]));
  const asked = new Set(analyzer.analyze(subject, language));
  // A term without an idf weighs the mean of the others: no lexical leg searched, or the word has another form there.
  const mean = rarity.size === 0 ? 1 : [...rarity.values()].reduce((sum, idf) => sum + idf, 0) / rarity.size;
  const weightOf = (term: string): number => rarity.get(term) ?? mean;
  let mass = 0;
  for (const term of asked) mass += weightOf(term);
  if (!(mass > 0)) return undefined;

  const shares = sentences.map(({ start, end }) => {
    const held = new Set(analyzer.analyze(hit.text.slice(start, end), language));
    let share = 0;
    for (const term of asked) if (held.has(term)) share += weightOf(term) / mass;
    return share;
  });
  return shares.some((share) => share > 0) ? findBestRun(shares.map((share) => share - minShare)) : undefined;
}

/** The run of values with the highest sum; of equals the first, then the shortest. At least one value. */
export function findBestRun(values: readonly number[]): SentenceRun {
  let best = { first: 0, last: 0, sum: Number.NEGATIVE_INFINITY };
  let first = 0;
  let sum = 0;
  for (const [index, value] of values.entries()) {
    // A beginning that brings nothing is left out.
    if (sum <= 0) [first, sum] = [index, 0];
    sum += value;
    if (sum > best.sum) best = { first, last: index, sum };
  }
  return { first: best.first, last: best.last };
}
