import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { findSentences } from "../../text/find-sentences.ts";
import { segmentWords } from "../../text/words.ts";

/**
 * Figures that tell a question with an answer among its hits from one without.
 *
 * **Shape** shares from 0 to 1 by rarity, function words left out. `terms` alone depends on nothing but the question.
 */
export interface RelevanceFigures {
  /** The largest share of the question's terms in two adjacent sentences of a hit. */
  readonly pair: number;
  /** The same, each hit's share times its score over the best score. */
  readonly weightedPair: number;
  /** Lexical strength of the first hit. **Units** as `HitExplanation.strength`. */
  readonly topStrength: number;
  /** The greatest lexical strength of a hit. */
  readonly strength: number;
  /** Natural logarithm of the number of terms. */
  readonly terms: number;
  /** Share of the terms that no searched chunk has. It counts for less in fewer than some eighty chunks, which lack most words. */
  readonly unknown: number;
  /**
   * Natural logarithm of the number of searched chunks, between {@link fewestChunks} and {@link mostChunks}. The more there are, the better the best of them
   * suits any question by chance.
   */
  readonly chunks: number;
}

/**
 * Measures a question against its hits.
 *
 * The rarity of a term comes from the hits' explanations, which know the scopes that the asker reads and no others.
 *
 * **Shape** `undefined` where no hit explains the question's terms: a search without words, or a retriever that does not explain.
 * **Cost** linear in the hits' texts.
 */
export function describeRelevance(
  question: string,
  hits: readonly Hit[],
  analyzer: Analyzer,
): RelevanceFigures | undefined {
  const languages = hits.map(({ source, text }) => source.language ?? analyzer.languageOf?.(text) ?? "");
  const terms = readTerms(question, hits, [...new Set(["", ...languages])], analyzer);
  const mass = sum(terms, ({ idf }) => idf);
  if (mass <= 0) return undefined;

  const termsOf = new Map<string, number[]>();
  for (const [index, { forms }] of terms.entries()) {
    for (const form of forms) termsOf.set(form, [...(termsOf.get(form) ?? []), index]);
  }
  const best = Math.max(...hits.map(({ score }) => score));
  let [pair, weightedPair] = [0, 0];
  for (const [at, hit] of hits.entries()) {
    const share = findPair(hit, languages[at]!);
    pair = Math.max(pair, share);
    weightedPair = Math.max(weightedPair, best > 0 ? (share * Math.max(0, hit.score)) / best : share);
  }
  const strengths = hits.map(({ explain }) => explain?.strength ?? 0);
  return {
    pair,
    weightedPair,
    topStrength: strengths[0]!,
    strength: Math.max(...strengths),
    terms: Math.log(
      Math.max(
        1,
        sum(terms, ({ isRun }) => (isRun ? wordsPerPair : 1)),
      ),
    ),
    unknown: sum(terms, ({ idf, chunks }) => (chunks === 0 ? idf * Math.min(1, idf / tellingRarity) : 0)) / mass,
    chunks: countChunks(hits),
  };

  function findPair(hit: Hit, language: string): number {
    const titles = new Set([hit.source.title, ...hit.source.headings]);
    let most = 0;
    let before: ReadonlySet<number> = new Set();
    for (const { start, end } of findSentences(hit.text, { titles })) {
      // Where a link leads to is not what the sentence says.
      const said = hit.text.slice(start, end).replaceAll(/\]\([^)\n]{0,200}\)/gu, "]");
      const found = new Set(analyzer.analyze(said, language).flatMap((term) => termsOf.get(term) ?? []));
      most = Math.max(
        most,
        sum(new Set([...before, ...found]), (index) => terms[index]!.idf),
      );
      before = found;
    }
    return most / mass;
  }
}

/** Rarity of a term that one chunk in about eighty has. **Source** our own choice; the collections of the training have more chunks. */
const tellingRarity = 4;
/** Sizes between which training measured what a size changes; beyond, the nearer of them counts. */
const fewestChunks = 100;
const mostChunks = 10_000;
/** Words of an unspaced script are about three overlapping pairs and single signs. **Source** our own estimate. */
const wordsPerPair = 1 / 3;

/** A term of a question, under every form by which a hit may hold it. */
interface AskedTerm {
  readonly forms: readonly string[];
  readonly idf: number;
  /** Searched chunks that have it. */
  readonly chunks: number;
  readonly isRun: boolean;
}

/** Function words are no terms of a search, so its explanation leaves them out. */
function readTerms(
  question: string,
  hits: readonly Hit[],
  languages: readonly string[],
  analyzer: Analyzer,
): readonly AskedTerm[] {
  const known = new Map(hits.flatMap(({ explain }) => explain?.queryTerms ?? []).map((each) => [each.term, each]));
  const groups = analyzer.analyzeQuery?.(question, languages) ?? analyzer.analyze(question).map((term) => [term]);
  const terms = new Map<string, AskedTerm>();
  for (const forms of groups) {
    const found = forms.map((form) => known.get(form)).find((each) => each !== undefined);
    if (found === undefined || terms.has(found.term)) continue;
    const { term, chunks } = found;
    // A collection proves no more of a missing term's rarity than of one that a single chunk has.
    const idf = chunks > 0 ? found.idf : Math.max(0, found.idf - Math.log(3));
    terms.set(term, { forms, idf, chunks, isRun: segmentWords(term).next().value?.kind === "run" });
  }
  return [...terms.values()];
}

/** Rarity is the logarithm of all chunks over those that have the term, each a little more. So every term tells the number. */
function countChunks(hits: readonly Hit[]): number {
  const counts = hits
    .flatMap(({ explain }) => explain?.queryTerms ?? [])
    .map(({ idf, chunks }) => idf + Math.log(chunks + 0.5));
  return Math.min(Math.log(mostChunks), Math.max(Math.log(fewestChunks), ...counts));
}

function sum<T>(values: Iterable<T>, of: (value: T) => number): number {
  let total = 0;
  for (const value of values) total += of(value);
  return total;
}
