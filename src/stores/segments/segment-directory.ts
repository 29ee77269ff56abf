import { IbidError } from "../../contracts/errors.ts";
import type { ListDocumentsOptions, StoredChunkSpan } from "../../contracts/document-store.ts";
import type { Origin } from "../../contracts/document.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Durability } from "../../contracts/store.ts";
import type { PendingRow } from "../../engine/segments/live-segment.ts";
import type { SegmentRow } from "../../engine/segments/sealed-segment.ts";
import type { SegmentSource } from "../../engine/segments/segment.ts";
import type { StoreThread } from "./errands.ts";
import type { Shelf } from "./shelf.ts";

export type { PendingRow } from "../../engine/segments/live-segment.ts";
export type { SegmentRow } from "../../engine/segments/sealed-segment.ts";
export type { ReadBytes, StoredFacts, StoredPlace } from "../../engine/segments/segment.ts";

/** A scope that holds something. */
export interface ScopeRow {
  readonly key: number;
  readonly scope: Scope;
  /** Changes with every write to the scope. */
  readonly stamp: number;
  /** Changes when pending rows were changed or removed, not only added. */
  readonly rewrites: number;
}

/** A space that was fitted on the corpus; its terms lie in the parts of a file. */
export interface FitRow {
  readonly key: number;
  readonly fingerprint: string;
  readonly dimensions: number;
  /** Live chunks that there were to fit on. */
  readonly corpus: number;
  /** Chunks that it was fitted on. */
  readonly chunks: number;
  readonly energy: number;
  /** Whether searches use it: every chunk has a vector in it. */
  readonly current: boolean;
}

/** A chunk as it is kept. Its text is a slice of its document's wherever that is true, and is then not kept twice. */
export interface ChunkRow {
  readonly key: number;
  readonly scope: number;
  readonly id: string;
  readonly documentId: string;
  /** The document's row. An earlier version wrote 0 for a chunk without a document; opening the store gives it one. */
  readonly document: number;
  readonly start: number;
  readonly end: number;
  readonly index: number;
  /** The rest of what the chunk says, as JSON; see `ChunkDetails`. */
  readonly details: string;
  readonly metadata: string;
  readonly origin: Origin;
  /** `null` when it is the slice. */
  readonly urtext: string | null;
  /** `null` when it is the urtext. */
  readonly text: string | null;
  /** Names the urtext, white space aside; see `textKey`. An earlier version kept none; opening the store adds it. */
  readonly textKey: string;
  /** Milliseconds since 1970; `null` for what is not deleted. */
  readonly deletedAt: number | null;
  /** Whether its own texts, metadata or headings are not as they were written. Such a row is shown to nobody, and can be deleted. */
  readonly isDamaged?: true;
}

/** The columns that identify a chunk's row. */
export type ChunkKey = Pick<ChunkRow, "key" | "id" | "deletedAt">;

/** The part of a document that each of its chunks shows. */
export type HomeRow = Pick<DocumentRow, "key" | "uri" | "title" | "folder"> &
  Partial<Pick<DocumentRow, "scope" | "isMisnamed">>;

/** A document without its text, as a list shows it. */
export interface DocumentRow {
  readonly key: number;
  readonly scope: number;
  readonly id: string;
  readonly uri: string;
  readonly title: string;
  readonly mediaType: string;
  readonly origin: Origin;
  readonly contentHash: string;
  readonly metadataHash: string;
  readonly fingerprint: string;
  readonly bytes: number;
  readonly folder: string | null;
  readonly ingestedAt: string;
  /** `null`: not since it was ingested. */
  readonly checkedAt: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly deletedAt: number | null;
  /** Groups that may read it, as JSON; `null` for those who may read its scope. Kept for what is to come: nothing looks at it yet. */
  readonly readers: string | null;
  /** ISO 8601. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** Uri of the document in whose place it stands. */
  readonly supersedes: string | null;
  /** Its names are not as they were written: nothing is shown under them. */
  readonly isMisnamed?: true;
  /** Its live chunks, where a listing has counted them. */
  readonly liveChunks?: number;
}

/** Orders of documents that a directory keeps. */
export const keptOrders = ["newest", "oldest", "largest", "title"] as const;
export type KeptOrder = (typeof keptOrders)[number];

/** A place in one of these orders. */
export interface RowPlace extends Pick<DocumentRow, "uri" | "ingestedAt" | "bytes" | "title"> {
  readonly id: string | undefined;
}

