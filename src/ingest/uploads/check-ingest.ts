import { IbidError } from "../../contracts/errors.ts";
import type { IngestInput, IngestOptions, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import { planOptions } from "../../runtime/plan-options.ts";
import { ingestOptions } from "../ingest-options.ts";
import { toArrivals } from "../to-arrivals.ts";

/** Refuses at once an ingestion that would be refused later, in the background. **Errors** `access-denied`, `invalid-argument`, `invalid-id`. */
export function checkIngest(
  kb: Pick<KnowledgeBase, "mayWrite">,
  input: IngestInput,
  options: IngestOptions & { readonly scope: Scope },
): void {
  planOptions("ingest", ingestOptions, options);
  if (typeof input !== "string") toArrivals(input, undefined);
  if (kb.mayWrite(options.scope)) return;
  throw new IbidError("access-denied", `This caller may not write to ${options.scope}.`, {
    hint: "Callers write to their own user and team scopes; the operator writes to the others.",
  });
}
