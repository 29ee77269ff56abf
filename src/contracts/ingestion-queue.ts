import type { Origin } from "./document.ts";
import type { IbidError } from "./errors.ts";
import type { IngestionState, JobCounts, JobFailure, JobResult } from "./job-store.ts";
import type { BytesInput, FolderRules, IngestResult, TextInput } from "./knowledge-base.ts";
import type { Metadata } from "./metadata.ts";
import type { AccessContext, Scope } from "./scope.ts";

/** What can be queued: a path, glob or address to be read when its turn comes, or a text or bytes, which are kept until they are indexed. */
export type EnqueueInput = string | TextInput | BytesInput;

/** How a queued document is to be ingested. It outlives the process, so there is no password among it: those are never stored. */
export interface EnqueueOptions {
  /** Where it goes. Default `"deployment"`; for a caller with an `AccessContext`, their team, else themselves. */
  readonly scope?: Scope;
  readonly metadata?: Metadata;
  /** Default `"user-content"`. */
  readonly origin?: Origin;
  /** Of a folder: remove the documents that are gone from it. Default true. */
  readonly sweep?: boolean;
  /** Of a folder or glob: which files below it. */
  readonly folders?: FolderRules;
  /** Of a folder: look again only at these uris, and at what is new. Default: at everything. */
  readonly changed?: readonly string[];
  readonly signal?: AbortSignal;
}

/** A document on its way in, as people see it. **Units** times in milliseconds since 1970. */
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
  /** Of one that waits for its next attempt. */
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
 * What happens to queued documents, as it happens.
 *
 * **Source** ToolUp: its events' names, one for each document with the number of its chunks.
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
  /** The job store cannot be reached; nothing is lost, and it is tried again. */
  | { readonly type: "IngestionStalled"; readonly at: number; readonly error: IbidError }
  /** Whoever listens was slower than what happened: so many events are not in the stream. */
  | { readonly type: "EventsMissed"; readonly at: number; readonly missed: number };

/** Which jobs a listing gives. */
export interface ListIngestionOptions {
  readonly states?: readonly Exclude<IngestionState, "rejected">[];
}

/** How busy a queue is. */
export interface IngestionDepth extends JobCounts {
  /** Queued or being done, of everybody. */
  readonly depth: number;
  readonly capacity: number;
  /** Refused since this queue was made, because it was full. */
  readonly rejected: number;
}

/** What went with a call to forget. */
export interface ForgottenJobs {
  readonly jobs: number;
  /** A reader of another process holds on to an old state of the files, in which they still are; the next purge after that finishes it. */
  readonly pending?: true;
}

/**
 * Ingestion as a service: documents are taken in at once and ingested in the background, a few at a time, with retries.
 *
 * **Shape** a document has one job, whose id is made of its scope and name: queueing it again, in whatever state it is, replaces what was asked for
 * before, and the last wish wins. What was acknowledged is ingested or ends as `failed` with its reason, across crashes where the job store is
 * durable; an attempt that is repeated writes nothing twice. What `as` returns queues for that caller and shows only jobs of scopes that
 * they may write.
 * **Errors** `store-closed` after `close`.
 * **Source** ToolUp's ingestion queue and background service; laws 7 to 9.
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
   * Waits until nothing is due and this queue is doing nothing. What waits for its next attempt is not waited for; nor what another process has, be it alive or dead,
   * unless `everywhere` is true: then also until its lease has ended, and whoever took the job after it is done. **Errors** `aborted`.
   */
  drained(options?: { readonly everywhere?: boolean; readonly signal?: AbortSignal }): Promise<void>;
  /** Ends a job that is not done as `failed` with the code `aborted`. What it has written stays. **Shape** whether there was one. */
  cancel(id: string): Promise<boolean>;
  /**
   * Removes every trace of a document's job, whatever became of it: a dead letter with its uri and bytes, a wish that waits. What is being done is broken off;
   * what was indexed stays, for `kb.delete` to take out. **Shape** how many jobs went, 0 for what is not there or not the caller's to write.
   */
  forget(uri: string, options?: { readonly scope?: Scope }): Promise<ForgottenJobs>;
  /** Queues failed jobs again, all of them or one. What was cancelled is not among them. **Shape** how many. */
  replay(id?: string): Promise<number>;
  /** From now on. **Shape** at most `buffer` (default 1,000) wait for a slow listener; beyond it the oldest go, and an event says how many. */
  events(options?: { readonly buffer?: number; readonly signal?: AbortSignal }): AsyncIterable<IngestionEvent>;
  /** The same queue, for somebody. */
  as(context: AccessContext): IngestionQueue;
  /** Begins nothing more, and waits for what is being done; what is queued stays so. Also closes the job store. */
  close(): Promise<void>;
}
