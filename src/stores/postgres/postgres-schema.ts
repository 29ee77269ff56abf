import { IbidError } from "../../contracts/errors.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import { termsFingerprint } from "../../engine/segments/chunk-terms.ts";
import { showValue } from "../../runtime/plan-options.ts";
import { type Postgres, stateOf } from "./postgres-client.ts";

/** Schema of the tables that nobody named. */
export const defaultSchema = "ibid";

/** Version of the tables below. */
export const tablesFormat = 1;

/** The oldest server whose statements are tested. */
const oldestServer = 150_000;

/** Names are bound nowhere in SQL, so only plain ones are taken. **Errors** `invalid-argument`. */
export function checkSchemaName(schema: unknown): string {
  if (typeof schema === "string" && /^[a-z_][a-z0-9_]{0,62}$/u.test(schema) && !schema.startsWith("pg_")) return schema;
  throw new IbidError(
    "invalid-argument",
    `"${String(schema).slice(0, 80)}" cannot be the schema of a knowledge base.`,
    {
      hint: "Give 1 to 63 lower-case letters, digits and underscores, not beginning with a digit or pg_.",
    },
  );
}

/** Partitions that one base has at most. */
const mostPartitions = 1_024;

/** **Shape** `undefined` for plain tables. **Errors** `invalid-argument`. */
export function checkPartitions(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const count = typeof given === "string" && /^\d+$/u.test(given) ? Number(given) : given;
  if (typeof count === "number" && Number.isInteger(count) && count >= 2 && count <= mostPartitions) return count;
  throw new IbidError("invalid-argument", `${showValue(given)} cannot be the number of partitions.`, {
    hint: `Give 2 to ${mostPartitions.toLocaleString("en")}, or leave partitions out for plain tables.`,
  });
}

/**
 * Rows are the truth, and the scope comes first in every key. `changed` is the stamp of the scope's commit that wrote the row, `written` of the one that
 * wrote its large part. A row that went keeps its key alone, so that every copy learns of it.
 *
 * Scope 0 is the base itself: settings of all, and fits. Facts are JSON in a `text`, because `jsonb` takes no U+0000.
 */
function createTables(schema: string, partitions: number | undefined): string {
  const by = partitions === undefined ? "" : " PARTITION BY HASH (scope)";
  const parts = (table: string): string =>
    Array.from({ length: partitions ?? 0 }, (_, i) => {
      const values = `FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${i})`;
      return `CREATE TABLE IF NOT EXISTS ${schema}.${table}_${i} PARTITION OF ${schema}.${table} ${values};`;
    }).join("\n");
  // A schema that an administrator has made needs no right to make one, which "IF NOT EXISTS" asks for first.
  return `
IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF;
CREATE SEQUENCE IF NOT EXISTS ${schema}.scope_keys AS bigint;
CREATE TABLE IF NOT EXISTS ${schema}.scopes (
  key bigint PRIMARY KEY, name text COLLATE "C" NOT NULL, stamp bigint NOT NULL, next_key bigint NOT NULL, gone boolean NOT NULL DEFAULT false, last_commit text COLLATE "C"
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX IF NOT EXISTS scopes_by_name ON ${schema}.scopes (name) WHERE NOT gone;
CREATE TABLE IF NOT EXISTS ${schema}.documents (
  scope bigint NOT NULL, key bigint NOT NULL, changed bigint NOT NULL, written bigint NOT NULL, gone boolean NOT NULL,
  id text COLLATE "C", uri text COLLATE "C", facts text COLLATE "C", structure text COLLATE "C", text bytea, PRIMARY KEY (scope, key)
)${by};
CREATE INDEX IF NOT EXISTS documents_changed ON ${schema}.documents (scope, changed);
CREATE TABLE IF NOT EXISTS ${schema}.chunks (
  scope bigint NOT NULL, key bigint NOT NULL, changed bigint NOT NULL, written bigint NOT NULL, gone boolean NOT NULL, document bigint,
  id text COLLATE "C", facts text COLLATE "C", placed text COLLATE "C", terms bytea, vectors bytea, PRIMARY KEY (scope, key)
)${by};
ALTER TABLE ${schema}.chunks ALTER vectors SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS chunks_changed ON ${schema}.chunks (scope, changed);
${parts("documents")}
${parts("chunks")}
CREATE TABLE IF NOT EXISTS ${schema}.settings (
  scope bigint NOT NULL, name text COLLATE "C" NOT NULL, changed bigint NOT NULL, value text COLLATE "C", PRIMARY KEY (scope, name)
);
CREATE TABLE IF NOT EXISTS ${schema}.fits (
  scope bigint NOT NULL, key bigint NOT NULL, changed bigint NOT NULL, written bigint NOT NULL, gone boolean NOT NULL,
  facts text COLLATE "C", parts bytea, PRIMARY KEY (scope, key)
);
CREATE TABLE IF NOT EXISTS ${schema}.changes (
  scope bigint NOT NULL, stamp bigint NOT NULL, writer uuid NOT NULL, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (scope, stamp)
);
CREATE INDEX IF NOT EXISTS changes_by_writer ON ${schema}.changes (writer);
${laterTables(schema)}
INSERT INTO ${schema}.scopes (key, name, stamp, next_key) VALUES (0, '', 0, 1) ON CONFLICT DO NOTHING;
INSERT INTO ${schema}.settings (scope, name, changed, value) VALUES (0, 'format', 0, '${tablesFormat}') ON CONFLICT DO NOTHING;`;
}

