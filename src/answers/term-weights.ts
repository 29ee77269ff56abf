import type { Analyzer } from "../contracts/analyzer.ts";
import type { Hit } from "../contracts/retriever.ts";

/** How much a term tells: the rarer, the more. */
export type TermWeights = (term: string) => number;

/**
 * Rarity within a handful of sentences, where rarity in the whole corpus is unknown.
 *
 * **Shape** `ln(1 + (N - df + 0.5) / (df + 0.5))`, above 0. A term in no sentence weighs like one in a single sentence, so that
 * another choice of words does not outweigh everything.
 * **Source** BM25's idf in its never negative form, over sentences.
 */
export function weighTerms(sentences: readonly ReadonlySet<string>[]): TermWeights {
  const frequencies = new Map<string, number>();
  for (const terms of sentences) for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const total = Math.max(1, sentences.length);
  return (term) => {
    const frequency = Math.max(1, frequencies.get(term) ?? 0);
    return Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5));
  };
}

/**
 * The share of `wanted` that is among `held`, by weight.
 *
 * **Shape** from 0 to 1; 0 when nothing is wanted.
 */
export function shareHeld(wanted: Iterable<string>, held: ReadonlySet<string>, weights: TermWeights): number {
  let mass = 0;
  let found = 0;
  for (const term of wanted) {
    const weight = weights(term);
    mass += weight;
    if (held.has(term)) found += weight;
  }
  return mass > 0 ? found / mass : 0;
}

/**
 * The rarity of the question's terms in everything the asker may read, when the hits carry it. A word is searched in the forms of all languages that are
 * there, and its rarity stands under one of them.
 */
export function askedWeights(
  question: string,
  hits: readonly Hit[],
  analyzer: Analyzer,
  language: string,
): TermWeights | undefined {
  const terms = hits.find((hit) => hit.explain?.queryTerms)?.explain?.queryTerms;
  if (!terms) return undefined;
  const rarity = new Map(terms.map(({ term, idf }) => [term, idf]));
  const languages = new Set([language, "", ...hits.flatMap(({ source }) => source.language ?? [])]);
  const forms = analyzer.analyzeQuery?.(question, [...languages]) ?? [];
  for (const [index, term] of analyzer.analyze(question, language).entries()) {
    const known = forms[index]?.find((form) => rarity.has(form));
    if (!rarity.has(term) && known !== undefined) rarity.set(term, rarity.get(known)!);
  }
  return (term) => rarity.get(term) ?? 0;
}