/** Chooses rows of live documents: a prefix of their uris, their media type, their time. */
export type Narrowing = Pick<ListDocumentsOptions, "under" | "mediaType" | "since" | "before">;

/** Live documents that share a folder and a kind. */
export interface FolderRow extends Pick<DocumentRow, "folder" | "mediaType"> {
  /** Their uris up to the last slash, with it; `""` without one. */
  readonly uri: string;
  /** Ending of their uris in lower case, such as `md`; `""` without one. */
  readonly ending: string;
  readonly documents: number;
}

/**
 * A stretch of time in the past of a document: a version that stood then, or the time between a delete and a restore.
 *
 * **Units** milliseconds since 1970, half open.
 */
export interface FormerRow {
  readonly key: number;
  readonly scope: number;
  readonly documentId: string;
  readonly from: number;
  readonly to: number;
  readonly chunks: number;
  /** See `former-versions.ts`. */
  readonly data: Uint8Array;
}

/** A document's text and structure. */
export interface DocumentBody {
  readonly text: string;
  /** Tree, source map and metadata, as JSON. */
  readonly structure: string;
}

export interface DocumentTotals {
  readonly documents: number;
  readonly bytes: number;
}

/**
 * Rows, as of one moment. Calls are synchronous and belong inside `read` or `write`.
 *
 * **Shape** lists include deleted chunks and documents unless their name or comment says otherwise. Pages ascend by their key column, by code point.
 */
export interface DirectoryReader extends SegmentSource {
  /** Whether a look runs to its end in one go. Where rows are fetched, slices of works side by side would lack things one after the other. */
  readonly unsliced?: boolean;
  /** Changes with every write. */
  stamp(): number;
  setting(name: string): string | undefined;
  scope(scope: Scope): ScopeRow | undefined;
  scopes(): readonly ScopeRow[];
  segmentStamps(scope: number): readonly { readonly key: number; readonly stamp: number }[];
  segment(key: number): SegmentRow;
  segmentState(key: number): Pick<SegmentRow, "state" | "columns">;
  /** Spaces that were fitted, those under way included. */
  fits(): readonly FitRow[];
  fitPart(key: number, part: number): Uint8Array | undefined;
  /** Pending rows of chunks that came after the one with this row, in order of their keys. */
  pendingAfter(scope: number, key: number): readonly PendingRow[];
  pendingStamps(scope: number): readonly { readonly key: number; readonly stamp: number }[];
  pending(key: number): PendingRow;
  chunk(key: number): ChunkRow;
  /** In the order asked; `undefined` where there is none. */
  chunks(keys: readonly number[]): readonly (ChunkRow | undefined)[];
  /** `ChunkRow.details`, in the order asked. */
  chunkDetails(keys: readonly number[]): readonly string[];
  chunkById(scope: number, id: string): ChunkRow | undefined;
  /** Those that are there, in no order. */
  chunkKeysById(scope: number, ids: readonly string[]): readonly ChunkKey[];
  /** Those that are there, in no order. */
  chunksById(scope: number, ids: readonly string[]): readonly ChunkRow[];
  chunksOfDocument(scope: number, documentId: string): readonly ChunkRow[];
  /** Live chunks of that text, without the one of that row, in no order. */
  copiesOf(scope: number, textKey: string, key: number): readonly ChunkRow[];
  /** Keys of the chunks that `chunksOfDocument` gives, without their content. */
  chunkKeysOf(scope: number, documentId: string): readonly ChunkKey[];
  liveChunksOf(scope: number, documentId: string): number;
  /** Live chunks, by index, start and id. */
  chunkSpansOf(scope: number, documentId: string): readonly StoredChunkSpan[];
  /** Live chunks, by id. */
  chunksAfter(scope: number, id: string, limit: number): readonly ChunkRow[];
  /** Live chunks of the scope, those of one document together. Must be read to its end, or left, before anything else is awaited. */
  scanChunks(scope: number): Iterable<ChunkRow>;
  /** Restorable chunks that were deleted at or before that time. */
  deletedChunks(scope: number, until: number): readonly ChunkRow[];
  document(key: number): DocumentRow;
  /** **Shape** in no order. */
  homesOf(keys: readonly number[]): readonly HomeRow[];
  /** Names of all live documents of a scope, in no order. Absent where they would have to be read. */
  liveHomes?(scope: number): Iterable<HomeRow>;
  documentBody(key: number): DocumentBody;
  /** The same, with a step for each part of a long text. Where it is absent, a body is read in one step. */
  documentBodyInSteps?(key: number): Generator<undefined, DocumentBody>;
  /** The tree, source map and metadata of its body. */
  documentStructure(key: number): string;
  documentText(key: number): string;
  documentPart(key: number, part: number): string | undefined;
  /** Where each part of its text ends, in UTF-16 code units; empty for a text of one part. */
  documentEnds(key: number): readonly number[];
  documentById(scope: number, id: string): DocumentRow | undefined;
  documentsByUri(scope: number, uri: string): readonly DocumentRow[];
  /** Live documents after that place, by uri then id; without an id, after all of that uri. */
  documentsAfter(
    scope: number,
    uri: string,
    id: string | undefined,
    limit: number,
    only?: Narrowing,
  ): readonly DocumentRow[];
  /** Live documents after a place in an order; those that are equal in it by uri, then id. A place without an id is behind all of its uri. */
  documentsInOrder(
    scope: number,
    order: KeptOrder,
    after: RowPlace | undefined,
    limit: number,
    only?: Narrowing,
  ): readonly DocumentRow[];
  /** Live documents, counted by folder and kind, in no order. `under` is a whole folder, with its slash. */
  folders(scope: number, only?: Omit<Narrowing, "under">): readonly FolderRow[];
  deletedDocuments(scope: number, until: number): readonly DocumentRow[];
  /** The past of every document, in no order. Only where former versions are kept. */
  formers(scope: number): readonly Omit<FormerRow, "data">[];
  /** The past of one document, with its data, in no order. Only where former versions are kept. */
  formersOf(scope: number, documentId: string): readonly FormerRow[];
  /** Rows whose parent row is missing, so that no look-up by parent finds them. */
  orphans(): readonly OrphanRows[];
  /** Totals of the scope's live documents. */
  totals(scope: number): DocumentTotals;
}

