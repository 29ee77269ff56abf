import type { SQLInputValue } from "node:sqlite";
import { IbidError } from "../../contracts/errors.ts";
import {
  type DirectoryWriter,
  type FitRow,
  type PendingRow,
  type ReadBytes,
  renamesSetting,
  type ScopeRow,
  type SegmentRow,
} from "../segments/segment-directory.ts";
import { namesFile } from "../../engine/bm25/stored-names.ts";
import { bytesIn, checkedRow, guardRows, missingRow, spoiltRow } from "./missing-row.ts";
import { createSumsKept } from "./name-sums.ts";
import { createSayings } from "./sqlite-sayings.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { createOrphanSearch } from "./sqlite-orphans.ts";
import { createFormerRows } from "./sqlite-formers.ts";
import { createChunkRows, createStrayCheck, type SqliteChunks } from "./sqlite-chunks.ts";
import { createDocumentRows, type SqliteDocuments } from "./sqlite-documents.ts";
import { createSqliteTexts, type SqliteTexts } from "./sqlite-texts.ts";

const pendingColumns = "key, id, stamp, live, terms, vectors";

/** Pending rows that wait in memory for the index of this process. */
const mostFresh = 2048;

type FitRecord = Omit<FitRow, "current"> & { readonly current: number };

/** A pending row as SQLite has it: truth is a number. */
type PendingRecord = Omit<PendingRow, "live"> & { readonly live: number };

function toPending(record: PendingRecord): PendingRow {
  checkedRow(record, { key: "count", id: "text", stamp: "count", terms: "bytes", vectors: "bytes" });
  return { ...record, live: record.live === 1 };
}

function toScope(record: ScopeRow): ScopeRow {
  checkedRow(record, { key: "count", scope: "text", stamp: "count", rewrites: "count" });
  return /^(?:platform$|deployment$|team:|user:)/u.test(record.scope) ? record : spoiltRow();
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
      target.set(bytesIn(db.get<{ data: Uint8Array }>(range, skipped + 1, count, key)?.data ?? missingRow()), filled);
      filled += count;
    }
    if (filled < target.length) {
      throw new IbidError("store-corrupt", `The file ${name} of segment ${segment} ends before its end.`, {
        hint: "Restore the database from a backup, or move it away and ingest the documents again.",
      });
    }
  };
}

/** The directory's rows, and what a transaction must do with those that wait to be written together. */
export interface SqliteRows extends DirectoryWriter, SqliteChunks, SqliteDocuments {
  readonly texts: Pick<SqliteTexts, "flush" | "mark">;
  /** To be called when something that was written has been rolled back. */
  undone(): void;
}

