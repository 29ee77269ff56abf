import type { Chunk } from "./chunk.ts";
import type { Diagnosis, ExamineOptions } from "./diagnosis.ts";
import type {
  CountFoldersOptions,
  DocumentOrder,
  DocumentSummary,
  DocumentVersion,
  DocumentWrite,
  FolderCount,
  FreshnessMark,
  ListDocumentsOptions,
  ReplaceResult,
  StoredDocument,
  StoredStructure,
  StructureOptions,
} from "./document-store.ts";
import type { EmbeddingKind, EmbeddingVersion, VersionedEmbedding } from "./embedding.ts";
import type { Filter } from "./filter.ts";
import type {
  ChunkRef,
  Leg,
  LegCapabilities,
  LegResult,
  MatchCount,
  Moment,
  Query,
  ReadChunk,
  ReadChunksOptions,
  Receipt,
  SessionOptions,
  StoreSession,
  Within,
} from "./leg.ts";
import type { AddedVector, ScopeVersions, VersionChange } from "./reembedding.ts";
import type { AuthorizedScopes, Scope, SystemAuthority } from "./scope.ts";

/**
 * When an acknowledged write is safe: at once and against power loss (`"commit"`), at the next snapshot (`"snapshot"`), or never (`"none"`).
 *
 * @experimental
 */
export type Durability = "commit" | "snapshot" | "none";

/**
 * Capabilities of a composed store, read from its parts. A "no" is a promise too. @experimental
 *
 * @experimental
 */
export interface StoreCapabilities {
  readonly durability: Durability;
  /** Kinds of embeddings that the store keeps. A write of another kind throws `unsupported`. */
  readonly embeddings: readonly EmbeddingKind[];
  /** Capabilities of each leg, by the leg's name, in the order of the legs. */
  readonly legs: Readonly<Record<string, LegCapabilities>>;
  readonly versions: boolean;
  readonly trash: boolean;
  readonly upkeep: boolean;
  /** Whether it can keep former versions; whether it does is an option of the knowledge base. */
  readonly history: boolean;
}

/**
 * Chunks to delete in one scope. @experimental
 *
 * @experimental
 */
export type DeleteTarget =
  | { readonly ids: readonly string[] }
  | { readonly documentIds: readonly string[] }
  | { readonly filter: Filter }
  /** The whole scope: at once and for good, without a way back. */
  | { readonly scope: true };

/** Options of a delete. */
export interface DeleteOptions {
  /** Behaviour for an id that the scope does not hold. Default `"ignore"`. */
  readonly onMissing?: "ignore" | "error" | undefined;
  /** Gone at once from every row, posting and vector, instead of restorable until vacuumed. Default false. */
  readonly purge?: boolean | undefined;
}

/**
 * Outcome of a delete. @experimental
 *
 * @experimental
 */
export interface DeleteResult {
  /** Live chunks that went. Deleting a deleted chunk counts 0. */
  readonly chunks: number;
  readonly receipt: Receipt;
  /** Engines that still hold something of a purge. Settling and `scrub` finish it. Absent: none. */
  readonly pending?: readonly string[] | undefined;
}

/**
 * Restricts a listing of chunks, and chooses their parts. @experimental
 *
 * @experimental
 */
export interface ListChunksOptions {
  readonly filter?: Filter | undefined;
  readonly documentId?: string | undefined;
  /** Only chunks of these ids. **Cost** one look-up for each, instead of a walk. */
  readonly ids?: readonly string[] | undefined;
  readonly includeEmbeddings?: boolean | undefined;
  /** Whether chunks that `trash.restore` takes back are listed too, with `deletedAt`. Default false; a store without `trash` has none. */
  readonly includeDeleted?: boolean | undefined;
}

/**
 * A chunk of a listing. @experimental
 *
 * @experimental
 */
export interface StoredChunk {
  readonly scope: Scope;
  readonly chunk: Chunk;
  /** Only when asked for. */
  readonly embeddings?: readonly VersionedEmbedding[];
  /** ISO 8601, UTC, of a deleted chunk; only when asked for. */
  readonly deletedAt?: string;
}

/**
 * Contents of a store in the scopes that were asked for. @experimental
 *
 * @experimental
 */
