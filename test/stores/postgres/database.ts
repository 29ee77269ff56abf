import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { Pool } from "pg";
import { openPostgresStore, type PostgresStoreOptions } from "../../../src/stores/postgres/postgres-store.ts";
import type { PostgresClient } from "../../../src/stores/postgres/postgres-client.ts";
import type { Store } from "../../../src/contracts/store.ts";

/** A database for tests: a server where `IBID_TEST_POSTGRES` names one, otherwise Postgres in this process. */
export interface TestDatabase {
  readonly client: PostgresClient;
  /** Opens the base of a name, as a node with copies of its own; another node has others. */
  open(
    base: string,
    options?: PostgresStoreOptions & { readonly node?: string; readonly client?: PostgresClient },
  ): Promise<Store>;
  schemaOf(base: string): string;
  replicasOf(node: string): string;
  close(): Promise<void>;
}

/** Postgres in this process takes seconds to start: all files of the process share one, each with schemas of its own. */
let inProcess: Promise<PGlite> | undefined;

export async function openTestDatabase(): Promise<TestDatabase> {
  const address = process.env["IBID_TEST_POSTGRES"] || undefined;
  const folder = mkdtempSync(join(tmpdir(), "ibid-replicas-"));
  const server =
    address === undefined ? await (inProcess ??= PGlite.create()) : new Pool({ connectionString: address, max: 8 });
  const client: PostgresClient = server;
  const run = `t${Date.now().toString(36)}${Math.floor(Math.random() * 1e6)}`;
  const schemas = new Set<string>();
  return {
    client,
    schemaOf(base) {
      schemas.add(`${run}_${base}`);
      return `${run}_${base}`;
    },
    replicasOf: (node) => join(folder, node),
    async open(base, { node = "a", client: given = client, ...options } = {}) {
      const schema = `${run}_${base}`;
      schemas.add(schema);
      return openPostgresStore(given, { schema, replicas: join(folder, node), ...options });
    },
    async close() {
      for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      if (server instanceof Pool) await server.end();
      rmSync(folder, { recursive: true });
    },
  };
}
