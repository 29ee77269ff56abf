import type { Chunk } from "../contracts/chunk.ts";
import type { DocumentEntry, ReplaceResult } from "../contracts/document-store.ts";
import { type EmbeddingVersion, versionKey } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import type { ChunkEntry } from "../contracts/store.ts";
import { type ChunkTerms, decodeTerms, encodeTerms } from "../indexes/chunk-terms.ts";
import type { Segment } from "../indexes/segment.ts";
import { sameVectors, type StoredVector, toStoredVectors } from "../indexes/stored-vector.ts";
import { rowOf, vectorsAt } from "../indexes/vector-column.ts";
import {
  type ChunkReader,
  createChunkReader,
  type HomeDocument,
  sameContent,
  toChunkContent,
  toDocumentBody,
} from "./chunk-rows.ts";
import { findPlace, type ScopeView } from "./index-view.ts";
import { isOwnVersion } from "./own-version.ts";
import type { ScopeChange } from "./scope-change.ts";
import type { ChunkRow, DirectoryReader } from "./segment-directory.ts";

/** A chunk on its way in. Its terms are computed once, when first needed. */
export interface IncomingChunk {
  readonly chunk: Chunk;
  readonly vectors: readonly StoredVector[];
  terms(): ChunkTerms;
}

/** Of more chunks than this, terms wait as bytes: as lists of words they take five times as much. */
const mostAsWords = 1024;

export function prepareChunks(entries: readonly ChunkEntry[], analyze: (chunk: Chunk) => ChunkTerms): IncomingChunk[] {
  const shelf = entries.length > mostAsWords ? createByteShelf() : undefined;
  return entries.map(({ chunk, embeddings }) => {
    const vectors = toStoredVectors(embeddings);
    return { chunk, vectors, terms: shelf ? packedTerms(chunk, analyze, shelf) : keptTerms(chunk, analyze) };
  });
}

function keptTerms(chunk: Chunk, analyze: (chunk: Chunk) => ChunkTerms): () => ChunkTerms {
  let terms: ChunkTerms | undefined;
  return () => (terms ??= analyze(chunk));
}

function packedTerms(chunk: Chunk, analyze: (chunk: Chunk) => ChunkTerms, shelf: ByteShelf): () => ChunkTerms {
  let packed: (() => Uint8Array) | undefined;
  return () => {
    if (packed !== undefined) return decodeTerms(packed());
    const terms = analyze(chunk);
    packed = shelf.put(encodeTerms(terms));
    return terms;
  };
}

/** Keeps many short runs of bytes in a few long ones: by itself each would take half as much again. */
interface ByteShelf {
  put(bytes: Uint8Array): () => Uint8Array;
}

const boardBytes = 1024 * 1024;

function createByteShelf(): ByteShelf {
  let board = new Uint8Array(boardBytes);
  let length = 0;
  return {
    put(bytes) {
      if (length + bytes.length > board.length) {
        board = new Uint8Array(Math.max(boardBytes, bytes.length));
        length = 0;
      }
      const from = length;
      const on = board;
      on.set(bytes, from);
      length += bytes.length;
      const to = length;
      return () => on.subarray(from, to);
    },
  };
}

/** A live chunk that is there already. */
interface HeldChunk {
  readonly row: ChunkRow;
  /** As it was indexed: its document may be given another title meanwhile. */
  readonly chunk: Chunk;
}

function readHeld(reader: ChunkReader, row: ChunkRow | undefined): HeldChunk | undefined {
  if (row === undefined || row.deletedAt !== null) return undefined;
  return { row, chunk: reader.chunk(row) };
}

/** Texts are read past the view's cache, which must not see what a transaction may take back. */
export function createUncachedReader(rows: DirectoryReader): ChunkReader {
  const texts = new Map<number, string>();
  return createChunkReader(rows, {
    text(from, document) {
      let text = texts.get(document);
      if (text === undefined) texts.set(document, (text = from.documentText(document)));
      return text;
    },
  });
}

