import type { KnowledgeEvent } from "./event-store.ts";
import type { SearchMode } from "./retriever.ts";
import type { Scope } from "./scope.ts";

/** Work that takes time and is worth a span, and what is known of it when it begins. */
export type SpanStart =
  | {
      readonly operation: "retrieval";
      readonly topK: number | "all";
      readonly mode: SearchMode;
      /** For a telemetry that was told to record queries; law 10 forbids it to all others. */
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
  | { readonly operation: "ingest"; readonly scope: Scope };

/** What came of it, under the names that it has in results: `resultCount`, `topScore`, `sent`, `added`, `chunks`. */
export type SpanEnd = Readonly<Record<string, number>>;

/** Work under way. */
export interface OpenSpan {
  /** Calls `work` so that spans that are started within are known to belong to this one. */
  within<Result>(work: () => Result): Result;
  /** Once, at the end: with what came of it, or with the error that ended it. */
  end(outcome: { readonly facts: SpanEnd } | { readonly error: unknown }): void;
}

/**
 * Told of everything that goes on, by whoever wants to see it elsewhere: spans as they begin and end, events as they happen.
 *
 * **Errors** one that throws fails nothing.
 * **Source** Ballerina's spans, ToolUp `IRagTelemetry`.
 */
export interface Telemetry {
  span?(start: SpanStart): OpenSpan;
  event?(event: KnowledgeEvent): void;
}
