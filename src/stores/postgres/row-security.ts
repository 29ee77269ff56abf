import { IbidError } from "../../contracts/errors.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { showValue } from "../../runtime/plan-options.ts";
import { isPlaced, placementPattern, readPlacement } from "./placement.ts";
import { addLaterTables, checkSchemaName, defaultSchema } from "./postgres-schema.ts";
import { connectPostgres, overClient, type Postgres, type PostgresClient } from "./postgres-client.ts";

/**
 * Options of {@link grantScopes}.
 *
 * @experimental
 */
export interface GrantOptions {
  /** Role that a node logs in with. It must exist, and be neither a superuser nor have BYPASSRLS. */
  readonly role: string;
  /** Scopes that the role may read and write: names, and beginnings such as `"user:*"`. `deployment` always is one. They replace those of before. */
  readonly scopes: readonly string[];
  /** Schema of the tables. Default: `schema` of the address, or `"ibid"`. */
  readonly schema?: string | undefined;
}

/** A role's name stands in the text of a statement, so only plain ones are taken. */
const plainRole = /^[a-z_][a-z0-9_]{0,62}$/u;

/** Tables whose rows belong to scopes. */
const scoped = ["documents", "chunks", "settings", "fits", "changes", "indexes", "index_files"] as const;

/**
 * Rows are shown by the role that has logged in, not by a setting of the session: a pooler hands sessions on. The check of new rows sees scopes that the same
 * statement has made.
 */
function lockText(schema: string): string {
  const policy = (table: string, shown: string, written: string, force = true): string => `
ALTER TABLE ${schema}.${table} ENABLE ROW LEVEL SECURITY;
${force ? `ALTER TABLE ${schema}.${table} FORCE ROW LEVEL SECURITY;` : ""}
DROP POLICY IF EXISTS ibid ON ${schema}.${table};
CREATE POLICY ibid ON ${schema}.${table} USING (${shown}) WITH CHECK (${written});`;
  // The first part is looked up once for a statement; the second finds a scope that this statement has made.
  const shown = `scope IN (SELECT s.key FROM ${schema}.scopes s) OR ${schema}.holds(scope)`;
  const mine = `SELECT json_agg(g.pattern) FROM ${schema}.grants g WHERE g.role = current_user`;
  const mayHold = `CASE WHEN key = 0 THEN (${mine}) IS NOT NULL ELSE ${isPlaced("scopes.name", `(${mine})`)} END`;
  return `
CREATE TABLE IF NOT EXISTS ${schema}.grants (role name NOT NULL, pattern text COLLATE "C" NOT NULL, PRIMARY KEY (role, pattern));
CREATE OR REPLACE FUNCTION ${schema}.holds(wanted bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE SET search_path = '' AS
  $holds$ BEGIN RETURN EXISTS (SELECT 1 FROM ${schema}.scopes s WHERE s.key = wanted); END $holds$;
${policy("grants", "role = current_user", "role = current_user", false)}
${policy("scopes", mayHold, mayHold)}
${scoped.map((table) => policy(table, shown, `${schema}.holds(scope)`)).join("\n")}`;
}

/**
 * Turns on row-level security for a base, and sets the scopes of a node's role. The server then shows the role no row of another scope, whatever its program
 * asks: a second lock behind the gate.
 *
 * **Shape** to be called by the owner of the tables. Rows of every role without a grant are hidden from then on, the owner's too; superusers see all. All
 * roles share settings and fits of the base itself. Files, threads, media and events of a service name no scope: a role without `"*"` may delete them and add
 * events, and reads none. A node that logs in with the role holds the role's scopes, or those of them that its own option names.
 * **Errors** `invalid-argument` for a name that is not plain, a role that row-level security does not bind, and a placement that names no scope;
 * `not-found` without a base or a role; `store-failed` without the rights.
 *
 * @experimental
 */
