import { type Embedder, makesVersion } from "../contracts/embedding-model.ts";
import type { SearchMode } from "../contracts/retriever.ts";
import type { AccessContext, AuthorizedScopes } from "../contracts/scope.ts";
import type { MissCause, RetrievalTrace, Tracer } from "../contracts/tracer.ts";
import type { SearchableStore } from "./search-session.ts";

/** **Source** ToolUp: fewer than two survivors are a miss. */
const survivorsOfAHit = 2;

/** A search that ended, as far as a miss depends on it. */
interface EndedSearch {
  readonly store: SearchableStore;
  readonly embedder?: Embedder | undefined;
  readonly formerEmbedders?: readonly Embedder[] | undefined;
  readonly scopes: AuthorizedScopes;
  readonly mode: SearchMode;
  /** Candidates that count as evidence. */
  readonly evidence: number;
}

/**
 * Reports a retrieval to a tracer, which can neither fail nor delay it.
 *
 * **Shape** `miss` follows `trace` when `evidence` is below two. **Cost** two questions to the store for the cause of a miss.
 */
export async function reportRetrieval(
  tracer: Tracer,
  trace: RetrievalTrace,
  access: AccessContext | "operator",
  search: EndedSearch,
): Promise<void> {
  const { evidence } = search;
  const cause = evidence < survivorsOfAHit ? await findCause(search, trace.resultCount) : undefined;
  tell(() => tracer.trace(trace, access));
  if (cause !== undefined) tell(() => tracer.miss(trace.permittedScopes, trace.queryHash, evidence, cause));
}

async function findCause(
  { store, embedder, formerEmbedders = [], scopes, mode }: EndedSearch,
  hits: number,
): Promise<MissCause> {
  // The search has asked for a state that is fresh enough.
  const atMostMs = Number.MAX_SAFE_INTEGER;
  if (scopes.scopes.length === 0 || (await store.session(scopes, { atMostMs })).moment.stamps.size === 0)
    return "empty";
  if (mode !== "lexical" && mode !== "regex") {
    const versions = (await store.versions?.versions(scopes)) ?? [];
    const embedders = embedder === undefined ? formerEmbedders : [embedder, ...formerEmbedders];
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
