import type { StoredChunkSpan } from "../../../contracts/document-store.ts";
import type { SQLInputValue } from "node:sqlite";
import type { ChunkKey, ChunkRow, DocumentRow, FolderRow, StoredFacts } from "../../segments/segment-directory.ts";
import { inOrder } from "../in-order.ts";
import { type Columns, folderListing, orderedListing, readListings, uriListing } from "../list-order.ts";
import { missingRow } from "../missing-row.ts";
import { boundLimit, type SqliteConnection } from "../sqlite-connection.ts";
import { createSqliteRows, type SqliteRows } from "../sqlite-rows.ts";
import { bytesOf, decodeText } from "../text-bytes.ts";

const chunkColumns = `key, scope, id, document_id AS documentId, document, starts AS "start", ends AS "end", position AS "index",
  details, metadata, origin, ${bytesOf("urtext")}, ${bytesOf("text")}, deleted_at AS deletedAt,
  text_key AS textKey`;

const ofDocument = "FROM chunks WHERE scope = ? AND document_id = ? ORDER BY key";

const documentColumns = `key, scope, id, uri, ${bytesOf("title")}, media_type AS mediaType, origin, content_hash AS contentHash,
  metadata_hash AS metadataHash, fingerprint, bytes, folder, ingested_at AS ingestedAt, deleted_at AS deletedAt,
  checked_at AS checkedAt, etag, last_modified AS lastModified`;
const markedDocuments = "documents LEFT JOIN marks ON marks.document = documents.key";

/** A row as SQLite has it, and the names of its columns that were read as bytes. */
type Read<Row, Names extends keyof Row> = Omit<Row, Names> & { readonly [Name in Names]: Uint8Array | null };

const decodeOrNull = (bytes: Uint8Array | null): string | null => (bytes === null ? null : decodeText(bytes));

function toChunk(row: Read<ChunkRow, "urtext" | "text">): ChunkRow {
  return { ...row, urtext: decodeOrNull(row.urtext), text: decodeOrNull(row.text) };
}

/** With nothing in the columns that came later. */
function toDocument(row: Read<DocumentRow, "title">): DocumentRow {
  const later = { readers: null, validFrom: null, validTo: null, supersedes: null };
  return { ...row, ...later, title: decodeText(row.title!) };
}

/** The one row of a statement. **Errors** `store-corrupt` without one. */
const mustOf =
  (db: SqliteConnection) =>
  <Row>(sql: string, ...values: SQLInputValue[]): Row =>
    db.get<Row>(sql, ...values) ?? missingRow();

function readEarlierChunks(db: SqliteConnection): Partial<SqliteRows> {
  const must = mustOf(db);

  function chunks(sql: string, ...values: SQLInputValue[]): readonly ChunkRow[] {
    return db.all<Read<ChunkRow, "urtext" | "text">>(sql, ...values).map(toChunk);
  }

  /** Rows of the chunks with these keys, in no order. */
  function keyed<Row>(columns: string, keys: readonly number[]): readonly (Row & { readonly key: number })[] {
    if (keys.length === 0) return [];
    return db.all(
      `SELECT ${columns} FROM (SELECT value FROM json_each(?)) CROSS JOIN chunks ON key = value`,
      JSON.stringify(keys),
    );
  }

  return {
    chunk: (key) => toChunk(must(`SELECT ${chunkColumns} FROM chunks WHERE key = ?`, key)),
    chunkId: (key) => must<{ id: string }>("SELECT id FROM chunks WHERE key = ?", key).id,
    chunkIds: (keys) => inOrder(keys, keyed<{ id: string }>("key, id", keys)).map((row) => (row ?? missingRow()).id),
    chunkFacts: (keys) =>
      inOrder(keys, keyed<StoredFacts>("key, metadata, origin", keys)).map((row) => row ?? missingRow()),
    chunks: (keys) =>
      inOrder(keys, keyed<Read<ChunkRow, "urtext" | "text">>(chunkColumns, keys)).map((row) => row && toChunk(row)),
    chunkDetails: (keys) =>
      inOrder(keys, keyed<{ details: string }>("key, details", keys)).map((row) => row?.details ?? missingRow()),
    chunkKeysById: (scope, ids) =>
      db.all<ChunkKey>(
        `SELECT key, id, deleted_at AS deletedAt FROM (SELECT value FROM json_each(?)) CROSS JOIN chunks ON scope = ? AND id = value`,
        JSON.stringify(ids),
        scope,
      ),
    chunksById: (scope, ids) =>
      chunks(
        // The index is asked for each of them; the other way round all chunks would be read.
        `SELECT ${chunkColumns} FROM (SELECT value FROM json_each(?)) CROSS JOIN chunks ON scope = ? AND id = value`,
        JSON.stringify(ids),
        scope,
      ),
    chunkById: (scope, id) => chunks(`SELECT ${chunkColumns} FROM chunks WHERE scope = ? AND id = ?`, scope, id)[0],
    chunksOfDocument: (scope, id) => chunks(`SELECT ${chunkColumns} ${ofDocument}`, scope, id),
    copiesOf: (scope, textKey, key) =>
      chunks(
        `SELECT ${chunkColumns} FROM chunks WHERE scope = ? AND text_key = ? AND key <> ? AND deleted_at IS NULL`,
        scope,
        textKey,
        key,
      ),
    chunkKeysOf: (scope, id) => db.all<ChunkKey>(`SELECT key, id, deleted_at AS deletedAt ${ofDocument}`, scope, id),
    liveChunksOf: (scope, documentId) =>
      must<{ chunks: number }>(
        "SELECT count(*) AS chunks FROM chunks WHERE scope = ? AND document_id = ? AND deleted_at IS NULL",
        scope,
        documentId,
      ).chunks,
    chunkSpansOf: (scope, documentId) =>
      db.all<StoredChunkSpan>(
        `SELECT id, position AS "index", starts AS "start", ends AS "end" FROM chunks
          WHERE scope = ? AND document_id = ? AND deleted_at IS NULL ORDER BY position, starts, id`,
        scope,
        documentId,
      ),
    chunksAfter: (scope, id, limit) =>
      chunks(
        `SELECT ${chunkColumns} FROM chunks WHERE scope = ? AND id > ? AND deleted_at IS NULL ORDER BY id ${boundLimit}`,
        scope,
        id,
        limit,
      ),
    *scanChunks(scope) {
      const all = `SELECT ${chunkColumns} FROM chunks WHERE scope = ? AND deleted_at IS NULL ORDER BY document, starts, key`;
      for (const row of db.iterate<Read<ChunkRow, "urtext" | "text">>(all, scope)) yield toChunk(row);
    },
    deletedChunks: (scope, until) =>
      chunks(
        `SELECT ${chunkColumns} FROM chunks WHERE scope = ? AND deleted_at IS NOT NULL AND deleted_at <= ?`,
        scope,
        until,
      ),
  };
}

