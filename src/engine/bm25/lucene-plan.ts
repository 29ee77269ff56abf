import type { Analyzer } from "../../contracts/analyzer.ts";
import { isWithinEdits } from "../../runtime/edit-distance.ts";
import { foldWord } from "../../text/languages/fold-word.ts";
import type { LuceneClause } from "../../text/parse-lucene.ts";
import type { SearchedSegment } from "./best-chunks.ts";
import type { QueryWord } from "./bm25-scoring.ts";
import { findPhrase, type ReadFields } from "./find-phrase.ts";
import { analyzeQuery, countWords, heldLanguages } from "./query-words.ts";
import { postingsOf } from "./word-index.ts";
import type { Postings, Segment } from "../segments/segment.ts";

/** A query in Lucene's syntax as the index takes it: words that score, and segments narrowed to what it admits. */
export interface LucenePlan {
  readonly words: readonly QueryWord[];
  readonly searched: readonly SearchedSegment[];
}

/**
 * Resolves the clauses of a query: terms of a prefix, terms close to a fuzzy word, chunks of a phrase.
 *
 * **Shape** a clause of several terms (an identifier, a phrase) matches when all do. A phrase is as rare as its words together.
 * **Cost** a prefix reads the terms that begin with it, a fuzzy word all terms. A phrase reads the texts of the
 * admitted chunks that have all its words.
 * **Source** Embabel; Lucene's `PrefixQuery`, `FuzzyQuery`, `PhraseQuery`.
 */
export function planLucene(
  clauses: readonly LuceneClause[],
  analyzer: Analyzer,
  searched: readonly SearchedSegment[],
  read: ReadFields,
): LucenePlan {
  const languages = heldLanguages(searched);
  const words: QueryWord[] = [];
  let narrowed = searched;
  for (const clause of clauses) {
    const meant = lookUp(clause);
    if (clause.occurs !== "not") words.push(...meant);
    if (clause.occurs !== "should") narrowed = narrowed.map((each) => narrowTo(each, meant, clause.occurs === "must"));
  }
  return { words, searched: narrowed };

  function lookUp({ kind, text, nearness }: LuceneClause): readonly QueryWord[] {
    if (kind === "prefix") return [expand(`${text}*`, (segment) => segment.terms(foldWord(text)))];
    if (kind === "fuzzy") return [expand(`${text}~`, (segment) => nearTerms(segment, text, nearness))];
    const groups = analyzeQuery(analyzer, text, languages);
    if (kind === "word" || groups.length < 2) return countWords(groups);
    const lists = new Map<Segment, Postings | undefined>();
    for (const each of searched) lists.set(each.segment, findPhrase(each, groups, analyzer, read));
    return [{ label: `"${text}"`, terms: [], count: 1, phrase: { lists, words: groups } }];
  }

  function expand(label: string, termsOf: (segment: Segment) => Iterable<string>): QueryWord {
    const terms = new Set<string>();
    for (const { segment } of searched) for (const term of termsOf(segment)) terms.add(term);
    return { label, terms: [...terms].sort(), count: 1 };
  }

  function nearTerms(segment: Segment, text: string, nearness: number | undefined): Iterable<string> {
    const wanted = new Set([foldWord(text), ...analyzeQuery(analyzer, text, languages).flat()]);
    return Array.from(segment.terms("")).filter((term) => {
      for (const word of wanted) if (isWithinEdits(word, term, editsOf(word, nearness))) return true;
      return false;
    });
  }
}

/** **Source** Lucene's `FuzzyQuery.floatToEdits`: two letters unless the query says otherwise, a share by the word's length. */
function editsOf(word: string, nearness = 2): number {
  if (nearness >= 1) return nearness;
  return Math.min(2, Math.floor((1 - nearness) * word.length));
}

/** Only chunks that have all of these words, or only those that do not. */
function narrowTo(each: SearchedSegment, words: readonly QueryWord[], wanted: boolean): SearchedSegment {
  const { segment, admitted } = each;
  const held = new Uint32Array(segment.size);
  for (const word of words) for (const ordinal of postingsOf(segment, word)?.ordinals ?? []) held[ordinal]!++;
  const narrowed = new Uint8Array(segment.size);
  for (let ordinal = 0; ordinal < segment.size; ordinal++) {
    const has = words.length > 0 && held[ordinal] === words.length;
    narrowed[ordinal] = has === wanted ? admitted[ordinal]! : 0;
  }
  return { ...each, admitted: narrowed };
}
