/** `ibid/stores`, in any runtime. */
export type {
  BlobFacts,
  BlobListing,
  BlobStore,
  ListBlobsOptions,
  PutBlobOptions,
  PutBlobResult,
  StoredBlob,
} from "../contracts/blob-store.ts";
export type {
  ChunkEntry,
  CountFoldersOptions,
  DocumentOrder,
  DocumentWrite,
  FolderCount,
  FreshnessMark,
  DocumentVersion,
  ListDocumentsOptions,
  ListPlace,
  Provenance,
  ReplaceResult,
  StoredChunkSpan,
  StoredDocument,
  StoredStructure,
  StructureOptions,
} from "../contracts/document-store.ts";
export type {
  Calibration,
  ChunkRef,
  Consistency,
  Leg,
  LegCapabilities,
  LegMatch,
  LegNow,
  LegResult,
  MatchCount,
  Moment,
  Query,
  QueryEmbedding,
  ChunkCopy,
  ReadChunk,
  ReadChunksOptions,
  Restriction,
  SessionLeg,
  SessionNow,
  SessionOptions,
  StoreSession,
  Why,
  Within,
} from "../contracts/leg.ts";
export type { AddedVector, ScopeVersions, VersionChange } from "../contracts/reembedding.ts";
export type {
  Checked,
  DeletedSummary,
  DeleteResult,
  DeleteTarget,
  DocumentStore,
  DocumentVerbs,
  Durability,
  ListChunksOptions,
  Places,
  Proven,
  SettleOptions,
  Store,
  StoreCapabilities,
  StoredChunk,
  StoreNow,
  StoreParts,
  FitStatus,
  KeptFiles,
  StoreStatus,
  Trash,
  Upkeep,
  VersionSwitch,
} from "../contracts/store.ts";
export type {
  Engine,
  EngineCandidate,
  EngineCapabilities,
  EngineCondition,
  EngineEntry,
  EngineIndex,
  EngineIndexSpec,
  EngineMetric,
  EnginePage,
  EngineRecord,
  EngineRecordCapabilities,
  EngineRequest,
  EngineRow,
  EngineVector,
} from "../contracts/engine.ts";
export type { Metric } from "../contracts/embedding.ts";
export type { Bm25Options } from "../engine/bm25/bm25-settings.ts";
export type { FileBlobStoreOptions } from "./blobs/file-blob-store.ts";
export type { S3Options } from "./blobs/s3-blob-store.ts";
export type { S3Credentials } from "./blobs/sign-request.ts";
export { composeStore } from "./compose/compose-store.ts";
export type { ComposeOptions } from "./compose/guard.ts";
export { createEngineLeg, type EngineLeg, type EngineLegOptions } from "./engines/engine-leg.ts";
export { createEngineStore } from "./engines/engine-store.ts";
export { type ConditionForms, writeCondition } from "./engines/translate-filter.ts";
export {
  type AnyVectorStore,
  fromVectorStore,
  type FromVectorStoreOptions,
  type VectorStoreMatch,
} from "./engines/from-vector-store.ts";
export { createMemoryBlobStore } from "./memory/memory-blob-store.ts";
export { createMemoryStore } from "./memory/memory-store.ts";
export {
  createPublication,
  type Publication,
  type PublishedFile,
  type PublishOptions,
} from "./published/create-publication.ts";
export type { ReadPublished } from "./published/published-directory.ts";
export { openPublishedStore, type PublishedStoreOptions } from "./published/published-store.ts";
export type { SnapshotOptions } from "./snapshot/snapshot-options.ts";
export { openSnapshotStore, type SnapshotStoreOptions } from "./snapshot/snapshot-store.ts";
