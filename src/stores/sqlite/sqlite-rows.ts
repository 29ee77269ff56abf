import type { StoredChunkSpan } from "../../contracts/document-store.ts";
import type { SQLInputValue } from "node:sqlite";
import { IbidError } from "../../contracts/errors.ts";
import type {
  ChunkKey,
  ChunkRow,
  DirectoryWriter,
  DocumentBody,
  DocumentRow,
  DocumentTotals,
  FitRow,
  HomeRow,
  PendingRow,
  ReadBytes,
  ScopeRow,
  SegmentRow,
  StoredPlace,
  StoredFacts,
} from "../segments/segment-directory.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { createOrphanSearch } from "./sqlite-orphans.ts";
import { bytesOf, type Read, toChunk, toDocument, toHome } from "./sqlite-texts.ts";
import { chunkValues, documentValues } from "./sqlite-texts.ts";
import { createSqliteTexts, missingRow } from "./sqlite-texts.ts";

const chunkColumns = `key, scope, id, document_id AS documentId, document, starts AS "start", ends AS "end", position AS "index",
  details, metadata, origin, ${bytesOf("urtext")}, ${bytesOf("text")}, deleted_at AS deletedAt,
  text_key AS textKey`;

const ofDocument = "FROM chunks WHERE scope = ? AND document_id = ? ORDER BY key";

const documentColumns = `key, scope, id, uri, ${bytesOf("title")}, media_type AS mediaType, origin, content_hash AS contentHash,
  metadata_hash AS metadataHash, fingerprint, bytes, folder, ingested_at AS ingestedAt, deleted_at AS deletedAt,
  checked_at AS checkedAt, etag, last_modified AS lastModified`;
const markedDocuments = "documents LEFT JOIN marks ON marks.document = documents.key";

const pendingColumns = "key, id, stamp, live, terms, vectors";

type FitRecord = Omit<FitRow, "current"> & { readonly current: number };

/** A pending row as SQLite has it: truth is a number. */
type PendingRecord = Omit<PendingRow, "live"> & { readonly live: number };

function toPending(record: PendingRecord): PendingRow {
  return { ...record, live: record.live === 1 };
}

interface Key {
  readonly key: number;
  readonly stamp: number;
}

/** Reads a file's parts by ranges. SQLite copies a range instead of handing out each part as an array of its own, so codes can be passed over without being kept. */
function findFileBytes(db: SqliteConnection, segment: number, name: string): ReadBytes | undefined {
  const parts = db.all<{ key: number; length: number }>(
    "SELECT key, length(data) AS length FROM files WHERE segment = ? AND name = ? ORDER BY part",
    segment,
    name,
  );
  if (parts.length === 0) return undefined;
  return (target, from) => {
    let filled = 0;
    /** Where a part begins, counted from `from`. */
    let start = -from;
    for (const { key, length } of parts) {
      const skipped = Math.max(0, -start);
      const count = Math.min(length - skipped, target.length - filled);
      start += length;
      if (count <= 0) continue;
      const range = "SELECT substr(data, ?, ?) AS data FROM files WHERE key = ?";
      target.set(db.get<{ data: Uint8Array }>(range, skipped + 1, count, key)?.data ?? missingRow(), filled);
      filled += count;
    }
    if (filled < target.length) {
      throw new IbidError("store-corrupt", `The file ${name} of segment ${segment} ends before its end.`, {
        hint: "Restore the database from a backup, or move it away and ingest the documents again.",
      });
    }
  };
}

