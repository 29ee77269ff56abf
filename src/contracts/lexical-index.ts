import type { Chunk } from "./chunk.ts";
import type { Origin } from "./document.ts";
import type { Filter } from "./filter.ts";
import type { QuerySyntax, QueryTerm, TermScore } from "./leg.ts";
import type { Scope } from "./scope.ts";

/** What a lexical search is asked. */
export interface LexicalQuery {
  readonly text: string;
  /**
   * How `text` is read. `"literal"` (default): as words, with nothing in it that could fail to parse. `"lucene"`: any of its words, `+word` needed, `-word`
   * excluded, `"words next to one another"`, `begin*`, and `word~` for what is written nearly so. **Source** Embabel.
   */
  readonly syntax?: QuerySyntax;
  readonly filter?: Filter;
  /** Only chunks of these origins, filtered before ranking like `filter`, so that it starves nothing. Default: all; `[]` matches nothing. */
  readonly origins?: readonly Origin[];
  /** Only these chunks: how a fusion learns one leg's exact score of what the other leg found. Default: all; `[]` matches nothing. */
  readonly chunkIds?: readonly string[];
  readonly topK?: number | "all";
  /** Inclusive floor on `score`. */
  readonly minScore?: number;
}

/** A chunk that shares terms with the query, and what each gave. */
export interface LexicalMatch {
  readonly scope: Scope;
  readonly chunk: Chunk;
  /** BM25F; the sum of `terms`, in their order. Above 0. */
  readonly score: number;
  /** The query terms that the chunk has, in the query's order. */
  readonly terms: readonly TermScore[];
  /** What the chunk was indexed in, where it does not say itself; `""` when none was known. Absent from stores that do not keep it. */
  readonly language?: string;
}

/** The matches, and the terms that the query was taken for. */
export interface LexicalResult {
  readonly matches: readonly LexicalMatch[];
  /** The distinct words that the query was analysed into, with their idf and how often the query says them; words that no chunk has included. */
  readonly terms: readonly QueryTerm[];
}
