import type { Analyzer } from "../../contracts/analyzer.ts";
import { weighBestPlace, type WeightedWords } from "./best-place.ts";
import { type Candidate, compareCandidates, languageOf, type QueryTerms, sumParts, termsFound } from "../candidate.ts";
import type { Fusion, LegScale } from "../fusions.ts";

/** The candidates whose texts are read. It does not depend on how many are asked for, so that asking for more never reorders the first. */
export const proximityPool = 20;
/** **Source** measured by `bench/rerank-quality.ts`; its neighbours do nearly as well. The figures stand in decision 0017. */
const proximityWeight = 0.4;

/** A search and its candidates, to weigh how near its words stand. */
export interface ProximityInput {
  readonly candidates: readonly Candidate[];
  /** The text that the lexical leg searched for. */
  readonly subject: string;
  readonly terms: QueryTerms;
  /** `undefined` when one leg searched. */
  readonly fused: Fusion | undefined;
  /** From the name of each leg that searched to its scale. */
  readonly scales: ReadonlyMap<string, LegScale>;
  readonly analyzer: Analyzer;
  /** How many are asked for: what cannot be among them is not read. */
  readonly topK: number | "all";
}

/**
 * Stage 6 of its own: candidates that have a query's words near one another rank higher.
 *
 * To a candidate's BM25 comes 0.4 times the weight, by idf, of its best place; see `weighBestPlace`. The gain of the fused score is its part
 * `proximity`. Names are read before the text.
 *
 * **Shape** no score falls, so what lies outside the pool stays behind it. The first `topK` and their scores are exact; what cannot be one of them has the
 * least that it can gain, unread. Without lexical scores (a dense search, a fusion by rank) nothing changes.
 * **Cost** the texts of at most 20 candidates are analysed: those that have two words of the query and could be among the first `topK`.
 */
export function weighProximity(input: ProximityInput): readonly Candidate[] {
  const { candidates, subject, terms, fused, scales, analyzer, topK } = input;
  const add = gainOf(fused, scales);
  if (add === undefined || terms.length < 2) return candidates;
  const pool = candidates.slice(0, proximityPool);
  const languages = new Map(pool.map((candidate) => [candidate.chunk, languageOf(candidate, analyzer)]));
  const words = weighWords(distinctWords(analyzer, subject, [...new Set(languages.values())].toSorted()), terms);
  const near = (candidate: Candidate, place: number): Candidate => {
    const found = termsFound(candidate);
    if (found === undefined) return candidate;
    const value = add(found.leg, found.score, proximityWeight * place);
    const parts = [...candidate.parts, { name: "proximity", value }];
    return { ...candidate, parts, score: sumParts(parts) };
  };
  const most = pool.map((candidate) => near(candidate, allWords(candidate) + slack));
  const wanted = topK === "all" ? pool.length : Math.min(topK, pool.length);
  const first = createFirst(wanted);
  const weighed = pool
    .map((candidate, at): [Candidate, number] => [candidate, most[at]!.score])
    .sort(([, a], [, b]) => b - a)
    .map(([candidate, bound]): Candidate => {
      const { chunk } = candidate;
      const needed = bound >= first.least();
      // One word alone weighs the same wherever it stands.
      const read = needed && (termsFound(candidate)?.terms.length ?? 0) > 1;
      const place = read ? weighChunk(chunk, analyzer, languages.get(chunk) ?? "", words) : rarestWord(candidate);
      const result = near(candidate, place);
      first.add(result.score);
      return result;
    });
  return [...weighed.sort(compareCandidates), ...candidates.slice(proximityPool)];
}

/** Sums in another order may differ in their last bits. */
const slack = 1e-9;

/** No place has more than all the words that the chunk has. */
function allWords(candidate: Candidate): number {
  return (termsFound(candidate)?.terms ?? []).reduce((sum, { idf }) => sum + idf, 0);
}

/** Some place has at least the rarest of them. */
function rarestWord(candidate: Candidate): number {
  return (termsFound(candidate)?.terms ?? []).reduce((most, { idf }) => Math.max(most, idf), 0);
}

/** The best scores so far, of which so many are wanted. */
function createFirst(wanted: number): { add(score: number): void; least(): number } {
  const scores: number[] = [];
  return {
    add(score) {
      scores.push(score);
      scores.sort((a, b) => b - a);
      if (scores.length > wanted) scores.pop();
    },
    least: () => (scores.length < wanted ? Number.NEGATIVE_INFINITY : (scores[wanted - 1] ?? Number.POSITIVE_INFINITY)),
  };
}

/** How much a fused score gains when a leg's score gains so much; `undefined` where scores do not count. */
function gainOf(
  fusion: Fusion | undefined,
  scales: ReadonlyMap<string, LegScale>,
): ((leg: string, score: number, gain: number) => number) | undefined {
  // One leg alone: its score is the score.
  if (fusion === undefined) return (_, _score, gain) => gain;
  if (fusion.byRank) return undefined;
  return (leg, score, gain) => {
    const scale = scales.get(leg)!;
    const part = (of: number): number => fusion.part(leg, { score: of, rank: 1 }, scale);
    return part(score + gain) - part(score);
  };
}

function weighChunk(
  { title, headings, text }: Candidate["chunk"],
  analyzer: Analyzer,
  language: string,
  words: WeightedWords,
): number {
  const names = [...new Set([title, ...headings])].flatMap((name) => analyzer.analyze(name, language));
  return weighBestPlace([...names, ...analyzer.analyze(text, language)], words);
}

/** The query's words as the languages have them, each once, in the order of the lexical leg's. */
function distinctWords(
  analyzer: Analyzer,
  subject: string,
  languages: readonly string[],
): readonly (readonly string[])[] {
  const groups = analyzer.analyzeQuery?.(subject, languages) ?? analyzer.analyze(subject).map((term) => [term]);
  return [...new Map(groups.map((group) => [group.join("\u0000"), group])).values()];
}

/** The weight of each word: the idf that the lexical leg gave it. */
function weighWords(distinct: readonly (readonly string[])[], terms: QueryTerms): WeightedWords {
  const idf = new Map(terms.map((term) => [term.term, term.idf]));
  const words = new Map<string, number>();
  const weights = distinct.map((group, at) => {
    for (const term of group) if (!words.has(term)) words.set(term, at);
    // The leg names a word by its form in one searched language, and no candidate need be in that language. The order of words is the same in all.
    if (distinct.length === terms.length) return terms[at]!.idf;
    return Math.max(0, ...group.map((term) => idf.get(term) ?? 0));
  });
  return { words, weights };
}
