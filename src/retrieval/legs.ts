import type { Embedding, EmbeddingVersion } from "../contracts/embedding.ts";
import type { LexicalIndex, LexicalMatch } from "../contracts/lexical-index.ts";
import type { RegexMatch, RegexSearch } from "../contracts/regex-search.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { VectorMatch, VectorStore } from "../contracts/vector-store.ts";
import type { QueryTerms } from "./candidate.ts";
import type { SearchPlan } from "./search-plan.ts";

/**
 * What a retriever searches. A database that has no lexical or regex search can be searched by its vectors alone.
 */
export type SearchableStore = Pick<VectorStore, "search"> &
  Partial<Pick<LexicalIndex, "lexicalSearch"> & Pick<RegexSearch, "regexSearch">>;

/** One leg, asked for its best, or for its scores of given chunks. */
export type Leg<Match> = (topK: number | "all", chunkIds?: readonly string[]) => Promise<readonly Match[]>;

export interface QueryEmbedding {
  readonly embedding: Embedding;
  readonly version: EmbeddingVersion;
}

/** Stage 3: the nearest vectors at or above the floor. */
export function createDenseLeg(
  store: SearchableStore,
  scopes: AuthorizedScopes,
  plan: SearchPlan,
  query: QueryEmbedding,
): Leg<VectorMatch> {
  return (topK, chunkIds) =>
    store.search(scopes, {
      embedding: query.embedding,
      version: query.version,
      topK,
      ...restrictions(plan),
      ...(chunkIds && { chunkIds }),
      ...(plan.minScore !== undefined && { minScore: plan.minScore }),
      ...(plan.includeEmbeddings && { includeEmbeddings: true }),
    });
}

/** A lexical leg also learns how rare the query's terms are. */
export interface LexicalLeg {
  readonly search: Leg<LexicalMatch>;
  /** Empty before the first search. */
  terms(): QueryTerms;
}

/** Stage 4: BM25. */
export function createLexicalLeg(
  lexicalSearch: LexicalIndex["lexicalSearch"],
  scopes: AuthorizedScopes,
  plan: SearchPlan,
  text: string,
): LexicalLeg {
  let terms: QueryTerms = [];
  return {
    search: async (topK, chunkIds) => {
      const { syntax } = plan;
      const query = { text, topK, syntax, ...restrictions(plan), ...(chunkIds && { chunkIds }) };
      const result = await lexicalSearch(scopes, query);
      terms = result.terms;
      return result.matches;
    },
    terms: () => terms,
  };
}

/** The one leg of a regex search. */
export function searchRegex(
  regexSearch: RegexSearch["regexSearch"],
  scopes: AuthorizedScopes,
  plan: SearchPlan,
  pattern: string,
  topK: number | "all",
): Promise<readonly RegexMatch[]> {
  return regexSearch(scopes, { pattern, topK, ignoreCase: plan.ignoreCase, ...restrictions(plan) });
}

/** What a store must filter before it ranks, so that nothing is starved (law 4). */
export function restrictions(plan: SearchPlan): Pick<SearchPlan, "filter" | "origins"> {
  return { ...(plan.filter && { filter: plan.filter }), ...(plan.origins && { origins: plan.origins }) };
}
