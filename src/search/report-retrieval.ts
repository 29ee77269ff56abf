import { type Embedder, makesVersion } from "../contracts/embedding-model.ts";
import type { MissCause } from "../contracts/event-store.ts";
import type { SearchMode } from "../contracts/retriever.ts";
import type { AccessContext, AuthorizedScopes } from "../contracts/scope.ts";
import type { RetrievalTrace, Tracer } from "../contracts/tracer.ts";
import type { SearchableStore } from "./search-session.ts";

/** **Source** ToolUp: fewer than two survivors are a miss. */
const survivorsOfAHit = 2;

/**
 * Reports a retrieval to a tracer, which can neither fail nor delay it.
 *
 * **Shape** `miss` follows `trace` where there is a cause.
 */
export function reportRetrieval(
  tracer: Tracer,
  trace: RetrievalTrace,
  access: AccessContext | "operator",
  evidence: number,
  miss: MissCause | undefined,
): void {
  tell(() => tracer.trace(trace, access));
  if (miss !== undefined) tell(() => tracer.miss(trace.permittedScopes, trace.queryHash, evidence, miss));
}

/** Outcome of a search, as far as a miss depends on it. */
interface SearchOutcome {
  readonly mode: SearchMode;
  /** Candidates that count as evidence. */
  readonly evidence: number;
  readonly hits: number;
}

/** Finds why a search is a miss; `undefined` when it is none. **Cost** nothing for a search that found enough; else two questions to the store. */
export async function findMissCause(
  store: SearchableStore,
  scopes: AuthorizedScopes,
  embedders: readonly Embedder[],
  { mode, evidence, hits }: SearchOutcome,
): Promise<MissCause | undefined> {
  if (evidence >= survivorsOfAHit) return undefined;
  if (scopes.scopes.length === 0 || (await store.session(scopes)).moment.stamps.size === 0) return "empty";
  if (mode !== "lexical" && mode !== "regex") {
    const versions = (await store.versions?.versions(scopes)) ?? [];
    if (versions.some(({ current }) => current && !embedders.some((one) => makesVersion(one, current))))
      return "other-model";
  }
  return hits === 0 ? "no-match" : "weak";
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
