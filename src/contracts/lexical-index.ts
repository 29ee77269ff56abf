import type { Chunk } from "./chunk.ts";
import type { Origin } from "./document.ts";
import type { Filter } from "./filter.ts";
import type { AuthorizedScopes, Scope } from "./scope.ts";
import type { ChunkStore } from "./store.ts";

/** What a lexical search is asked. */
export interface LexicalQuery {
  /** Taken literally: there is nothing in it that could fail to parse. */
  readonly text: string;
  readonly filter?: Filter;
  /** Only chunks of these origins, filtered before ranking like `filter`, so that it starves nothing (law 4). Default: all; `[]` matches nothing. */
  readonly origins?: readonly Origin[];
  /** Only these chunks: how a fusion learns one leg's exact score of what the other leg found. Default: all; `[]` matches nothing. */
  readonly chunkIds?: readonly string[];
  readonly topK?: number | "all";
  /** Inclusive floor on `score`. */
  readonly minScore?: number;
}

/** What one query term gave to a score. */
export interface TermScore {
  readonly term: string;
  /** `ln(1 + (N - df + 0.5) / (df + 0.5))` over the live chunks of the searched scopes. */
  readonly idf: number;
  /** How often the chunk has it. */
  readonly frequency: number;
  /** Its share of the score: idf times the saturated, length-normalised frequency. */
  readonly score: number;
}

/** A chunk that shares terms with the query, and what each gave. */
export interface LexicalMatch {
  readonly scope: Scope;
  readonly chunk: Chunk;
  /** BM25; the sum of `terms`, in their order. Above 0. */
  readonly score: number;
  /** The query terms that the chunk has, in the query's order. */
  readonly terms: readonly TermScore[];
}

/** The matches, and the terms that the query was taken for. */
export interface LexicalResult {
  readonly matches: readonly LexicalMatch[];
  /** The distinct terms that the query was analysed into, with their idf; terms that no chunk has included. */
  readonly terms: readonly { readonly term: string; readonly idf: number }[];
}

/**
 * BM25 over the searched scopes, as if nothing else existed: document frequencies and lengths are sums over live chunks of those
 * scopes alone, so that nothing hidden moves a score (law 3).
 *
 * `k1` is 1.2 and `b` 0.75 unless the store says otherwise; a chunk is found by the words of its title and headings, each
 * name once, and of its text; its length is their number.
 *
 * **Shape** best first, ties by chunk id then scope; chunks that share no term with the query are not matches.
 * **Source** Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), idf in Lucene's never negative form; ToolUp (T29).
 */
export interface LexicalIndex extends ChunkStore {
  lexicalSearch(scopes: AuthorizedScopes, query: LexicalQuery): Promise<LexicalResult>;
}
