import type { Scope } from "./scope.ts";
import type { MissCause, RetrievalTrace } from "./tracer.ts";

/**
 * Events of a knowledge base, by name, with their data. Names and fields are a wire format: other programs read them from the store.
 *
 * **Shape** counts, times and codes; no text, no uri and no query, only the query's HMAC. `documentId` is an HMAC-SHA-256 of the document's id under a key that
 * one opened knowledge base has and nobody stores. Events of one document share it until the knowledge base is closed, and no guess of a uri can be confirmed.
 * With `operations.documentIds: "plain"` it is the document's id itself.
 * **Units** `latencyMs`: milliseconds.
 * **Source** ToolUp's events under their names; the last three are ibid's, so that health follows from events alone.
 *
 * @experimental
 */
export interface EventData {
  /** One search: the thirteen facts of its trace. */
  readonly KnowledgeRetrieved: RetrievalTrace;
  /** Fewer than two hits passed their thresholds; `evidence` is their number, `cause` the reason. Follows its `KnowledgeRetrieved` directly. */
  readonly KnowledgeRetrievalMiss: {
    readonly queryHash: string;
    readonly evidence?: number;
    readonly cause?: MissCause;
  };
  /** A query was refused for its length, before any model saw it. **Units** UTF-16 code units. */
  readonly KnowledgeQueryTooLarge: { readonly length: number; readonly limit: number };
  /** One document's chunks can be found now. */
  readonly KnowledgeChunkIndexed: { readonly documentId: string; readonly chunks: number };
  /** One document could not be taken in. One event for each document of a batch that failed as a whole. `attempt` counts from 1, where it is tried again. */
  readonly KnowledgeChunkFailed: { readonly documentId: string; readonly code: string; readonly attempt?: number };
  /** Chunks have a vector of this embedding version now. */
  readonly KnowledgeChunkReembedded: { readonly version: string; readonly chunks: number };
  /** They have not, and keep the vector that they had. */
  readonly KnowledgeChunkReembedFailed: { readonly version: string; readonly chunks: number; readonly code: string };
  /** Texts were embedded: `sent` of the `inputs` went to the model, the others came from the cache. */
  readonly KnowledgeEmbedded: {
    readonly purpose: "document" | "query";
    readonly inputs: number;
    readonly sent: number;
    readonly latencyMs: number;
  };
  /** A document was written, and is as safe as the store makes it. */
  readonly KnowledgeFlushed: { readonly latencyMs: number };
  /** Chunks that were deleted longer ago went for good. */
  readonly KnowledgeVacuumCompleted: { readonly chunks: number };
  /** Something was put into the ingestion queue, taken out of it, or refused because it was full. */
  readonly KnowledgeQueued: { readonly depth: number; readonly rejected: number };
}

/**
 * Stream of the events about retrievals. **Source** ToolUp.
 *
 * @experimental
 */
export type EventStream = "_platform.retrieval";

/**
 * Name of an event.
 *
 * @experimental
 */
export type EventName = keyof EventData;

/**
 * Something that happened.
 *
 * @experimental
 */
export type KnowledgeEvent = {
  readonly [Name in EventName]: {
    readonly name: Name;
    /** `"_platform.retrieval"` for retrievals, misses and refused queries; absent for other events. */
    readonly stream?: EventStream;
    /** **Units** milliseconds since 1970, by the clock of the process that tells. */
    readonly at: number;
    /** Scopes of the event: those that a search could read, or the one written to. */
    readonly scopes: readonly Scope[];
    readonly data: EventData[Name];
  };
}[EventName];

/**
 * Selects events; absent fields select all.
 *
 * @experimental
 */
export interface EventFilter {
  readonly names?: readonly EventName[] | undefined;
  /** Only events of this stream. */
  readonly stream?: EventStream | undefined;
  /** At this time or later. **Units** as `at`. */
  readonly from?: number | undefined;
  /** Before this time. */
  readonly to?: number | undefined;
  /** Only events that concern this scope. */
  readonly scope?: Scope | undefined;
}

/**
 * How much is kept. Beyond either, the oldest go when something is appended.
 *
 * @experimental
 */
export interface EventRetention {
  /** **Units** milliseconds before the newest event. Default: a week. */
  readonly maxAgeMs?: number | undefined;
  /** Default 100,000. */
  readonly maxEvents?: number | undefined;
}

/**
 * Stores events. An event never changes; it only gets too old (`EventRetention`).
 *
 * **Shape** in order of appending. Input and output are copies. A read gives the events that existed when it began.
 * **Errors** `store-closed` after `close`; a store that fails to append rejects, and stores nothing of that call.
 * **Source** ToolUp `IEventStore`.
 *
 * @experimental
 */
export interface EventStore {
  append(events: readonly KnowledgeEvent[]): Promise<void>;
  read(filter?: EventFilter): AsyncIterable<KnowledgeEvent>;
  close(): Promise<void>;
}