/** Rows that can be changed. Each `add` method returns the new row's key; keys ascend and are never used again. */
export interface DirectoryWriter extends DirectoryReader {
  setStamp(stamp: number): void;
  setSetting(name: string, value: string): void;
  addScope(scope: Scope, stamp: number): number;
  putScope(row: ScopeRow): void;
  /** The scope and everything in it. */
  deleteScope(key: number): void;
  addSegment(row: Omit<SegmentRow, "key">): number;
  putSegmentState(key: number, state: Uint8Array, stamp: number): void;
  putSegmentColumns(key: number, columns: string, stamp: number): void;
  /** All parts of one of a segment's files. */
  deleteFile(segment: number, name: string): void;
  /** With the parts of its file, from 0. */
  addFit(row: Omit<FitRow, "key">, parts: readonly Uint8Array[]): number;
  putFit(row: FitRow): void;
  /** With its parts. */
  deleteFit(key: number): void;
  /** With its files. */
  deleteSegment(key: number): void;
  addFile(segment: number, name: string, part: number, data: Uint8Array): void;
  addPending(scope: number, row: PendingRow): void;
  markPending(key: number, live: boolean, stamp: number): void;
  deletePending(key: number): void;
  /** Many in one step. */
  deletePendingRows(keys: readonly number[]): void;
  deleteAllPending(scope: number): void;
  addChunk(row: Omit<ChunkRow, "key">): number;
  putChunk(row: ChunkRow): void;
  deleteChunk(key: number): void;
  /** Removes what was said for all chunks of a document and none of them says any more. To be called after its chunks were changed. */
  forgetSayings(document: number): void;
  addDocument(row: Omit<DocumentRow, "key">, body: DocumentBody): number;
  /** Without `body`, the body stays. */
  putDocument(row: DocumentRow, body?: DocumentBody): void;
  /** With its past. */
  deleteDocument(key: number): void;
  /** To be called before anything else is done with former versions. */
  keepFormers(): void;
  addFormer(row: Omit<FormerRow, "key">): void;
  putFormer(row: FormerRow): void;
  deleteFormer(key: number): void;
  /** Removes what {@link DirectoryReader.orphans} returns. */
  deleteOrphans(): void;
  deleteSetting(name: string): void;
  /** Hears that every chunk of a scope has lost its vectors of these versions. Absent where nobody else has a copy of them. */
  retireVectors?(scope: number, versions: readonly string[]): void;
}

