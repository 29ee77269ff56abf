import type { Chunk } from "../../contracts/chunk.ts";
import type { ChunkEntry, DocumentWrite, ReplaceResult } from "../../contracts/document-store.ts";
import { type EmbeddingVersion, versionKey } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import { type ChunkTerms, decodeTerms } from "../../engine/segments/chunk-terms.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import { sameVectors, type StoredVector, toStoredVectors } from "../../engine/vectors/stored-vector.ts";
import { rowOf, vectorsAt } from "../../engine/vectors/vector-column.ts";
import {
  type ChunkReader,
  createChunkReader,
  type HomeDocument,
  sameContent,
  toChunkContent,
  toDocumentBody,
} from "./chunk-rows.ts";
import { keepFormer, keepsHistory, notBefore } from "./former-versions.ts";
import { findPlace, type ScopeView } from "./index-view.ts";
import { isOwnVersion } from "./own-version.ts";
import type { EncodedChunk, ScopeChange } from "./scope-change.ts";
import type { ChunkRow, DirectoryReader, DocumentRow } from "./segment-directory.ts";
import { embeddedText } from "../../text/embedded-text.ts";

/** A chunk on its way in. Its terms are computed once, when first needed. */
export interface IncomingChunk {
  readonly chunk: Chunk;
  readonly vectors: readonly StoredVector[];
  terms(): ChunkTerms;
  /** Terms and vectors as bytes, where they were. */
  readonly encoded?: EncodedChunk | undefined;
}

/** A chunk that is in memory. */
export interface PreparedChunk extends IncomingChunk {
  /** Takes terms that were made elsewhere, as their bytes. */
  take(terms: Uint8Array): void;
}

export function prepareChunks(entries: readonly ChunkEntry[], analyze: (chunk: Chunk) => ChunkTerms): PreparedChunk[] {
  return entries.map(({ chunk, embeddings }) => createIncoming(chunk, toStoredVectors(embeddings), analyze));
}

