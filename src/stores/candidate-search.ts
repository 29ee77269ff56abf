import type { KnowledgeStore, ScopeRevision } from "../contracts/knowledge-store.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { VectorMatch, VectorQuery } from "../contracts/vector-store.ts";
import type { NearestHit } from "../indexes/nearest.ts";
import type { Candidates } from "./candidate-places.ts";

/** The best of some candidates of one scope that the query admits, by their exact scores: at most `topK`, whatever `minScore` says. */
export type ScoreCandidates = (candidates: Candidates) => readonly NearestHit[];

/**
 * What is to be done about one scope, decided while nothing can change: hits out of what `score` gave, a look at all of the scope, or
 * nothing at all, since whoever decides must find out more first.
 */
export type DecideScope = (
  revision: ScopeRevision,
  score: ScoreCandidates,
) => readonly NearestHit[] | "scan" | "unknown";

/**
 * A store's search by vector for whoever keeps an approximate index of it: revisions are read, candidates scored and chunks read in one transaction.
 *
 * **Shape** each scope's matches by themselves, best first, no more than `topK` of each; `undefined` when something is unknown.
 * **Errors** as of `search`.
 */
export type CandidateSearch = (
  scopes: AuthorizedScopes,
  query: VectorQuery,
  decide: DecideScope,
) => Promise<readonly VectorMatch[] | undefined>;

/** By the very store that the guard made: whatever somebody puts around one is not passed by. */
const searches = new WeakMap<KnowledgeStore, CandidateSearch>();

export function offerCandidateSearch(store: KnowledgeStore, search: CandidateSearch): void {
  searches.set(store, search);
}

/** `undefined` of a store that can only be asked by ids. */
export function candidateSearchOf(store: KnowledgeStore): CandidateSearch | undefined {
  return searches.get(store);
}
