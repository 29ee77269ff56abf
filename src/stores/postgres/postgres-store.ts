import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { IbidError } from "../../contracts/errors.ts";
import type { Store } from "../../contracts/store.ts";
import { termsFingerprint } from "../../engine/segments/chunk-terms.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import { composeStore } from "../compose/compose-store.ts";
import { overEngine } from "../engines/over-engine.ts";
import { createSecret, toHex } from "../segments/create-secret.ts";
import { createSegmentCore } from "../segments/segment-core.ts";
import { resumePurges } from "../segments/purge.ts";
import { createStoreParts, prepareDirectory } from "../segments/segment-store.ts";
import { decideStoreOptions, type StoreOptions, storeOptionNames } from "../segments/store-options.ts";
import { openConnection } from "../sqlite/open-connection.ts";
import type { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { createSqliteDirectory } from "../sqlite/sqlite-directory.ts";
import { defaultReplicas } from "./default-replicas.ts";
import { connectPostgres, overClient, type PostgresClient } from "./postgres-client.ts";
import { type FixedSettings, checkSchemaName, openTables } from "./postgres-schema.ts";
import { keepFresh } from "./keep-fresh.ts";
import { createReplicaDirectory } from "./replica-directory.ts";
import { baseScope, createReplicaStamps, replicaTable } from "./replica-stamps.ts";

/**
 * Options of {@link openPostgresStore}.
 *
 * @experimental
 */
export interface PostgresStoreOptions extends StoreOptions {
  /** Schema of the tables. Default: `schema` of the address, or `"ibid"`. */
  readonly schema?: string | undefined;
  /** Whether to make the tables where there are none. Default true. */
  readonly create?: boolean | undefined;
  /**
   * Folder of this node's copies, one for each base. Default: `IBID_REPLICAS`, or `ibid/replicas` in the user's cache folder. Processes of one machine may
   * share it. It holds every text of the base: keep it as private as the base.
   */
  readonly replicas?: string | undefined;
  /**
   * Whether the store compares meanings by a model of its own, fitted on its chunks, as a knowledge base without an embedding model does. Every node must
   * choose the same. Default true; give false beside an embedding model.
   */
  readonly ownModel?: boolean | undefined;
  /** How old a state may be that is read without asking the database. **Units** milliseconds. Default 0: each read asks. */
  readonly atMostMs?: number | undefined;
  /** How long a call waits for other writers, for a lost connection, and for the copy. Default 30,000. */
  readonly busyTimeoutMs?: number | undefined;
}

const names = {
  ...storeOptionNames,
  schema: true,
  create: true,
  replicas: true,
  ownModel: true,
  atMostMs: true,
  busyTimeoutMs: true,
} as const;

const defaultSchema = "ibid";

/** As `openPostgresStore` of `ibid/stores/postgres`, without an analyzer and a model of its own unless they are given. */
export async function openPostgresStore(
  database: string | PostgresClient,
  options: PostgresStoreOptions = {},
): Promise<Store> {
  checkOptions("openPostgresStore", options, names);
  const { atMostMs = 0, busyTimeoutMs = 30_000, create = true } = options;
  if (!(atMostMs >= 0) || !(busyTimeoutMs >= 0)) {
    throw new IbidError("invalid-argument", "atMostMs and busyTimeoutMs are durations in milliseconds, from 0.", {
      hint: "Leave them out for their defaults.",
    });
  }
  const decided = decideStoreOptions(options);
  const given = await connect(database);
  const close = (): Promise<void> => given.db.close();
  try {
    const schema = checkSchemaName(options.schema ?? given.schema ?? defaultSchema);
    const analyzer = termsFingerprint(decided.analyzer);
    const facts = await openTables(given.db, schema, { secret: toHex(createSecret()), analyzer }, create);
    if (facts.analyzer !== analyzer) {
      throw new IbidError(
        "store-failed",
        `The knowledge base in ${schema} of ${given.db.name} was made with another analyzer.`,
        {
          hint: "Open it with the same analyzer, or ingest into another schema.",
          details: { expected: facts.analyzer, got: analyzer },
        },
      );
    }
    const { connection, path } = await openReplica(facts, options.replicas);
    try {
      const secret = await prepareDirectory(createSqliteDirectory(connection), decided);
      const directory = createReplicaDirectory({ db: given.db, schema, connection, path, busyTimeoutMs });
      const core = createSegmentCore(directory, { ...decided, secret, embeddings: ["dense", "sparse", "hybrid"] });
      directory.join(core);
      const parts = createStoreParts(core);
      await directory.refresh();
      await resumePurges(parts);
      const fresh = keepFresh(parts, directory, atMostMs);
      return composeStore(await overEngine(fresh, options), {
        name: "The Postgres store",
      });
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    await close();
    throw error;
  }
}

async function connect(database: string | PostgresClient): Promise<{
  readonly db: ReturnType<typeof overClient>;
  readonly schema?: string | undefined;
}> {
  if (typeof database === "string") {
    const db = await connectPostgres(database);
    return { db, schema: db.schema };
  }
  if (typeof (database as PostgresClient | undefined)?.query !== "function") {
    throw new IbidError("invalid-argument", "openPostgresStore takes an address, or a client with the method query.", {
      hint: 'Give "postgres://user:password@host:5432/database", or a pool of pg.',
    });
  }
  return { db: overClient(database) };
}

/** Opens this node's copy of a base. A copy of an earlier format is made anew, since nothing is in it that the base lacks. */
async function openReplica(
  facts: FixedSettings,
  replicas = defaultReplicas(),
): Promise<{ readonly connection: SqliteConnection; readonly path: string }> {
  const folder = resolve(replicas, hashParts("replica", facts.secret).slice(0, 32));
  const path = join(folder, "replica.sqlite");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (cause) {
    throw new IbidError(
      "store-failed",
      `The folder ${folder} for the copy of the base cannot be made: ${(cause as Error).message}.`,
      {
        uri: folder,
        hint: "Name a folder that can be written to, with the option replicas or in IBID_REPLICAS.",
        cause,
      },
    );
  }
  const open = async (): Promise<SqliteConnection> => {
    const connection = await openConnection(path, { busyTimeoutMs: 30_000 });
    // A commit that a power cut takes away is fetched again.
    connection.all("PRAGMA synchronous = NORMAL");
    await connection.transaction("BEGIN IMMEDIATE", () => {
      connection.run(replicaTable);
      for (const [name, value] of Object.entries(facts))
        connection.run("INSERT OR REPLACE INTO settings VALUES (?, ?)", name, value as string);
      const stamps = createReplicaStamps(connection);
      if (stamps.get(baseScope) === undefined) stamps.add(baseScope);
    });
    return connection;
  };
  try {
    return { connection: await open(), path };
  } catch (error) {
    if (!IbidError.isInstance(error, "store-corrupt")) throw error;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    return { connection: await open(), path };
  }
}
