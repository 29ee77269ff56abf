import type { Answer, AnswerEvent, AskOptions } from "./answer.ts";
import type { Usage } from "./chat.ts";
import type { Chunk } from "./chunk.ts";
import type { Collections } from "./collection.ts";
import type { Diagnosis, ExamineOptions } from "./diagnosis.ts";
import type { Document, MediaDocument, Origin, PlaceLabels, Section, SourceMap } from "./document.ts";
import type { EventData, EventFilter, EventName, KnowledgeEvent } from "./event-store.ts";
import type { DocumentOrder, DocumentSummary, DocumentVersion, FolderCount } from "./document-store.ts";
import type { Embedding, EmbeddingVersion, VersionName } from "./embedding.ts";
import type { IbidError } from "./errors.ts";
import type { ChunkAddress, Excerpt, ExpandOptions, Outline, SectionOptions } from "./expansion.ts";
import type { FilterInput } from "./filter.ts";
import type { Health, HealthOptions } from "./health.ts";
import type { Receipt } from "./leg.ts";
import type { Metadata, MetadataInput } from "./metadata.ts";
import type { Source } from "./reader.ts";
import type { ReembedOptions, ReembedRun, ScopeVersions } from "./reembedding.ts";
import type { RefreshPolicy } from "./refresh-policy.ts";
import type { HandedRetriever, Hit, HitGroup, SearchMode, SearchOptions, SearchWarning } from "./retriever.ts";
import type { Run } from "./run.ts";
import type { AccessContext, Scope, ScopeStrategy } from "./scope.ts";
import type { FindOptions, VectorMatch, VectorSearchOptions } from "./vector-store.ts";
import type { Verification, VerifyOptions } from "./verification.ts";
import type { DeletedSummary, DeleteOptions, FitStatus, KeptFiles, StoredChunk } from "./store.ts";

/** A text to ingest that is not a file: everything but uri and text has a default. */
export interface TextInput {
  readonly uri: string;
  readonly text: string;
  /** Default `text/plain`. A reader for it must be there. */
  readonly mediaType?: string | undefined;
  readonly title?: string | undefined;
  readonly metadata?: MetadataInput | undefined;
  /** Its vector, as of a {@link ChunkInput}. The text is one chunk then. */
  readonly embedding?: Embedding | undefined;
  readonly embeddingVersion?: VersionName | undefined;
}

/** Bytes to ingest under a name: a buffer, a blob, or a stream, which is read once. */
export interface BytesInput {
  readonly uri: string;
  readonly bytes: ByteContent;
  /** Default: what the bytes look like, then the name. */
  readonly mediaType?: string | undefined;
  /** Default: what the bytes say, else UTF-8. */
  readonly charset?: string | undefined;
  /** **Units** bytes. Beyond it the document is refused, and a stream is read no further. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Whether a picture or a recording that no reader accepts, or that has no words, is kept whole, and found by its name. Default false: it is refused. */
  readonly keepsMedia?: boolean | undefined;
  readonly title?: string | undefined;
  readonly metadata?: MetadataInput | undefined;
}

/**
 * A text or a chunk in Ballerina's form.
 *
 * **Shape** its uri is `metadata.fileName`, else a hash of the content; its media type is `metadata.mimeType`. A `"text-chunk"` is stored as one chunk.
 * **Source** Ballerina `TextDocument` and `TextChunk`.
 */
export interface TextLiteral {
  readonly type: "text" | "text-chunk";
  readonly content: string;
  readonly metadata?: MetadataInput | undefined;
}

/** Bytes in whatever form they come: Node's streams are iterables, web streams are read through a reader where they are not. */
export type ByteContent =
  | Uint8Array
  | ArrayBuffer
  | { readonly size: number; arrayBuffer(): Promise<ArrayBuffer> }
  | AsyncIterable<Uint8Array>
  | ByteStream;

