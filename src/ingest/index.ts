/** `ibid/ingest`, in any runtime. */
export type {
  EnqueueInput,
  EnqueueOptions,
  ForgottenJobs,
  IngestionDepth,
  IngestionEvent,
  IngestionQueue,
  IngestionStatus,
  ListIngestionOptions,
} from "../contracts/ingestion-queue.ts";
export type {
  IngestionState,
  JobCounts,
  JobFailure,
  JobLease,
  JobOutcome,
  JobResult,
  JobRoom,
  JobState,
  JobStore,
  ListJobsOptions,
  NewJob,
  StoredJob,
  TakenJob,
} from "../contracts/job-store.ts";
export type { FolderOptions, FolderRules, ListOptions, ListOrder, SkippedKind } from "../contracts/knowledge-base.ts";
export type {
  AskKept,
  KeptVersion,
  SaidOfIt,
  Source,
  SourceItem,
  SourceRefusal,
  SourceUnchanged,
  Validators,
} from "../contracts/reader.ts";
export type { RefreshPolicy } from "../contracts/refresh-policy.ts";
export { createIngestionQueue } from "./queue/ingestion-queue.ts";
export { createMemoryJobStore } from "./queue/memory-job-store.ts";
export type { IngestionQueueOptions } from "./queue/queue-options.ts";
export { defaultRetryPolicy, type RetryPolicy } from "./queue/retry-policy.ts";
export { type ReadRun, readSource, type ReadSourceOptions, type SourceReading } from "./read-source.ts";
export {
  alwaysRefresh,
  neverRefreshExisting,
  refreshAfter,
  refreshMatching,
  refreshModified,
} from "./refresh-policy.ts";
export type { FileSourceOptions } from "./sources/files/file-source.ts";
export type { UrlSourceOptions } from "./sources/web/fetch-page.ts";
export type { SitemapSourceOptions } from "./sources/web/sitemap-source.ts";
export {
  type EnqueueUpload,
  type Upload,
  uploadDocument,
  type UploadOptions,
  type UploadResult,
} from "./uploads/upload-document.ts";
export {
  type BlobIngestion,
  type BlobIngestionOptions,
  type BlobUpload,
  type IngestingBlobStore,
  withIngestion,
} from "./uploads/with-ingestion.ts";
