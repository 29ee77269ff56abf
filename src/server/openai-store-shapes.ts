import { z } from "zod";
import type { DocumentSummary } from "../contracts/document-store.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { Hit } from "../contracts/retriever.ts";
import type { Scope } from "../contracts/scope.ts";
import { isLive, type LiveJob } from "./jobs/job.ts";
import type { ServiceJobs } from "./jobs/service-jobs.ts";
import {
  type FileId,
  filenameOf,
  findDocument,
  openAiId,
  secondsOf,
  unknownFile,
  uploadIdOf,
} from "./openai-file-routes.ts";
import { attributesOf, type VectorStore } from "./openai-stores.ts";
import { Refusal } from "./refusal.ts";
import type { Caller } from "./route.ts";

/*
 * Vector stores, their files and batches as OpenAI's API shows them.
 */

export const storePath = z.strictObject({ store: openAiId });
export const filePath = z.strictObject({ store: openAiId, file: openAiId });
export const batchPath = z.strictObject({ store: openAiId, batch: openAiId });

/** Cutting is the service's: other strategies are refused by name. */
export const chunking = z.strictObject({ type: z.literal("auto") }).optional();
export const store = z
  .looseObject({ id: z.string(), object: z.literal("vector_store"), name: z.string() })
  .meta({ id: "OpenAIVectorStore" });
export const storeFile = z
  .looseObject({ id: z.string(), object: z.literal("vector_store.file"), status: z.string() })
  .meta({ id: "OpenAIVectorStoreFile" });
export const fileBatch = z
  .looseObject({ id: z.string(), object: z.literal("vector_store.files_batch"), status: z.string() })
  .meta({ id: "OpenAIFileBatch" });
export const deleted = z.looseObject({ id: z.string(), deleted: z.literal(true) });
export const fileState = z.enum(["in_progress", "completed", "failed", "cancelled"]);

export function checkWritable(kb: KnowledgeBase, scope: Scope): void {
  if (kb.mayWrite(scope)) return;
  throw new Refusal(403, "access-denied", `This key may not write to ${scope}.`, {
    hint: "Name a scope that it may write with ibid.scope.",
  });
}

export const isWithin = (
  { scope, under }: VectorStore,
  record: { readonly uri: string; readonly scope?: Scope | undefined },
) => record.scope === scope && record.uri.startsWith(under);

/** The id of the upload that a job is about. */
export function uploadOf({ record }: LiveJob): string {
  return record.uri.split("/").find((part) => part.startsWith("file-")) ?? record.uri;
}

export async function latestJob(
  jobs: ServiceJobs,
  caller: Caller,
  found: VectorStore,
  file: string,
): Promise<LiveJob | undefined> {
  if (!caller.mayWrite) return undefined;
  return (await jobs.list(caller)).find((job) => isWithin(found, job.record) && uploadOf(job) === file);
}

/** Files of a store that are no documents of it yet, or failed, latest first, as far as the caller's jobs bring them. **Shape** none without the right to write. */
export async function pendingFiles(
  kb: KnowledgeBase,
  jobs: ServiceJobs | undefined,
  caller: Caller,
  found: VectorStore,
): Promise<readonly StoreFile[]> {
  if (jobs === undefined || !caller.mayWrite) return [];
  const latest = new Map<string, LiveJob>();
  for (const job of await jobs.list(caller)) {
    const file = uploadIdOf(job.record.uri);
    if (file !== undefined && isWithin(found, job.record) && !latest.has(file)) latest.set(file, job);
  }
  const pending: StoreFile[] = [];
  for (const [file, job] of latest) {
    const shown = showJob(found, file, job);
    const under = `${found.under}${file}/`;
    if (shown.status !== "completed" && !(await hasDocument(kb, found.scope, under))) pending.push(shown);
  }
  return pending;
}

async function hasDocument(kb: KnowledgeBase, scope: Scope, under: string): Promise<boolean> {
  for await (const _ of kb.list({ scope, under, limit: 1 })) return true;
  return false;
}

