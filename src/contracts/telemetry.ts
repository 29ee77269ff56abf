import type { KnowledgeEvent } from "./event-store.ts";
import type { FilterInput } from "./filter.ts";
import type { SearchMode } from "./retriever.ts";
import type { Scope } from "./scope.ts";

/**
 * Work that takes time and is worth a span, and what is known of it when it begins.
 *
 * @experimental
 */
export type SpanStart =
  | {
      readonly operation: "retrieval";
      readonly topK: number | "all";
      readonly mode: SearchMode;
      /** Filter of the search, if it has one. Values in it are for a telemetry that was configured to record queries. */
      readonly filter?: FilterInput | undefined;
      readonly minScore?: number | undefined;
      /** The query, only for a telemetry that was configured to record queries. */
      readonly query: string;
    }
  | {
      readonly operation: "embeddings";
      readonly provider: string;
      readonly model: string;
      readonly dimensions: number | undefined;
      readonly purpose: "document" | "query";
      readonly inputs: number;
    }
  | { readonly operation: "rerank"; readonly reranker: string; readonly candidates: number }
  | { readonly operation: "ingest"; readonly scope: Scope }
  /** The making of a knowledge base over its store; its embedding model as `provider/model`, if it has one. */
  | { readonly operation: "create"; readonly model: string | undefined };

/**
 * Outcome, under the names of results: `resultCount`, `topScore`, `sent`, `added`, `chunks`.
 *
 * @experimental
 */
export type SpanEnd = Readonly<Record<string, number>>;

/**
 * Work under way.
 *
 * @experimental
 */
export interface OpenSpan {
  /** Calls `work` so that spans that are started within are known to belong to this one. */
  within<Result>(work: () => Result): Result;
  /** Once, at the end: with what came of it, or with the error that ended it. */
  end(outcome: { readonly facts: SpanEnd } | { readonly error: unknown }): void;
}

/**
 * Observer of spans, as they begin and end, and of events, as they happen.
 *
 * **Errors** an error of the observer fails nothing.
 * **Source** Ballerina's spans, ToolUp `IRagTelemetry`.
 *
 * @experimental
 */
export interface Telemetry {
  span?(start: SpanStart): OpenSpan;
  event?(event: KnowledgeEvent): void;
}
