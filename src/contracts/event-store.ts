import type { Scope } from "./scope.ts";
import type { RetrievalTrace } from "./tracer.ts";

/**
 * What can happen in a knowledge base, by its name, and what is told of it. Names and fields are a wire format: other programs read them from the store.
 *
 * **Shape** ids, counts, times and codes; no text, no uri and no query, only the query's HMAC.
 * **Units** `latencyMs`: milliseconds.
 * **Source** ToolUp's events under their names; the last three are ours, so that health can be told from the events alone.
 */
export interface EventData {
  /** One search: the thirteen facts of its trace. */
  readonly KnowledgeRetrieved: RetrievalTrace;
  /** Fewer than two hits survived their floors. Comes right after its `KnowledgeRetrieved`. */
  readonly KnowledgeRetrievalMiss: { readonly queryHash: string };
  /** One document's chunks can be found now. */
  readonly KnowledgeChunkIndexed: { readonly documentId: string; readonly chunks: number };
  /** One document could not be taken in. `documentId` is `""` when it failed before it had one. `attempt` counts from 1, where it is tried again. */
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
  /** Something was put into the ingestion queue, taken out of it, or refused because it was full. */
  readonly KnowledgeQueued: { readonly depth: number; readonly rejected: number };
}

/** What an event is called. */
export type EventName = keyof EventData;

/** Something that happened. */
export type KnowledgeEvent = {
  readonly [Name in EventName]: {
    readonly name: Name;
    /** **Units** milliseconds since 1970, by the clock of the process that tells. */
    readonly at: number;
    /** Whom it concerns: the scopes that a search could read, or the scope that was written to. */
    readonly scopes: readonly Scope[];
    readonly data: EventData[Name];
  };
}[EventName];

/** Which events are wanted; what is left out does not matter. */
export interface EventFilter {
  readonly names?: readonly EventName[];
  /** At this time or later. **Units** as `at`. */
  readonly from?: number;
  /** Before this time. */
  readonly to?: number;
  /** Of which this is one of the scopes. */
  readonly scope?: Scope;
}

/** How much is kept. Beyond either, the oldest go when something is appended. */
export interface EventRetention {
  /** **Units** milliseconds before the newest event. Default: a week. */
  readonly maxAgeMs?: number;
  /** Default 100,000. */
  readonly maxEvents?: number;
}

/**
 * Where events are kept. What was appended is never changed; it only grows too old (`EventRetention`).
 *
 * **Shape** in the order in which they were appended. What goes in and comes out is copied. A read gives what was there when it was begun.
 * **Errors** `store-closed` after `close`; a store that cannot keep events rejects, and keeps none of that call.
 * **Source** ToolUp `IEventStore`.
 */
export interface EventStore {
  append(events: readonly KnowledgeEvent[]): Promise<void>;
  read(filter?: EventFilter): AsyncIterable<KnowledgeEvent>;
  close(): Promise<void>;
}