function readEarlierDocuments(db: SqliteConnection): Partial<SqliteRows> {
  const must = mustOf(db);

  function documents(sql: string, ...values: SQLInputValue[]): readonly DocumentRow[] {
    return db.all<Read<DocumentRow, "title">>(sql, ...values).map(toDocument);
  }

  const columns: Columns = { idText: "id", pack: (time) => time };
  const count = (sql: string, ...values: SQLInputValue[]): number => must<{ count: number }>(sql, ...values).count;
  const listed = (sql: string, ...values: SQLInputValue[]): readonly DocumentRow[] =>
    documents(`SELECT ${documentColumns} FROM ${markedDocuments} ${sql}`, ...values);

  const structureOf = (key: number): string =>
    must<{ structure: string }>("SELECT structure FROM documents WHERE key = ?", key).structure;

  function readPart(document: number, part: number): string | undefined {
    const row =
      part === 0
        ? db.get<{ text: Uint8Array }>("SELECT CAST(text AS BLOB) AS text FROM documents WHERE key = ?", document)
        : db.get<{ text: Uint8Array }>(
            "SELECT CAST(text AS BLOB) AS text FROM text_parts WHERE document = ? AND part = ?",
            document,
            part,
          );
    return row && decodeText(row.text);
  }

  function readText(document: number): string {
    const parts: string[] = [];
    for (let part = 0; ; part++) {
      const text = readPart(document, part);
      if (text === undefined) return parts.join("");
      parts.push(text);
    }
  }

  return {
    document: (key) => toDocument(must(`SELECT ${documentColumns} FROM ${markedDocuments} WHERE key = ?`, key)),
    documentBody: (key) => ({ structure: structureOf(key), text: readText(key) }),
    *documentBodyInSteps(key) {
      yield undefined;
      return { structure: structureOf(key), text: readText(key) };
    },
    documentStructure: structureOf,
    documentText: readText,
    documentPart: readPart,
    documentEnds: () => [],
    documentById: (scope, id) =>
      documents(`SELECT ${documentColumns} FROM ${markedDocuments} WHERE scope = ? AND id = ?`, scope, id)[0],
    documentsByUri: (scope, uri) =>
      documents(
        `SELECT ${documentColumns} FROM ${markedDocuments} WHERE scope = ? AND uri = ? AND deleted_at IS NULL ORDER BY id`,
        scope,
        uri,
      ),
    documentsAfter: (scope, uri, id, limit, only = {}) =>
      readListings([uriListing(scope, { uri, id }, only, columns, count)], limit, listed).filter((row) =>
        row.uri.startsWith(only.under ?? ""),
      ),
    documentsInOrder: (scope, order, place, limit, only = {}) =>
      readListings(orderedListing(scope, { order, place, only }, columns, count), limit, listed).filter((row) =>
        row.uri.startsWith(only.under ?? ""),
      ),
    folders(scope, only = {}) {
      const { sql, values } = folderListing(scope, only, { columns, isKept: false });
      return db.all<FolderRow>(sql, ...values);
    },
    deletedDocuments: (scope, until) =>
      documents(
        `SELECT ${documentColumns} FROM ${markedDocuments} WHERE scope = ? AND deleted_at IS NOT NULL AND deleted_at <= ?`,
        scope,
        until,
      ),
  };
}

/**
 * Rows of a file of format 6, to be read: on a medium that nobody writes to, and for the upgrade.
 *
 * **Shape** chunks and documents lie otherwise than today; the rest of the tables is the same.
 */
export function createEarlierRows(db: SqliteConnection): SqliteRows {
  return { ...createSqliteRows(db), ...readEarlierChunks(db), ...readEarlierDocuments(db), orphans: () => [] };
}