/** The directory's rows as statements. Values are always bound, never spliced. */
export function createSqliteRows(db: SqliteConnection): DirectoryWriter {
  const texts = createSqliteTexts(db);

  const must = <Row>(sql: string, ...values: SQLInputValue[]): Row => db.get<Row>(sql, ...values) ?? missingRow();

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

  function documents(sql: string, ...values: SQLInputValue[]): readonly DocumentRow[] {
    return db.all<Read<DocumentRow, "title">>(sql, ...values).map(toDocument);
  }

  /** Most documents have none: they are as they were ingested, and no sender said anything of them. */
  function putMarks(key: number, { checkedAt, etag, lastModified }: Omit<DocumentRow, "key">): void {
    if (checkedAt === null && etag === null && lastModified === null) {
      db.run("DELETE FROM marks WHERE document = ?", key);
    } else db.run("INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)", key, checkedAt, etag, lastModified);
  }

  /** The clock as this transaction read it: every step of a search asks for it. */
  let clock = { turn: 0, stamp: 0 };

  return {
    stamp() {
      const { turn } = db;
      if (turn === 0 || clock.turn !== turn) {
        clock = { turn, stamp: must<{ stamp: number }>("SELECT stamp FROM clock WHERE key = 1").stamp };
      }
      return clock.stamp;
    },
    setStamp(stamp) {
      db.run("UPDATE clock SET stamp = ? WHERE key = 1", stamp);
      clock = { turn: 0, stamp };
    },
    setting: (name) => db.get<{ value: string }>("SELECT value FROM settings WHERE name = ?", name)?.value,
    setSetting: (name, value) => void db.run("INSERT OR REPLACE INTO settings VALUES (?, ?)", name, value),

    scope: (scope) => db.get<ScopeRow>("SELECT key, scope, stamp, rewrites FROM scopes WHERE scope = ?", scope),
    scopes: () => db.all<ScopeRow>("SELECT key, scope, stamp, rewrites FROM scopes"),
    addScope: (scope, stamp) => db.run("INSERT INTO scopes (scope, stamp, rewrites) VALUES (?, ?, 0)", scope, stamp),
    putScope: ({ key, stamp, rewrites }) =>
      void db.run("UPDATE scopes SET stamp = ?, rewrites = ? WHERE key = ?", stamp, rewrites, key),
    deleteScope(key) {
      db.run("DELETE FROM files WHERE segment IN (SELECT key FROM segments WHERE scope = ?)", key);
      for (const table of ["marks", "text_parts"])
        db.run(`DELETE FROM ${table} WHERE document IN (SELECT key FROM documents WHERE scope = ?)`, key);
      for (const table of ["segments", "pending", "chunks", "documents"])
        db.run(`DELETE FROM ${table} WHERE scope = ?`, key);
      db.run("DELETE FROM scopes WHERE key = ?", key);
    },

    segmentStamps: (scope) => db.all<Key>("SELECT key, stamp FROM segments WHERE scope = ? ORDER BY key", scope),
    segment: (key) =>
      must<SegmentRow>(
        "SELECT key, scope, size, stamp, keys, lengths, state, columns FROM segments WHERE key = ?",
        key,
      ),
    segmentState: (key) =>
      must<Pick<SegmentRow, "state" | "columns">>("SELECT state, columns FROM segments WHERE key = ?", key),
    fits: () =>
      db
        .all<FitRecord>("SELECT key, fingerprint, dimensions, corpus, chunks, energy, current FROM fits ORDER BY key")
        .map((record) => ({ ...record, current: record.current === 1 })),
    fitPart: (fit, part) =>
      db.get<{ data: Uint8Array }>("SELECT data FROM fit_parts WHERE fit = ? AND part = ?", fit, part)?.data,
    addFit({ fingerprint, dimensions, corpus, chunks, energy, current }, parts) {
      const key = db.run(
        "INSERT INTO fits (fingerprint, dimensions, corpus, chunks, energy, current) VALUES (?, ?, ?, ?, ?, ?)",
        fingerprint,
        dimensions,
        corpus,
        chunks,
        energy,
        current ? 1 : 0,
      );
      for (const [part, data] of parts.entries()) db.run("INSERT INTO fit_parts VALUES (?, ?, ?)", key, part, data);
      return key;
    },
    putFit: ({ key, corpus, current }) =>
      void db.run("UPDATE fits SET corpus = ?, current = ? WHERE key = ?", corpus, current ? 1 : 0, key),
    deleteFit(key) {
      db.run("DELETE FROM fit_parts WHERE fit = ?", key);
      db.run("DELETE FROM fits WHERE key = ?", key);
    },
    addSegment: ({ scope, size, stamp, keys, lengths, state, columns }) =>
      db.run(
        "INSERT INTO segments (scope, size, stamp, keys, lengths, state, columns) VALUES (?, ?, ?, ?, ?, ?, ?)",
        scope,
        size,
        stamp,
        keys,
        lengths,
        state,
        columns,
      ),
    putSegmentState: (key, state, stamp) =>
      void db.run("UPDATE segments SET state = ?, stamp = ? WHERE key = ?", state, stamp, key),
    putSegmentColumns: (key, columns, stamp) =>
      void db.run("UPDATE segments SET columns = ?, stamp = ? WHERE key = ?", columns, stamp, key),
    deleteFile: (segment, name) => void db.run("DELETE FROM files WHERE segment = ? AND name = ?", segment, name),
    deleteSegment(key) {
      db.run("DELETE FROM files WHERE segment = ?", key);
      db.run("DELETE FROM segments WHERE key = ?", key);
    },
    file: (segment, name, part) =>
      db.get<{ data: Uint8Array }>(
        "SELECT data FROM files WHERE segment = ? AND name = ? AND part = ?",
        segment,
        name,
        part,
      )?.data,
    bytes: (segment, name) => findFileBytes(db, segment, name),
    addFile: (segment, name, part, data) =>
      void db.run("INSERT INTO files (segment, name, part, data) VALUES (?, ?, ?, ?)", segment, name, part, data),

    pendingAfter: (scope, key) =>
      db
        .all<PendingRecord>(
          `SELECT ${pendingColumns} FROM pending WHERE scope = ? AND key > ? ORDER BY key`,
          scope,
          key,
        )
        .map(toPending),
    pendingStamps: (scope) => db.all<Key>("SELECT key, stamp FROM pending WHERE scope = ?", scope),
    pending: (key) => toPending(must<PendingRecord>(`SELECT ${pendingColumns} FROM pending WHERE key = ?`, key)),
    addPending: (scope, { key, id, stamp, live, terms, vectors }) =>
      void db.run(
        "INSERT INTO pending (scope, key, id, stamp, live, terms, vectors) VALUES (?, ?, ?, ?, ?, ?, ?)",
        scope,
        key,
        id,
        stamp,
        live ? 1 : 0,
        terms,
        vectors,
      ),
    markPending: (key, live, stamp) =>
      void db.run("UPDATE pending SET live = ?, stamp = ? WHERE key = ?", live ? 1 : 0, stamp, key),
    deletePending: (key) => void db.run("DELETE FROM pending WHERE key = ?", key),
    deleteAllPending: (scope) => void db.run("DELETE FROM pending WHERE scope = ?", scope),

    chunk: (key) => toChunk(must(`SELECT ${chunkColumns} FROM chunks WHERE key = ?`, key)),
    chunkId: (key) => must<{ id: string }>("SELECT id FROM chunks WHERE key = ?", key).id,
    chunkIds: (keys) => inOrder(keys, keyed<{ id: string }>("key, id", keys)).map((row) => (row ?? missingRow()).id),
    chunkPlaces: (keys) =>
      inOrder(
        keys,
        db.all<StoredPlace & Key>(
          `SELECT chunks.key, coalesce(uri, '') AS uri, starts AS "start" FROM (SELECT value FROM json_each(?))
            CROSS JOIN chunks ON chunks.key = value LEFT JOIN documents ON documents.key = document`,
          JSON.stringify(keys),
        ),
      ).map((row) => row ?? missingRow()),
    chunkDocuments(keys) {
      const found = new Map<number, number>();
      for (const { key, document } of keyed<{ document: number }>("key, document", keys)) found.set(key, document);
      return keys.map((key) => found.get(key) ?? 0);
    },
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
        `SELECT ${chunkColumns} FROM chunks WHERE scope = ? AND id > ? AND deleted_at IS NULL ORDER BY id LIMIT ?`,
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
    addChunk: (row) =>
      db.run(
        `INSERT INTO chunks (scope, id, document_id, document, starts, ends, position, details, metadata, origin, urtext, text,
          deleted_at, text_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...chunkValues(row),
      ),
    putChunk: (row) =>
      void db.run(
        `UPDATE chunks SET scope = ?, id = ?, document_id = ?, document = ?, starts = ?, ends = ?, position = ?, details = ?,
          metadata = ?, origin = ?, urtext = ?, text = ?, deleted_at = ?, text_key = ? WHERE key = ?`,
        ...chunkValues(row),
        row.key,
      ),
    deleteChunk: (key) => void db.run("DELETE FROM chunks WHERE key = ?", key),

    document: (key) => toDocument(must(`SELECT ${documentColumns} FROM ${markedDocuments} WHERE key = ?`, key)),
    homesOf: (keys) =>
      db
        .all<Read<HomeRow, "title">>(
          `SELECT key, uri, folder, ${bytesOf("title")} FROM (SELECT value FROM json_each(?)) CROSS JOIN documents ON key = value`,
          JSON.stringify(keys),
        )
        .map(toHome),
    documentBody: (key) => ({
      ...must<Omit<DocumentBody, "text">>("SELECT structure FROM documents WHERE key = ?", key),
      text: texts.read(key),
    }),
    documentStructure: (key) =>
      must<Pick<DocumentBody, "structure">>("SELECT structure FROM documents WHERE key = ?", key).structure,
    documentText: (key) => texts.read(key),
    documentPart: (key, part) => texts.part(key, part),
    documentById: (scope, id) =>
      documents(`SELECT ${documentColumns} FROM ${markedDocuments} WHERE scope = ? AND id = ?`, scope, id)[0],
    documentsByUri: (scope, uri) =>
      documents(
        `SELECT ${documentColumns} FROM ${markedDocuments} WHERE scope = ? AND uri = ? AND deleted_at IS NULL ORDER BY id`,
        scope,
        uri,
      ),
    documentsAfter: (scope, uri, id, limit) =>
      id === undefined
        ? documents(
            `SELECT ${documentColumns} FROM ${markedDocuments} WHERE scope = ? AND uri > ? AND deleted_at IS NULL ORDER BY uri, id LIMIT ?`,
            scope,
            uri,
            limit,
          )
        : documents(
            `SELECT ${documentColumns} FROM ${markedDocuments} WHERE scope = ? AND (uri, id) > (?, ?) AND deleted_at IS NULL
              ORDER BY uri, id LIMIT ?`,
            scope,
            uri,
            id,
            limit,
          ),
    deletedDocuments: (scope, until) =>
      documents(
        `SELECT ${documentColumns} FROM ${markedDocuments} WHERE scope = ? AND deleted_at IS NOT NULL AND deleted_at <= ?`,
        scope,
        until,
      ),
    totals: (scope) =>
      must<DocumentTotals>(
        `SELECT count(*) AS documents, coalesce(sum(bytes), 0) AS bytes FROM documents WHERE scope = ? AND deleted_at IS NULL`,
        scope,
      ),
    addDocument(row, { structure, text }) {
      const key = db.run(
        `INSERT INTO documents (scope, id, uri, title, media_type, origin, content_hash, metadata_hash, fingerprint, bytes, folder,
          ingested_at, deleted_at, structure, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...documentValues(row),
        structure,
        texts.first(text),
      );
      texts.putRest(key, text);
      putMarks(key, row);
      return key;
    },
    putDocument(row, body) {
      db.run(
        `UPDATE documents SET scope = ?, id = ?, uri = ?, title = ?, media_type = ?, origin = ?, content_hash = ?,
          metadata_hash = ?, fingerprint = ?, bytes = ?, folder = ?, ingested_at = ?, deleted_at = ? WHERE key = ?`,
        ...documentValues(row),
        row.key,
      );
      putMarks(row.key, row);
      if (body === undefined) return;
      db.run(
        "UPDATE documents SET structure = ?, text = ? WHERE key = ?",
        body.structure,
        texts.first(body.text),
        row.key,
      );
      texts.putRest(row.key, body.text);
    },
    deleteDocument(key) {
      texts.deleteRest(key);
      db.run("DELETE FROM documents WHERE key = ?", key);
      db.run("DELETE FROM marks WHERE document = ?", key);
    },

    ...createOrphanSearch(db),
    deleteSetting: (name) => void db.run("DELETE FROM settings WHERE name = ?", name),
  };
}

/** **Shape** one row for each key, `undefined` where there is none. */
function inOrder<Row extends { readonly key: number }>(
  keys: readonly number[],
  rows: readonly Row[],
): readonly (Row | undefined)[] {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return keys.map((key) => byKey.get(key));
}
