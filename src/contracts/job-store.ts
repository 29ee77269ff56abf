import type { IbidErrorCode } from "./errors.ts";
import type { JsonValue } from "./metadata.ts";
import type { AccessContext, Scope } from "./scope.ts";
import type { Durability } from "./store.ts";

/**
 * Where a document is on its way in. `rejected` is what never came in: the queue was full, and nothing of it is kept.
 *
 * **Source** ToolUp's document states.
 *
 * @experimental
 */
export type IngestionState = "queued" | "reading" | "embedding" | "indexed" | "failed" | "rejected";

/**
 * The states that a job store keeps: what was rejected is none of its jobs.
 *
 * @experimental
 */
export type JobState = Exclude<IngestionState, "rejected">;

/**
 * Why an attempt failed, in words that outlive the process. Never document text.
 *
 * @experimental
 */
export interface JobFailure {
  readonly code: IbidErrorCode;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Result of a finished job.
 *
 * @experimental
 */
export interface JobResult {
  readonly documents: number;
  readonly chunks: number;
  /** Documents of it that were refused for good, beside others that came in. */
  readonly failed: number;
}

/**
 * A job on its way into a store. One document has one job, the latest wish about it: the same id replaces.
 *
 * @experimental
 */
export interface NewJob {
  readonly id: string;
  readonly scope: Scope;
  /** Name that the caller gave. */
  readonly uri: string;
  /** The document's uri, where that is known already: with it the job goes when the document is purged. */
  readonly document?: string;
  /** Caller who enqueued the job; absent for the operator. */
  readonly caller?: AccessContext;
  /** How it is to be done, as JSON. */
  readonly request: { readonly [key: string]: JsonValue | undefined };
  /** Bytes to read, stored until they are indexed. */
  readonly bytes?: Uint8Array;
  readonly enqueuedAt: number;
}

/**
 * A job as it is kept, without its bytes. **Units** times in milliseconds since 1970.
 *
 * @experimental
 */
export interface StoredJob extends Omit<NewJob, "bytes"> {
  /** Jobs are listed in its order. */
  readonly key: number;
  readonly state: JobState;
  /** Attempts that were begun since it was last asked for. */
  readonly attempts: number;
  /** When it may be taken: of a job that is being done, when its lease ends. */
  readonly dueAt: number;
  /** Rises with each new request, so that the process at work notices it at the end. */
  readonly revision: number;
  /** Bytes kept for it. */
  readonly size: number;
  readonly updatedAt: number;
  /** Failure of the last attempt. */
  readonly error?: JobFailure;
  readonly result?: JobResult;
}

/**
 * A leased job with its input.
 *
 * @experimental
 */
export interface TakenJob extends StoredJob {
  readonly bytes?: Uint8Array;
}

/**
 * How a lease ends. A job that was asked for again meanwhile is queued again, whatever came of it.
 *
 * @experimental
 */
export type JobOutcome =
  | { readonly state: "indexed"; readonly result: JobResult; readonly document?: string; readonly error?: JobFailure }
  | { readonly state: "failed"; readonly error: JobFailure }
  /** To be tried again at `dueAt`. Without an error the attempt does not count: it was broken off. */
  | { readonly state: "queued"; readonly dueAt: number; readonly error?: JobFailure };

/**
 * Whose lease on which job.
 *
 * @experimental
 */
export interface JobLease {
  readonly id: string;
  readonly owner: string;
}

/**
 * How much a store may hold that is not done.
 *
 * @experimental
 */
export interface JobRoom {
  /** Jobs that are queued or being done. */
  readonly capacity: number;
  /** Bytes kept for jobs that are not indexed. */
  readonly maxBytes: number;
}

/**
 * Restricts a listing of jobs.
 *
 * @experimental
 */
export interface ListJobsOptions {
  readonly states?: readonly JobState[] | undefined;
  /** Only what comes after this key. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/**
 * Jobs by state, and the bytes kept for them.
 *
 * @experimental
 */
export type JobCounts = { readonly [State in JobState]: number } & { readonly bytes: number };

/**
 * Stores jobs: they wait, are leased to workers, and keep their outcome. The store knows nothing of a job's contents.
 *
 * **Shape** every call is atomic across processes. A job has one owner at a time; an owner that does not renew
 * the lease loses it, and the job is leased again. Inputs and outputs are copies. The caller supplies all times.
 * **Errors** `store-closed`; errors of the database.
 * **Source** visibility timeouts of message queues, with at-least-once delivery made idempotent by ingestion.
 *
 * @experimental
 */
export interface JobStore {
  readonly durability: Durability;
  /** Queues a job, or asks for one of that id again. **Shape** false when there is no room, and nothing changes. A job that is live already takes up no more of `capacity`. */
  put(job: NewJob, room: JobRoom): Promise<boolean>;
  /** Leases the job that has been due for longest, ties by key; `undefined` when none is due. Counts an attempt. */
  take(claim: { readonly owner: string; readonly now: number; readonly until: number }): Promise<TakenJob | undefined>;
  /** Makes a lease longer, and says how far the job is. **Shape** false when it is not the owner's any more. */
  renew(
    lease: JobLease,
    to: { readonly until: number; readonly now: number; readonly state?: "embedding" },
  ): Promise<boolean>;
  /** Ends a lease. **Shape** the new state of the job; `undefined` when the lease has another owner. An indexed job keeps no bytes. */
  finish(
    lease: JobLease & { readonly revision: number },
    outcome: JobOutcome,
    now: number,
  ): Promise<JobState | undefined>;
  /** Fails an unfinished job and removes its bytes; its owner loses the lease. **Shape** false when there is none. */
  cancel(id: string, error: JobFailure, now: number): Promise<boolean>;
  /** Queues a failed job again, its attempts forgotten. **Shape** false where it is not there, not failed, was cancelled, or there is no room. */
  replay(id: string, room: JobRoom, now: number): Promise<boolean>;
  get(id: string): Promise<StoredJob | undefined>;
  /** In order of key. */
  list(options: ListJobsOptions): Promise<readonly StoredJob[]>;
  counts(): Promise<JobCounts>;
  /** When the next job may be taken; `undefined` when there is none to wait for. */
  nextAt(): Promise<number | undefined>;
  /** Removes every trace of a document's jobs and of the one by that id, or of all that a scope has. **Shape** how many went. */
  forget(scope: Scope, job?: { readonly document: string; readonly id?: string }): Promise<number>;
  /** Takes what was removed out of the bytes of the files. **Shape** false while a reader holds on to an old state of them. Left out where there are none. */
  scrub?(): Promise<boolean>;
  close(): Promise<void>;
}