/** A chunk without terms, until they are asked for or come from elsewhere. */
function createIncoming(
  chunk: Chunk,
  vectors: readonly StoredVector[],
  analyze: (chunk: Chunk) => ChunkTerms,
): PreparedChunk {
  let terms: ChunkTerms | undefined;
  let encoded: EncodedChunk | undefined;
  return {
    chunk,
    vectors,
    terms: () => (terms ??= encoded === undefined ? analyze(chunk) : decodeTerms(encoded.terms)),
    take(bytes) {
      encoded = { terms: bytes };
    },
    get encoded() {
      return encoded;
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
  if (row === undefined || row.deletedAt !== null || row.isDamaged) return undefined;
  return { row, chunk: reader.chunk(row) };
}

/** Texts are read past the view's cache, which must not see what a transaction may take back. */
export function createUncachedReader(
  rows: DirectoryReader,
  texts = new Map<number, string>(),
  documents = new Map<number, DocumentRow>(),
  readText = (document: number): string => rows.documentText(document),
): ChunkReader {
  const view = {
    text(_: DirectoryReader, document: number): string {
      let text = texts.get(document);
      if (text === undefined) texts.set(document, (text = readText(document)));
      return text;
    },
  };
  return createChunkReader(rows, view, documents);
}

/** Reads what a document has, to compare it with what comes. Names and texts that are damaged equal none, so that they are written anew. */
function createComparingReader(
  rows: DirectoryReader,
  before: DocumentRow | undefined,
  texts?: Map<number, string>,
): ChunkReader {
  return createUncachedReader(rows, texts, new Map(before && [[before.key, before]]), (document) =>
    readToCompare(rows, document),
  );
}

function readToCompare(rows: DirectoryReader, document: number): string {
  try {
    return rows.documentText(document);
  } catch (error) {
    if (IbidError.isInstance(error, "store-corrupt")) return "";
    throw error;
  }
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

/** Stored rows with the ids of the given chunks, by id, in one look-up. */
function readById(rows: DirectoryReader, scope: number, chunks: readonly IncomingChunk[]): Map<string, ChunkRow> {
  const ids = chunks.map(({ chunk }) => chunk.id);
  return new Map(rows.chunksById(scope, ids).map((row) => [row.id, row]));
}

/** Chunks that are looked up together. */
const lookedUpAtOnce = 128;

function* inGroups(incoming: Iterable<IncomingChunk>): Generator<readonly IncomingChunk[], undefined> {
  let group: IncomingChunk[] = [];
  for (const each of incoming) {
    if (group.push(each) < lookedUpAtOnce) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
  return undefined;
}

/**
 * Chunks that need an analysis, chosen before the write begins so that no other write waits for it. `texts` caches the texts of documents from
 * batch to batch. An outdated text only costs an unnecessary or a late analysis.
 */
export function chooseWanting(
  rows: DirectoryReader,
  scope: number | undefined,
  incoming: readonly IncomingChunk[],
  texts: Map<number, string>,
): ReadonlySet<IncomingChunk> {
  const [first] = incoming;
  if (scope === undefined) return new Set(incoming);
  const before = first && rows.documentById(scope, first.chunk.documentId);
  if (first !== undefined && before === undefined) return new Set(incoming);
  const reader = createComparingReader(rows, before, texts);
  const found = readById(rows, scope, incoming);
  return new Set(
    incoming.filter(({ chunk }) => {
      const held = readHeld(reader, found.get(chunk.id));
      return held === undefined || !sameWords(held.chunk, chunk);
    }),
  );
}

/** Chunks that are read in one step. */
const comparedAtOnce = 64;

/**
 * Texts of a document's chunks that the store holds, by chunk id, for {@link DocumentStore.held}. **Shape** a step for some chunks each: a book has thousands.
 */
export function* heldChunks(
  rows: DirectoryReader,
  view: ScopeView,
  documentId: string,
  version: EmbeddingVersion | undefined,
): Generator<undefined, Map<string, string>> {
  const reader = createComparingReader(rows, rows.documentById(view.row.key, documentId));
  const held = new Map<string, string>();
  const keys = rows
    .chunkKeysOf(view.row.key, documentId)
    .filter(({ deletedAt }) => deletedAt === null)
    .map(({ key }) => key);
  for (let from = 0; from < keys.length; from += comparedAtOnce) {
    yield undefined;
    for (const row of rows.chunks(keys.slice(from, from + comparedAtOnce)))
      if (
        row !== undefined &&
        row.deletedAt === null &&
        !row.isDamaged &&
        (version === undefined || hasVector(view, row, versionKey(version)))
      )
        held.set(row.id, embeddedText(reader.chunk(row)));
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

/** Vectors of a chunk, without the store's own. */
export function vectorsOf(
  { before }: { readonly before: ScopeView | undefined },
  row: ChunkRow,
): readonly StoredVector[] {
  const place = before && findPlace(before, row.key);
  if (place === undefined || before === undefined) return [];
  return vectorsAt(place.segment ?? before.tail, place.ordinal, (version) => !isOwnVersion(version));
}

interface Swap {
  readonly incoming: IncomingChunk;
  readonly held: HeldChunk | undefined;
  /** The row with the same id, live or not. */
  readonly row: ChunkRow | undefined;
  readonly document: number;
  readonly home: HomeDocument;
}

/** Puts one chunk in the place of what has its id; a chunk without vectors keeps those that are there. **Shape** whether they were kept. */
function swapChunk(change: ScopeChange, { incoming, held, row, document, home }: Swap): boolean {
  const { chunk } = incoming;
  const content = toChunkContent(chunk, home);
  const keeps = incoming.vectors.length === 0 && held !== undefined && saysTheSame(held.chunk, chunk);
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
  const encoded = keeps ? undefined : incoming.encoded;
  change.add({ ...content, document, deletedAt: null }, { terms: () => incoming.terms(), vectors, encoded });
  return keeps;
}

/** A document's entry without its chunks. */
export type DocumentFacts = Omit<DocumentWrite, "chunks" | "keeps">;

/**
 * A document's chunk set for the one that was there. `relies` says which chunks count on vectors that the store has.
 *
 * **Errors** `store-busy` when a chunk whose vectors were to be kept has gone meanwhile. **Cost** memory for the ids of the old chunks; the new ones are read
 * one after the other.
 */
export function replaceDocument(
  change: ScopeChange,
  facts: DocumentFacts,
  incoming: Iterable<IncomingChunk>,
  relies: (incoming: IncomingChunk) => boolean,
  now: string,
): ReplaceResult {
  const { rows } = change;
  const { document } = facts;
  const scope = change.scopeKey();
  const left = new Map(rows.chunkKeysOf(scope, document.id).map((chunk) => [chunk.id, chunk]));
  let live = 0;
  for (const { deletedAt } of left.values()) if (deletedAt === null) live++;
  // The row that is there is about to be another: the chunks were indexed under its title, and are slices of its text.
  const before = rows.documentById(scope, document.id);
  const isKept = before !== undefined && keepsHistory(rows);
  const ingestedAt = isKept ? notBefore(now, before) : now;
  if (isKept) keepFormer(rows, before, ingestedAt, (row) => vectorsOf(change, row));
  const texts = before === undefined || live === 0 ? [] : [[before.key, readToCompare(rows, before.key)] as const];
  const reader = createComparingReader(rows, before, new Map(texts));
  const key = putDocument(change, scope, facts, ingestedAt, before);
  const home: HomeDocument = document;

  let [kept, came] = [0, 0];
  for (const group of inGroups(incoming)) {
    const found = readById(rows, scope, group);
    for (const each of group) {
      const { id } = each.chunk;
      const row = found.get(id);
      const held = left.delete(id) ? readHeld(reader, row) : undefined;
      if (held === undefined && relies(each)) {
        throw new IbidError(
          "store-busy",
          `${document.uri} was changed by another writer while it was being ingested.`,
          {
            uri: document.uri,
            hint: "Ingest it again.",
          },
        );
      }
      if (swapChunk(change, { incoming: each, held, row, document: key, home })) kept++;
    }
    came += group.length;
  }
  for (const chunk of left.values()) change.remove(rows.chunk(chunk.key));
  return { added: came - kept, kept, removed: live - kept };
}

function putDocument(
  change: ScopeChange,
  scope: number,
  entry: DocumentFacts,
  ingestedAt: string,
  before: DocumentRow | undefined,
): number {
  const { document, contentHash, metadataHash, fingerprint, bytes, folder, validators, checkedAt } = entry;
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
    checkedAt: checkedAt !== undefined && checkedAt > ingestedAt ? checkedAt : null,
    etag: validators?.etag ?? null,
    lastModified: validators?.lastModified ?? null,
    deletedAt: null,
    readers: entry.readers === undefined ? null : JSON.stringify(entry.readers),
    validFrom: entry.validFrom ?? null,
    validTo: entry.validTo ?? null,
    supersedes: entry.supersedes ?? null,
  };
  if (before === undefined) return change.rows.addDocument(row, body);
  change.rows.putDocument({ ...row, key: before.key }, body);
  return before.key;
}
