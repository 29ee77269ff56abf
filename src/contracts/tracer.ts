import type { AccessContext, Scope } from "./scope.ts";

/**
 * Facts of one retrieval, without a word of its query.
 *
 * **Source** ToolUp `RetrievalTrace`, its thirteen fields under ibid's names.
 *
 * @experimental
 */
export interface RetrievalTrace {
  /** HMAC-SHA-256 of the query under the knowledge base's own key, or its plain SHA-256, by `operations.queryHash`: 64 lower-case hexadecimal digits. */
  readonly queryHash: string;
  /** UTF-16 code units. */
  readonly queryLength: number;
  readonly requestedScopes: readonly Scope[];
  readonly permittedScopes: readonly Scope[];
  readonly topK: number | "all";
  readonly candidatePoolSize: number;
  /** 0 when nothing was found. */
  readonly topScore: number;
  readonly dense: boolean;
  readonly sparse: boolean;
  readonly reranked: boolean;
  readonly latencyMs: number;
  /** The stages that ran, in order. */
  readonly stages: readonly string[];
  readonly resultCount: number;
}

/**
 * Reason why a search found fewer than two hits that count.
 *
 * **Shape** `"empty"`: its scopes hold nothing. `"other-model"`: their vectors are of a model that the knowledge base is not open with. `"no-match"`: no chunk
 * matched. `"weak"`: matches were too weak.
 *
 * @experimental
 */
export type MissCause = "empty" | "other-model" | "no-match" | "weak";

/**
 * Receives every retrieval. A tracer that throws never fails one.
 *
 * **Source** ToolUp `IRetrievalTracer`.
 *
 * @experimental
 */
export interface Tracer {
  trace(trace: RetrievalTrace, access: AccessContext | "operator"): void | Promise<void>;
  /** Fewer than two hits passed their thresholds; `evidence` is their number, `cause` the reason. */
  miss(scopes: readonly Scope[], queryHash: string, evidence?: number, cause?: MissCause): void | Promise<void>;
}