/**
 * Tables and columns that came after the first ones. `last_commit` names the commit of a stamp: a base that was restored and written to has others under the
 * same stamps. Nodes that follow the base: the server's clock alone decides when a lease has run out. Files that a service keeps, and
 * media, by area. Events of all nodes. The index of each scope as a node has shared it: `base` is the stamp of the
 * base itself at the scope's `stamp`. They are locked where the others are.
 */
function laterTables(schema: string): string {
  const lock = (table: string): string =>
    `ALTER TABLE ${schema}.${table} ENABLE ROW LEVEL SECURITY; ALTER TABLE ${schema}.${table} FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS ibid ON ${schema}.${table}; CREATE POLICY ibid ON ${schema}.${table} USING (${schema}.holds(scope)) WITH CHECK (${schema}.holds(scope));`;
  return `ALTER TABLE ${schema}.scopes ADD COLUMN IF NOT EXISTS last_commit text COLLATE "C";
CREATE TABLE IF NOT EXISTS ${schema}.nodes (
  node uuid PRIMARY KEY, name text COLLATE "C" NOT NULL, listens boolean NOT NULL, lease_until timestamptz NOT NULL
);
CREATE TABLE IF NOT EXISTS ${schema}.events (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at double precision NOT NULL, name text COLLATE "C" NOT NULL, event text COLLATE "C" NOT NULL
);
CREATE TABLE IF NOT EXISTS ${schema}.indexes (
  scope bigint PRIMARY KEY, stamp bigint NOT NULL, base bigint NOT NULL, segments text[] COLLATE "C" NOT NULL, data bytea NOT NULL, last_commit text COLLATE "C"
);
ALTER TABLE ${schema}.indexes ALTER data SET STORAGE EXTERNAL;
ALTER TABLE ${schema}.indexes ADD COLUMN IF NOT EXISTS last_commit text COLLATE "C";
CREATE TABLE IF NOT EXISTS ${schema}.index_files (
  scope bigint NOT NULL, segment text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, part int NOT NULL, bytes bytea NOT NULL,
  PRIMARY KEY (scope, segment, name, part)
);
CREATE INDEX IF NOT EXISTS events_by_time ON ${schema}.events (at);
CREATE TABLE IF NOT EXISTS ${schema}.blobs (
  area text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, etag text NOT NULL, size bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (area, key)
);
ALTER TABLE ${schema}.blobs ALTER bytes SET STORAGE EXTERNAL;
IF to_regclass('${schema}.grants') IS NOT NULL THEN ${lock("indexes")} ${lock("index_files")} END IF;`;
}

/** Facts of a base that never change after its first opening. */
export interface FixedSettings {
  /** In hexadecimal digits. */
  readonly secret: string;
  readonly analyzer: string;
}

