import type { DatabaseSync } from "node:sqlite";
import type { Engine, EngineCandidate, EngineCondition, EngineIndexSpec } from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions, engineFailed } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex, type OwnRequest, pageSize } from "../engines/create-engine.ts";
import { type Likeness, likeness } from "../engines/engine-vector.ts";
import { writeExpression } from "../engines/translate-filter.ts";
import { loadSqlite } from "./sqlite-runtime.ts";

/**
 * Options of {@link createSqliteEngine}.
 *
 * @experimental
 */
export interface SqliteEngineOptions {
  /** File of the database. Default `":memory:"`. */
  readonly file?: string | undefined;
  /** Beginning of the names of tables. Default `"ibid"`. */
  readonly prefix?: string | undefined;
  /** Settings of the connection, such as `{ cache_size: -64000 }`. */
  readonly pragmas?: Readonly<Record<string, string | number>> | undefined;
}

/**
 * An engine over SQLite, in this process, with Node's own library: tables that other programs read. Every search compares every entry; words go by FTS5.
 *
 * **Errors** `invalid-argument` for options; `unsupported-runtime`; others as those of an `Engine`.
 * **Cost** a search reads every vector that meets the condition, and holds the event loop meanwhile.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createSqliteEngine({ file: "products.sqlite" }) });
 *
 * @experimental
 */
export function createSqliteEngine(options: SqliteEngineOptions = {}): Engine {
  checkGiven("createSqliteEngine", "the options", options, "object");
  checkOptions("createSqliteEngine", options, { file: true, prefix: true, pragmas: true });
  let opened: DatabaseSync | undefined;
  const connect = (): DatabaseSync => (opened ??= attempt("open", () => openDatabase(options)));
  return createEngine({
    name: "sqlite",
    native: { database: connect },
    prefix: options.prefix,
    measures: likeness,
    query: "none",
    capabilities: { exhaustive: true, candidates: 100_000, records: { kinds: ["flat"], words: true } },
    async open(table, spec) {
      const db = connect();
      attempt("make a table", () => makeTables(db, table, spec));
      return createIndex(db, table, spec);
    },
    async names(beginning) {
      const text = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ?";
      const rows = attempt("list tables", () => connect().prepare(text).all(`${beginning}*`));
      return rows.map(({ name }) => String(name)).filter((name) => !/_(?:tags|words(?:_\w+)?)$/u.test(name));
    },
    async drop(table) {
      attempt("drop a table", () => {
        for (const one of [table, `${table}_tags`, `${table}_words`]) connect().exec(`DROP TABLE IF EXISTS "${one}"`);
      });
    },
    async close() {
      attempt("close", () => opened?.close());
      opened = undefined;
    },
  });
}

/** Runs a step, with errors that name store and operation. */
function attempt<Result>(operation: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw engineFailed("sqlite", operation, error);
  }
}

function openDatabase({ file = ":memory:", pragmas = {} }: SqliteEngineOptions): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const db = new DatabaseSync(file, { timeout: 5_000 });
  db.exec("PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;");
  for (const [name, value] of Object.entries(pragmas)) {
    if (!/^\w+$/u.test(name) || !/^-?\w+$/u.test(String(value))) throw new Error(`the setting ${name} cannot be read`);
    db.exec(`PRAGMA ${name} = ${value}`);
  }
  return db;
}

