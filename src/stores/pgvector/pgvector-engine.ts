import type { Engine, EngineCondition } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions, checkPrefix, checkSettings } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex, pageSize } from "../engines/create-engine.ts";
import { fromDistance, fromNegative, fromOne, type NamedMeasure } from "../engines/engine-scores.ts";
import { writeExpression } from "../engines/translate-filter.ts";
import { checkServer } from "../engines/optional-client.ts";
import { readPostgresAddress } from "../postgres/postgres-address.ts";
import { connectPostgres, overClient, type Postgres, type PostgresClient } from "../postgres/postgres-client.ts";

/**
 * Options of {@link createPgvectorEngine}.
 *
 * @experimental
 */
export interface PgvectorOptions {
  /** An address, such as `postgres://user@host/database`, or a driver's pool, which stays open. */
  readonly database: string | PostgresClient;
  /** Schema of the tables, also `?schema=` in the address. Default `"public"`. */
  readonly schema?: string | undefined;
  /** Beginning of the names of tables. Default `"ibid"`. */
  readonly prefix?: string | undefined;
  /**
   * Settings of pgvector for searches, to which `storeOptions` of a search are added. Default `{ ef_search: 400, iterative_scan: "strict_order",
   * max_scan_tuples: 20000 }`.
   */
  readonly hnsw?: Readonly<Record<string, string | number>> | undefined;
  /** Whether tables get an HNSW index. Without one every search is exact, and reads every entry. Default true, up to 2,000 dimensions. */
  readonly index?: boolean | undefined;
  /** Storage parameters of new HNSW indexes. Default `{ m: 16, ef_construction: 128 }`. */
  readonly build?: Readonly<Record<string, string | number>> | undefined;
}

/** An operator of pgvector, and the class that an index for it has. */
type Measure = NamedMeasure & { readonly operators: string };

/** **Source** "Querying" of pgvector's documentation, all operators of the type `vector`. The operators of Hamming and Jaccard take bits alone. */
const measures = {
  cosine: { name: "<=>", operators: "vector_cosine_ops", score: fromOne },
  dot: { name: "<#>", operators: "vector_ip_ops", score: fromNegative },
  euclidean: { name: "<->", operators: "vector_l2_ops", score: fromDistance },
  manhattan: { name: "<+>", operators: "vector_l1_ops", score: fromDistance },
};

/** Dimensions that pgvector indexes at most. */
const mostIndexed = 2_000;

const name = "pgvector";

/** pgvector before 0.8.4 can read beyond an index that is being written. **Source** its changelog. */
const leastVersion = "0.8.4";

/**
 * An engine over Postgres with pgvector 0.8.4 or later: a table for each base and embedding version.
 *
 * **Shape** words go by Postgres's own text search in the configuration `simple`, and their ranks are joined with those of the vector.
 * **Errors** `invalid-argument` for options; `dependency-missing` without the package `pg`; `unsupported` without the extension, or with an older one; others as
 * those of an `Engine`.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createPgvectorEngine({ database: "postgres://app@db/vectors" }) });
 *
 * @experimental
 */
export function createPgvectorEngine(options: PgvectorOptions): Engine {
  checkGiven("createPgvectorEngine", "the options", options, "object");
  checkOptions("createPgvectorEngine", options, {
    database: true,
    schema: true,
    prefix: true,
    hnsw: true,
    index: true,
    build: true,
  });
  const { database, prefix = "ibid", index: isIndexed = true } = options;
  checkServer("createPgvectorEngine", "database", database, "postgres://user@host/database");
  const named = typeof database === "string" ? readPostgresAddress(database) : undefined;
  if (named?.partitions !== undefined) {
    throw new IbidError("invalid-argument", "pgvector: the address asks for partitions, and an engine has none.", {
      hint: "Leave partitions out of the address of an engine.",
    });
  }
  const schema = checkPrefix("pgvector", options.schema ?? named?.schema ?? "public");
  const usual = { ef_search: 400, iterative_scan: "strict_order", max_scan_tuples: 20_000 };
  const settings = writeSettings("hnsw", { ...usual, ...options.hnsw }).map((one) => `SET hnsw.${one}`);
  const build = writeSettings("build", { m: 16, ef_construction: 128, ...options.build });
  let connecting: Promise<Postgres> | undefined;
  const connect = (): Promise<Postgres> => {
    connecting ??= (async () => {
      const db =
        typeof database === "string"
          ? await connectPostgres(database, {}, name)
          : overClient(database, undefined, name);
      await prepare(db, schema, `${prefix}_`, settings);
      return db;
    })();
    connecting.catch(() => (connecting = undefined));
    return connecting;
  };
  return createEngine({
    name,
    prefix,
    measures,
    native: {
      schema,
      prefix: `${prefix}_`,
      query: async (text: string, values?: unknown[]) => (await connect()).query("query", text, values),
    },
    capabilities: { exhaustive: !isIndexed, records: { kinds: ["flat", "hnsw"], words: true, mayLackWords: true } },
    async open(name, spec) {
      const db = await connect();
      const table = `"${schema}"."${name}"`;
      await makeTable(db, table, spec, spec.kind === "hnsw" || (isIndexed && spec.kind !== "flat") ? build : undefined);
      return createIndex(db, table, `"${schema}"."${prefix}_nearest"`, spec);
    },
    async names(beginning) {
      const where = "table_schema = $1 AND starts_with(table_name, $2)";
      const text = `SELECT table_name AS name FROM information_schema.tables WHERE ${where}`;
      const rows = await (await connect()).query<{ name: string }>("list tables", text, [schema, beginning]);
      return rows.map(({ name }) => name);
    },
    drop: async (name) => (await connect()).query("drop a table", `DROP TABLE IF EXISTS "${schema}"."${name}"`),
    // A connection that failed, or fails now, needs no closing.
    close: async () => (await connecting?.catch(() => undefined))?.close(),
  });
}