/** Tables of a base. */
const tableNames = [
  "scopes",
  "documents",
  "chunks",
  "settings",
  "fits",
  "changes",
  "nodes",
  "events",
  "blobs",
  "indexes",
  "index_files",
] as const;

interface State {
  readonly version: number | string;
  readonly scopes: boolean;
  readonly settings: boolean;
  /** Whether there is a table, or anything like one, with the name of one of ours. */
  readonly any: boolean;
  /** How many partitions the chunks have; 0 for a plain table. */
  readonly partitions: number | string;
  /** Whether the tables are all there that came after the first ones. */
  readonly complete: boolean;
}

/**
 * Makes the tables where there are none, and reads the facts of the base. The first process to open it decides them.
 *
 * **Errors** `unsupported` for an old server; `store-corrupt` for tables of another program or of a later version, to which nothing is written; `not-found`
 * with `create: false`; `store-failed`.
 */
export async function openTables(
  db: Postgres,
  schema: string,
  wished: FixedSettings,
  { create, partitions }: { readonly create: boolean; readonly partitions: number | undefined },
): Promise<FixedSettings> {
  const [state] = await db.query<State>(
    "opening",
    `SELECT current_setting('server_version_num') AS version, to_regclass($1) IS NOT NULL AS scopes, to_regclass($2) IS NOT NULL AS settings,
${isComplete("$1", "$3")} AS complete,
EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $4 AND c.relname = ANY ($5)) AS any,
(SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass($6)) AS partitions`,
    [`${schema}.scopes`, `${schema}.settings`, `${schema}.index_files`, schema, [...tableNames], `${schema}.chunks`],
  );
  if (state === undefined || Number(state.version) < oldestServer) {
    throw new IbidError(
      "unsupported",
      `Postgres at ${db.name} is of version ${Math.floor(Number(state?.version ?? 0) / 10_000)}.`,
      {
        hint: "Use Postgres 15 or later.",
      },
    );
  }
  if (state.scopes !== state.settings || (state.any && !state.scopes)) throw foreign(db, schema);
  if (!state.scopes) {
    if (!create) {
      throw new IbidError("not-found", `There is no knowledge base in the schema ${schema} of ${db.name}.`, {
        hint: "Make one with: ibid ingest <path> --kb <address>",
      });
    }
    await makeTables(db, createTables(schema, partitions));
  } else if (partitions !== undefined && Number(state.partitions) !== partitions) {
    throw new IbidError(
      "invalid-argument",
      `The base in ${schema} of ${db.name} has ${Number(state.partitions)} partitions, and not ${partitions}.`,
      { hint: "Leave partitions out. To change their number, copy the base to another schema with ibid migrate." },
    );
  }
  const facts = await readFacts(db, schema, wished);
  if (state.scopes && !state.complete) await addLater(db, schema);
  return facts;
}

/** Makes the tables that came after the first ones, where a base lacks them. **Errors** `store-failed`. */
export async function addLaterTables(db: Postgres, schema: string): Promise<void> {
  const [state] = await db.query<{ readonly complete: boolean }>(
    "looking for tables",
    `SELECT ${isComplete("$1", "$2")} AS complete`,
    [`${schema}.scopes`, `${schema}.index_files`],
  );
  if (state?.complete !== true) await addLater(db, schema);
}

/** Whether everything is there that came after the first tables. */
function isComplete(scopes: string, files: string): string {
  return `(to_regclass(${files}) IS NOT NULL AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass(${scopes}) AND attname = 'last_commit'))`;
}

/** **Errors** `store-failed` for a role that does not own the tables. */
async function addLater(db: Postgres, schema: string): Promise<void> {
  try {
    await makeTables(db, laterTables(schema));
  } catch (cause) {
    if (stateOf(cause) !== "42501") throw cause;
    throw new IbidError(
      "store-failed",
      `The base in ${schema} of ${db.name} was made by an earlier version of ibid, and this role may not upgrade it.`,
      { hint: "Open it once with the role that owns the tables; this one can then open it too.", cause },
    );
  }
}

/** States in which another process has made the same table or schema at this moment. */
const madeMeanwhile: ReadonlySet<string | undefined> = new Set(["23505", "42P06", "42P07"]);

