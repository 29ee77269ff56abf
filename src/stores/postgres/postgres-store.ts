import { chmodSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { IbidError } from "../../contracts/errors.ts";
import type { Store, Upkeep } from "../../contracts/store.ts";
import { termsFingerprint } from "../../engine/segments/chunk-terms.ts";
import { checkNotRevoked, checkOptions } from "../../runtime/check-options.ts";
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
import { createAnnouncer, follow } from "./follow.ts";
import { narrowPlacement, type Placement } from "./placement.ts";
import { readGrants } from "./row-security.ts";
import { connectPostgres, type Listen, overClient, type Postgres, type PostgresClient } from "./postgres-client.ts";
import {
  checkAnalyzer,
  checkPartitions,
  checkSchemaName,
  defaultSchema,
  type FixedSettings,
  openTables,
} from "./postgres-schema.ts";
import { keepFresh } from "./keep-fresh.ts";
import { isOfOtherPast } from "./other-past.ts";
import { createReplicaDirectory } from "./replica-directory.ts";
import { type ReplicaOptions, replicaOptions, type ReplicaPlan, readReplicaOptions } from "./replica-options.ts";
import { baseScope, createReplicaStamps, makeReplicaTable } from "./replica-stamps.ts";
import { fileReason, makeFolder } from "../sqlite/make-folder.ts";
import type { Sharing } from "./share-index.ts";

/**
 * Options of {@link openPostgresStore}.
 *
 * @experimental
 */
export interface PostgresStoreOptions extends StoreOptions, ReplicaOptions {
  /** Schema of the tables. Default: `schema` of the address, or `"ibid"`. */
  readonly schema?: string | undefined;
  /**
   * Partitions of the tables of documents and chunks, by the hash of their scope: 2 to 1,024, decided when the tables are made. Default: `partitions` of the
   * address, or plain tables.
   */
  readonly partitions?: number | undefined;
  /** Whether to make the tables where there are none. Default true. */
  readonly create?: boolean | undefined;
  /**
   * Whether the store compares meanings by a model of its own, fitted on its chunks, as a knowledge base without an embedding model does. Every node must
   * choose the same. Default true; give false beside an embedding model.
   */
  readonly ownModel?: boolean | undefined;
}

const names = {
  ...storeOptionNames,
  schema: true,
  partitions: true,
  create: true,
  ownModel: true,
  ...(Object.fromEntries(Object.keys(replicaOptions).map((name) => [name, true])) as Record<
    keyof ReplicaOptions,
    true
  >),
} as const;

/** As `openPostgresStore` of `ibid/stores/postgres`, without an analyzer and a model of its own unless they are given. */
export async function openPostgresStore(
  database: string | PostgresClient,
  options: PostgresStoreOptions = {},
): Promise<Store> {
  checkOptions("openPostgresStore", options, names);
  const { create = true } = options;
  const replica = readReplicaOptions(options);
  const decided = decideStoreOptions(options);
  const given = await connect(database);
  const close = (): Promise<void> => given.db.close();
  try {
    const schema = checkSchemaName(options.schema ?? given.schema ?? defaultSchema);
    const partitions = checkPartitions(options.partitions ?? given.partitions);
    if (replica.lazy) {
      if (options.engine !== undefined) throw lazyEngine();
      const { openLazyStore } = await import("./lazy-store.ts");
      return await openLazyStore({ db: given.db, schema, replica }, decided);
    }
    const analyzer = termsFingerprint(decided.analyzer);
    const granted = await readGrants(given.db, schema);
    const facts = await openTables(
      given.db,
      schema,
      { secret: toHex(createSecret()), analyzer },
      { create, partitions },
    );
    checkAnalyzer(given.db, schema, facts, decided.analyzer);
    const placement = narrowPlacement(replica.placement, granted);
    const opened = { db: given.db, schema, facts, replica: { ...replica, placement } };
    try {
      return await openOverReplica(opened, decided, options);
    } catch (error) {
      if (!isOfOtherPast(error)) throw error;
      return await openOverReplica({ ...opened, isAnew: true }, decided, options);
    }
  } catch (error) {
    await close();
    throw error;
  }
}

function lazyEngine(): IbidError {
  return new IbidError("invalid-argument", "An engine of vectors and lazy exclude each other.", {
    hint: "Leave one of them out: an engine is checked against a copy.",
  });
}

interface Opened {
  readonly db: Postgres;
  readonly schema: string;
  readonly facts: FixedSettings;
  readonly replica: ReplicaPlan;
  /** Whether the copy that is there is of another past of the base, and goes. */
  readonly isAnew?: boolean;
}

async function openOverReplica(
  { db, schema, facts, replica, isAnew = false }: Opened,
  decided: ReturnType<typeof decideStoreOptions>,
  options: StoreOptions,
): Promise<Store> {
  const { busyTimeoutMs, placement, pollMs, leaseMs, atMostMs } = replica;
  const { connection, path } = await openReplica(facts, placement, isAnew, replica.replicas);
  const node = crypto.randomUUID();
  const announcer = createAnnouncer(db, schema, node);
  const onCommit = (): void => announcer.tell();
  const direct = replica.listenAt === undefined ? undefined : await connectPostgres(replica.listenAt);
  try {
    const secret = await prepareDirectory(createSqliteDirectory(connection), decided);
    const directory = createReplicaDirectory({
      db,
      schema,
      secret: facts.secret,
      connection,
      path,
      busyTimeoutMs,
      placement,
      onCommit,
    });
    const core = createSegmentCore(directory, { ...decided, secret, embeddings: ["dense", "sparse", "hybrid"] });
    directory.join(core);
    const parts = createStoreParts(core);
    await directory.fill();
    await resumePurges(parts);
    const listen = replica.follow === "listen" ? listenOf(direct ?? db) : undefined;
    const follower =
      replica.follow === undefined
        ? undefined
        : await follow(directory, node, { db, schema, pollMs, leaseMs, listen, name: hostname() });
    const fresh = keepFresh(parts, directory, placement, { atMostMs, leaseMs });
    const documents: typeof fresh.documents = {
      ...fresh.documents,
      async close() {
        await follower?.close();
        await announcer.close();
        await direct?.close();
        await fresh.documents.close();
      },
    };
    const upkeep = replica.shareIndex
      ? sharing(fresh.upkeep, { core, stamps: createReplicaStamps(connection), db, schema, placement })
      : fresh.upkeep;
    // Former versions would have to be rows of the database, and not of one node's copy.
    const rest = { ...fresh, documents, upkeep, history: undefined };
    return composeStore(await overEngine(rest, options), { name: "The Postgres store" });
  } catch (error) {
    connection.close();
    await direct?.close();
    throw error;
  }
}

/** Upkeep of a node that shares its index: it does so once all is settled, and once a purge is. */
function sharing(upkeep: Upkeep, parts: Sharing): Upkeep {
  const share = async (signal?: AbortSignal): Promise<void> => {
    const { shareIndexes } = await import("./share-index.ts");
    await shareIndexes(parts, signal);
  };
  return {
    ...upkeep,
    async settle(settling = {}) {
      await upkeep.settle(settling);
      await share(settling.signal);
    },
    async scrub() {
      const done = await upkeep.scrub();
      if (done) await share();
      return done;
    },
  };
}

/** **Errors** `invalid-argument` for a client that cannot listen. */
function listenOf(db: Postgres): Listen {
  if (db.listen !== undefined) return db.listen;
  throw new IbidError("invalid-argument", `${db.name} lends no connection, so it cannot listen.`, {
    hint: 'Give a client with connect or listen, such as pg.Pool or PGlite, or choose follow: "poll".',
  });
}

async function connect(database: string | PostgresClient): Promise<{
  readonly db: ReturnType<typeof overClient>;
  readonly schema?: string | undefined;
  readonly partitions?: string | undefined;
}> {
  if (typeof database === "string") {
    const db = await connectPostgres(database);
    return { db, schema: db.schema, partitions: db.partitions };
  }
  checkNotRevoked("openPostgresStore", "database", database);
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
  { patterns }: Placement,
  isAnew: boolean,
  replicas = defaultReplicas(),
): Promise<{ readonly connection: SqliteConnection; readonly path: string }> {
  const folder = resolve(
    replicas,
    hashParts("replica", facts.secret, ...(patterns[0] === "*" ? [] : patterns)).slice(0, 32),
  );
  const path = join(folder, "replica.sqlite");
  try {
    makeFolder(folder, 0o700);
    chmodSync(folder, 0o700);
  } catch (cause) {
    throw new IbidError(
      "store-failed",
      `The folder ${folder} for the copy of the base cannot be made: ${fileReason(cause)}.`,
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
      makeReplicaTable(connection);
      for (const [name, value] of Object.entries(facts))
        connection.run("INSERT OR REPLACE INTO settings VALUES (?, ?)", name, value as string);
      const stamps = createReplicaStamps(connection);
      if (stamps.get(baseScope) === undefined) stamps.add(baseScope);
    });
    return connection;
  };
  const openAnew = async (): Promise<SqliteConnection> => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    return open();
  };
  if (isAnew) return { connection: await openAnew(), path };
  try {
    return { connection: await open(), path };
  } catch (error) {
    if (!IbidError.isInstance(error, "store-corrupt")) throw error;
    return { connection: await openAnew(), path };
  }
}
