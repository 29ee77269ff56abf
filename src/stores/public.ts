/** What of this room is public. Only the doors read it. */
export { type BlobCache, createBlobCache } from "./blob-cache.ts";
export { guardStore, guardVectorStore } from "./guard-store.ts";
export { createMemoryBlobStore } from "./memory-blob-store.ts";
export { createMemoryEventStore, type EventStoreOptions } from "./memory-event-store.ts";
export { createInMemoryVectorStore, createMemoryStore } from "./memory-store.ts";
export type {
  RawChunkStore,
  RawDocumentStore,
  RawKnowledgeStore,
  RawLatentSearch,
  RawLexicalIndex,
  RawRegexSearch,
  RawVectorStore,
} from "./raw-store.ts";
export type { SnapshotOptions } from "./snapshot-options.ts";
export { openSnapshotStore, type SnapshotStoreOptions } from "./snapshot-store.ts";