function makeTables(db: DatabaseSync, table: string, spec: EngineIndexSpec): void {
  db.exec(
    `CREATE TABLE IF NOT EXISTS "${table}" (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, ref TEXT NOT NULL, numbers TEXT NOT NULL,
       vector BLOB NOT NULL, record TEXT, fields TEXT);
     CREATE TABLE IF NOT EXISTS "${table}_tags" (tag TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tag, id)) WITHOUT ROWID;
     CREATE INDEX IF NOT EXISTS "${table}_entry" ON "${table}_tags" (id);`,
  );
  if (spec.records === true) {
    db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS "${table}_words" USING fts5(text)`);
    // Words of a deleted record leave the index with it. A file that is opened again is not written.
    if (db.prepare(`SELECT v FROM "${table}_words_config" WHERE k = 'secure-delete'`).get()?.["v"] !== 1)
      db.exec(`INSERT INTO "${table}_words" ("${table}_words", rank) VALUES ('secure-delete', 1)`);
  }
  const row = db.prepare(`SELECT length(vector) / 4 AS n FROM "${table}" LIMIT 1`).get();
  checkDimensions("sqlite", spec, Number(row?.["n"] ?? spec.dimensions));
}

function createIndex(db: DatabaseSync, table: string, { measure, records = false }: MeasuredSpec<Likeness>): OwnIndex {
  const placed = "(SELECT value FROM json_each(?))";

  function write(operation: string, run: () => void): void {
    attempt(operation, () => {
      db.exec("BEGIN IMMEDIATE");
      try {
        run();
        db.exec("COMMIT");
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  function remove(keys: readonly string[]): void {
    const list = JSON.stringify(keys);
    const ids = `(SELECT id FROM "${table}" WHERE key IN ${placed})`;
    db.prepare(`DELETE FROM "${table}_tags" WHERE id IN ${ids}`).run(list);
    if (records) db.prepare(`DELETE FROM "${table}_words" WHERE rowid IN ${ids}`).run(list);
    db.prepare(`DELETE FROM "${table}" WHERE key IN ${placed}`).run(list);
  }

  return {
    async put(entries) {
      write("write", () => {
        remove(entries.map(({ key }) => key));
        const insert = db.prepare(
          `INSERT INTO "${table}" (key, ref, numbers, vector, record, fields) VALUES (?, ?, ?, ?, ?, ?)`,
        );
        const tag = db.prepare(`INSERT OR IGNORE INTO "${table}_tags" (tag, id) VALUES (?, ?)`);
        const words = records ? db.prepare(`INSERT INTO "${table}_words" (rowid, text) VALUES (?, ?)`) : undefined;
        for (const { key, ref, tags, numbers, vector, record } of entries) {
          const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
          const fields = record === undefined ? null : JSON.stringify(record.fields);
          const row = insert.run(key, ref, JSON.stringify(numbers), bytes, record?.json ?? null, fields);
          for (const one of tags) tag.run(one, row.lastInsertRowid);
          words?.run(row.lastInsertRowid, record?.text ?? "");
        }
      });
    },
    async delete(keys) {
      write("delete", () => remove(keys));
      // The write-ahead log holds the pages of before. A reader that stands in its way leaves them to the next delete.
      if (records) attempt("delete", () => db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    },
    async count(tag) {
      const row = attempt("count", () =>
        db.prepare(`SELECT count(*) AS n FROM "${table}_tags" WHERE tag = ?`).get(tag),
      );
      return Number(row?.["n"] ?? 0);
    },
    async list(tag, from = "") {
      const rows = attempt("list", () =>
        db
          .prepare(
            `SELECT key FROM "${table}" JOIN "${table}_tags" USING (id) WHERE tag = ? AND key > ? ORDER BY key LIMIT ${pageSize}`,
          )
          .all(tag, from),
      );
      return rows.map(({ key }) => String(key));
    },
    async read(keys) {
      const rows = attempt("read", () =>
        db
          .prepare(`SELECT key, ref, record FROM "${table}" WHERE key IN ${placed} AND record IS NOT NULL`)
          .all(JSON.stringify(keys)),
      );
      return rows.map(({ key, ref, record }) => ({ key: String(key), ref: String(ref), json: String(record) }));
    },
    async readVectors(keys) {
      const rows = attempt("read vectors", () =>
        db.prepare(`SELECT key, vector FROM "${table}" WHERE key IN ${placed}`).all(JSON.stringify(keys)),
      );
      return rows.map(({ key, vector }) => ({ key: String(key), vector: toNumbers(vector) }));
    },
    nearest: async (request) => attempt("search", () => nearest(db, table, measure, request)),
    async said(words, { condition, limit }) {
      const text = `SELECT e.ref AS ref FROM "${table}_words" AS w JOIN "${table}" AS e ON e.id = w.rowid
        WHERE w.text MATCH ? AND ${writeWhere(table, condition)} ORDER BY w.rank LIMIT ${limit}`;
      const asked = words.map((word) => `"${word}"`).join(" OR ");
      return attempt("search words", () => db.prepare(text).all(asked)).map(({ ref }) => String(ref));
    },
  };
}

function nearest(
  db: DatabaseSync,
  table: string,
  measure: Likeness,
  { vector, condition, limit }: OwnRequest,
): readonly EngineCandidate[] {
  const where = writeWhere(table, condition);
  const scored: EngineCandidate[] = [];
  for (const row of db.prepare(`SELECT ref, vector FROM "${table}" AS e WHERE ${where}`).iterate()) {
    scored.push({ ref: String(row["ref"]), score: measure(vector, toNumbers(row["vector"])) });
  }
  return scored.sort((a, b) => b.score - a.score).slice(0, limit);
}

function writeWhere(table: string, condition: EngineCondition | undefined): string {
  const tagged = (tag: string): string =>
    `EXISTS (SELECT 1 FROM "${table}_tags" AS t WHERE t.tag = '${tag}' AND t.id = e.id)`;
  return writeExpression(condition, tagged, compares) ?? "true";
}

/** A copy of bytes begins where 32-bit numbers may begin. */
const toNumbers = (bytes: unknown): Float32Array => new Float32Array(Uint8Array.from(bytes as Uint8Array).buffer);

const compares = (key: string, sign: string, value: number): string =>
  `coalesce(json_extract(e.numbers, '$.${key}') ${sign} ${value}, false)`;
