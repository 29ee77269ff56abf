import type { Chunk } from "./chunk.ts";
import type { TextDocument } from "./document.ts";
import type { VersionedEmbedding } from "./embedding.ts";
import type { Validators } from "./reader.ts";
import type { Scope } from "./scope.ts";

/**
 * How a document came to be as it is kept.
 *
 * @experimental
 */
export interface Provenance {
  /** SHA-256 of the source's bytes, hexadecimal; beyond 16 MiB of the hashes of its pieces of that size. */
  readonly contentHash: string;
  /** Fingerprint of reader, chunker, transformers and model: the same bytes under the same fingerprint give the same chunks. */
  readonly fingerprint: string;
  /** Bytes of the source. */
  readonly bytes: number;
  /** The folder whose ingestion found it, as a uri; `null` when it was named outright. Sweeping looks only at documents with a folder. */
  readonly folder: string | null;
  /** SHA-256 of the metadata that the caller and the source gave, dates left out: to see whether it changed. */
  readonly metadataHash: string;
  /** Absent for what no sender said anything of. */
  readonly validators?: Validators;
  /** Groups that may read it. Kept and returned; nothing looks at it yet. */
  readonly readers?: readonly string[];
  /** Time from which its statements hold, as its metadata `validFrom` says. ISO 8601. */
  readonly validFrom?: string;
  /** Time at which they end, as its metadata `validTo` says. ISO 8601. */
  readonly validTo?: string;
  /** Uri of the document in whose place it stands, as its metadata `supersedes` says. */
  readonly supersedes?: string;
}

/**
 * Freshness of a document that is otherwise left alone: no search result changes. Absent fields stay.
 *
 * @experimental
 */
export interface FreshnessMark {
  readonly folder?: string | null;
  /** ISO 8601. */
  readonly checkedAt?: string;
  readonly validators?: Validators;
  /** Fingerprint of the current pipeline, where the chunks are the same: every chunk got a vector of a new model. */
  readonly fingerprint?: string;
}

/**
 * One chunk on its way into a store, with a vector for each embedding version that must find it: two during a re-embedding. @experimental
 *
 * @experimental
 */
export interface ChunkEntry {
  readonly chunk: Chunk;
  readonly embeddings: readonly VersionedEmbedding[];
}

/**
 * One document on its way into a store, with everything that must appear at the same moment. @experimental
 *
 * @experimental
 */
export interface DocumentWrite extends Provenance {
  /** Stored without its `blocks`. */
  readonly document: TextDocument;
  /**
   * All chunks, or batches of them, so that not all need be in memory at once. Batches come in order, each chunk once; an error in them stores nothing.
   * An entry without embeddings, whose chunk the store holds with the same `text`, keeps the vectors that the store has.
   */
  readonly chunks: readonly ChunkEntry[] | AsyncIterable<readonly ChunkEntry[]>;
  /**
   * Ids of chunks that rely on held vectors; `"all-without-vectors"`: every entry without embeddings. When one has gone meanwhile, nothing is stored and
   * `store-busy` is thrown, so that no chunk loses its vectors to a race. Default: none.
   */
  readonly keeps?: readonly string[] | "all-without-vectors" | undefined;
  /** Time of its ingestion, which a copy of a document keeps. Default: now. ISO 8601 in UTC, as `toISOString` writes it. */
  readonly ingestedAt?: string | undefined;
  /** As in {@link DocumentSummary}. Default: `ingestedAt`. */
  readonly checkedAt?: string | undefined;
}

/** A document as a list shows it. */
export interface DocumentSummary extends Provenance {
  readonly scope: Scope;
  readonly id: string;
  readonly uri: string;
  /** Label of where it came from: the ingested folder's last part, or the host; `""` for a document that was named outright. Absent from stores that keep no folder. */
  readonly rootLabel?: string;
  /** Path below that, with `/` on every system. The uri stays the identity. */
  readonly path?: string;
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
 * A version of a document: the one that stands, or a former one.
 *
 * @experimental
 */
export interface DocumentVersion {
  /** Time from which it stood. ISO 8601. */
  readonly from: string;
  /** Time at which it was replaced or deleted. Absent for the version that stands. */
  readonly to?: string;
  readonly title: string;
  readonly chunks: number;
  /** Bytes of the source. */
  readonly bytes: number;
  readonly contentHash: string;
}

/**
 * Order of a list of documents beside that of their uris. `newest` and `oldest` go by the time of ingestion, `largest` by bytes; equals by uri, then scope.
 *
 * @experimental
 */
export type DocumentOrder = "newest" | "oldest" | "largest" | "title";

/**
 * A place in a list of documents.
 *
 * @experimental
 */
export type ListPlace = { readonly uri: string; readonly scope: Scope } & Partial<
  Pick<DocumentSummary, "ingestedAt" | "bytes" | "title">
>;

/**
 * Restricts a listing of documents.
 *
 * @experimental
 */
export interface ListDocumentsOptions {
  /** Only documents whose uri has this prefix. **Cost** uris before and after are not read. */
  readonly under?: string | undefined;
  /**
   * Only documents that follow this place in the order, whether or not a document stands there. An order other than that of the uris needs its fact: `ingestedAt`,
   * `bytes` or `title`. **Cost** those before it are not read.
   */
  readonly after?: ListPlace | undefined;
  /** Default: by uri, then scope. **Cost** all rows, unless the store keeps the order. */
  readonly order?: DocumentOrder | undefined;
  /** At most this many. **Cost** no more are read of each scope. Default: all. */
  readonly limit?: number | undefined;
  /** Only this media type, or with a slash at its end a family of them. Letters of either case are the same. */
  readonly mediaType?: string | undefined;
  /** Only documents that were ingested then or later. ISO 8601 in UTC, with milliseconds. */
  readonly since?: string | undefined;
  /** Only documents that were ingested earlier. ISO 8601 in UTC, with milliseconds. */
  readonly before?: string | undefined;
}

/**
 * Number of live documents that share a scope, a folder and a kind.
 *
 * @experimental
 */
export interface FolderCount extends Pick<DocumentSummary, "scope" | "rootLabel" | "path" | "mediaType"> {
  /** Uris of the documents up to their last slash, with it; `""` where they have none. `path` is the same below the ingested root. */
  readonly uri: string;
  /** Ending of their names in lower case, such as `md`; `""` without one. */
  readonly ending: string;
  readonly documents: number;
}

/**
 * Chooses the documents that are counted.
 *
 * @experimental
 */
export type CountFoldersOptions = Pick<ListDocumentsOptions, "mediaType" | "since" | "before">;

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
 * Where a chunk stands in its document.
 *
 * **Units** UTF-16 code units, half open.
 * @experimental
 */
export interface StoredChunkSpan {
  readonly id: string;
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/**
 * A document without its text: what a reader needs to choose a slice of it.
 *
 * @experimental
 */
export interface StoredStructure {
  readonly summary: DocumentSummary;
  readonly document: Omit<TextDocument, "text" | "blocks">;
  /** Live chunks in order of index, start and id. Only when asked for. */
  readonly chunks?: readonly StoredChunkSpan[] | undefined;
}

/**
 * Parts of a {@link StoredStructure}.
 *
 * @experimental
 */
export interface StructureOptions {
  /** Whether the spans of its chunks come along. Default false. */
  readonly chunks?: boolean | undefined;
}

/**
 * Result of a swap, in chunks. A kept chunk kept its vectors too.
 *
 * @experimental
 */
export interface ReplaceResult {
  readonly added: number;
  readonly kept: number;
  readonly removed: number;
}
