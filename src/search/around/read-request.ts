import { assertAuthorized } from "../../access/gate.ts";
import type { RetrieveOptions } from "../../contracts/retriever.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkQuery, defaultMaxQueryLength, planSearch, type SearchPlan } from "../search-plan.ts";

/**
 * Checks proof, options, query and signal for a retriever around another one, before it makes a call that may cost.
 *
 * **Errors** as {@link Retriever}: `access-denied`, `invalid-argument`, `invalid-filter`, `aborted`.
 */
export function readRequest(scopes: AuthorizedScopes, query: string, options: RetrieveOptions = {}): SearchPlan {
  assertAuthorized(scopes, "read");
  const plan = planSearch(options);
  checkQuery(query, plan.mode, defaultMaxQueryLength);
  throwIfAborted(options.signal, "The search");
  return plan;
}

/** Whether a query is words that may be put differently: neither a pattern nor written in a syntax. */
export function isInWords(plan: SearchPlan): boolean {
  return plan.mode !== "regex" && plan.syntax === "literal";
}