/** A web `ReadableStream` of bytes, as far as it is used here. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<void>;
    releaseLock(): void;
  };
}

/**
 * Chunks of one document that were cut elsewhere. They are stored as they are, in the document that they belong to, and replace what it had.
 *
 * **Shape** with `text`, each chunk has a `start` and an `end` in it, which are checked. Without `text`, ibid composes the document: the chunks' texts in
 * order, separated by a blank line, of media type `application/vnd.ibid.chunks`.
 * **Errors** `invalid-argument`, naming the chunk and the field; `invalid-id`. A failure stores nothing, and rejects.
 */
export interface ChunksInput {
  /** Default: `chunks:` and a hash of the ids, or of the texts where there are none. */
  readonly uri?: string | undefined;
  readonly title?: string | undefined;
  readonly text?: string | undefined;
  readonly chunks: readonly ChunkInput[];
  readonly metadata?: MetadataInput | undefined;
}

/** A chunk that was cut elsewhere. Only `text` is required. A page or another place is kept for its citations. */
export interface ChunkInput extends PlaceLabels {
  /** The words that are embedded and searched. */
  readonly text: string;
  /** The slice of the document, where `text` has more around it. Default: `text`. */
  readonly urtext?: string | undefined;
  /** Default: a hash of the document's id, the slice and its occurrence. */
  readonly id?: string | undefined;
  /** Titles of the sections around it, outermost first. */
  readonly headings?: readonly string[] | undefined;
  /** BCP 47. Default: that of the document. */
  readonly language?: string | undefined;
  /** Added to the document's; wins over it. */
  readonly metadata?: MetadataInput | undefined;
  /**
   * Its vector, which is stored as it is and searched; its length is checked. It is never made again. Default: ibid embeds the text where there is an embedding
   * model.
   */
  readonly embedding?: Embedding | undefined;
  /** Version of the vector. Default: the knowledge base's embedding model; without one, `"given"`. `kb.searchVector` searches each version by itself. */
  readonly embeddingVersion?: VersionName | undefined;
  /** Where the slice begins in the given text. **Units** UTF-16 code units. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/** Accepted input. On Node, a string is a path, a glob or an address. Else texts, bytes, documents, ready-made chunks, a custom source, or a stream of these. */
export type IngestInput =
  | string
  | readonly (string | Source)[]
  | TextInput
  | BytesInput
  | ChunksInput
  | readonly (TextInput | BytesInput | ChunksInput)[]
  | Document
  | readonly Document[]
  | TextLiteral
  | readonly TextLiteral[]
  | readonly Chunk[]
  | Source
  | AsyncIterable<TextInput | BytesInput | ChunksInput | Document>;

/** How an ingestion goes about it; everything has a default. */
export interface IngestOptions {
  /** Where the documents go. Default `"deployment"`; for a caller with an `AccessContext`, their team, else themselves. */
  readonly scope?: Scope | undefined;
  /** Added to every document's metadata; wins over what the source says. */
  readonly metadata?: MetadataInput | undefined;
  /** Default `"user-content"`. */
  readonly origin?: Origin | undefined;
  /** Opens protected files; tried on those that ask for one. Never stored, and no part of any fingerprint. */
  readonly password?: string | undefined;
  /** The encoding of texts for which nobody else names one; what is UTF-8 or UTF-16 by its bytes is read as that. Default: what their words show. */
  readonly charset?: string | undefined;
  /** Remove documents that came from an ingested folder and are gone from it. Default true. */
  readonly sweep?: boolean | undefined;
  /** Policy that chooses the stored documents to read again. Default: all; an unchanged document is not written. */
  readonly refresh?: RefreshPolicy | undefined;
  /** Rules for the files below paths and globs. */
  readonly folders?: FolderRules | undefined;
  /**
   * Wait until the store has finished what it puts off: sealing, merging, fitting its own model on what came. Default false: that goes on in the background,
   * searches meanwhile find by words what no model has seen yet, and `close` waits for it.
   */
  readonly settle?: boolean | undefined;
  /** Whether a blank `uri` of a text and a blank `id` of a chunk are an error, or made of the content. Default `"require"`. */
  readonly ids?: "require" | "generate" | undefined;
  /**
   * Effect of a chunk with an invalid vector: an error, or the chunk is left out and listed in `invalid` of its document's result. Default `"error"`.
   */
  readonly onInvalid?: "error" | "skip" | undefined;
  /**
   * Effect of a batch of chunks whose embedding fails. `"error"`, the default, stores nothing of the document. `"skip"` stores its chunks without vectors and counts
   * them: words find them, and the next ingestion embeds them. **Source** Embabel, which skips.
   */
  readonly onFailedBatch?: "error" | "skip" | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called as work proceeds, for a display; throwing in it fails nothing. */
  readonly onProgress?: ((progress: IngestProgress) => void) | undefined;
  /** Called when a document's bytes have been read and cut, and its chunks are about to be embedded; what has not changed never gets there. */
  readonly onEmbedding?: ((uri: string) => void) | undefined;
  /**
   * Called for each file, folder and symbolic link that a rule leaves out of a walk. The contents of such a folder are not looked at.
   * A file of a kind that no reader takes is left out too; given by name, it fails with its reason.
   * Several inputs that lead to one path may report it more than once.
   */
  readonly onSkip?: ((uri: string, kind: SkippedKind) => void) | undefined;
}

/**
 * Kind of a path that a walk left out. A `"link"` is one that is not followed, whatever its target. An `"unread"` file is of a kind that no reader takes; an `"oversized"`
 * one is larger than the limit.
 *
 * @experimental
 */
export type SkippedKind = "file" | "folder" | "link" | "junk" | "unread" | "oversized";

/**
 * Rules that choose files of a folder or of a glob. A file that is left out counts as absent: a document that it brought before is swept.
 *
 * **Source** Embabel's directory configuration.
 *
 * @experimental
 */
export interface FolderRules {
  /** Only these. Globs relative to the folder; one without `/` is held against the name alone. */
  readonly include?: readonly string[] | undefined;
  /** Never these. A folder that matches is left out whole. */
  readonly exclude?: readonly string[] | undefined;
  /** How many folders down: 0 is the folder's own files alone. Default: all. */
  readonly maxDepth?: number | undefined;
  /** Limit for one walk; files beyond it are refused, not dropped. Default 1,000,000. */
  readonly maxFiles?: number | undefined;
  /** Largest file, in bytes. Default: 10 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Effect of a larger file: it fails, or it is skipped and counted. Default `"error"`. */
  readonly oversized?: "error" | "skip" | undefined;
  /**
   * Symbolic links found on the way: left alone, followed where they stay inside the folder, or followed wherever they lead. Default `"skip"`.
   * A folder that links lead to is walked once, whatever leads to it.
   */
  readonly symlinks?: "skip" | "inside" | "anywhere" | undefined;
  /** Whether to read lock files, source maps, search indexes of sites and minified code too. A file given by name is read in any case. Default false. */
  readonly junk?: boolean | undefined;
  /** Whether to keep pictures and recordings that no reader accepts too, found by their names. A file given by name is kept in any case. Default false. */
  readonly media?: boolean | undefined;
}

/** How far an ingestion has come. */
export interface IngestProgress {
  readonly documents: number;
  readonly chunks: number;
  /** Documents found so far; final once `complete`. */
  readonly found: number;
  readonly complete: boolean;
  /** While the store fits its own model, which it does last: the share that is done, from 0 to 1. */
  readonly fit?: number;
  /** A document that is being read, and how many of its pages, slides or chapters are. Absent in all other reports. */
  readonly pages?: { readonly uri: string; readonly done: number; readonly of: number };
}

/** Outcome of one document. */
export interface IngestResult {
  readonly uri: string;
  readonly scope: Scope;
  readonly status: "added" | "updated" | "unchanged" | "removed" | "failed";
  /** Id of the document, which one that failed before it was stored has too. */
  readonly documentId: string;
  /** Chunks that the document now has; for `removed`, that it had. */
  readonly chunks: number;
  /** Sentences about content that is missing from the text (see `ReadResult.notes`), and about text that a page does not show. */
  readonly notes?: readonly string[];
  readonly error?: IbidError;
  /** Chunks without a vector, because their batch failed under `onFailedBatch: "skip"`. Absent when there are none. */
  readonly unembedded?: number;
  /** Chunks that were left out by `onInvalid: "skip"`: their places in the given list, their ids, and the reasons. */
  readonly invalid?: readonly InvalidChunk[];
}

/** A given chunk that was left out, because its vector is invalid. */
export interface InvalidChunk {
  /** From 0. */
  readonly index: number;
  readonly id?: string;
  readonly error: IbidError;
}

/** Outcome of one ingestion, as counts. */
export interface IngestSummary {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly failed: number;
  /** Files that a walk found and whose kind no reader takes; see `onSkip`. Absent when there are none. */
  readonly skipped?: number;
  /** Chunks of all documents that were added, updated or unchanged. */
  readonly chunks: number;
  /** Texts really sent to the embedding model. For a caller with an `AccessContext`, those that needed a vector: what is cached tells what others wrote. */
  readonly embedded: number;
  /** Chunks without a vector, because their batch failed under `onFailedBatch: "skip"`. Absent when there are none. */
  readonly unembedded?: number;
  /** Usage of the embedding model, where texts were sent and the provider counts. Only the operator sees it, for the reason given at `embedded`. */
  readonly usage?: Usage;
  /** The reason of each failure, in the order of the results. */
  readonly failures: readonly { readonly uri: string; readonly error: IbidError }[];
  /** Proof of the run's commits: a search `after` it sees them. */
  readonly receipt: Receipt;
  readonly ms: number;
}

/**
 * An ingestion, started when it is first awaited or iterated: `await` gives the summary, `for await` one result per document as it lands.
 * Leaving the loop early stops the work between documents.
 */
export type IngestRun = Run<IngestResult, IngestSummary>;

/** An answer, started when it is first awaited or iterated: `await` gives it whole, `for await` as it is made. */
export type AskRun = Run<AnswerEvent, Answer>;

/**
 * Order of a list of documents. `newest` and `oldest` go by the time of ingestion, `largest` by bytes; equals by uri, then scope.
 *
 * @experimental
 */
export type ListOrder = "uri" | DocumentOrder;

/**
 * Restricts, orders and pages a list of documents.
 *
 * @experimental
 */
export interface ListOptions extends DocumentAddress {
  /** The documents of this time; see {@link SearchOptions.asOf}. */
  readonly asOf?: string | undefined;
  /** Only uris with this prefix. */
  readonly under?: string | undefined;
  /** Only the document of this id, in each scope that has one. **Cost** reads its tree, and no other document. */
  readonly documentId?: string | undefined;
  /** Only documents that follow this one in the order, though it may be deleted: the last one of the page before. */
  readonly after?: { readonly uri: string; readonly scope: Scope } | undefined;
  /** At most this many. Default: all. */
  readonly limit?: number | undefined;
  /** Only this media type, such as `application/pdf`, or a family of them, such as `image/`. */
  readonly mediaType?: string | undefined;
  /** Only documents that were ingested then or later: ISO 8601. */
  readonly since?: string | undefined;
  /** Only documents that were ingested earlier: ISO 8601. */
  readonly before?: string | undefined;
  /**
   * Default `"uri"`: by uri, then scope. In any other order the document of `after` must still be there. By title, A to Z ignore case. **Cost** the rows of the page,
   * where the store keeps the order: SQLite, Postgres and memory do. Otherwise all rows of the list for each page, of which two pages are held.
   */
  readonly sort?: ListOrder | undefined;
}

/**
 * Chooses the documents that `kb.folders` counts.
 *
 * @experimental
 */
export type FolderOptions = Pick<ListOptions, "scope" | "mediaType" | "since" | "before">;

/** Distinguishes documents that share a uri. */
export interface DocumentAddress {
  /** Scope of the document, when several hold the uri. */
  readonly scope?: Scope | undefined;
}

/** A document as a person sees it: its text and its tree, and what is known of it. */
export interface DocumentView extends DocumentSummary {
  /** The canonical text from `start` to `end`: whole, unless a part was asked for. */
  readonly text: string;
  /** **Units** UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** Length of the whole text. */
  readonly length: number;
  readonly metadata: Metadata;
  readonly root: Section;
  readonly sourceMap: SourceMap;
}

/**
 * Counts of a knowledge base's contents.
 *
 * @experimental
 */
export interface ContentInfo {
  readonly documentCount: number;
  readonly sectionCount: number;
  readonly chunkCount: number;
  /** Documents, sections and chunks. */
  readonly contentElementCount: number;
  readonly hasEmbeddings: boolean;
  /** Whether what was written is there after the process has ended. */
  readonly isPersistent: boolean;
}

/** A document that was taken out, and how many chunks went with it. */
export interface DeletedDocument {
  readonly uri: string;
  readonly scope: Scope;
  readonly chunks: number;
  /** The document, its sections and its chunks, where `elements` asked for them. */
  readonly elements?: number;
  /**
   * A purge is not complete: another process still reads an old state of the files, which holds the bytes. No search finds them.
   * They go with the next ingestion, vacuum or opening after that reader ends.
   */
  readonly pending?: true;
  /**
   * Result of a search of all files for the bytes of the document's id, where `prove` asked for it. An unfinished purge is `"present"` too.
   * Absent for a store without files, and for a document whose id its caller gave.
   */
  readonly files?: "absent" | "present";
}

/**
 * Result of a vacuum.
 *
 * @experimental
 */
export interface VacuumResult {
  /** Chunks that went for good. */
  readonly chunks: number;
  /** As in {@link DeletedDocument}. */
  readonly pending?: true;
}

/**
 * How long what was deleted is kept.
 *
 * @experimental
 */
export interface VacuumOptions {
  /** Age from which a deleted chunk is removed. **Units** milliseconds. Default 7 days. **Source** ToolUp. */
  readonly olderThanMs?: number | undefined;
  /** Only in this scope. Default: in every scope. */
  readonly scope?: Scope | undefined;
}

/** Restricts a listing of chunks. */
export interface ChunkListOptions extends DocumentAddress {
  readonly filter?: FilterInput | undefined;
  /** Only of this document. */
  readonly uri?: string | undefined;
  /**
   * Whether each chunk's metadata name the version of its vector: `_embedProvider`, `_embedModel`, `_embedDim`; of a picture `_imageProvider`,
   * `_imageModel`, `_imageDim`. Default false. **Source** ToolUp's stamps.
   * **Cost** reads the vectors.
   */
  readonly stamps?: boolean | undefined;
  /** Only of these ids. **Cost** one look-up for each, instead of a walk. */
  readonly ids?: readonly string[] | undefined;
  /** Whether each chunk comes with its vectors. Default false. */
  readonly includeEmbeddings?: boolean | undefined;
  /**
   * Whether chunks that `restore` brings back are listed too, with `deletedAt`: in the scopes that the caller may write, and in no other. Default false.
   * **Source** ToolUp's `ListChunks`.
   */
  readonly includeDeleted?: boolean | undefined;
}

/** Options of a caller's view. */
export interface ViewOptions {
  /** Strategy of searches and questions that name neither scopes nor a strategy. All other verbs see everything that the caller may read. Default `"all"`. */
  readonly strategy?: ScopeStrategy | undefined;
}

/**
 * Contents of a knowledge base, as far as the caller may read.
 *
 * @experimental
 */
export interface Status {
  readonly documents: number;
  readonly chunks: number;
  /** Bytes of the documents' sources. */
  readonly bytes: number;
  readonly scopes: readonly { readonly scope: Scope; readonly documents: number; readonly chunks: number }[];
  readonly embeddingVersions: readonly (EmbeddingVersion & { readonly chunks: number })[];
  /** The store's own model. Absent without one, and for callers who may not read the scope `deployment`. */
  readonly fit?: FitStatus | undefined;
  /** Per scope with vectors: the version that its searches use, and whether a re-embedding is under way. */
  readonly versions: readonly (ScopeVersions & { readonly reembedding: boolean })[];
  /** Vectors of models that the knowledge base is not open with. Absent when there are none. */
  readonly warnings?: readonly SearchWarning[];
  /** Index files that a process without a copy keeps. Only the operator sees it, as below. */
  readonly files?: KeptFiles;
  /** Share of embeddings served from the cache, over all callers. Only the operator sees it: a caller could learn from it what others have written. */
  readonly cacheHitRate?: number;
}

/**
 * A knowledge base: documents in, cited answers out.
 *
 * **Shape** `as` returns an object with the same verbs that sees only what the caller may read. An unknown option throws `invalid-argument`.
 * **Errors** `store-closed` after disposal; `aborted` when a signal fires; see each verb.
 * **Source** Ballerina `KnowledgeBase`, ToolUp's pipelines.
 */
export interface KnowledgeBase extends Collections, AsyncDisposable {
  /** Ingests documents; the same input again writes nothing. A document that fails keeps its old version and does not stop the others. */
  ingest(input: IngestInput, options?: IngestOptions): IngestRun;
  /**
   * Hits, best first; `warnings` is there when some vectors could not be searched, and `groups` with `groupBy`. **Errors** `unsupported` for a dense search of such
   * scopes.
   */
  search(
    query: string,
    options?: SearchOptions,
  ): Promise<
    readonly Hit[] & {
      readonly warnings?: readonly SearchWarning[] | undefined;
      readonly groups?: readonly HitGroup[] | undefined;
    }
  >;
  /**
   * The retriever of this caller, to hand to code that only searches. The gate is asked at each call.
   *
   * **Errors** `invalid-argument` for a wrong option, at once. **Source** Ballerina `VectorKnowledgeBase`.
   */
  retriever(options?: SearchOptions): HandedRetriever;
  /**
   * Chunks by a vector of the caller's own: the nearest of its version, best first. Needs no embedding model.
   *
   * **Shape** `score` is higher for nearer; `rawScore` is the metric's own value. Without vectors in the scopes that the caller may read, `[]`.
   * **Errors** `dimension-mismatch` for a vector of a length that no stored version has; `ambiguous` where several versions have it and none is named.
   * Also `unsupported` for a store without a dense leg.
   */
  searchVector(vector: Embedding, options?: VectorSearchOptions): Promise<readonly VectorMatch[]>;
  /**
   * Chunks by a filter alone, without a query: every match at score 0. Without a filter, every chunk.
   *
   * **Shape** by place, or in the order of insertion. **Errors** `invalid-filter`. **Cost** reads every match; `chunks` gives them one by one.
   */
  find(options?: FindOptions): Promise<readonly VectorMatch[]>;
  /** Ways of searching that the store and the models can serve. A retriever of one's own is taken to serve all. */
  readonly modes: readonly SearchMode[];
  ask(question: string, options?: AskOptions): AskRun;
  /**
   * Verifies an answer that ibid did not write: a text in Markdown, or the response of an API with its citations. Each sentence gets the verdict that an answer of ibid
   * has, and each quotation is looked for in the documents that the caller may read.
   *
   * **Errors** `invalid-argument` for an answer in an unknown form; `aborted`. **Cost** a listing of documents, and one or two searches for a quotation that is not in its source.
   * An answer without citations costs one search a sentence; a judge costs one call.
   */
  verify(answer: string | object, options?: VerifyOptions): Promise<Verification>;
  /**
   * Documents by uri, then scope.
   *
   * **Cost** its own rows: what stands before `after`, or outside `under`, `mediaType`, `since` and `before`, is not read, and no more than `limit` of each scope. The
   * stores over SQLite and Postgres pass over entries of an index where a list is narrowed and sorted by different facts. Other databases read what they leave out.
   */
  list(options?: ListOptions): AsyncIterable<DocumentSummary>;
  /**
   * Numbers of documents by scope, folder and kind, in the order of these facts: for a choice of folders, and for totals.
   *
   * **Shape** a document counts in the folder that it lies in, and in none above. **Cost** a row for each folder and kind; with `since` or `before` the documents of that
   * time. Databases other than SQLite and Postgres read the whole list.
   */
  folders(options?: FolderOptions): Promise<readonly FolderCount[]>;
  /**
   * Counts of what the caller may read, of all documents or of those whose metadata match. **Cost** the tree of each document.
   * **Source** Embabel's repository info.
   */
  info(options?: { readonly filter?: FilterInput | undefined }): Promise<ContentInfo>;
  /**
   * A document, or the part of its text from `start` to `end`; both end with the text. `undefined` for what is not there or may not be read.
   *
   * **Units** UTF-16 code units. **Errors** `ambiguous` when several scopes hold the uri; `details.scopes` lists them. **Cost** A part costs its text and the tree.
   */
  document(
    uri: string,
    address?: DocumentAddress & {
      readonly start?: number | undefined;
      readonly end?: number | undefined;
      /** The document as it was at this time; see {@link SearchOptions.asOf}. */
      readonly asOf?: string | undefined;
    },
  ): Promise<DocumentView | undefined>;
  /**
   * A picture, a recording or a file as it was ingested: its bytes, its address, or its id at a provider. `undefined` for a document of text, and like `document` for
   * what is not there.
   */
  media(uri: string, address?: DocumentAddress): Promise<MediaDocument | undefined>;
  /**
   * A chunk in what stands around it: with its neighbours, or as part of its section and those above. `undefined` for what is not there or may not be read,
   * and for a chunk whose document is not kept. **Errors** `ambiguous` when several scopes hold the id.
   */
  expand(chunk: ChunkAddress, options: ExpandOptions): Promise<Excerpt | undefined>;
  /** The sections of a document. Like `document` for what is not there, and for several scopes. */
  outline(uri: string, address?: DocumentAddress): Promise<Outline | undefined>;
  /** One section of one document, by the id that its outline gives it; `undefined` for a section that it has not. */
  section(uri: string, sectionId: string, options?: SectionOptions): Promise<Excerpt | undefined>;
  /**
   * Deletes one document, or every document whose metadata match a filter, in the scopes that the caller may write. `restore` brings each back until it is
   * vacuumed.
   *
   * **Shape** the documents that went, with their chunks; for the uri of an archive, all that came out of it. A uri that is not there deletes nothing. A document that was composed of chunks also goes when all
   * its chunks match. Single chunks go by their ids, and their document stays; it is ingested whole again when its source changes. With `purge`, `prove` searches the
   * files for each document's id afterwards, which no other document has. **Errors** `ambiguous`, `access-denied`; `not-found` with `onMissing: "error"`.
   * **Cost** `prove` reads the files once.
   */
  delete(
    target: string | { readonly filter: FilterInput } | { readonly chunks: readonly string[] },
    options?: DocumentAddress &
      DeleteOptions & { readonly elements?: boolean | undefined; readonly prove?: boolean | undefined },
  ): Promise<readonly DeletedDocument[]>;
  /**
   * Restores a deleted document, or single chunks by their ids, until it is vacuumed. **Shape** one entry for each restored document; empty for a uri without deleted documents in the scopes
   * that the caller may write. With `asOf`, the document is written again as it stood then, and the version that stands becomes a former one.
   *
   * **Errors** `ambiguous`; `unsupported` where the store cannot; `not-found` for a document that did not stand at `asOf`.
   */
  restore(
    target: string | { readonly chunks: readonly string[] },
    address?: DocumentAddress & { readonly asOf?: string | undefined },
  ): Promise<readonly DeletedDocument[]>;
  /**
   * Versions of a document, latest first: the one that stands, and the former ones. `[]` for a document that is not there or may not be read.
   *
   * **Errors** `ambiguous`; `unsupported` without history. **Cost** reads each version.
   */
  versions(uri: string, address?: DocumentAddress): Promise<readonly DocumentVersion[]>;
  /**
   * Deleted documents that `restore` brings back, by uri, then scope, in the scopes that the caller may write. None where the store keeps no deleted documents.
   */
  deleted(): AsyncIterable<DeletedSummary>;
  /** Removes for good what was deleted longer ago, in every scope. **Errors** `access-denied` for anybody but the operator. */
  vacuum(options?: VacuumOptions): Promise<VacuumResult>;
  /** Empties a scope at once and for good: nothing of it can be restored. **Errors** `access-denied`. */
  reset(scope: Scope): Promise<VacuumResult>;
  /**
   * The client of the engine behind the dense leg, by the engine's name: for what the engine has and ibid does not. Nothing that is done with it is checked.
   *
   * **Errors** `access-denied` unless the operator calls; `invalid-argument` for an unknown name, with the names that there are.
   */
  native(name: string): Promise<unknown>;
  /** Every chunk that the caller may read, by scope, then id. **Errors** `ambiguous` for a uri in several scopes. */
  chunks(options?: ChunkListOptions): AsyncIterable<StoredChunk>;
  /**
   * Checks all stored data for consistency; `fix` repairs what can be repaired. **Errors** `access-denied` unless the operator calls;
   * `unsupported` where the store cannot.
   */
  doctor(options?: ExamineOptions): Promise<Diagnosis>;
  status(): Promise<Status>;
  /** Figures of the last minute. **Errors** `access-denied` unless the operator calls, because the figures cover all callers. */
  health(options?: HealthOptions): Promise<Health>;
  /**
   * Events that are kept, oldest first: searches and why some found nothing, documents that came or failed, re-embeddings, vacuums.
   *
   * **Errors** `access-denied` unless the operator calls; `configuration-missing` where no events are kept; `invalid-argument` for a wrong filter.
   */
  events(filter?: EventFilter): AsyncIterable<KnowledgeEvent>;
  /** Whether this caller may write a scope. Queues and upload forms ask before they take a document. **Errors** `invalid-argument` for no scope. */
  mayWrite(scope: Scope): boolean;

