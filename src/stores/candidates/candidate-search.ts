import type { KnowledgeStore } from "../../contracts/knowledge-store.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import type { VectorMatch, VectorQuery } from "../../contracts/vector-store.ts";
import { copyMatch, decideVectors } from "../guard/guard-searches.ts";
import type { Guard } from "../guard/guard.ts";
import type { RawKnowledgeStore } from "../segments/raw-store.ts";
import { type DecideScope, searchCandidates } from "./search-candidates.ts";

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

/** What a guarded store stands on, by the very store that the guard made: whatever somebody puts around one is not passed by. */
const grounds = new WeakMap<KnowledgeStore, { readonly raw: RawKnowledgeStore; readonly guard: Guard }>();

export function offerCandidateSearch(store: KnowledgeStore, raw: RawKnowledgeStore, guard: Guard): void {
  grounds.set(store, { raw, guard });
}

/** `undefined` of a store that can only be asked by ids. */
export function candidateSearchOf(store: KnowledgeStore): CandidateSearch | undefined {
  const { raw, guard } = grounds.get(store) ?? {};
  const look = raw?.doLook?.bind(raw);
  if (raw === undefined || guard === undefined || look === undefined) return undefined;
  return async (scopes, query, decide) => {
    const readable = guard.read(scopes);
    const decided = decideVectors(raw, guard, query);
    const matches = await look((rows, view, metric) => searchCandidates(rows, view, readable, decided, metric, decide));
    return matches?.map(copyMatch);
  };
}
