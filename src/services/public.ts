/** What of this room is public. Only the doors read it. */
export { createEventStoreTracer, noTracer } from "./event-tracer.ts";
export { describeHealth, type HealthBody, type LatencyBody } from "./health-body.ts";
export { createIngestionQueue } from "./ingestion-queue.ts";
export { createMemoryJobStore } from "./memory-job-store.ts";
export type { IngestionQueueOptions } from "./queue-options.ts";
export { defaultRetryPolicy, type RetryPolicy } from "./retry-policy.ts";
export {
  addNote,
  type EnqueueUpload,
  ingestNarrative,
  type Upload,
  uploadDocument,
  type UploadOptions,
  type UploadResult,
  type WrittenOptions,
} from "./upload-document.ts";
export { scheduleVacuum, type VacuumSchedule, type VacuumScheduleOptions } from "./vacuum-schedule.ts";
export {
  type BlobIngestion,
  type BlobIngestionOptions,
  type BlobUpload,
  type IngestingBlobStore,
  withIngestion,
} from "./with-ingestion.ts";
