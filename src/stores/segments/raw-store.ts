import type { Chunk } from "../../contracts/chunk.ts";
import type {
  DocumentEntry,
  DocumentSummary,
  FreshnessMark,
  LargeDocumentEntry,
  ListDocumentsOptions,
  ReplaceResult,
  StoredDocument,
} from "../../contracts/document-store.ts";
import type { Diagnosis, ExamineOptions } from "../../contracts/diagnosis.ts";
import type { EmbeddingVersion } from "../../contracts/embedding.ts";
import type { DeletedSummary, ScopeRevision, SettleOptions, StoreStatus } from "../../contracts/knowledge-store.ts";
import type { LatentQuery, LatentResult } from "../../contracts/latent-search.ts";
import type { LexicalQuery, LexicalResult } from "../../contracts/lexical-index.ts";
import type { AddedVector, ScopeVersions, VersionChange } from "../../contracts/reembedding.ts";
import type { RegexMatch, RegexQuery } from "../../contracts/regex-search.ts";
import type { Scope } from "../../contracts/scope.ts";
import type {
  ChunkEntry,
  DeleteOptions,
  DeleteTarget,
  ListChunksOptions,
  StoreCapabilities,
  StoredChunk,
} from "../../contracts/store.ts";
import type { VectorMatch, VectorQuery } from "../../contracts/vector-store.ts";

/** How many a search wants, decided: a whole number from 1, or `Infinity` for all. */
export type Decided<Query extends { readonly topK?: number | "all" }> = Omit<Query, "topK"> & { readonly topK: number };

/**
 * What the author of a store writes. The guard has checked the gate's proof, ids, embeddings and `topK`, copied what came in, and will
 * copy what goes out: scopes are keys here, to be trusted and never widened.
 */
export interface RawChunkStore {
  readonly capabilities: StoreCapabilities;
  /** Resolves when the store can be written; or says each time it is asked whether it can, and is asked again. */
  doReady(signal?: AbortSignal): Promise<void | boolean>;
  doUpsert(scope: Scope, entries: readonly ChunkEntry[]): Promise<void>;
  doDelete(scope: Scope, target: DeleteTarget, options: DeleteOptions): Promise<number>;
  doRestore(
    scope: Scope,
    target: { readonly ids: readonly string[] } | { readonly documentIds: readonly string[] },
  ): Promise<number>;
  doVacuum(options: { readonly olderThanMs: number }): Promise<number>;
  doChunks(scopes: readonly Scope[], options: ListChunksOptions): AsyncIterable<StoredChunk>;
  doScopes(): Promise<readonly Scope[]>;
}

/** Nearest vectors over scope keys that the guard has checked. */
export interface RawVectorStore extends RawChunkStore {
  doSearch(scopes: readonly Scope[], query: Decided<VectorQuery>): Promise<readonly VectorMatch[]>;
}

/** BM25 over scope keys that the guard has checked. */
export interface RawLexicalIndex extends RawChunkStore {
  doLexicalSearch(scopes: readonly Scope[], query: Decided<LexicalQuery>): Promise<LexicalResult>;
}

/** The store's own model over scope keys that the guard has checked. */
export interface RawLatentSearch {
  doLatentSearch(scopes: readonly Scope[], query: Decided<LatentQuery>): Promise<LatentResult>;
}

/** Patterns over scope keys that the guard has checked. */
export interface RawRegexSearch extends RawChunkStore {
  doRegexSearch(scopes: readonly Scope[], query: Decided<RegexQuery>): Promise<readonly RegexMatch[]>;
}

/** Texts and trees, for {@link guardStore}. */
export interface RawDocumentStore extends RawChunkStore {
  doReplace(scope: Scope, entry: DocumentEntry): Promise<ReplaceResult>;
  /** The guard checks and copies each batch as it is asked for. */
  doReplaceInBatches?(scope: Scope, entry: LargeDocumentEntry): Promise<ReplaceResult>;
  doHeld(scope: Scope, documentId: string, version: EmbeddingVersion | undefined): Promise<ReadonlyMap<string, string>>;
  doFind(scopes: readonly Scope[], uri: string): Promise<readonly StoredDocument[]>;
  doDocument(scopes: readonly Scope[], id: string): Promise<StoredDocument | undefined>;
  doChunkCounts?(
    documents: readonly { readonly scope: Scope; readonly documentId: string }[],
  ): Promise<readonly number[]>;
  doDocuments(scopes: readonly Scope[], options: ListDocumentsOptions): AsyncIterable<DocumentSummary>;
  doTouch(scope: Scope, id: string, mark: FreshnessMark): Promise<void>;
}

/** Vectors of two models side by side, over scope keys that the guard has checked. */
export interface RawVersionedStore {
  doVersions(scopes: readonly Scope[]): Promise<readonly ScopeVersions[]>;
  doLacking(scope: Scope, version: EmbeddingVersion): AsyncIterable<Chunk>;
  doAddVectors(scope: Scope, version: EmbeddingVersion, vectors: readonly AddedVector[]): Promise<number>;
  doChangeVersion(scope: Scope, version: EmbeddingVersion, partial: boolean): Promise<VersionChange>;
}

/** Everything a guarded {@link KnowledgeStore} stands on. */
export interface RawKnowledgeStore
  extends
    RawVectorStore,
    RawLexicalIndex,
    RawRegexSearch,
    RawDocumentStore,
    Partial<RawLatentSearch & RawVersionedStore> {
  readonly secret: Uint8Array;
  doStatus(scopes: readonly Scope[]): Promise<StoreStatus>;
  doRevisions?(scopes: readonly Scope[]): Promise<readonly ScopeRevision[]>;
  doSettle(options?: SettleOptions): Promise<void>;
  doDeleted?(scopes: readonly Scope[]): AsyncIterable<DeletedSummary>;
  doScrub?(): Promise<boolean>;
  doExamine?(options: ExamineOptions): Promise<Diagnosis>;
  doClose(): Promise<void>;
}