export interface StoreStatus {
  readonly documents: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly scopes: readonly { readonly scope: Scope; readonly documents: number; readonly chunks: number }[];
  readonly embeddingVersions: readonly (EmbeddingVersion & { readonly chunks: number })[];
  /** The store's own model. Absent without one, and where the scopes are without the one that it is fitted on. */
  readonly fit?: FitStatus | undefined;
  /** Index files that a process without a copy keeps. Absent from other stores, and for callers other than the operator. */
  readonly files?: KeptFiles | undefined;
}

/**
 * Files of an index that a process keeps in memory.
 *
 * **Units** bytes.
 * @experimental
 */
export interface KeptFiles {
  readonly bytes: number;
  /** The option `keepBytes`. One question may need more, and holds it until the next one. */
  readonly mostBytes: number;
  /** Bytes that were fetched once more, because they had been left out for others. */
  readonly againBytes: number;
  /** The next action, where anything was fetched again. */
  readonly hint?: string | undefined;
}

/**
 * The store's own model beside the corpus that it is fitted on: the chunks of the scope `deployment`.
 *
 * **Units** live chunks.
 * @experimental
 */
export interface FitStatus {
  /** Chunks that it is made of; 0 before the first fit. */
  readonly madeOf: number;
  /** Chunks that came since, and are placed by words that the fit knows. */
  readonly foldedIn: number;
  /** Chunks from which on the next settling makes a new fit. */
  readonly refitAt: number;
  /** Whether the next settling makes a new fit: the corpus has grown so far, or a chunk of the fit has changed or left. */
  readonly isDue: boolean;
  /** Whether searches leave it aside until then, because a document that it is made of was deleted. */
  readonly isSetAside: boolean;
}

/**
 * A document that was deleted and can be restored. @experimental
 *
 * @experimental
 */
export interface DeletedSummary extends DocumentSummary {
  /** ISO 8601. */
  readonly deletedAt: string;
}

/**
 * Options of {@link Upkeep.settle}. @experimental
 *
 * @experimental
 */