  /**
   * Records an event of a service of this knowledge base, such as an ingestion queue, in health figures, event store and telemetry.
   *
   * **Errors** `access-denied` unless the operator calls; `invalid-argument` for a name that there is not, and for no scope. Event stores and telemetry that fail do
   * not make it fail.
   */
  report<Name extends EventName>(name: Name, scopes: readonly Scope[], data: EventData[Name]): void;
  /**
   * Embeds every chunk that has no vector of the current embedding model, then switches each scope over in one transaction.
   *
   * Searches use the old vectors until then. A run that was stopped or killed continues where it was. `rollback` switches back, until the old vectors are vacuumed.
   * **Errors** `store-busy` for a scope that is being re-embedded, `configuration-missing`, `access-denied`, `not-found` for a rollback without a former version.
   * Also `unsupported` for a store that keeps one version. **Cost** one model call per batch; `estimate` and `rollback` send nothing.
   */
  reembed(options?: ReembedOptions): ReembedRun;
  /**
   * Returns a view of the same knowledge base for one caller. **Errors** `invalid-argument` for an id that is blank or no string, or an active team outside
   * `teams`; `access-denied` on a view of another caller.
   */
  as(context: AccessContext, options?: ViewOptions): KnowledgeBase;
  /**
   * Resolves when the store can be written. Some databases build an index in the background; `ingest` waits for it too.
   *
   * **Errors** `aborted` when the signal fires.
   */
  ready(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Waits for what goes on in the background.
   *
   * With `settle: false` it ends sooner: a fit or a merge that is not finished is left to the next opening that settles. Everything that was acknowledged is kept, as always.
   * **Errors** `invalid-argument` for an unknown option.
   */
  close(options?: { readonly settle?: boolean | undefined }): Promise<void>;
}