/** Whether the index would have the same of both: title, headings and words, in the same language. */
function sameWords(held: Chunk, chunk: Chunk): boolean {
  return (
    saysTheSame(held, chunk) &&
    held.title === chunk.title &&
    held.language === chunk.language &&
    JSON.stringify(held.headings) === JSON.stringify(chunk.headings)
  );
}

function saysTheSame(held: Chunk, chunk: Chunk): boolean {
  return held.documentId === chunk.documentId && held.urtext === chunk.urtext && held.text === chunk.text;
}

/** What has the ids of some chunks already, in one look-up. */
function readById(rows: DirectoryReader, scope: number, chunks: readonly IncomingChunk[]): Map<string, ChunkRow> {
  const ids = chunks.map(({ chunk }) => chunk.id);
  return new Map(rows.chunksById(scope, ids).map((row) => [row.id, row]));
}

/** Analyses what will have to be, before the write begins, so that nobody waits for it. */
export function analyzeAhead(
  rows: DirectoryReader,
  scope: number | undefined,
  incoming: readonly IncomingChunk[],
): () => void {
  const reader = createUncachedReader(rows);
  const found = scope === undefined ? new Map<string, ChunkRow>() : readById(rows, scope, incoming);
  const wanting = incoming.filter(({ chunk }) => {
    const held = readHeld(reader, found.get(chunk.id));
    return held === undefined || !sameWords(held.chunk, chunk);
  });
  return () => wanting.forEach((each) => each.terms());
}

/** What of a document's chunks the store holds, for {@link DocumentStore.held}: id to text. */
export function heldChunks(
  rows: DirectoryReader,
  view: ScopeView,
  documentId: string,
  version: EmbeddingVersion | undefined,
): Map<string, string> {
  const reader = createUncachedReader(rows);
  const held = new Map<string, string>();
  for (const row of rows.chunksOfDocument(view.row.key, documentId)) {
    if (row.deletedAt === null && (version === undefined || hasVector(view, row, versionKey(version)))) {
      held.set(row.id, reader.text(row));
    }
  }
  return held;
}

function hasVector(view: ScopeView, row: ChunkRow, version: string): boolean {
  const place = findPlace(view, row.key);
  if (place === undefined) return false;
  const segment: Segment = place.segment ?? view.tail;
  for (const column of segment.columns()) {
    if (column.version === version && rowOf(column, place.ordinal) >= 0) return true;
  }
  return false;
}

function vectorsOf(change: ScopeChange, row: ChunkRow): readonly StoredVector[] {
  const place = change.before && findPlace(change.before, row.key);
  if (place === undefined || change.before === undefined) return [];
  return vectorsAt(place.segment ?? change.before.tail, place.ordinal).filter(({ version }) => !isOwnVersion(version));
}

interface Swap {
  readonly incoming: IncomingChunk;
  readonly held: HeldChunk | undefined;
  /** The row with the same id, live or not. */
  readonly row: ChunkRow | undefined;
  readonly document: number;
  readonly home: HomeDocument | undefined;
  /** Whether no vectors means those that are there. */
  readonly keepVectors: boolean;
}

/** Puts one chunk in the place of what has its id. **Shape** whether that was kept, with its vectors. */
function swapChunk(change: ScopeChange, { incoming, held, row, document, home, keepVectors }: Swap): boolean {
  const { chunk } = incoming;
  const content = toChunkContent(chunk, home);
  const keeps = keepVectors && incoming.vectors.length === 0 && held !== undefined && saysTheSame(held.chunk, chunk);
  if (
    held !== undefined &&
    sameWords(held.chunk, chunk) &&
    (keeps || sameVectors(vectorsOf(change, held.row), incoming.vectors))
  ) {
    const before = held.row;
    if (before.document !== document || !sameContent(before, content)) {
      const facts = before.metadata !== content.metadata || before.origin !== content.origin;
      change.update({ ...before, ...content, document }, facts);
    }
    return true;
  }
  const vectors = keeps ? vectorsOf(change, held.row) : incoming.vectors;
  if (row !== undefined) change.remove(row);
  change.add({ ...content, document, deletedAt: null }, incoming.terms(), vectors);
  return keeps;
}

