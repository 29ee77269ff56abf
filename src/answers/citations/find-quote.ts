import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { functionWords } from "../../text/languages/function-words.ts";
import { findSentences, type FoundSentence, type SentenceKind } from "../../text/find-sentences.ts";
import type { HitTable, TableOf } from "./hit-tables.ts";
import { languageOfHits } from "../hits-language.ts";
import { shareHeld, type TermWeights, weighTerms } from "../term-weights.ts";

/** **Units** UTF-16, into the hit's text. */
export interface Quote {
  readonly start: number;
  readonly end: number;
}

/** The hits of one answer, read once: their sentences, the terms of those, and how rare each term is among them. */
export interface Evidence {
  readonly analyzer: Analyzer;
  /** In which everything is compared; see `languageOfHits`. */
  readonly language: string;
  readonly weights: TermWeights;
  /** The terms of a text, by the same rules as the hits'. */
  readonly termsOf: (text: string) => ReadonlySet<string>;
  /** Beside the hits. */
  readonly sentences: readonly (readonly TermedSentence[])[];
  /** Beside the hits: the table or the sheets of which one holds rows. Each row is a sentence. */
  readonly tables: readonly (HitTable | undefined)[];
  /** All terms of each hit: of its text, its title and its headings. */
  readonly hitTerms: readonly ReadonlySet<string>[];
}

interface TermedSentence extends FoundSentence {
  readonly terms: ReadonlySet<string>;
}

/** **Cost** linear in the hits' texts. */
export function readEvidence(hits: readonly Hit[], analyzer: Analyzer, tableOf: TableOf = () => undefined): Evidence {
  const tables = hits.map(tableOf);
  const language = languageOfHits(hits);
  const filler = functionTerms(analyzer, language);
  const termsOf = (text: string): ReadonlySet<string> => new Set(analyzer.analyze(text, language));
  const sentences = hits.map((hit, index) =>
    sentencesOf(hit, tables[index]).map((sentence) => ({
      ...sentence,
      terms: termsOf(hit.text.slice(sentence.start, sentence.end)),
    })),
  );
  const rarity = weighTerms(sentences.flat().map(({ terms }) => terms));
  return {
    analyzer,
    language,
    termsOf,
    sentences,
    tables,
    hitTerms: sentences.map((ofHit, index) => {
      const names = [hits[index]?.source.title ?? "", ...(hits[index]?.source.headings ?? [])].join("\n");
      return new Set([...termsOf(names), ...ofHit.flatMap(({ terms }) => [...terms])]);
    }),
    weights: (term) => (filler.has(term) ? fillerShare : 1) * rarity(term),
  };
}

/** Sentences of a hit. A row of a table or a sheet is one, since nothing is said of two rows together. */
function sentencesOf(hit: Hit, table: HitTable | undefined): readonly FoundSentence[] {
  const titles = new Set([hit.source.title, ...hit.source.headings]);
  if (table === undefined) return findSentences(hit.text, { titles });
  const found: FoundSentence[] = [];
  let from = 0;
  const addProse = (to: number): void => {
    for (const { start, end, kind } of findSentences(hit.text.slice(from, to), { titles }))
      found.push({ start: from + start, end: from + end, kind });
  };
  for (const { start, end, isHeader } of table.rowsIn(hit.text, hit.source.start)) {
    addProse(start);
    if (!isHeader) found.push({ start, end, kind: "table" });
    from = end;
  }
  addProse(hit.text.length);
  return found;
}

/** Weight of a function word, as a share of its rarity: among few sentences, "the" may be as rare as any. **Source** ibid's own choice. */
const fillerShare = 0.1;

/** The terms of the function words of a language; of all languages, when nobody knows it. */
function functionTerms(analyzer: Analyzer, language: string): ReadonlySet<string> {
  const lists = analyzer.functionWords ?? functionWords;
  const words = language === "" ? Object.values(lists).join(" ") : (lists[language] ?? "");
  return new Set(analyzer.analyze(words, language));
}

/** A second sentence must support this much more of the claim to be quoted too. */
const worthQuoting = 0.2;
const readable: Readonly<Record<SentenceKind, number>> = { prose: 1, table: 0.9, code: 0.8, heading: 0.6, markup: 0.5 };

/**
 * Finds the words of a hit that best support a claim: a sentence, or two in a row where the second contributes much.
 *
 * **Shape** `undefined` for a hit without a sentence. Without a word of the claim, the sentence closest to the question: a citation in another language
 * than its source still points somewhere sensible. Ties: the earlier sentence.
 */
export function findQuote(evidence: Evidence, hitIndex: number, claim: string, question: string): Quote | undefined {
  const sentences = evidence.sentences[hitIndex];
  if (!sentences || sentences.length === 0) return undefined;
  return best(evidence, sentences, claim) ?? best(evidence, sentences, question) ?? sentences[0];
}

/**
 * The one or two sentences of a hit in which the first of some words stand that were found there. **Shape** `undefined` when none were, or they take more than two sentences.
 */
export function quoteAround(
  { sentences }: Evidence,
  hitIndex: number,
  found: readonly (Quote | undefined)[],
): Quote | undefined {
  const words = found.find((place) => place !== undefined);
  if (words === undefined) return undefined;
  const around = sentences[hitIndex]?.filter(({ start, end }) => start < words.end && words.start < end) ?? [];
  const [first] = around;
  const last = around.at(-1);
  return first && last && around.length <= 2 ? { start: first.start, end: last.end } : undefined;
}

function best({ termsOf, weights }: Evidence, sentences: readonly TermedSentence[], text: string): Quote | undefined {
  const wanted = termsOf(text);
  const shares = sentences.map(({ terms, kind }) => readable[kind] * shareHeld(wanted, terms, weights));
  let index = -1;
  for (const [at, share] of shares.entries()) if (share > (shares[index] ?? 0)) index = at;
  const sentence = sentences[index];
  if (!sentence) return undefined;

  let quote: Quote = sentence;
  let gain = worthQuoting;
  for (const [neighbour, start, end] of [
    [sentences[index - 1], sentences[index - 1]?.start, sentence.end],
    [sentences[index + 1], sentence.start, sentences[index + 1]?.end],
  ] as const) {
    if (neighbour?.kind !== "prose" || sentence.kind !== "prose" || start === undefined || end === undefined) continue;
    const both = new Set([...sentence.terms, ...neighbour.terms]);
    const more = shareHeld(wanted, both, weights) - shareHeld(wanted, sentence.terms, weights);
    if (more >= gain) {
      quote = { start, end };
      gain = more;
    }
  }
  return quote;
}