/** Settings as Postgres writes them. */
const writeSettings = (option: string, given: Readonly<Record<string, unknown>>): readonly string[] =>
  checkSettings(name, option, given).map(([setting, value]) => `${setting} = '${value}'`);

/** Makes the extension and the function that searches with settings of its own: a pool may give each statement another connection. */
async function prepare(db: Postgres, schema: string, prefix: string, settings: readonly string[]): Promise<void> {
  const version = async (): Promise<string | undefined> =>
    (
      await db.query<{ v: string }>(
        "read the version",
        "SELECT extversion AS v FROM pg_extension WHERE extname = 'vector'",
      )
    )[0]?.v;
  let found = await version();
  if (found === undefined) {
    await db.query("make the extension", "CREATE EXTENSION IF NOT EXISTS vector").catch((cause: unknown) => {
      throw new IbidError("unsupported", `pgvector: the database ${db.name} has no extension "vector".`, {
        hint: "Install pgvector on the server, then run: CREATE EXTENSION vector.",
        cause,
      });
    });
    found = await version();
  }
  const isOld = (found ?? "0").localeCompare(leastVersion, "en", { numeric: true }) < 0;
  if (isOld) {
    throw new IbidError("unsupported", `pgvector: the database ${db.name} has version ${found} of the extension.`, {
      hint: `Install ${leastVersion} or later, then run: ALTER EXTENSION vector UPDATE.`,
    });
  }
  const body = `DECLARE one record; BEGIN
    FOR one IN SELECT * FROM json_each_text(more) LOOP PERFORM set_config('hnsw.' || one.key, one.value, true); END LOOP;
    RETURN QUERY EXECUTE statement USING query; END`;
  await db.query(
    "make the function",
    `CREATE OR REPLACE FUNCTION "${schema}"."${prefix}nearest"(statement text, query vector, more json)
     RETURNS TABLE (ref text, distance double precision) LANGUAGE plpgsql ${settings.join(" ")} AS $$ ${body} $$`,
  );
}

async function makeTable(
  db: Postgres,
  table: string,
  spec: MeasuredSpec<Measure>,
  build?: readonly string[],
): Promise<void> {
  await db.query(
    "make a table",
    `CREATE TABLE IF NOT EXISTS ${table}
     (key uuid PRIMARY KEY, ref text NOT NULL, tags text[] NOT NULL, numbers jsonb NOT NULL, vector vector(${spec.dimensions}) NOT NULL, record text, fields jsonb)`,
  );
  const name = (what: string): string => `"${spec.name}_${what}"`;
  await db.query("index the tags", `CREATE INDEX IF NOT EXISTS ${name("tags")} ON ${table} USING gin (tags)`);
  if (spec.records === true) {
    // A table of an earlier version has no such column.
    await db.query("add the words", `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS text text`);
    await db.query("index the words", `CREATE INDEX IF NOT EXISTS ${name("words")} ON ${table} USING gin (${lexemes})`);
  }
  if (build !== undefined && spec.dimensions <= mostIndexed) {
    await db.query(
      "index the vectors",
      `CREATE INDEX IF NOT EXISTS ${name("hnsw")} ON ${table} USING hnsw (vector ${spec.measure.operators}) WITH (${build.join(", ")})`,
    );
  }
  const [row] = await db.query<{ n: number }>(
    "read a table",
    "SELECT atttypmod AS n FROM pg_attribute WHERE attrelid = $1::regclass AND attname = 'vector'",
    [table],
  );
  checkDimensions("pgvector", spec, row?.n ?? spec.dimensions);
}

