import type { TextDocument } from "./document.ts";
import type { EmbeddingVersion } from "./embedding.ts";
import type { Validators } from "./reader.ts";
import type { AuthorizedScopes, Scope } from "./scope.ts";
import type { ChunkEntry, ChunkStore } from "./store.ts";

/**
 * How a document came to be as it is kept.
 *
 * @experimental
 */
export interface Provenance {
  /** SHA-256 of the source's bytes, hexadecimal; beyond 16 MiB of the hashes of its pieces of that size. */
  readonly contentHash: string;
  /** Of reader, chunker, transformers and model: the same bytes under the same fingerprint give the same chunks (law 7). */
  readonly fingerprint: string;
  /** Bytes of the source. */
  readonly bytes: number;
  /** The folder whose ingestion found it, as a uri; `null` when it was named outright. Sweeping looks only at documents with a folder. */
  readonly folder: string | null;
  /** SHA-256 of the metadata that the caller and the source gave, dates left out: to see whether it changed. */
  readonly metadataHash: string;
  /** Absent for what no sender said anything of. */
  readonly validators?: Validators;
}

/**
 * What may be noted of a document that is otherwise left alone: nothing that is found by it changes (law 7). What is left out stays.
 *
 * @experimental
 */
export interface FreshnessMark {
  readonly folder?: string | null;
  /** ISO 8601. */
  readonly checkedAt?: string;
  readonly validators?: Validators;
  /** Of the pipeline that would make just this, when it is another by now: every chunk got a vector of a new model. */
  readonly fingerprint?: string;
}

/**
 * A document with everything that must appear at the same moment as it.
 *
 * @experimental
 */
export interface DocumentEntry extends Provenance {
  /** Stored without its `blocks`. */
  readonly document: TextDocument;
  /** An entry without embeddings whose chunk the store already holds with the same `text` keeps the vectors that are there. */
  readonly entries: readonly ChunkEntry[];
  /**
   * Ids of the chunks that rely on this: what `held` told and nobody embedded again. When one has gone meanwhile, nothing is stored
   * and `store-busy` is thrown, so that no chunk ever loses its vectors to a race.
   */
  readonly keeps?: readonly string[];
}

/**
 * A large document on its way into a store: its chunks come in batches, so that not all of them need be in memory at once.
 *
 * @experimental
 */
export interface LargeDocumentEntry extends Provenance {
  /** Stored without its `blocks`. */
  readonly document: TextDocument;
  /** In order, each chunk once. Read to its end before anything is stored; what it throws stores nothing. */
  readonly batches: AsyncIterable<readonly ChunkEntry[]>;
  /** Whether each entry without embeddings relies on the vectors that the store has of its chunk, as {@link DocumentEntry.keeps} says of single ones. */
  readonly reliesOnHeld: boolean;
}

/** A document as a list shows it. */
export interface DocumentSummary extends Provenance {
  readonly scope: Scope;
  readonly id: string;
  readonly uri: string;
  readonly title: string;
  readonly mediaType: string;
  /** Live chunks. */
  readonly chunks: number;
  /** ISO 8601. */
  readonly ingestedAt: string;
  /** ISO 8601: when its source was last known to give just this. Never before `ingestedAt`. */
  readonly checkedAt: string;
}

/**
 * Which documents a listing gives.
 *
 * @experimental
 */
export interface ListDocumentsOptions {
  /** Only those whose uri begins so. **Cost** what lies before and after is not read. */
  readonly under?: string;
}

/**
 * A document with how it came to be; `document.blocks` is absent.
 *
 * @experimental
 */
export interface StoredDocument {
  readonly summary: DocumentSummary;
  readonly document: TextDocument;
}

/**
 * What a swap did, in chunks. A kept chunk kept its vectors too.
 *
 * @experimental
 */
export interface ReplaceResult {
  readonly added: number;
  readonly kept: number;
  readonly removed: number;
}

/**
 * The texts and trees, and the one operation that makes ingestion safe: a document and its whole chunk set, swapped for what was there before.
 *
 * **Shape** `replace` is atomic: a reader sees the old set or the new one, also across processes. Identity is (scope, document id).
 * **Errors** as {@link ChunkStore}.
 * **Source** Embabel's repository (E20 to E22): write with chunks, find root by uri, delete root with descendants.
 *
 * @experimental
 */
export interface DocumentStore extends ChunkStore {
  replace(into: AuthorizedScopes<"write">, entry: DocumentEntry): Promise<ReplaceResult>;
  /**
   * The same for a document whose chunks come in batches. Absent where a store takes a document whole only. Whoever wraps `replace` wraps this too, or leaves
   * it out. **Cost** memory for the document's text and for some batches, however many there are.
   */
  replaceInBatches?(into: AuthorizedScopes<"write">, entry: LargeDocumentEntry): Promise<ReplaceResult>;
  /**
   * What of a document need not be embedded again (law 7): its live chunks that have a vector of `version` (all of them when it is
   * `undefined`). **Shape** chunk id to `text`.
   */
  held(
    into: AuthorizedScopes<"write">,
    documentId: string,
    version: EmbeddingVersion | undefined,
  ): Promise<ReadonlyMap<string, string>>;
  /** Documents of that uri in the given scopes, ordered by scope; more than one when several scopes hold it. */
  find(scopes: AuthorizedScopes, uri: string): Promise<readonly StoredDocument[]>;
  /** `undefined` for what does not exist and for what may not be read, alike. */
  document(scopes: AuthorizedScopes, id: string): Promise<StoredDocument | undefined>;
  /** How many live chunks documents have, in the order asked; 0 for what may not be read. */
  chunkCounts?(
    scopes: AuthorizedScopes,
    documents: readonly { readonly scope: Scope; readonly documentId: string }[],
  ): Promise<readonly number[]>;
  /** By uri, then scope; paged by key. */
  documents(scopes: AuthorizedScopes, options?: ListDocumentsOptions): AsyncIterable<DocumentSummary>;
  /** Writes only the freshness of an unchanged document (law 7). */
  touch(into: AuthorizedScopes<"write">, id: string, mark: FreshnessMark): Promise<void>;
}
