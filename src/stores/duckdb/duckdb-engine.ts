import type { Engine } from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions, engineFailed } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex, pageSize } from "../engines/create-engine.ts";
import { asItIs, fromDistance, type NamedMeasure } from "../engines/engine-scores.ts";
import { writeExpression } from "../engines/translate-filter.ts";
import { type DuckDbConnection, loadDuckDb } from "./load-duckdb.ts";

/**
 * Options of {@link createDuckDbEngine}.
 *
 * @experimental
 */
export interface DuckDbOptions {
  /** File of the database, `":memory:"`, or a connection of yours, which stays open. Default `":memory:"`. */
  readonly database?: string | DuckDbConnection | undefined;
  /** Beginning of the names of tables. Default `"ibid"`. */
  readonly prefix?: string | undefined;
  /** DuckDB's own settings, such as `{ threads: "2", memory_limit: "1GB" }`. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/** **Source** "Array functions" of duckdb.org, which names no others for vectors. */
const measures = {
  cosine: { name: "array_cosine_similarity", score: asItIs },
  dot: { name: "array_inner_product", score: asItIs },
  euclidean: { name: "array_distance", score: fromDistance },
};

type Value = string | number | null;

/** A connection whose statements run one after the other, with errors that name the operation. */
interface DuckDb {
  rows<Row>(operation: string, sql: string, values?: readonly Value[]): Promise<readonly Row[]>;
  close(): void;
}

/**
 * An engine over DuckDB, in this process: a table for each base and embedding version. Every search compares every entry.
 *
 * **Errors** `invalid-argument` for options; `dependency-missing` without the package `@duckdb/node-api`; others as those of an `Engine`.
 * **Source** DuckDB 1.5, "Array functions" of duckdb.org. DuckDB's HNSW index is an experiment of its `vss` extension, and is not used.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createDuckDbEngine({ database: "vectors.duckdb" }) });
 *
 * @experimental
 */
export function createDuckDbEngine(options: DuckDbOptions = {}): Engine {
  checkGiven("createDuckDbEngine", "the options", options, "object");
  checkOptions("createDuckDbEngine", options, { database: true, prefix: true, settings: true });
  // A package that is missing shows at once: searches go on without an engine that fails.
  const library = typeof (options.database ?? "") === "string" ? loadDuckDb() : undefined;
  let opening: Promise<DuckDb> | undefined;
  const connect = (): Promise<DuckDb> => {
    opening ??= openDuckDb(options, library);
    opening.catch(() => (opening = undefined));
    return opening;
  };
  return createEngine({
    name: "duckdb",
    prefix: options.prefix,
    measures,
    native: {
      query: async (sql: string, values?: readonly Value[]) => (await connect()).rows("query", sql, values),
    },
    query: "none",
    capabilities: { exhaustive: true, candidates: 100_000, records: { kinds: ["flat"], words: false } },
    async open(name, spec) {
      const db = await connect();
      await makeTable(db, `"${name}"`, spec);
      return createIndex(db, `"${name}"`, spec);
    },
    async names(beginning) {
      const sql = "SELECT table_name AS name FROM information_schema.tables WHERE starts_with(table_name, $1)";
      const rows = await (await connect()).rows<{ name: string }>("list tables", sql, [beginning]);
      return rows.map(({ name }) => name);
    },
    drop: async (name) => (await connect()).rows("drop a table", `DROP TABLE IF EXISTS "${name}"`),
    close: async () => {
      const db = await opening?.catch(() => undefined);
      opening = undefined;
      db?.close();
    },
  });
}

async function openDuckDb(
  { database = ":memory:", settings = {} }: DuckDbOptions,
  library: ReturnType<typeof loadDuckDb> | undefined,
): Promise<DuckDb> {
  const instance =
    typeof database !== "string"
      ? undefined
      : await library!.DuckDBInstance.create(database, settings).catch((cause: unknown) => {
          throw engineFailed("duckdb", "open", cause);
        });
  const connection = typeof database === "string" ? await instance!.connect() : database;
  // A transaction of DuckDB fails beside another one that writes the same rows; so each waits for the one before.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    rows<Row>(operation: string, sql: string, values: readonly Value[] = []) {
      const next = turn.then(async () => {
        try {
          return (await connection.runAndReadAll(sql, values)).getRowObjectsJson() as readonly Row[];
        } catch (error) {
          throw engineFailed("duckdb", operation, error);
        }
      });
      turn = next.catch(() => {});
      return next;
    },
    close() {
      if (instance === undefined) return;
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function makeTable(db: DuckDb, table: string, spec: MeasuredSpec<NamedMeasure>): Promise<void> {
  await db.rows(
    "make a table",
    `CREATE TABLE IF NOT EXISTS ${table} (key VARCHAR PRIMARY KEY, ref VARCHAR NOT NULL, tags VARCHAR[] NOT NULL,
     numbers MAP(VARCHAR, DOUBLE) NOT NULL, vector FLOAT[${spec.dimensions}] NOT NULL, record VARCHAR, fields JSON)`,
  );
  const [row] = await db.rows<{ type: string }>(
    "read a table",
    "SELECT data_type AS type FROM duckdb_columns() WHERE table_name = $1 AND column_name = 'vector'",
    [table.slice(1, -1)],
  );
  checkDimensions("duckdb", spec, Number(/\d+/u.exec(row?.type ?? "")?.[0] ?? spec.dimensions));
}

function createIndex(
  db: DuckDb,
  table: string,
  { measure, dimensions, records = false }: MeasuredSpec<NamedMeasure>,
): OwnIndex {
  const type = `FLOAT[${dimensions}]`;
  const keysIn = "(SELECT unnest(CAST($1::JSON AS VARCHAR[])))";
  return {
    score: measure.score,
    async put(entries) {
      const rows = entries.map(({ key, ref, tags, numbers, vector, record }) => ({
        key,
        ref,
        tags,
        names: Object.keys(numbers),
        values: Object.values(numbers),
        vector: [...vector],
        record: record?.json,
        fields: record?.fields,
      }));
      // A record's own text has U+0000 and halves of characters as escapes, and JSON in JSON escapes them once more.
      await db.rows(
        "write",
        `INSERT OR REPLACE INTO ${table} SELECT r->>'key', r->>'ref', CAST(r->'tags' AS VARCHAR[]),
         map(CAST(r->'names' AS VARCHAR[]), CAST(r->'values' AS DOUBLE[])), CAST(CAST(r->'vector' AS FLOAT[]) AS ${type}), r->>'record', r->'fields'
         FROM (SELECT unnest(CAST($1::JSON AS JSON[])) AS r)`,
        [JSON.stringify(rows, writable)],
      );
    },
    async delete(keys) {
      await db.rows("delete", `DELETE FROM ${table} WHERE key IN ${keysIn}`, [JSON.stringify(keys)]);
      // The log holds the records. A transaction that stands in its way leaves them to the next delete.
      if (records) await db.rows("delete", "CHECKPOINT", []).catch(() => {});
    },
    async count(tag) {
      const [row] = await db.rows<{ n: string }>(
        "count",
        `SELECT count(*) AS n FROM ${table} WHERE list_contains(tags, $1)`,
        [tag],
      );
      return Number(row?.n ?? 0);
    },
    async list(tag, from) {
      const found = await db.rows<{ key: string }>(
        "list",
        `SELECT key FROM ${table} WHERE list_contains(tags, $1) AND key > $2 ORDER BY key LIMIT ${pageSize}`,
        [tag, from ?? ""],
      );
      return found.map(({ key }) => key);
    },
    read: (keys) =>
      db.rows<{ key: string; ref: string; json: string }>(
        "read",
        `SELECT key, ref, record AS json FROM ${table} WHERE key IN ${keysIn}`,
        [JSON.stringify(keys)],
      ),
    readVectors: (keys) =>
      db.rows<{ key: string; vector: readonly number[] }>(
        "read vectors",
        `SELECT key, vector FROM ${table} WHERE key IN ${keysIn}`,
        [JSON.stringify(keys)],
      ),
    async nearest({ vector, condition, limit }) {
      const likeness = `${measure.name}(vector, CAST(CAST($1::JSON AS FLOAT[]) AS ${type}))`;
      const where = writeExpression(condition, has, compares);
      return db.rows<{ ref: string; score: number }>(
        "search",
        `SELECT ref, CAST(${likeness} AS DOUBLE) AS score FROM ${table}${where === undefined ? "" : ` WHERE ${where}`}
         ORDER BY score ${measure.score === fromDistance ? "ASC" : "DESC"}, key LIMIT ${limit}`,
        [JSON.stringify([...vector])],
      );
    },
  };
}

/** Text as DuckDB takes it: without halves of characters. */
const writable = (_: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value);

const has = (tag: string): string => `list_contains(tags, '${tag}')`;

const compares = (key: string, sign: string, value: number): string =>
  `COALESCE(numbers['${key}'] ${sign} CAST(${value} AS DOUBLE), false)`;
