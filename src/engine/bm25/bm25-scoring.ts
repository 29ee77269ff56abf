import type { DocumentParts } from "./document-parts.ts";
import type { HeadingScoring } from "./heading-part.ts";
import type { IndexedWord, WordIndex } from "./word-index.ts";
import { lowerBound, type WordList } from "./word-list.ts";
import type { Postings, Segment } from "../segments/segment.ts";

/** One word of a query: the terms under which chunks may have it, and how often the query says it. */
export interface QueryWord {
  readonly terms: readonly string[];
  readonly count: number;
  /** Phrase of the query that it is a synonym of; its `count` is then a weight. */
  readonly synonymOf?: string;
  /** Name in explanations. Default: the first of its terms. */
  readonly label?: string;
  /** Added to what the query says: the year of a fiscal year, or two words as one. Such a word is no evidence. */
  readonly added?: "year" | "joined";
  /** Several words next to one another: where they stand so, and the words, as rare as which together it is. */
  readonly phrase?: {
    readonly lists: ReadonlyMap<Segment, Postings | undefined>;
    readonly words: readonly (readonly string[])[];
  };
}

/** Bounds of scores by what impacts add up to. */
export interface Bounds {
  /** Worth of one impact by word, a little rounded up, as a share of `scale`. */
  readonly units: Float64Array;
  readonly scale: number;
  /** The most that impacts add to a score because they are rounded up. */
  readonly slack: number;
  /** The share of a sum by which it may be wrong. */
  readonly share: number;
}

/** A word with its list and its worth. */
export interface ScoredWord extends QueryWord {
  readonly indexed: IndexedWord;
  readonly idf: number;
  /** Its rarity times how often the query says it. */
  readonly weight: number;
}

/** The words of a query with their lists, ready to score. Valid as long as none of its segments changes. */
export interface Bm25Scoring {
  readonly index: WordIndex;
  readonly words: readonly ScoredWord[];
  readonly bounds: Bounds;
  /** `undefined` where neither names nor whole documents count. */
  readonly parts: DocumentParts | undefined;
  /** `undefined` where headings do not count. */
  readonly headings: HeadingScoring | undefined;
}

/** The most that a chunk's heading gives. */
export function headingOf(
  { headings, bounds }: Bm25Scoring,
  lists: readonly (WordList | undefined)[],
  ordinal: number,
): number {
  let most = 0;
  if (headings === undefined) return most;
  for (let word = 0; word < lists.length; word++) {
    const ordinals = lists[word]?.names?.ordinals;
    if (ordinals === undefined || bounds.units[word] === 0) continue;
    if (ordinals[lowerBound(ordinals, ordinal)] === ordinal) most += headings.most[word]!;
  }
  return most;
}
