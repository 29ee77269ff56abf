import type { Diagnosis, ExamineOptions } from "./diagnosis.ts";
import type { DocumentStore, DocumentSummary } from "./document-store.ts";
import type { EmbeddingVersion } from "./embedding.ts";
import type { LatentSearch } from "./latent-search.ts";
import type { LexicalIndex } from "./lexical-index.ts";
import type { VersionedStore } from "./reembedding.ts";
import type { RegexSearch } from "./regex-search.ts";
import type { AuthorizedScopes, Scope, SystemAuthority } from "./scope.ts";
import type { VectorStore } from "./vector-store.ts";

/**
 * What a store holds in the scopes that were asked for.
 *
 * @experimental
 */
export interface StoreStatus {
  readonly documents: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly scopes: readonly { readonly scope: Scope; readonly documents: number; readonly chunks: number }[];
  readonly embeddingVersions: readonly (EmbeddingVersion & { readonly chunks: number })[];
}

/**
 * How far a scope has come: two equal ones say that everything in it that can be found is as it was.
 *
 * **Shape** `life` is another one after a scope was deleted whole, and after something in it was purged or vacuumed: whatever was made of its
 * chunks must go too (law 8). `changes` goes up by one with every call that changed something, whichever process made it, and never for what
 * only moves things (sealing, merging).
 */
export interface ScopeRevision {
  readonly scope: Scope;
  readonly life: string;
  readonly changes: number;
}

/**
 * A document that was deleted and can be restored.
 *
 * @experimental
 */
export interface DeletedSummary extends DocumentSummary {
  /** ISO 8601. */
  readonly deletedAt: string;
}

/**
 * How {@link KnowledgeStore.settle} is watched and stopped.
 *
 * @experimental
 */
export interface SettleOptions {
  readonly signal?: AbortSignal | undefined;
  /** While a model is fitted. **Units** the share that is done, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * A store that does everything: texts and trees, vectors, terms and patterns over one set of segments, so that a document appears in all of
 * them at the same moment. The parts can be had one by one from different databases; then each is atomic on its own.
 *
 * @experimental
 */
export interface KnowledgeStore
  extends
    DocumentStore,
    VectorStore,
    LexicalIndex,
    RegexSearch,
    Partial<Pick<LatentSearch, "latentSearch">>,
    Partial<VersionedStore> {
  /** The knowledge base's own key, 32 random bytes made at its birth: queries are hashed under it (law 10). */
  readonly secret: Uint8Array;
  /** Counts live documents and chunks of the given scopes only. */
  status(scopes: AuthorizedScopes): Promise<StoreStatus>;
  /**
   * For whoever keeps something that is made of a scope's chunks, and must know when to make it anew. **Shape** one for each scope of the proof,
   * in its order. **Cost** two rows read for each.
   */
  revisions?(scopes: AuthorizedScopes<"read" | "write">): Promise<readonly ScopeRevision[]>;
  /**
   * Finishes work that was put off: seals a large live segment, and fits the store's own model when there is enough to fit on. Never needed for correctness.
   *
   * **Errors** `aborted`, `timeout`: what is done is kept.
   */
  settle(options?: SettleOptions): Promise<void>;
  /** Documents that were deleted and can be restored, by uri, then scope. */
  deleted?(scopes: AuthorizedScopes): AsyncIterable<DeletedSummary>;
  /**
   * Finishes every purge and vacuum that could not be: a process was killed in the midst of it, or a reader held on to an old state of the files.
   *
   * **Shape** false while a reader still does, so that it must be asked for again: nothing finds what was purged, but its bytes may still lie in the files.
   */
  scrub?(authority: SystemAuthority): Promise<boolean>;
  /** Holds every row, posting and vector against the others. **Cost** reads and analyses everything. Meanwhile nobody else reads or writes in this process. */
  examine?(authority: SystemAuthority, options?: ExamineOptions): Promise<Diagnosis>;
  close(): Promise<void>;
}
