import { assertAuthorized } from "../../access/gate.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { RetrieveOptions } from "../../contracts/retriever.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkQuery, defaultMaxQueryLength, planSearch, type SearchPlan } from "../search-plan.ts";

/**
 * Checks proof, options, query and signal for a retriever around another one, before it makes a call that may cost.
 *
 * **Errors** as {@link Retriever}: `access-denied`, `invalid-argument`, `invalid-filter`, `aborted`; `unsupported` for `merge`, since further steps would tear joined
 * hits apart.
 */
export function readRequest(scopes: AuthorizedScopes, query: string, options: RetrieveOptions = {}): SearchPlan {
  assertAuthorized(scopes, "read");
  const plan = planSearch(options);
  if (plan.merge) {
    throw new IbidError("unsupported", "A retriever around another one does not join hits.", {
      hint: "Search through a knowledge base, which joins the hits of its retriever, or leave merge out.",
    });
  }
  checkQuery(query, plan.mode, defaultMaxQueryLength);
  throwIfAborted(options.signal, "The search");
  return plan;
}

/** Whether a query is words that may be put differently: neither a pattern nor written in a syntax. */
export function isInWords(plan: SearchPlan): boolean {
  return plan.mode !== "regex" && plan.syntax === "literal";
}
