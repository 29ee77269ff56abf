import type { Answer, AnswerEvent, AskOptions } from "./answer.ts";
import type { Usage } from "./chat.ts";
import type { Chunk } from "./chunk.ts";
import type { Collections } from "./collection.ts";
import type { Diagnosis, ExamineOptions } from "./diagnosis.ts";
import type { Document, Origin, Section, SourceMap } from "./document.ts";
import type { DocumentSummary } from "./document-store.ts";
import type { EmbeddingVersion } from "./embedding.ts";
import type { IbidError } from "./errors.ts";
import type { ChunkAddress, Excerpt, ExpandOptions, Outline, SectionOptions } from "./expansion.ts";
import type { FilterInput } from "./filter.ts";
import type { Health, HealthOptions } from "./health.ts";
import type { Metadata } from "./metadata.ts";
import type { Source } from "./reader.ts";
import type { ReembedOptions, ReembedRun, ScopeVersions } from "./reembedding.ts";
import type { RefreshPolicy } from "./refresh-policy.ts";
import type { Hit, SearchOptions } from "./retriever.ts";
import type { AccessContext, Scope, ScopeStrategy } from "./scope.ts";
import type { DeleteOptions, StoredChunk } from "./store.ts";

/** A text to ingest that is not a file: everything but uri and text has a default. */
export interface TextInput {
  readonly uri: string;
  readonly text: string;
  /** Default `text/plain`. A reader for it must be there. */
  readonly mediaType?: string;
  readonly title?: string;
  readonly metadata?: Metadata;
}

