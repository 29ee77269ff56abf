import type { Origin } from "./document.ts";
import type { IbidError } from "./errors.ts";
import type { IngestionState, JobCounts, JobFailure, JobResult } from "./job-store.ts";
import type { BytesInput, FolderRules, IngestResult, TextInput } from "./knowledge-base.ts";
import type { MetadataInput } from "./metadata.ts";
import type { AccessContext, Scope } from "./scope.ts";

/**
 * Input of the queue: a path, glob or address, read when its turn comes; or a text or bytes, stored until they are indexed.
 *
 * @experimental
 */
export type EnqueueInput = string | TextInput | BytesInput;

/**
 * How a queued document is to be ingested. It outlives the process, so there is no password among it: those are never stored.
 *
 * @experimental
 */
export interface EnqueueOptions {
  /** Where it goes. Default `"deployment"`; for a caller with an `AccessContext`, their team, else themselves. */
  readonly scope?: Scope | undefined;
  readonly metadata?: MetadataInput | undefined;
  /** Default `"user-content"`. */
  readonly origin?: Origin | undefined;
  /** Removes the documents that are gone from a folder. Default true. */
  readonly sweep?: boolean | undefined;
  /** Rules for the files below a folder or glob. */
  readonly folders?: FolderRules | undefined;
  /** Reads only these uris of a folder again, and new files. Default: everything. */
  readonly changed?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A document on its way in, as people see it. **Units** times in milliseconds since 1970.
 *
 * @experimental
 */
export interface IngestionStatus {
  readonly id: string;
  /** As it was called when it was queued. */
  readonly uri: string;
  readonly scope: Scope;
  readonly state: IngestionState;
  /** Attempts that were begun. */
  readonly attempts: number;
  readonly enqueuedAt: number;
  readonly updatedAt: number;
  /** Time of the next attempt, for a job that waits for one. */
  readonly retryAt?: number;
  /** Why the last attempt failed, or why it was rejected. */
  readonly error?: JobFailure;
  readonly result?: JobResult;
}

/** Facts of every event. */
interface EventFacts {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: string;
  readonly uri: string;
  readonly scope: Scope;
}

/**
 * Events of queued documents, as they happen.
 *
 * **Source** ToolUp: its events' names, one for each document with the number of its chunks.
 *
 * @experimental
 */
export type IngestionEvent =
  | ({ readonly type: "IngestionStateChanged"; readonly state: IngestionState } & EventFacts)
  | ({
      readonly type: "KnowledgeChunkIndexed";
      readonly status: IngestResult["status"];
      readonly documentId: string;
      readonly chunks: number;
    } & EventFacts)
  | ({
      readonly type: "KnowledgeChunkFailed";
      readonly error: JobFailure;
      readonly attempt: number;
      /** When it is tried again; left out of what is not. */
      readonly retryAt?: number;
    } & EventFacts)
  /** A full queue dropped it, as `overflow: "drop"` asks. */
  | ({ readonly type: "KnowledgeIngestionDropped" } & EventFacts)
  /** The job store cannot be reached; nothing is lost, and it is tried again. */
  | { readonly type: "IngestionStalled"; readonly at: number; readonly error: IbidError }
  /** The listener was too slow: `missed` events are not in the stream. */
  | { readonly type: "EventsMissed"; readonly at: number; readonly missed: number };

/**
 * Restricts a listing of jobs.
 *
 * @experimental
 */
export interface ListIngestionOptions {
  readonly states?: readonly Exclude<IngestionState, "rejected">[] | undefined;
}

/**
 * How busy a queue is.
 *
 * @experimental
 */
export interface IngestionDepth extends JobCounts {
  /** Queued or being done, of everybody. */
  readonly depth: number;
  readonly capacity: number;
  /** Refused since this queue was made, because it was full. */
  readonly rejected: number;
}

/**
 * Outcome of a call to `forget`.
 *
 * @experimental
 */
export interface ForgottenJobs {
  readonly jobs: number;
  /** Another process still reads an old state of the files, which holds the jobs. The next purge after that reader ends removes them. */
  readonly pending?: true;
}

/**
 * Ingestion as a service: it accepts documents at once and ingests them in the background, a few at a time, with retries.
 *
 * **Shape** a document has one job, whose id is made of its scope and name. Queueing it again replaces the earlier request, whatever the job's state.
 * An acknowledged job is ingested or ends as `failed` with its reason, across crashes where the job store is durable. A repeated attempt writes nothing twice.
 * `as` returns a queue that enqueues for that caller and shows only jobs of scopes that they may write.
 * **Errors** `store-closed` after `close`.
 * **Source** ToolUp's ingestion queue and background service.
 *
 * @experimental
 */
export interface IngestionQueue extends AsyncDisposable {
  /**
   * Takes a document in. **Shape** the job's id; false when the queue is full, and then nothing of it is kept. It is acknowledged when this resolves.
   * **Errors** `access-denied`, `invalid-argument`, `invalid-id`; `too-large` for more bytes than the queue keeps.
   */
  enqueue(input: EnqueueInput, options?: EnqueueOptions): Promise<string | false>;
  /** As `enqueue`, but waits while the queue is full. **Errors** `aborted`. */
  enqueueWhenRoom(input: EnqueueInput, options?: EnqueueOptions): Promise<string>;
  /** The id that a document's job has, whether there is one or not. */
  idOf(uri: string, scope?: Scope): string;
  /** `undefined` for what is not there or may not be seen. */
  status(id: string): Promise<IngestionStatus | undefined>;
  /** In the order in which they first came. */
  list(options?: ListIngestionOptions): AsyncIterable<IngestionStatus>;
  depth(): Promise<IngestionDepth>;
  /** Waits until a document is indexed, failed or rejected. **Errors** `not-found`, also when its job is forgotten meanwhile; `aborted`. */
  done(id: string, options?: { readonly signal?: AbortSignal }): Promise<IngestionStatus>;
  /**
   * Waits until nothing is due and this queue is idle. Jobs that wait for a next attempt do not count, and neither do jobs of other processes.
   * With `everywhere` it also waits until leases of other processes have ended and their jobs are done. **Errors** `aborted`.
   */
  drained(options?: { readonly everywhere?: boolean; readonly signal?: AbortSignal }): Promise<void>;
  /** Ends an unfinished job as `failed` with the code `aborted`. Everything written stays. **Shape** true if there was such a job. */
  cancel(id: string): Promise<boolean>;
  /**
   * Removes every trace of a document's job in any state, dead letters with their uri and bytes included. A job in progress is stopped.
   * Indexed documents stay; `kb.delete` removes them. **Shape** the number of removed jobs; 0 for a missing one, or one that the caller may not write.
   */
  forget(uri: string, options?: { readonly scope?: Scope }): Promise<ForgottenJobs>;
  /** Queues one failed job again, or all. Cancelled jobs stay cancelled. **Shape** the number of jobs. */
  replay(id?: string): Promise<number>;
  /** From now on. **Shape** at most `buffer` (default 1,000) wait for a slow listener; beyond it the oldest go, and an event says how many. */
  events(options?: { readonly buffer?: number; readonly signal?: AbortSignal }): AsyncIterable<IngestionEvent>;
  /** Returns the same queue for one caller. */
  as(context: AccessContext): IngestionQueue;
  /** Begins nothing more, and waits for what is being done; what is queued stays so. Also closes the job store. */
  close(): Promise<void>;
}
