import type { AccessContext, Scope } from "../contracts/scope.ts";
import type { RetrievalTrace, Tracer } from "../contracts/tracer.ts";

/** **Source** ToolUp: fewer than two survivors are a miss. */
const survivorsOfAHit = 2;

/**
 * Reports a retrieval to a tracer, which can neither fail nor delay it.
 *
 * **Shape** `miss` follows `trace` when `evidence` is below two.
 */
export function reportRetrieval(
  tracer: Tracer,
  trace: RetrievalTrace,
  access: AccessContext | "operator",
  evidence: number,
): void {
  tell(() => tracer.trace(trace, access));
  if (evidence < survivorsOfAHit) tell(() => tracer.miss(missedScopes(trace), trace.queryHash, evidence));
}

function missedScopes(trace: RetrievalTrace): readonly Scope[] {
  return trace.permittedScopes;
}

function tell(report: () => void | Promise<void>): void {
  try {
    const told = report();
    // A tracer of plain JavaScript may hand back anything that can be awaited.
    void Promise.resolve(told).catch(() => undefined);
  } catch {
    // The search matters more than its trace.
  }
}