/** Bytes to ingest under a name: a buffer, a blob, or a stream, which is read once. */
export interface BytesInput {
  readonly uri: string;
  readonly bytes: ByteContent;
  /** Default: what the bytes look like, then the name. */
  readonly mediaType?: string;
  /** Default: what the bytes say, else UTF-8. */
  readonly charset?: string;
  /** **Units** bytes. Beyond it the document is refused, and a stream is read no further. Default 64 MiB. */
  readonly maxBytes?: number;
  readonly title?: string;
  readonly metadata?: Metadata;
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
 * What can be ingested: a path, glob or address (on Node), a text, bytes, a document, chunks that are already cut, a source of your own, or a stream of those.
 */
export type IngestInput =
  | string
  | readonly (string | Source)[]
  | TextInput
  | BytesInput
  | readonly (TextInput | BytesInput)[]
  | Document
  | readonly Document[]
  | readonly Chunk[]
  | Source
  | AsyncIterable<TextInput | BytesInput | Document>;

/** How an ingestion goes about it; everything has a default. */
export interface IngestOptions {
  /** Where the documents go. Default `"deployment"`; for a caller with an `AccessContext`, their team, else themselves. */
  readonly scope?: Scope;
  /** Added to every document's metadata; wins over what the source says. */
  readonly metadata?: Metadata;
  /** Default `"user-content"`. */
  readonly origin?: Origin;
  /** Opens protected files; tried on those that ask for one. Never stored, and no part of any fingerprint. */
  readonly password?: string;
  /** The encoding of texts for which nobody else names one; what is UTF-8 or UTF-16 by its bytes is read as that. Default: what their words show. */
  readonly charset?: string;
  /** Remove documents that came from an ingested folder and are gone from it. Default true. */
  readonly sweep?: boolean;
  /** What of it is looked at again, where it is there already. Default: everything; what has not changed is not written. */
  readonly refresh?: RefreshPolicy;
  /** Of paths and globs: which of the files below them. */
  readonly folders?: FolderRules;
  /**
   * Wait until the store has finished what it puts off: sealing, merging, fitting its own model on what came. Default false: that goes on in the background,
   * searches meanwhile find by words what no model has seen yet, and `close` waits for it.
   */
  readonly settle?: boolean;
  readonly signal?: AbortSignal;
  /** Called as work proceeds, for a display; throwing in it fails nothing. */
  readonly onProgress?: (progress: IngestProgress) => void;
  /** Called when a document's bytes have been read and cut, and its chunks are about to be embedded; what has not changed never gets there. */
  readonly onEmbedding?: (uri: string) => void;
  /**
   * Called for each file, folder and symbolic link that a rule leaves out of a walk; what is in such a folder is not looked at. May be called again for
   * one that several inputs lead to.
   */
  readonly onSkip?: (uri: string, kind: SkippedKind) => void;
}

/** What a walk left out. A link is one that is not followed, whatever it leads to. */
export type SkippedKind = "file" | "folder" | "link";

/**
 * Which files of a folder, or of what a glob matches, are taken. What is left out counts as not there: documents that it brought before are swept.
 *
 * **Source** Embabel's directory configuration.
 */
export interface FolderRules {
  /** Only these. Globs relative to the folder; one without `/` is held against the name alone. */
  readonly include?: readonly string[];
  /** Never these. A folder that matches is left out whole. */
  readonly exclude?: readonly string[];
  /** How many folders down: 0 is the folder's own files alone. Default: all. */
  readonly maxDepth?: number;
  /** Of one walk; beyond it the rest is refused, not dropped. Default 1,000,000. */
  readonly maxFiles?: number;
  /** Largest file, in bytes. Default: 10 MiB. */
  readonly maxFileBytes?: number;
  /**
   * Symbolic links found on the way: left alone, followed where they stay inside the folder, or followed wherever they lead. Default `"skip"`.
   * A folder that links lead to is walked once, whatever leads to it.
   */
  readonly symlinks?: "skip" | "inside" | "anywhere";
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
}

/** What became of one document. */
export interface IngestResult {
  readonly uri: string;
  readonly scope: Scope;
  readonly status: "added" | "updated" | "unchanged" | "removed" | "failed";
  /** `""` when it failed before it had one. */
  readonly documentId: string;
  /** Chunks that the document now has; for `removed`, that it had. */
  readonly chunks: number;
  /** What of the file is not in the text, and why (see `ReadResult.notes`); and that the text holds what its readers do not see. */
  readonly notes?: readonly string[];
  readonly error?: IbidError;
}

/** What became of all documents of one ingestion, counted. */
export interface IngestSummary {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly failed: number;
  /** Chunks of all documents that were added, updated or unchanged. */
  readonly chunks: number;
  /** Texts really sent to the embedding model. For a caller with an `AccessContext`, those that needed a vector: what is cached tells what others wrote. */
  readonly embedded: number;
  /** Of the embedding model, where something was sent and the provider counts. Told to the operator alone, as `embedded` says why. */
  readonly usage?: Usage;
  readonly ms: number;
}

/**
 * An ingestion, started when it is first awaited or iterated: `await` gives the summary, `for await` one result per document as it lands.
 * Leaving the loop early stops the work between documents.
 */
export interface IngestRun extends PromiseLike<IngestSummary>, AsyncIterable<IngestResult> {}

/** An answer, started when it is first awaited or iterated: `await` gives it whole, `for await` as it is made. */
export interface AskRun extends PromiseLike<Answer>, AsyncIterable<AnswerEvent> {}

/** What tells documents of one uri apart. */
export interface DocumentAddress {
  /** Which scope's, when several hold the uri. */
  readonly scope?: Scope;
}

/** A document as a person sees it: its text and its tree, and what is known of it. */
export interface DocumentView extends DocumentSummary {
  readonly text: string;
  readonly metadata: Metadata;
  readonly root: Section;
  readonly sourceMap: SourceMap;
}

/** A document that was taken out, and how many chunks went with it. */
export interface DeletedDocument {
  readonly uri: string;
  readonly scope: Scope;
  readonly chunks: number;
  /**
   * Of a purge: nothing finds it any more, but a reader of another process holds on to an old state of the files, in which its bytes still lie. They go with the
   * next ingestion, vacuum or opening after that reader is gone.
   */
  readonly pending?: true;
}

/** What a vacuum did. */
export interface VacuumResult {
  /** Chunks that went for good. */
  readonly chunks: number;
  /** As in {@link DeletedDocument}. */
  readonly pending?: true;
}

/** How long what was deleted is kept. */
export interface VacuumOptions {
  /** **Units** milliseconds. Default 7 days. **Source** ToolUp. */
  readonly olderThanMs?: number;
}

/** Which chunks are listed. */
export interface ChunkListOptions extends DocumentAddress {
  readonly filter?: FilterInput;
  /** Only of this document. */
  readonly uri?: string;
}

/** How somebody's view of a knowledge base goes about it. */
export interface ViewOptions {
  /** Of searches and questions that name neither scopes nor a strategy; every other verb sees all that the caller may read. Default `"all"`. */
  readonly strategy?: ScopeStrategy;
}

/** What a knowledge base holds, as far as the caller may see. */
export interface Status {
  readonly documents: number;
  readonly chunks: number;
  /** Bytes of the documents' sources. */
  readonly bytes: number;
  readonly scopes: readonly { readonly scope: Scope; readonly documents: number; readonly chunks: number }[];
  readonly embeddingVersions: readonly (EmbeddingVersion & { readonly chunks: number })[];
  /** Of every scope that has vectors: which ones its searches use, and whether others are on their way. */
  readonly versions: readonly (ScopeVersions & { readonly reembedding: boolean })[];
  /** Of everybody's embeddings together, and so told to the operator alone: from it a caller could learn what others have written. */
  readonly cacheHitRate?: number;
}

/**
 * The object that people hold: documents in, cited answers out.
 *
 * **Shape** what `as` returns has the same verbs and sees only what that caller may read. An unknown option throws `invalid-argument`.
 * **Errors** `store-closed` after disposal; `aborted` when a signal fires; see each verb.
 * **Source** Ballerina `KnowledgeBase`, ToolUp's pipelines.
 */
export interface KnowledgeBase extends Collections, AsyncDisposable {
  /** Idempotent. A document that fails keeps its old version and does not stop the others. */
  ingest(input: IngestInput, options?: IngestOptions): IngestRun;
  search(query: string, options?: SearchOptions): Promise<readonly Hit[]>;
  ask(question: string, options?: AskOptions): AskRun;
  /** By uri, then scope. */
  list(): AsyncIterable<DocumentSummary>;
  /** `undefined` for what is not there or may not be read. **Errors** `ambiguous` when several scopes hold the uri; `details.scopes` lists them. */
  document(uri: string, address?: DocumentAddress): Promise<DocumentView | undefined>;
  /**
   * A chunk in what stands around it: with its neighbours, or as part of its section and those above. `undefined` for what is not there or may not be read,
   * and for a chunk whose document is not kept. **Errors** `ambiguous` when several scopes hold the id.
   */
  expand(chunk: ChunkAddress, options: ExpandOptions): Promise<Excerpt | undefined>;
  /** The sections of a document. Like `document` for what is not there, and for several scopes. */
  outline(uri: string, address?: DocumentAddress): Promise<Outline | undefined>;
  /** One section of one document, by the id that its outline gives it; `undefined` for a section that it has not. */
  section(uri: string, sectionId: string, options?: SectionOptions): Promise<Excerpt | undefined>;
  /** Takes documents out at once, restorable until vacuumed. A uri that is not there deletes nothing. **Errors** `ambiguous`, `access-denied`. */
  delete(uri: string, options?: DocumentAddress & DeleteOptions): Promise<readonly DeletedDocument[]>;
  /** Deletes every document of the scope whose metadata matches. */
  deleteByFilter(filter: FilterInput, options?: DocumentAddress & DeleteOptions): Promise<readonly DeletedDocument[]>;
  /**
   * Takes back a delete that was not a purge, until it is vacuumed. **Shape** what came back, one for each document; nothing where nothing of that uri was deleted.
   * **Errors** `ambiguous`, `access-denied`; `unsupported` where the store cannot.
   */
  restore(uri: string, address?: DocumentAddress): Promise<readonly DeletedDocument[]>;
  /** Removes for good what was deleted longer ago, in every scope. **Errors** `access-denied` for anybody but the operator. */
  vacuum(options?: VacuumOptions): Promise<VacuumResult>;
  /** Empties a scope at once and for good: nothing of it can be restored, and nothing brings it back. **Errors** `access-denied`. */
  reset(scope: Scope): Promise<VacuumResult>;
  /** Every chunk that the caller may read, by scope, then id. **Errors** `ambiguous` for a uri in several scopes. */
  chunks(options?: ChunkListOptions): AsyncIterable<StoredChunk>;
  /**
   * Holds everything that is kept against everything else, and with `fix` mends what can be. **Errors** `access-denied` for anybody but the operator;
   * `unsupported` where the store cannot.
   */
  doctor(options?: ExamineOptions): Promise<Diagnosis>;
  status(): Promise<Status>;
  /** How the last minute went. **Errors** `access-denied` for anybody but the operator: it counts everybody's searches. */
  health(options?: HealthOptions): Promise<Health>;
  /**
   * Makes a vector of the knowledge base's embedding model for every chunk that has none, while searches go on with those that there are; then, scope by scope
   * and each in one transaction, changes over. Begun again after it was stopped or killed, it goes on where it was. `rollback` leads back, until the old vectors
   * are vacuumed. **Errors** `store-busy` for a scope that is being re-embedded, `configuration-missing`, `access-denied`, `not-found` for a rollback to nothing,
   * `unsupported` for a store that keeps one version. **Cost** one call of the model for each batch; nothing is sent with `estimate` and `rollback`.
   */
  reembed(options?: ReembedOptions): ReembedRun;
  /**
   * The same knowledge base, for somebody. **Errors** `invalid-argument` for an id that is blank or no text, and for an active team that is not among `teams`;
   * `access-denied` where a view would become somebody else's.
   */
  as(context: AccessContext, options?: ViewOptions): KnowledgeBase;
  /** Waits for what goes on in the background. */
  close(): Promise<void>;
}