/** Text as jsonb takes it: without U+0000 and halves of characters. The record itself has them as escapes. */
const writable = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value;

const replaceRow = `UPDATE SET tags = excluded.tags, numbers = excluded.numbers, vector = excluded.vector, record = excluded.record,
  fields = excluded.fields, text = excluded.text`;

const lexemes = "to_tsvector('simple', coalesce(text, ''))";

function createIndex(
  db: Postgres,
  table: string,
  nearest: string,
  { measure, records: isOfRecords = false }: MeasuredSpec<Measure>,
): OwnIndex {
  return {
    score: measure.score,
    async put(entries) {
      const rows = entries.map(({ key, ref, tags, numbers, vector, record }) => ({
        key,
        ref,
        tags,
        numbers,
        vector: `[${vector.join(",")}]`,
        ...(record && {
          record: record.json,
          fields: JSON.stringify(record.fields, writable),
          text: writable("", record.text),
        }),
      }));
      await db.query(
        "write",
        `INSERT INTO ${table} AS own (key, ref, tags, numbers, vector${isOfRecords ? ", record, fields, text" : ""})
         SELECT (r->>'key')::uuid, r->>'ref', ARRAY(SELECT jsonb_array_elements_text(r->'tags')), r->'numbers', (r->>'vector')::vector
         ${isOfRecords ? ", r->>'record', (r->>'fields')::jsonb, r->>'text'" : ""} FROM jsonb_array_elements($1::jsonb) AS r
         ON CONFLICT (key) DO ${isOfRecords ? replaceRow : "NOTHING"}`,
        [JSON.stringify(rows)],
      );
    },
    async delete(keys) {
      await db.query("delete", `DELETE FROM ${table} WHERE key = ANY($1::uuid[])`, [keys]);
    },
    async count(tag) {
      const [row] = await db.query<{ n: string }>(
        "count",
        `SELECT count(*) AS n FROM ${table} WHERE tags @> ARRAY[$1::text]`,
        [tag],
      );
      return Number(row?.n ?? 0);
    },
    async list(tag, from) {
      const rows = await db.query<{ key: string }>(
        "list",
        `SELECT key::text AS key FROM ${table} WHERE tags @> ARRAY[$1::text] AND ($2::uuid IS NULL OR key > $2::uuid) ORDER BY key LIMIT ${pageSize}`,
        [tag, from ?? null],
      );
      return rows.map(({ key }) => key);
    },
    async read(keys) {
      return db.query<{ key: string; ref: string; json: string }>(
        "read",
        `SELECT key::text AS key, ref, record AS json FROM ${table} WHERE key = ANY($1::uuid[])`,
        [keys],
      );
    },
    async readVectors(keys) {
      const rows = await db.query<{ key: string; vector: string }>(
        "read vectors",
        `SELECT key::text AS key, vector::text AS vector FROM ${table} WHERE key = ANY($1::uuid[])`,
        [keys],
      );
      return rows.map(({ key, vector }) => ({ key, vector: JSON.parse(vector) as number[] }));
    },
    async nearest({ vector, condition, limit, options }) {
      writeSettings("storeOptions", options);
      const distance = `vector ${measure.name} $1`;
      const statement = `SELECT ref, ${distance} FROM ${table} WHERE ${writeWhere(condition)} ORDER BY ${distance} LIMIT ${limit}`;
      const rows = await db.query<{ ref: string; distance: number }>(
        "search",
        `SELECT ref, distance FROM ${nearest}($1, $2::vector, $3::json)`,
        [statement, `[${vector.join(",")}]`, JSON.stringify(options)],
      );
      return rows.map(({ ref, distance: score }) => ({ ref, score }));
    },
    async said(words, { condition, limit }) {
      const rows = await db.query<{ ref: string }>(
        "search words",
        `SELECT ref FROM ${table}, to_tsquery('simple', $1) AS asked WHERE ${lexemes} @@ asked AND ${writeWhere(condition)}
         ORDER BY ts_rank(${lexemes}, asked) DESC, key LIMIT ${limit}`,
        [words.map((word) => `'${word}'`).join(" | ")],
      );
      return rows.map(({ ref }) => ref);
    },
  };
}

const writeWhere = (condition: EngineCondition | undefined): string =>
  writeExpression(condition, has, compares) ?? "true";

const has = (tag: string): string => `tags @> ARRAY['${tag}']`;

const compares = (key: string, sign: string, value: number): string =>
  `COALESCE((numbers->>'${key}')::float8 ${sign} ${value}, false)`;