/** The same row. **Errors** `store-corrupt` where its names are not as they were written. A number of the row would tell how many documents others have. */
export function checkNames<Row extends Pick<DocumentRow, "isMisnamed">>(row: Row): Row {
  if (row.isMisnamed !== true) return row;
  throw new IbidError("store-corrupt", "The uri, title, id, folder or scope of a document is not as it was written.", {
    hint: "Run ibid doctor; restore the file from a backup, or ingest the document again. Other documents are not affected.",
  });
}

/**
 * Counts the documents that got another uri, title or folder under their row. While it stays, names that were read of a row hold.
 *
 * **Shape** each copy of a base counts for itself. Kept by `putDocument`.
 */
export const renamesSetting = "renames";

export function isRenamed(before: HomeRow, { uri, title, folder }: HomeRow): boolean {
  return before.uri !== uri || before.title !== title || before.folder !== folder;
}

/** Rows that belong to nothing, of one kind. */
export interface OrphanRows {
  /** Such as `chunks without their document`. */
  readonly what: string;
  readonly count: number;
}

/** Damage and traces found in a directory's files. */
export interface FileReport {
  /** Messages in the words of the file system or database that keeps the files. */
  readonly damage: readonly string[];
  /** Sentences about files beside them that hold no documents and can be made anew. */
  readonly besides: readonly string[];
  /** Files in which probes stand, and those probes. */
  readonly traces: readonly { readonly file: string; readonly found: readonly string[] }[];
}

/**
 * Where segments, and the texts and trees beside them, live: the one thing in which stores over this engine differ.
 *
 * **Shape** `work` is synchronous: what it sees is one moment, and what it writes is there whole or not at all. Writes run one at a time, in
 * the order of their calls; several may become durable together. Neither blocks the other, nor the event loop: what must wait for another process waits asynchronously.
 * **Errors** errors that `work` throws, after its changes are rolled back; `store-busy`, `store-corrupt`, `store-failed` of its own.
 * **Source** Lucene's `Directory`.
 */
export interface SegmentDirectory {
  readonly durability: Durability;
  /** Whether rows are fetched as reads need them, see {@link LegCapabilities.isAfar}. */
  readonly isAfar?: true;
  /** {@link DirectoryReader.stamp} of the newest state, read outside any transaction; `undefined` where that would have to wait or fails. */
  peek(): number | undefined;
  read<Result>(work: (rows: DirectoryReader) => Result): Promise<Result>;
  /**
   * `undone` is called when what `work` wrote is taken back after it had returned, before anybody else has a look. `work` may run again then: a write that shared its
   * commit has failed.
   */
  write<Result>(work: (rows: DirectoryWriter) => Result, undone?: () => void): Promise<Result>;
  /**
   * A write that changes nothing that was acknowledged, such as one that seals: it does not wait for the disk. The next `write` makes it safe; a power cut
   * before that takes back all of it. Absent where each write waits.
   */
  rewrite?<Result>(work: (rows: DirectoryWriter) => Result, undone?: () => void): Promise<Result>;
  /** Makes what was deleted unreadable in the files too. **Shape** false when a reader holds on to an old state, so that it must be tried again. */
  scrub(): Promise<boolean>;
  /** Whether each new chunk passes through a pending row, also one that is sealed at once. A directory that shows its rows to others reads terms there. */
  readonly keepsPending?: boolean;
  /** Room on the disk that deletes may use when it is full. Absent where there is none to keep. */
  readonly reserve?: { keep(): void; release(): boolean };
  /** Gives back the room that merges and replacements left, in slices. Absent where there is none to give back. */
  compact?(): Promise<void>;
  /** Where what is on its way into a large document waits, out of memory. Absent where there is nothing but memory. **Errors** `store-failed`. */
  openShelf?(): Shelf;
  /** Another thread for works that take long. Absent where there is none; writes of this directory wait for those that write. */
  readonly thread?: StoreThread | undefined;
  /** A thread for works that only read, so that none of them waits for one that writes. Absent where there is none. */
  readonly readingThread?: StoreThread | undefined;
  /** Looks at the files as bytes. Absent where there are none. */
  inspect?(probes: readonly string[]): Promise<FileReport>;
  /** Finds the documents whose ids stand in the bytes of a file. **Shape** their ids. Absent where there are none. */
  idsInFiles?(documentIds: readonly string[]): Promise<readonly string[]>;
  close(): Promise<void>;
}
