/** What of this room is public. Only the doors read it. */
export { type BlobCache, createBlobCache } from "./blobs/blob-cache.ts";
export { guardStore, guardVectorStore } from "./guard/guard-store.ts";
export { createMemoryBlobStore } from "./memory/memory-blob-store.ts";
export { createMemoryEventStore, type EventStoreOptions } from "./memory/memory-event-store.ts";
export { createInMemoryVectorStore, createMemoryStore } from "./memory/memory-store.ts";
export type {
  RawChunkStore,
  RawDocumentStore,
  RawKnowledgeStore,
  RawLatentSearch,
  RawLexicalIndex,
  RawRegexSearch,
  RawVectorStore,
} from "./segments/raw-store.ts";
export type { SnapshotOptions } from "./snapshot/snapshot-options.ts";
export { openSnapshotStore, type SnapshotStoreOptions } from "./snapshot/snapshot-store.ts";