/** The document of a file in a store, by the id of its upload or its own. **Errors** 404. */
export async function documentOf(
  kb: KnowledgeBase,
  { scope, under }: VectorStore,
  file: string,
): Promise<DocumentSummary> {
  if (file.startsWith("file-")) {
    for await (const document of kb.list({ scope, under: `${under}${file}/`, limit: 1 })) return document;
    return unknownFile(file);
  }
  const document = await findDocument(kb, file, scope);
  return document.uri.startsWith(under) ? document : unknownFile(file);
}

/** A store with the counts of its files: documents are completed, and `pending` are the others, read before. */
export async function showStore(
  kb: KnowledgeBase,
  { id, scope, under, made }: VectorStore,
  pending: readonly StoreFile[],
) {
  let [total, bytes] = [0, 0];
  const there = new Set<string | undefined>();
  if (under === "") total = (await kb.status()).scopes.find((one) => one.scope === scope)?.documents ?? 0;
  else
    for await (const document of kb.list({ scope, under })) {
      total++;
      bytes += document.bytes;
      there.add(uploadIdOf(document.uri));
    }
  // A job may have ended since.
  const others = pending.filter((file) => !there.has(file.id));
  const counts = { completed: total, in_progress: 0, failed: 0, cancelled: 0, total: total + others.length };
  for (const { status } of others) counts[status as "failed"]++;
  return {
    id,
    object: "vector_store",
    name: made?.name ?? scope,
    created_at: made?.createdAt ?? 0,
    status: counts.in_progress > 0 ? "in_progress" : "completed",
    file_counts: counts,
    ...(made !== undefined && { usage_bytes: bytes, metadata: made.metadata }),
    ibid: { scope },
  };
}

/** **Cost** reads the metadata of the document. */
export async function showStoreFile(
  kb: KnowledgeBase,
  { id: store }: VectorStore,
  { id, uri, scope, bytes, ingestedAt }: DocumentSummary,
) {
  const { metadata = {} } = (await kb.document(uri, { scope, start: 0, end: 0 })) ?? {};
  return {
    id: uploadIdOf(uri) ?? id,
    object: "vector_store.file",
    created_at: secondsOf(ingestedAt),
    usage_bytes: bytes,
    vector_store_id: store,
    status: "completed",
    last_error: null,
    attributes: attributesOf(metadata),
  };
}

const states: Readonly<Record<string, string>> = { indexed: "completed", unchanged: "completed" };

type StoreFile = ReturnType<typeof showJob>;

/** A file of a store that is not there yet, or failed. */
export function showJob({ id: store }: VectorStore, file: string, { record }: LiveJob) {
  const { error, state } = record;
  const status = isLive(record) ? "in_progress" : (states[state] ?? state);
  return {
    id: file,
    object: "vector_store.file",
    created_at: Math.floor(record.createdAt / 1000),
    usage_bytes: record.size ?? 0,
    vector_store_id: store,
    status,
    last_error: error === undefined ? null : { code: codes[error.code] ?? "invalid_file", message: error.message },
    attributes: attributesOf((record.metadata ?? {}) as Metadata),
  };
}

/** Codes of OpenAI's shape for a failure of ibid; all others say that the file is invalid. */
const codes: Readonly<Record<string, string>> = { unsupported: "unsupported_file", internal: "server_error" };

export function showBatch({ id: store }: VectorStore, batch: string, jobs: readonly LiveJob[]) {
  const count = { completed: 0, in_progress: 0, failed: 0, cancelled: 0, total: jobs.length };
  for (const { record } of jobs) {
    const state = isLive(record) ? "in_progress" : (states[record.state] ?? record.state);
    count[state as "completed"]++;
  }
  const isCancelled = count.cancelled > 0 && count.in_progress === 0;
  return {
    id: batch,
    object: "vector_store.files_batch",
    created_at: Math.floor(Math.min(...jobs.map(({ record }) => record.createdAt)) / 1000),
    vector_store_id: store,
    status: count.in_progress > 0 ? "in_progress" : isCancelled ? "cancelled" : "completed",
    file_counts: count,
  };
}

export function showResult(
  { documentId, source: { uri, start, end }, score, text, metadata }: Hit,
  fileId: FileId,
): object {
  const content = [{ type: "text", text }];
  const facts = {
    file_id: fileId({ uri, documentId }),
    filename: filenameOf(uri),
    score,
    attributes: attributesOf(metadata),
  };
  return { ...facts, content, ibid: { uri, start, end } };
}