/**
 * One statement makes all tables or none; the lock lets two processes make them at once. A server may still believe what it looked up before it waited, so the
 * statement is sent once more.
 */
async function makeTables(db: Postgres, text: string): Promise<void> {
  const make = async (): Promise<void> => {
    const body = `BEGIN PERFORM pg_advisory_xact_lock(1768055140); ${text} END`;
    await db.query("making its tables", `DO $ibid$ ${body} $ibid$`);
  };
  try {
    await make();
  } catch (error) {
    if (!madeMeanwhile.has(stateOf(error))) throw error;
    await make();
  }
}

function foreign(db: Postgres, schema: string): IbidError {
  return new IbidError("store-corrupt", `The schema ${schema} of ${db.name} has tables of another program.`, {
    hint: "Name another schema: add ?schema=<name> to the address. Nothing was written.",
  });
}

/**
 * The same of a base that is there, in one trip; `isGuarded` where the server shows the role some scopes alone. **Shape** `undefined` for a base that only an
 * ordinary opening can judge. **Errors** `store-failed`.
 */
export async function readFixed(
  db: Postgres,
  schema: string,
): Promise<{ readonly facts: FixedSettings; readonly isGuarded: boolean } | undefined> {
  const rows = await db.query<{ readonly name: string; readonly value: string; readonly guarded: boolean }>(
    "reading its settings",
    `SELECT name, value, coalesce(row_security_active(to_regclass($1)), false) AS guarded FROM ${schema}.settings
WHERE scope = 0 AND name IN ('format', 'secret', 'analyzer')`,
    [`${schema}.scopes`],
  );
  const found = new Map(rows.map(({ name, value }) => [name, value]));
  const [secret, analyzer] = [found.get("secret"), found.get("analyzer")];
  if (found.get("format") !== String(tablesFormat) || secret === undefined || analyzer === undefined) return undefined;
  return { facts: { secret, analyzer }, isGuarded: rows[0]?.guarded === true };
}

/** **Errors** `store-failed` for a base whose terms another analyzer made. */
export function checkAnalyzer(db: Postgres, schema: string, facts: FixedSettings, analyzer: Analyzer): void {
  const got = termsFingerprint(analyzer);
  if (facts.analyzer === got) return;
  throw new IbidError("store-failed", `The knowledge base in ${schema} of ${db.name} was made with another analyzer.`, {
    hint: "Open it with the same analyzer, or ingest into another schema.",
    details: { expected: facts.analyzer, got },
  });
}

async function readFacts(db: Postgres, schema: string, wished: FixedSettings): Promise<FixedSettings> {
  const read = (): Promise<readonly { readonly name: string; readonly value: string }[]> =>
    db.query(
      "reading its settings",
      `SELECT name, value FROM ${schema}.settings WHERE scope = 0 AND name IN ('format', 'secret', 'analyzer')`,
    );
  let found: ReadonlyMap<string, string>;
  try {
    found = new Map((await read()).map(({ name, value }) => [name, value]));
  } catch (error) {
    // A table of that name with other columns.
    if (IbidError.isInstance(error) && error.details["state"] === "42703") throw foreign(db, schema);
    throw error;
  }
  const format = Number(found.get("format"));
  if (!Number.isInteger(format)) throw foreign(db, schema);
  if (format > tablesFormat) {
    throw new IbidError(
      "store-corrupt",
      `The knowledge base in ${schema} of ${db.name} is of format ${format}; this version reads up to ${tablesFormat}.`,
      {
        hint: "Use a later version of ibid. Nothing was written.",
      },
    );
  }
  const [secret, analyzer] = [found.get("secret"), found.get("analyzer")];
  if (secret !== undefined && analyzer !== undefined) return { secret, analyzer };
  await db.query(
    "writing its settings",
    `INSERT INTO ${schema}.settings (scope, name, changed, value) VALUES (0, 'secret', 0, $1), (0, 'analyzer', 0, $2) ON CONFLICT DO NOTHING`,
    [wished.secret, wished.analyzer],
  );
  return readFacts(db, schema, wished);
}