/** The directory's rows as statements. Values are always bound, never spliced. */
export function createSqliteRows(db: SqliteConnection): SqliteRows {
  const must = <Row>(sql: string, ...values: SQLInputValue[]): Row => db.get<Row>(sql, ...values) ?? missingRow();

  /** The clock as this transaction read it: every step of a search asks for it. */
  let clock = { turn: 0, stamp: 0 };

  function stamp(): number {
    const { turn } = db;
    if (turn === 0 || clock.turn !== turn) {
      clock = { turn, stamp: must<{ stamp: number }>("SELECT stamp FROM clock WHERE key = 1").stamp };
    }
    return clock.stamp;
  }

  /** Settings as this transaction knows them: each write counts itself in one, and reads two for its receipt. */
  let known = { turn: 0, settings: new Map<string, string | undefined>() };

  function settings(): Map<string, string | undefined> {
    const { turn } = db;
    if (turn === 0 || known.turn !== turn) known = { turn, settings: new Map() };
    return known.settings;
  }

  const readSetting = (name: string): string | undefined =>
    db.get<{ value: string }>("SELECT value FROM settings WHERE name = ?", name)?.value;

  const keepsSums = createSumsKept(db);
  const hasStrays = createStrayCheck(db);
  const texts = createSqliteTexts(db, stamp);
  const sayings = createSayings(db, keepsSums);

  /** Rows that this process wrote, until its own index has taken them over: it need not read them back. */
  const fresh = new Map<number, PendingRow>();

  return guardRows<SqliteRows>({
    undone: () => fresh.clear(),
    ...createChunkRows(db, sayings, { keepsSums, hasStrays }),
    ...createDocumentRows(db, texts, sayings, { keepsSums, hasStrays }),
    ...createFormerRows(db),
    texts,
    stamp,
    setStamp(stamp) {
      db.run("UPDATE clock SET stamp = ? WHERE key = 1", stamp);
      clock = { turn: db.turn, stamp };
    },
    setting(name) {
      // A document's row counts its renames by itself.
      if (name === renamesSetting) return readSetting(name);
      const own = settings();
      if (!own.has(name)) own.set(name, readSetting(name));
      return own.get(name);
    },
    setSetting(name, value) {
      db.run("INSERT OR REPLACE INTO settings VALUES (?, ?)", name, value);
      settings().set(name, value);
    },

    scope(scope) {
      const found = db.get<ScopeRow>("SELECT key, scope, stamp, rewrites FROM scopes WHERE scope = ?", scope);
      return found && toScope(found);
    },
    scopes: () => db.all<ScopeRow>("SELECT key, scope, stamp, rewrites FROM scopes").map(toScope),
    addScope: (scope, stamp) => db.run("INSERT INTO scopes (scope, stamp, rewrites) VALUES (?, ?, 0)", scope, stamp),
    putScope: ({ key, stamp, rewrites }) =>
      void db.run("UPDATE scopes SET stamp = ?, rewrites = ? WHERE key = ?", stamp, rewrites, key),
    deleteScope(key) {
      db.run("DELETE FROM files WHERE segment IN (SELECT key FROM segments WHERE scope = ?)", key);
      for (const table of ["marks", "text_parts", "sayings"])
        db.run(`DELETE FROM ${table} WHERE document IN (SELECT key FROM documents WHERE scope = ?)`, key);
      texts.flush();
      for (const table of ["segments", "pending", "chunks", "documents", "blocks"])
        db.run(`DELETE FROM ${table} WHERE scope = ?`, key);
      db.run("DELETE FROM scopes WHERE key = ?", key);
    },

    segmentStamps: (scope) => db.all<Key>("SELECT key, stamp FROM segments WHERE scope = ? ORDER BY key", scope),
    segment: (key) =>
      checkedRow(
        must<SegmentRow>(
          "SELECT key, scope, size, stamp, keys, lengths, state, columns FROM segments WHERE key = ?",
          key,
        ),
        { size: "count", keys: "bytes", lengths: "bytes", state: "bytes", columns: "text" },
      ),
    segmentState: (key) =>
      checkedRow(
        must<Pick<SegmentRow, "state" | "columns">>("SELECT state, columns FROM segments WHERE key = ?", key),
        { state: "bytes", columns: "text" },
      ),
    fits: () =>
      db
        .all<FitRecord>("SELECT key, fingerprint, dimensions, corpus, chunks, energy, current FROM fits ORDER BY key")
        .map((record) => ({
          ...checkedRow(record, {
            fingerprint: "text",
            dimensions: "count",
            corpus: "count",
            chunks: "count",
            energy: "number",
          }),
          current: record.current === 1,
        })),
    fitPart(fit, part) {
      const found = db.get<{ data: unknown }>("SELECT data FROM fit_parts WHERE fit = ? AND part = ?", fit, part);
      return found && bytesIn(found.data);
    },
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
    file(segment, name, part) {
      const sql = "SELECT data FROM files WHERE segment = ? AND name = ? AND part = ?";
      const found = db.get<{ data: unknown }>(sql, segment, name, part);
      return found && bytesIn(found.data);
    },
    bytes: (segment, name) => findFileBytes(db, segment, name),
    names(segment) {
      // An earlier ibid that gives a document another name leaves them. It counts that name.
      const sql = "SELECT data FROM files WHERE segment = ? AND name = ? AND part = ?";
      const found = db.get<{ data: unknown }>(sql, segment, namesFile, Number(readSetting(renamesSetting) ?? 0));
      return found && bytesIn(found.data);
    },
    addFile: (segment, name, part, data) =>
      void db.run("INSERT INTO files (segment, name, part, data) VALUES (?, ?, ?, ?)", segment, name, part, data),

    pendingAfter(scope, key) {
      const after = "FROM pending WHERE scope = ? AND key > ? ORDER BY key";
      if (fresh.size > 0) {
        const found = db.all<Key>(`SELECT key, stamp ${after}`, scope, key);
        const known = found.flatMap((row) => (fresh.get(row.key)?.stamp === row.stamp ? [fresh.get(row.key)!] : []));
        for (const row of found) fresh.delete(row.key);
        if (known.length === found.length) return known;
      }
      return db.all<PendingRecord>(`SELECT ${pendingColumns} ${after}`, scope, key).map(toPending);
    },
    pendingStamps: (scope) => db.all<Key>("SELECT key, stamp FROM pending WHERE scope = ?", scope),
    pending: (key) => toPending(must<PendingRecord>(`SELECT ${pendingColumns} FROM pending WHERE key = ?`, key)),
    addPending(scope, row) {
      const { key, id, stamp, live, terms, vectors } = row;
      const sql = "INSERT INTO pending (scope, key, id, stamp, live, terms, vectors) VALUES (?, ?, ?, ?, ?, ?, ?)";
      db.run(sql, scope, key, id, stamp, live ? 1 : 0, terms, vectors);
      if (fresh.size >= mostFresh) fresh.clear();
      fresh.set(key, row);
    },
    markPending: (key, live, stamp) =>
      void db.run("UPDATE pending SET live = ?, stamp = ? WHERE key = ?", live ? 1 : 0, stamp, key),
    deletePending: (key) => void db.run("DELETE FROM pending WHERE key = ?", key),
    deletePendingRows: (keys) =>
      void db.run("DELETE FROM pending WHERE key IN (SELECT value FROM json_each(?))", JSON.stringify(keys)),
    deleteAllPending: (scope) => void db.run("DELETE FROM pending WHERE scope = ?", scope),

    ...createOrphanSearch(db),
    deleteSetting(name) {
      db.run("DELETE FROM settings WHERE name = ?", name);
      settings().delete(name);
    },
  });
}
