/** What of this room is public. Only the doors read it. */
export { createEventStoreTracer, noTracer } from "./event-tracer.ts";
export { describeHealth, type HealthBody, type LatencyBody } from "./health-body.ts";
export { createIngestionQueue } from "../../ingest/queue/ingestion-queue.ts";
export { createMemoryJobStore } from "../../ingest/queue/memory-job-store.ts";
export type { IngestionQueueOptions } from "../../ingest/queue/queue-options.ts";
export { defaultRetryPolicy, type RetryPolicy } from "../../ingest/queue/retry-policy.ts";
export {
  addNote,
  type EnqueueUpload,
  ingestNarrative,
  type Upload,
  uploadDocument,
  type UploadOptions,
  type UploadResult,
  type WrittenOptions,
} from "../../ingest/uploads/upload-document.ts";
export { scheduleVacuum, type VacuumSchedule, type VacuumScheduleOptions } from "./vacuum-schedule.ts";
export {
  type BlobIngestion,
  type BlobIngestionOptions,
  type BlobUpload,
  type IngestingBlobStore,
  withIngestion,
} from "../../ingest/uploads/with-ingestion.ts";