export interface SettleOptions {
  readonly signal?: AbortSignal | undefined;
  /** While a model is fitted. **Units** the share that is done, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * The places of a call in a store's interfaces: `read` many scopes, `write` one, `any` of both rights, `maintain` all. @experimental
 *
 * @experimental
 */
export interface Places {
  readonly read: unknown;
  readonly write: unknown;
  readonly any: unknown;
  readonly maintain: readonly unknown[];
}

/**
 * Scopes that {@link Store} has checked: the author of a part trusts them and never widens them. @experimental
 *
 * @experimental
 */
export interface Checked extends Places {
  readonly read: readonly Scope[];
  readonly write: Scope;
  readonly any: readonly Scope[];
  readonly maintain: readonly [];
}

/**
 * Proofs of the gate: the form in which the user of a {@link Store} names scopes. A write proof names exactly one. @experimental
 *
 * @experimental
 */
export interface Proven extends Places {
  readonly read: AuthorizedScopes;
  readonly write: AuthorizedScopes<"write">;
  readonly any: AuthorizedScopes<"read" | "write">;
  readonly maintain: readonly [authority: SystemAuthority];
}

/**
 * The verbs about documents and chunks, for the author of a store (`Checked`) and for its user (`Proven`).
 *
 * **Shape** Identity of a document is (scope, id), of a chunk (scope, id). A call stores everything or nothing. A reader sees the state before or after a
 * write, also across processes.
 * **Errors** `access-denied` for a proof that the gate did not make; `invalid-id` for an id that is blank or holds U+0000 or a lone
 * surrogate; `dimension-mismatch` before anything is stored; `unsupported` for a kind of embedding that the store does not keep; `store-closed`.
 * @experimental
 */
export interface DocumentVerbs<By extends Places> {
  /** Swaps a document and its whole chunk set in one transaction. Batches are read to their end before anything is visible. */
  replace(into: By["write"], write: DocumentWrite): Promise<ReplaceResult & { readonly receipt: Receipt }>;
  delete(from: By["write"], target: DeleteTarget, options?: DeleteOptions): Promise<DeleteResult>;
  /** Writes only the freshness of an unchanged document. */
  touch(into: By["write"], id: string, mark: FreshnessMark): Promise<void>;
  /**
   * Returns chunks that need no new embedding: live ones with a vector of `version`, or all when it is `undefined`.
   *
   * **Shape** chunk id to the text that is embedded: the chunk's names and its `text`, as `embeddedText` of `ibid/text` joins them.
   */
  held(
    into: By["write"],
    documentId: string,
    version: EmbeddingVersion | undefined,
  ): Promise<ReadonlyMap<string, string>>;
  /** Documents of a uri, ordered by scope; more than one when several scopes hold it. */
  find(scopes: By["read"], uri: string): Promise<readonly StoredDocument[]>;
  /** `undefined` for an unknown document and for one outside the scopes, alike. */
  document(scopes: By["read"], id: string): Promise<StoredDocument | undefined>;
  /** The document that {@link DocumentVerbs.document} gives, without its text. **Cost** grows with its tree, never with its text. */
  structure(scopes: By["read"], id: string, options?: StructureOptions): Promise<StoredStructure | undefined>;
  /**
   * A slice of the text of the document that {@link DocumentVerbs.document} gives, as `text.slice(start, end)` gives it.
   *
   * **Units** UTF-16 code units. **Errors** `invalid-argument` unless `start` and `end` are whole numbers with `0 <= start <= end`.
   * **Cost** grows with the slice, never with the text.
   */
  readText(scopes: By["read"], id: string, start: number, end: number): Promise<string | undefined>;
  /** By uri, then scope; paged by key, so that writers never wait. */
  documents(scopes: By["read"], options?: ListDocumentsOptions): AsyncIterable<DocumentSummary>;
  /** Live documents, counted by scope, folder and kind; in any order, which `composeStore` replaces by that of the facts. **Cost** grows with the folders; with `since` or `before` with the documents of that time. */
  folders(scopes: By["read"], options?: CountFoldersOptions): Promise<readonly FolderCount[]>;
  /** Live chunks in order of (scope, id), paged by key; with `includeDeleted` the deleted among them. */
  chunks(scopes: By["read"], options?: ListChunksOptions): AsyncIterable<StoredChunk>;
  /** Live chunks of each document, in the order asked; 0 for a document outside the scopes. */
  chunkCounts(
    scopes: By["read"],
    documents: readonly { readonly scope: Scope; readonly documentId: string }[],
  ): Promise<readonly number[]>;
  /**
   * Scopes that hold at least one live chunk or document, sorted. `atMostMs` is that of `moment`. Calls that follow see no earlier state than the list, whatever
   * age they allow.
   */
  scopes(...call: [...by: By["maintain"], atMostMs?: number]): Promise<readonly Scope[]>;
  /** Counts live documents and chunks of the given scopes only. **Cost** linear in the documents; a segment store looks at chunks once after each change. */
  status(scopes: By["read"]): Promise<StoreStatus>;
  /**
   * The newest state of some scopes; with `after`, one that holds those commits. With `atMostMs`, a store that keeps copies may give a state that was the newest
   * at most so long ago, in milliseconds.
   *
   * **Shape** `stamp` grows with every call that changes a scope, whichever process makes it, and never for sealing or merging. `life` is another one after a
   * purge, a vacuum or a reset: whatever was derived from the scope's chunks must go too.
   * **Errors** `invalid-argument` for a receipt of a commit that the store does not have.
   */
  moment(scopes: By["any"], after?: readonly Receipt[], atMostMs?: number): Promise<Moment>;
}

/** Verbs that the author of a store may leave out. */
type Slices = "structure" | "readText" | "folders";

/**
 * The system of record: documents, trees, chunks and their text. `composeStore` checks proofs, ids and vectors before it calls.
 *
 * **Shape** `structure`, `readText` and `folders` may be absent. `composeStore` then reads the whole document for each of their calls, or the whole list.
 * @experimental
 */
export interface DocumentStore
  extends Omit<DocumentVerbs<Checked>, Slices>, Partial<Pick<DocumentVerbs<Checked>, Slices>> {
  readonly durability: Durability;
  readonly embeddings: readonly EmbeddingKind[];
  /** Orders in which `documents` reads no more rows than it gives. For every other one `composeStore` reads all rows, and sorts them. Absent: none. */
  readonly orders?: readonly DocumentOrder[] | undefined;
  /** Whether `documents` leaves out other media types and times without giving their rows. Otherwise `composeStore` does. Default false. */
  readonly narrows?: boolean | undefined;
  /** Whether the store can be written. `composeStore` asks until the answer is yes. Absent: at once. */
  ready?(signal?: AbortSignal): Promise<boolean>;
  /** Chunks in the order of `refs`; `undefined` where one is gone. **Cost** the bytes of the slices, never of whole documents. */
  readChunks(
    refs: readonly ChunkRef[],
    options: Omit<ReadChunksOptions, "copies"> & {
      readonly moment?: Moment | undefined;
      /** Scopes to name copies in. Absent: none are asked for. */
      readonly copiesIn?: readonly Scope[] | undefined;
    },
  ): Promise<readonly (ReadChunk | undefined)[]>;
  /** Runs `work` in one transaction. **Shape** `work` is synchronous, and may run again. Absent where a search cannot be one transaction. */
  atOnce?<Result>(scopes: readonly Scope[], work: (now: StoreNow) => Result): Promise<Result>;
  /** With `settle: false`, upkeep that is under way may be broken off. */
  close(options?: { readonly settle?: boolean | undefined }): Promise<void>;
}

/**
 * One transaction of a store. @experimental
 *
 * @experimental
 */
export interface StoreNow {
  readonly moment: Moment;
  /** `search` of one of the store's own legs. **Shape** `undefined` for a leg whose `search` is another function. */
  search(leg: Leg, query: Query, k: MatchCount, within: Within): LegResult | undefined;
  /** `readChunks` of the store. **Shape** `undefined` where that of `documents` is another function. */
  readChunks(
    documents: DocumentStore,
    ...given: Parameters<DocumentStore["readChunks"]>
  ): readonly (ReadChunk | undefined)[] | undefined;
}

/**
 * Two embedding versions side by side, so that a scope can be searched by one while the other is made.
 *
 * **Shape** `versions` gives one entry per scope, in order. A scope's current version is the one that most of its chunks have, unless a change named another.
 * **Source** ToolUp's re-embedding.
 * @experimental
 */
export interface VersionSwitch<By extends Places = Checked> {
  versions(scopes: By["any"]): Promise<readonly ScopeVersions[]>;
  /** Live chunks without a vector of that version, in order of id, paged by key. */
  lacking(into: By["write"], version: EmbeddingVersion): AsyncIterable<Chunk>;
  /**
   * Gives chunks a vector beside those that they have, in one transaction with the note that this version is under way. A chunk that is gone, has another
   * text, or has a vector of the version, is left alone.
   *
   * **Shape** vectors that were taken.
   */
  addVectors(into: By["write"], version: EmbeddingVersion, vectors: readonly AddedVector[]): Promise<number>;
  /**
   * Makes searches of the scope use another version, in one transaction. Unless `partial`, it happens only where no live chunk lacks a vector of it.
   * Vectors of the version before stay until a vacuum.
   */
  changeVersion(
    into: By["write"],
    version: EmbeddingVersion,
    options?: { readonly partial?: boolean | undefined },
  ): Promise<VersionChange>;
}

/**
 * Deleted documents, restorable until they are vacuumed. @experimental
 *
 * @experimental
 */
export interface Trash<By extends Places = Checked> {
  /** By uri, then scope. */
  deleted(scopes: By["read"]): AsyncIterable<DeletedSummary>;
  /** Scopes that hold at least one document, live or deleted. Absent where only those with something live are known. */
  scopes?(...by: By["maintain"]): Promise<readonly Scope[]>;
  /** Takes back a delete that was no purge. **Shape** chunks that came back. */
  restore(
    into: By["write"],
    target: { readonly ids: readonly string[] } | { readonly documentIds: readonly string[] },
  ): Promise<number>;
  /** Removes for good what was deleted more than `olderThanMs` ago, in every scope or in one. **Shape** chunks that went. */
  vacuum(
    ...call: [...by: By["maintain"], options: { readonly olderThanMs: number; readonly scope?: Scope | undefined }]
  ): Promise<number>;
}

/**
 * Work that correctness never waits for. @experimental
 *
 * @experimental
 */
export interface Upkeep<By extends Places = Checked> {
  /** Seals a large live segment, merges, and fits the store's own model. **Errors** `aborted`, `timeout`: finished work is kept. */
  settle(options?: SettleOptions): Promise<void>;
  /**
   * Overwrites purged bytes: finishes every purge and vacuum that a crash or a reader cut short.
   *
   * **Shape** false while a reader still holds an old state of the files; ask again later. No search finds purged chunks meanwhile.
   */
  scrub(...by: By["maintain"]): Promise<boolean>;
  /**
   * Finds the documents whose ids stand in the bytes of a file. **Shape** their ids. Absent for a store without files.
   *
   * **Cost** reads the files once.
   */
  idsInFiles?(...call: [...by: By["maintain"], documentIds: readonly string[]]): Promise<readonly string[]>;
  /** Compares every row, posting and vector with the others. **Cost** reads and analyses everything, and holds up other calls of this process. */
  examine(...call: [...by: By["maintain"], options?: ExamineOptions]): Promise<Diagnosis>;
}

/**
 * Options of {@link History.at}.
 */
export interface PastOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Former versions of documents, and the store as it was at a time.
 *
 * **Shape** a former version is kept when its document is replaced, until a vacuum. A purge takes the versions of a document along.
 */
export interface History<By extends Places, Past> {
  /** Whether versions that are replaced from now on are kept. Turning it off erases those that are kept. */
  keep(...call: [...by: By["maintain"], wanted: boolean]): Promise<void>;
  /**
   * The scopes as they were after the last write at or before a time, in milliseconds since 1970.
   *
   * **Errors** `unsupported` where no former versions are kept; `not-found` for a time before them, or before the last vacuum; `too-large` for more chunks than
   * fit into memory. **Cost** the chunks of the scopes, once for each state; the last ones are kept.
   */
  at(scopes: By["read"], time: number, options?: PastOptions): Promise<Past>;
  /**
   * Versions of the document of that id in a scope, latest first; `[]` for an unknown one.
   *
   * **Errors** `unsupported` where no former versions are kept. **Cost** reads each version with its chunks.
   */
  versions(scope: By["read"], documentId: string): Promise<readonly DocumentVersion[]>;
  /** A document as it stood at a time, for {@link DocumentVerbs.replace}; `undefined` where it did not stand. **Errors** as {@link at}. */
  version(scope: By["read"], documentId: string, time: number): Promise<DocumentWrite | undefined>;
}

/**
 * The parts of a store. A capability is a whole object or absent. @experimental
 *
 * @experimental
 */
export interface StoreParts {
  readonly documents: DocumentStore;
  /** In the order of their parts in a fused score. */
  readonly legs: readonly Leg[];
  readonly versions?: VersionSwitch | undefined;
  readonly trash?: Trash | undefined;
  readonly upkeep?: Upkeep | undefined;
  readonly history?: History<Checked, StoreParts> | undefined;
  /** 32 random bytes under which queries are hashed. Default: new ones for each composition. */
  readonly secret?: Uint8Array | undefined;
}

/**
 * A store: every call shows a proof of the gate, and every value is copied in and out. Only `composeStore` makes one, and a copy of one is none.
 *
 * @experimental
 */
export interface Store extends DocumentVerbs<Proven>, AsyncDisposable {
  /** Its name in messages. */
  readonly name: string;
  readonly capabilities: StoreCapabilities;
  /** Hits of a search that asks for no number. Absent: that of the retriever. */
  readonly defaultTopK?: number | "all" | undefined;
  /** Effect of deleting unknown ids of chunks, where a call names none. Absent: they are ignored. */
  readonly defaultOnMissing?: "ignore" | "error" | undefined;
  /** The knowledge base's own key, 32 bytes: queries are hashed under it. A copy each time. */
  readonly secret: Uint8Array;
  /** Resolves when the store can be written; some databases build an index in the background. */
  ready(signal?: AbortSignal): Promise<void>;
  /**
   * Checks the proof once. Every search and read of the session sees one moment.
   *
   * **Errors** `access-denied`; `unsupported` from a leg with late visibility, when `after` names a receipt.
   */
  session(scopes: AuthorizedScopes, options?: SessionOptions): Promise<StoreSession>;
  readonly versions?: VersionSwitch<Proven> | undefined;
  readonly trash?: Trash<Proven> | undefined;
  readonly upkeep?: Upkeep<Proven> | undefined;
  readonly history?: History<Proven, Store> | undefined;
  /**
   * The client of an engine behind a leg, by the engine's name, for everything that the engine has and ibid does not. Nothing that is done with it is checked.
   *
   * **Errors** `invalid-argument` for an unknown name, with the names that there are.
   */
  native(...call: [...by: Proven["maintain"], name: string]): unknown;
  /** May be called again. After it, every other call throws `store-closed`. With `settle: false`, upkeep that is under way may be broken off. */
  close(options?: { readonly settle?: boolean | undefined }): Promise<void>;
}
