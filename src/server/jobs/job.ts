import type { AccessContext, Scope } from "../../contracts/scope.ts";
import type { IngestResult } from "../../contracts/knowledge-base.ts";
import type { MetadataInput } from "../../contracts/metadata.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { Caller } from "../route.ts";

/** How far a job is. `receiving`: bytes of its file are still missing. */
export type ServiceJobState =
  | "receiving"
  | "queued"
  | "reading"
  | "embedding"
  | "indexed"
  | "unchanged"
  | "failed"
  | "cancelled";

/** Facts of a document that its sender gives. */
export interface JobRequest {
  readonly uri: string;
  readonly title?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly charset?: string | undefined;
  readonly scope?: Scope | undefined;
  readonly metadata?: MetadataInput | undefined;
  /** Name that several jobs share. */
  readonly batch?: string | undefined;
  /** Number of jobs that one request gave the name of the batch. */
  readonly batchSize?: number | undefined;
  readonly webhook?: JobWebhook | undefined;
}

/** The address that gets a message at the end of a job, and the secret that signs it. */
export interface JobWebhook {
  readonly url: string;
  readonly secret: string;
}

/** Why a job failed, as its caller may know it. */
export interface ServiceJobFailure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A job as it is kept. **Units** times in milliseconds since 1970. */
export interface JobRecord extends JobRequest {
  readonly id: string;
  /** Hash that stands for the caller. */
  readonly owner: string;
  /** Name of the caller. */
  readonly caller: string;
  /** Rights with which the document is ingested. */
  readonly access: AccessContext | "operator";
  readonly source: "file" | "text" | "url";
  /** Bytes of the whole file; absent for an address. */
  readonly size?: number;
  readonly state: ServiceJobState;
  /** Attempts that were begun. */
  readonly attempts: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Time of the next attempt. */
  readonly dueAt?: number | undefined;
  readonly error?: ServiceJobFailure | undefined;
  readonly result?: Pick<IngestResult, "uri" | "scope" | "status" | "documentId" | "chunks" | "notes">;
  readonly delivery?: WebhookDelivery | undefined;
}

/** State of the message about the end of a job. */
export interface WebhookDelivery {
  /** Id of the message, which every attempt has. */
  readonly id: string;
  readonly state: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  readonly dueAt?: number | undefined;
  /** Counts of the batch that ended with this job, the same in every attempt. */
  readonly batch?: object | undefined;
  /** Why the last attempt failed. */
  readonly error?: DeliveryFailure | undefined;
}

/** Why a message was not taken. */
export interface DeliveryFailure extends ServiceJobFailure {
  /** The error of a sender that failed; for operators. */
  readonly cause?: string;
}

/** Number of a change: among those of all jobs, for operators, and among those of its owner's. So no caller counts the changes of others. */
export interface Revision {
  readonly all: number;
  readonly own: number;
}

/** A job with the facts that are not kept. */
export interface LiveJob {
  readonly record: JobRecord;
  /** Number of its last change. */
  readonly revision: Revision;
  /** Bytes that arrived. */
  readonly received: number;
  readonly progress?: JobProgress | undefined;
}

/** Progress of an ingestion. */
export interface JobProgress {
  readonly chunks: number;
  /** Pages, slides or chapters of a file that is being read. */
  readonly pages?: { readonly done: number; readonly of: number };
}

/** A state of a caller's jobs, for streams. */
export interface JobChanges {
  /** Number of the last change. */
  readonly revision: number;
  /** Whether earlier changes are not known any more: `jobs` are all of them then. */
  readonly isWhole: boolean;
  /** In the order of their changes. */
  readonly jobs: readonly { readonly revision: number; readonly job: object }[];
  /** Ids of jobs that were removed. */
  readonly removed: readonly string[];
  /** Whether no job of the selection can change by itself. */
  readonly isOver: boolean;
}

/** Restricts a listing of jobs. */
export interface JobSelection {
  readonly id?: string | undefined;
  readonly batch?: string | undefined;
  readonly states?: readonly string[] | undefined;
}

const liveStates: ReadonlySet<ServiceJobState> = new Set(["receiving", "queued", "reading", "embedding"]);

/** Whether more comes of a job by itself. */
export const isLive = ({ state }: Pick<JobRecord, "state">): boolean => liveStates.has(state);

/** Whether a job is for a document of a scope; with `endedBy`, only where it was over at that time. **Units** milliseconds since 1970. */
export function isJobOf(
  record: Pick<JobRecord, "uri" | "scope" | "state" | "updatedAt">,
  uri: string,
  scope: string | undefined,
  endedBy?: number,
): boolean {
  if (record.uri !== uri || (scope ?? record.scope) !== record.scope) return false;
  return endedBy === undefined || (!isLive(record) && record.updatedAt <= endedBy);
}

/** A caller's name may be one that two people chose, so the user counts too. */
export function ownerOf({ name, access }: Pick<Caller, "name" | "access">): string {
  return sha256(JSON.stringify(["job", name, access === "operator" ? 0 : (access.userId ?? 1)])).slice(0, 32);
}

/** A job as a caller sees it. `ahead` is the number of jobs, among those that the caller sees, that are done before it. */
export function showJob(
  { record, received, progress }: LiveJob,
  ahead: number | undefined,
  toOperator: boolean,
): object {
  const { id, uri, scope, title, mediaType, batch, state, size, source, attempts, dueAt, error, result } = record;
  return {
    id,
    uri,
    ...defined({ scope, title, mediaType, batch }),
    ...(toOperator && { caller: record.caller }),
    state,
    source,
    ...(size !== undefined && { received, size }),
    ...defined({ ahead: state === "queued" ? ahead : undefined, progress }),
    attempts,
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    ...(state === "queued" && dueAt !== undefined && { retryAt: new Date(dueAt).toISOString() }),
    ...defined({ error, result }),
    ...(record.delivery && { webhook: showDelivery(record.delivery, toOperator) }),
  };
}

function showDelivery({ state, attempts, dueAt, error }: WebhookDelivery, toOperator: boolean): object {
  const retryAt =
    state === "waiting" && attempts > 0 && dueAt !== undefined ? new Date(dueAt).toISOString() : undefined;
  const { cause, ...told } = error ?? {};
  const shown = error && { ...told, ...(toOperator && defined({ cause })) };
  return { state, attempts, ...defined({ retryAt, error: shown }) };
}

function defined(facts: object): object {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** Counts of a batch by state; `undefined` while one of its jobs is under way, or still to come. */
export function summariseBatch(jobs: readonly LiveJob[]): object | undefined {
  const { batch: name, batchSize = 1 } = jobs[0]?.record ?? {};
  if (name === undefined || jobs.length < batchSize || jobs.some(({ record }) => isLive(record))) return undefined;
  const counts: Record<string, number> = { indexed: 0, unchanged: 0, failed: 0, cancelled: 0 };
  for (const { record } of jobs) counts[record.state]! += 1;
  return { name, total: jobs.length, ...counts };
}
