import type { TermScore } from "../contracts/lexical-index.ts";
import { findBest, type FoundChunk, type SearchedSegment } from "./best-chunks.ts";
import type { Postings, Segment } from "./segment.ts";

/** **Source** `k1` and `b` as ToolUp has them (T29), the usual middle of what Robertson and Zaragoza found to work (2009). */
export interface Bm25Options {
  /** How slowly repetition of a term stops counting. Default 1.2. */
  readonly k1?: number;
  /** How much a chunk's length counts against it, from 0 to 1. Default 0.75. */
  readonly b?: number;
}

export interface Bm25Hit extends FoundChunk {
  readonly terms: readonly TermScore[];
}

export interface Bm25Result {
  readonly hits: readonly Bm25Hit[];
  readonly terms: readonly { readonly term: string; readonly idf: number }[];
}

/**
 * BM25 over some segments, as if nothing else existed.
 *
 * `score = Σ idf · f · (k1 + 1) / (f + k1 · (1 - b + b · length / average))`, summed over the query's distinct terms in their order, with
 * `idf = ln(1 + (N - df + 0.5) / (df + 0.5))`.
 *
 * **Shape** N, df and the average length are sums over all live chunks of the segments, whether admitted or not: a filter does not change
 * what a term is worth, and how chunks are spread over segments changes nothing (law 11).
 * **Cost** linear in the postings of the query's terms, and one number per chunk of a segment that has any.
 * **Source** Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009); T29.
 */
export function searchBm25(
  searched: readonly SearchedSegment[],
  query: readonly string[],
  topK: number,
  minScore: number,
  options: Bm25Options = {},
): Bm25Result {
  const k1 = options.k1 ?? 1.2;
  const b = options.b ?? 0.75;
  const terms = [...new Set(query)];
  const lists = new Map<Segment, (Postings | undefined)[]>();
  const frequencies = new Float64Array(terms.length);
  let chunks = 0;
  let length = 0;
  for (const { segment } of searched) {
    chunks += segment.liveCount;
    length += segment.liveLength;
    if (segment.liveCount === 0) continue;
    const found = terms.map((term) => segment.postings(term));
    found.forEach((postings, i) => (frequencies[i]! += countLive(postings, segment.live)));
    lists.set(segment, found);
  }
  const idfs = Float64Array.from(frequencies, (df) => Math.log(1 + (chunks - df + 0.5) / (df + 0.5)));
  const average = chunks === 0 ? 0 : length / chunks;
  const share = (term: number, count: number, chunkLength: number): number =>
    (idfs[term]! * count * (k1 + 1)) / (count + k1 * (1 - b + (b * chunkLength) / average));

  const found = findBest(searched, topK, ({ segment, admitted }, offer, best) => {
    const postings = lists.get(segment);
    if (postings === undefined || postings.every((list) => list === undefined)) return;
    const { lengths } = segment;
    const scores = new Float64Array(segment.size);
    postings.forEach((list, term) => {
      if (list === undefined) return;
      const { ordinals, counts } = list;
      for (let i = 0; i < ordinals.length; i++) {
        const ordinal = ordinals[i]!;
        if (admitted[ordinal] === 1) scores[ordinal]! += share(term, counts[i]!, lengths[ordinal]!);
      }
    });
    for (let ordinal = 0; ordinal < scores.length; ordinal++) {
      const score = scores[ordinal]!;
      if (score > 0 && score >= minScore && score >= best.floor) offer(score, ordinal);
    }
  });

  return {
    hits: found.map((hit) => ({ ...hit, terms: explain(hit) })),
    terms: terms.map((term, i) => ({ term, idf: idfs[i]! })),
  };

  function explain({ segment, ordinal }: FoundChunk): TermScore[] {
    const shares: TermScore[] = [];
    lists.get(segment)?.forEach((list, i) => {
      const frequency = list === undefined ? 0 : frequencyOf(list, ordinal);
      if (frequency === 0) return;
      shares.push({ term: terms[i]!, idf: idfs[i]!, frequency, score: share(i, frequency, segment.lengths[ordinal]!) });
    });
    return shares;
  }
}

function countLive(postings: Postings | undefined, live: Uint8Array): number {
  let count = 0;
  if (postings !== undefined) for (const ordinal of postings.ordinals) count += live[ordinal]!;
  return count;
}

function frequencyOf({ ordinals, counts }: Postings, ordinal: number): number {
  let low = 0;
  let high = ordinals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordinals[middle]! < ordinal) low = middle + 1;
    else high = middle;
  }
  return ordinals[low] === ordinal ? counts[low]! : 0;
}
