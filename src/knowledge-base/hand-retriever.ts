import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { HandedRetriever, SearchOptions } from "../contracts/retriever.ts";
import { planOptions } from "../runtime/plan-options.ts";
import { searchOptions } from "../search/search-options.ts";

/** A retriever over the searches of one view. **Errors** `invalid-argument` for a wrong option, at once. */
export function handRetriever(search: KnowledgeBase["search"], options: SearchOptions = {}): HandedRetriever {
  planOptions("retriever", searchOptions, options);
  return { retrieve: async (query, more = {}) => search(query, narrow(options, more)) };
}

/** Options of a call over those that were set: filters and scopes only narrow. */
function narrow(set: SearchOptions, call: SearchOptions): SearchOptions {
  const filters = [set.filter, call.filter].filter((filter) => filter !== undefined);
  const scopes = set.scopes && call.scopes?.filter((scope) => set.scopes?.includes(scope));
  return {
    ...set,
    ...call,
    filter: filters.length === 2 ? { and: filters } : filters[0],
    scopes: scopes ?? set.scopes ?? call.scopes,
  };
}