export async function grantScopes(database: string | PostgresClient, options: GrantOptions): Promise<void> {
  checkGiven("grantScopes", "options", options, "object");
  checkOptions("grantScopes", options, { role: true, scopes: true, schema: true });
  const { role, scopes } = options;
  checkGiven("grantScopes", "role", role, "text");
  if (!plainRole.test(role)) {
    throw new IbidError("invalid-argument", `"${role.slice(0, 80)}" cannot be the role of a node.`, {
      hint: "Give 1 to 63 lower-case letters, digits and underscores, not beginning with a digit.",
    });
  }
  const { patterns } = readPlacement(checkGranted(scopes));
  if (typeof database !== "string") checkGiven("grantScopes", "database", database, "object");
  const opened = typeof database === "string" ? await connectPostgres(database) : undefined;
  const db = opened ?? overClient(database as PostgresClient);
  try {
    const schema = checkSchemaName(options.schema ?? opened?.schema ?? defaultSchema);
    await checkRole(db, schema, role);
    await addLaterTables(db, schema);
    const listed = patterns.map((pattern) => `('${role}', '${pattern.replaceAll("'", "''")}')`).join(", ");
    await db.query(
      "granting scopes",
      `DO $ibid$ BEGIN PERFORM pg_advisory_xact_lock(1768055140); ${lockText(schema)}
DELETE FROM ${schema}.grants WHERE role = '${role}';
INSERT INTO ${schema}.grants (role, pattern) VALUES ${listed};
GRANT USAGE ON SCHEMA ${schema} TO ${role};
GRANT SELECT ON ${schema}.grants TO ${role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ${["scopes", "nodes", ...scoped].map((table) => `${schema}.${table}`).join(", ")} TO ${role};
GRANT USAGE ON SEQUENCE ${schema}.scope_keys TO ${role};
REVOKE ALL ON ${schema}.events, ${schema}.blobs FROM ${role};
GRANT INSERT ON ${schema}.events TO ${role};
${patterns[0] === "*" ? `GRANT SELECT, DELETE ON ${schema}.events TO ${role}; GRANT ALL ON ${schema}.blobs TO ${role};` : `GRANT SELECT (key, at), DELETE ON ${schema}.events TO ${role}; GRANT SELECT (area, key, etag, size), DELETE ON ${schema}.blobs TO ${role};`} END $ibid$`,
    );
  } finally {
    await db.close();
  }
}

/** No scopes must not mean all of them, and a wrong name grants nothing. **Errors** `invalid-argument`. */
function checkGranted(scopes: unknown): readonly string[] {
  checkGiven("grantScopes", "scopes", scopes, "list");
  const wrong = [...(scopes as readonly unknown[])].find(
    (scope) => typeof scope !== "string" || !placementPattern.test(scope),
  );
  if (wrong === undefined) return scopes as readonly string[];
  throw new IbidError("invalid-argument", `grantScopes: ${showValue(wrong)} is no scope.`, {
    hint: 'Give scopes such as "team:north", beginnings such as "user:*", or "*" for all.',
  });
}

async function checkRole(db: Postgres, schema: string, role: string): Promise<void> {
  const [found] = await db.query<{ readonly base: boolean; readonly free: boolean | null }>(
    "looking for the role",
    "SELECT to_regclass($2) IS NOT NULL AS base, (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = $1) AS free",
    [role, `${schema}.scopes`],
  );
  if (found?.base !== true) {
    throw new IbidError("not-found", `There is no knowledge base in the schema ${schema} of ${db.name}.`, {
      hint: "Make one with: ibid ingest <path> --kb <address>",
    });
  }
  if (found.free === null) {
    throw new IbidError("not-found", `There is no role ${role} at ${db.name}.`, {
      hint: `Make it first: CREATE ROLE ${role} LOGIN PASSWORD '…'`,
    });
  }
  if (found.free) {
    throw new IbidError("invalid-argument", `Row-level security does not bind the role ${role} of ${db.name}.`, {
      hint: `Take its rights: ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS, or name another role.`,
    });
  }
}

/** The scopes that the server shows to this node's role; `undefined` where it shows all. **Errors** `access-denied` for a role without a grant. */
export async function readGrants(db: Postgres, schema: string): Promise<readonly string[] | undefined> {
  const [state] = await db.query<{ readonly guarded: boolean }>(
    "opening",
    "SELECT coalesce(row_security_active(to_regclass($1)), false) AS guarded",
    [`${schema}.scopes`],
  );
  if (state?.guarded !== true) return undefined;
  const granted = await db.query<{ readonly pattern: string }>(
    "reading its rights",
    `SELECT pattern FROM ${schema}.grants WHERE role = current_user ORDER BY pattern`,
  );
  if (granted.length > 0) return granted.map(({ pattern }) => pattern);
  throw new IbidError(
    "access-denied",
    `The role of the address may read no scope of the base in ${schema} of ${db.name}.`,
    {
      hint: "Have the owner of the tables call grantScopes for the role.",
    },
  );
}