/** **Errors** `store-busy` when a chunk whose vectors were to be kept has gone meanwhile. */
export function replaceDocument(
  change: ScopeChange,
  entry: DocumentEntry,
  incoming: readonly IncomingChunk[],
  ingestedAt: string,
): ReplaceResult {
  const { rows } = change;
  const { document } = entry;
  const scope = change.scopeKey();
  const reader = createUncachedReader(rows);
  const old = new Map(rows.chunksOfDocument(scope, document.id).map((row) => [row.id, row]));
  const held = new Map([...old].map(([id, row]) => [id, readHeld(reader, row)]));
  for (const id of entry.keeps ?? []) {
    if (held.get(id) !== undefined) continue;
    throw new IbidError("store-busy", `${document.uri} was changed by somebody else while it was being ingested.`, {
      uri: document.uri,
      mend: "Ingest it again.",
    });
  }
  const live = [...old.values()].filter(({ deletedAt }) => deletedAt === null).length;
  const key = putDocument(change, scope, entry, ingestedAt);
  const home: HomeDocument = document;

  const elsewhere = readById(
    rows,
    scope,
    incoming.filter(({ chunk }) => !old.has(chunk.id)),
  );
  let kept = 0;
  for (const each of incoming) {
    const { id } = each.chunk;
    const row = old.get(id) ?? elsewhere.get(id);
    old.delete(id);
    if (swapChunk(change, { incoming: each, held: held.get(id), row, document: key, home, keepVectors: true })) kept++;
  }
  for (const row of old.values()) change.remove(row);
  return { added: incoming.length - kept, kept, removed: live - kept };
}

function putDocument(change: ScopeChange, scope: number, entry: DocumentEntry, ingestedAt: string): number {
  const { document, contentHash, metadataHash, fingerprint, bytes, folder, validators } = entry;
  const { id, uri, title, mediaType, origin } = document;
  const body = toDocumentBody(document);
  const row = {
    scope,
    id,
    uri,
    title,
    mediaType,
    origin,
    contentHash,
    metadataHash,
    fingerprint,
    bytes,
    folder,
    ingestedAt,
    checkedAt: null,
    etag: validators?.etag ?? null,
    lastModified: validators?.lastModified ?? null,
    deletedAt: null,
  };
  const before = change.rows.documentById(scope, id);
  if (before === undefined) return change.rows.addDocument(row, body);
  change.rows.putDocument({ ...row, key: before.key }, body);
  return before.key;
}

/** Chunks one by one, each in the place of what has its id. */
export function upsertChunks(change: ScopeChange, incoming: readonly IncomingChunk[]): void {
  if (incoming.length === 0) return;
  const { rows } = change;
  const scope = change.before?.row.key ?? change.scopeKey();
  const reader = createUncachedReader(rows);
  const homes = new Map<string, { readonly key: number; readonly home: HomeDocument } | undefined>();
  const found = readById(rows, scope, incoming);
  // The last of several with one id wins, as if they had come one after the other.
  for (const each of new Map(incoming.map((one) => [one.chunk.id, one])).values()) {
    const { id, documentId } = each.chunk;
    if (!homes.has(documentId)) homes.set(documentId, findHome(rows, scope, documentId));
    const home = homes.get(documentId);
    const row = found.get(id);
    const held = readHeld(reader, row);
    swapChunk(change, { incoming: each, held, row, document: home?.key ?? 0, home: home?.home, keepVectors: false });
  }
}

function findHome(
  rows: DirectoryReader,
  scope: number,
  documentId: string,
): { readonly key: number; readonly home: HomeDocument } | undefined {
  const row = rows.documentById(scope, documentId);
  // A deleted document may be vacuumed while the chunk lives on.
  if (row === undefined || row.deletedAt !== null) return undefined;
  return { key: row.key, home: { uri: row.uri, title: row.title, text: rows.documentText(row.key) } };
}
