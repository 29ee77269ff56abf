import type { Origin } from "../contracts/document.ts";
import type { Embedding, EmbeddingVersion } from "../contracts/embedding.ts";
import type { Filter } from "../contracts/filter.ts";
import type { LatentResult } from "../contracts/latent-search.ts";
import type { LexicalMatch } from "../contracts/lexical-index.ts";
import type { RegexMatch } from "../contracts/regex-search.ts";
import type { LatentExplanation } from "../contracts/retriever.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import type { VectorMatch } from "../contracts/vector-store.ts";
import { absoluteDenseWeight } from "./fusion.ts";
import { compareCandidates, type QueryTerms } from "./candidate.ts";
import type { SearchPlan } from "./search-plan.ts";

/**
 * What a retriever searches. A database that has no lexical or regex search can be searched by its vectors alone.
 */
export type SearchableStore = Pick<Store, "search"> &
  Partial<Pick<Store, "lexicalSearch" | "regexSearch" | "latentSearch" | "versions">>;

/** One leg, asked for its best, or for its scores of given chunks. */
export type Leg<Match> = (topK: number | "all", chunkIds?: readonly string[]) => Promise<readonly Match[]>;

export interface QueryEmbedding {
  readonly embedding: Embedding;
  readonly version: EmbeddingVersion;
  /** The scopes whose vectors are of this version. */
  readonly scopes: AuthorizedScopes;
}

/**
 * Likeness of form below this is chance: hashed into 256 dimensions, texts without anything in common have cosines of standard deviation 1/16, and this is
 * four of them. Misspelt words reach .4 and more. In a hybrid search, what only chance makes alike is no match; a search that asks for dense hits, or names
 * a floor, gets what it asks for.
 */
const chanceLikeness = 0.25;

/** A dense leg, and what it knows once it has searched. */
export interface DenseLeg {
  readonly search: Leg<VectorMatch>;
  /** What its score counts in an absolute fusion. */
  weight(): number;
  /** What closeness alone must reach at least, where no other leg agrees; absent where it proves something by itself. */
  chance(): number | undefined;
  /** Of the store's own model: what it could see of the query. */
  latent(): LatentExplanation | undefined;
}

/**
 * Stage 3: the nearest vectors at or above the floor. While one scope is already of another version than its neighbours, each is asked in its own, and no
 * vector is ever compared with one of another version.
 */
export function createDenseLeg(store: SearchableStore, plan: SearchPlan, queries: readonly QueryEmbedding[]): DenseLeg {
  const searchOne = (
    query: QueryEmbedding,
    topK: number | "all",
    chunkIds?: readonly string[],
  ): Promise<readonly VectorMatch[]> =>
    store.search(query.scopes, {
      embedding: query.embedding,
      version: query.version,
      topK,
      ...restrictions(plan),
      ...(chunkIds && { chunkIds }),
      ...(plan.minScore !== undefined && { minScore: plan.minScore }),
      ...(plan.includeEmbeddings && { includeEmbeddings: true }),
    });
  const search: Leg<VectorMatch> = async (topK, chunkIds) => {
    const found = await Promise.all(queries.map((query) => searchOne(query, topK, chunkIds)));
    if (found.length === 1) return found[0]!;
    const all = found.flat().toSorted(compareCandidates);
    return topK === "all" ? all : all.slice(0, topK);
  };
  return { search, weight: () => absoluteDenseWeight, chance: () => chanceLikeness, latent: () => undefined };
}

/** Stage 3 without an embedding model: the nearest by the model that the store keeps fitted on what it holds. */
export function createLatentLeg(
  latentSearch: NonNullable<Store["latentSearch"]>,
  scopes: AuthorizedScopes,
  plan: SearchPlan,
  text: string,
): DenseLeg {
  let result: Omit<LatentResult, "matches"> | undefined;
  return {
    search: async (topK, chunkIds) => {
      const { matches, ...told } = await latentSearch(scopes, {
        text,
        topK,
        ...restrictions(plan),
        ...(chunkIds && { chunkIds }),
        ...(plan.minScore !== undefined && { minScore: plan.minScore }),
      });
      result = told;
      return matches;
    },
    weight: () => result?.weight ?? 0,
    // Two directions side by side halve the variance of what only the second says.
    chance: () => (result?.fitted === true ? chanceLikeness * Math.SQRT1_2 : chanceLikeness),
    latent: () => result && { fitted: result.fitted, energy: result.energy, weight: result.weight },
  };
}

/** A lexical leg also learns how rare the query's terms are. */
export interface LexicalLeg {
  readonly search: Leg<LexicalMatch>;
  /** Empty before the first search. */
  terms(): QueryTerms;
}

/** Stage 4: BM25. */
export function createLexicalLeg(
  lexicalSearch: Store["lexicalSearch"],
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

/** The one leg of a regex search, or one more of a hybrid one. A store reads every chunk that may match in any case, so asking for all costs little more. */
export function searchRegex(
  regexSearch: Store["regexSearch"],
  scopes: AuthorizedScopes,
  plan: SearchPlan,
  pattern: string,
  topK: number | "all",
): Promise<readonly RegexMatch[]> {
  return regexSearch(scopes, { pattern, topK, ignoreCase: plan.ignoreCase, ...restrictions(plan) });
}

/** What a store must filter before it ranks, so that nothing is starved. */
export function restrictions(plan: SearchPlan): { readonly filter?: Filter; readonly origins?: readonly Origin[] } {
  return { ...(plan.filter && { filter: plan.filter }), ...(plan.origins && { origins: plan.origins }) };
}
