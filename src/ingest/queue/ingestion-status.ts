import type { IngestionStatus } from "../../contracts/ingestion-queue.ts";
import type { IngestionState, StoredJob } from "../../contracts/job-store.ts";

/** Whether nothing more comes of a document by itself. */
export const isOver = (state: IngestionState): boolean =>
  state === "indexed" || state === "failed" || state === "rejected";

/** A job as people see it. */
export function toStatus(job: StoredJob): IngestionStatus {
  const { id, uri, scope, state, attempts, enqueuedAt, updatedAt, dueAt, error, result } = job;
  return {
    id,
    uri,
    scope,
    state,
    attempts,
    enqueuedAt,
    updatedAt,
    ...(state === "queued" && error !== undefined && { retryAt: dueAt }),
    ...(error && { error }),
    ...(result && { result }),
  };
}
