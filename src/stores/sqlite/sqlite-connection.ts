import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { IbidError } from "../../contracts/errors.ts";
import { isDiskFull } from "../segments/disk-full.ts";
import { type DatabaseFile, holdFile } from "./database-file.ts";
import { createDiskReserve } from "./disk-reserve.ts";
import { scrubFile } from "./scrub-file.ts";
import { isBusy, isReadOnly, toStoreError } from "./sqlite-errors.ts";
import { loadSqlite } from "./sqlite-runtime.ts";
import { createSchema, readSchemaState, upgradeSchema } from "./sqlite-schema.ts";

/** One connection, its statements prepared once. */
export interface SqliteConnection {
  all<Row>(sql: string, ...values: SQLInputValue[]): readonly Row[];
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined;
  iterate<Row>(sql: string, ...values: SQLInputValue[]): Iterable<Row>;
  /** **Shape** key of the row that was inserted. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /**
   * Runs `work` between `begin` and `COMMIT`. Everything is rolled back when it throws or cannot be committed; `undone` is called before the next transaction.
   * While another process holds the lock, this waits without blocking the event loop. **Errors** `store-busy` when that takes too long.
   */
  transaction<Result>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => Result, undone?: () => void): Promise<Result>;
  /**
   * Runs `work` inside a transaction and rolls back its writes alone when it throws. **Errors** as `work`.
   */
  savepoint<Result>(work: () => Result): Result;
  /** Whether a transaction is under way: SQLite itself ends one when the disk is full. */
  readonly inTransaction: boolean;
  /** Number of the transaction under way: what is read in it holds while nothing is written and this stays. 0 outside a transaction. */
  readonly turn: number;
  /** Empties the write-ahead log, and takes out of the file what was deleted. **Shape** false when a reader holds on to it; see {@link scrubFile}. */
  scrub(): boolean;
  /** The database's file, for reading past SQLite. */
  readonly file: DatabaseFile;
  close(): void;
}

export interface ConnectionOptions {
  /** How long to wait for another process. */
  readonly busyTimeoutMs: number;
}

/**
 * SQLite itself never waits, since that would stop the event loop; `retryWhileBusy` waits. The log is moved into the file every 16 MB instead of every 4,
 * which takes a tenth off a long ingestion.
 */
const settings = `
PRAGMA busy_timeout = 0;
PRAGMA trusted_schema = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -16000;
PRAGMA wal_autocheckpoint = 2000;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
`;

/**
 * Opens a file for reading and writing; where it may not be written, for reading alone.
 *
 * **Errors** `unsupported-runtime`, `store-corrupt`, `store-busy`, `store-failed`.
 */
export async function openConnection(path: string, options: ConnectionOptions): Promise<SqliteConnection> {
  try {
    return await openForWriting(path, options);
  } catch (error) {
    // A full disk has no room for the log.
    if (isDiskFull(error) && createDiskReserve(path).release()) return openForWriting(path, options);
    if (!(error instanceof Error && isReadOnly(error.cause)) || !existsSync(path)) throw error;
    return openForReading(path, options);
  }
}

/** On a medium that nobody writes to, a database is as it is: SQLite needs neither locks nor a log for it. */
function openForReading(path: string, options: ConnectionOptions): SqliteConnection {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) {
    throw new IbidError(
      "store-failed",
      `${path} cannot be read: part of it is in its log, and neither may be written.`,
      {
        uri: path,
        hint: "Close it properly where it can be written, and copy it again; or make the folder writable.",
      },
    );
  }
  return attempt(path, () => {
    const { DatabaseSync: Database } = loadSqlite();
    const address = pathToFileURL(path);
    address.searchParams.set("immutable", "1");
    const database = new Database(address, { readOnly: true });
    const state = readSchemaState(database, path);
    if (state === "current") return createConnection(database, path, options);
    database.close();
    if (state === "earlier") {
      throw new IbidError(
        "store-failed",
        `${path} was written by an earlier version of ibid, and may not be written.`,
        {
          uri: path,
          hint: "Open it once where it can be written: that brings it up to date.",
        },
      );
    }
    throw new IbidError("store-failed", `${path} is empty and may not be written.`, {
      uri: path,
      hint: "Make its folder writable, or name another.",
    });
  });
}

async function openForWriting(path: string, options: ConnectionOptions): Promise<SqliteConnection> {
  const { DatabaseSync: Database } = loadSqlite();
  const database = attempt(path, () => {
    makeFolder(path);
    return new Database(path);
  });
  const connection = createConnection(database, path, options);
  try {
    await prepare(database, path, options, connection);
  } catch (error) {
    connection.close();
    throw toStoreError(error, path);
  }
  return connection;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw new IbidError("store-failed", `The folder of ${path} cannot be made: ${(error as Error).message}.`, {
      uri: path,
      hint: "Name a place that can be written to.",
      cause: error,
    });
  }
}

async function prepare(
  database: DatabaseSync,
  path: string,
  options: ConnectionOptions,
  connection: SqliteConnection,
): Promise<void> {
  database.exec(`PRAGMA busy_timeout = 0; PRAGMA page_size = ${pageBytes}`);
  // Read before the first write: the file may belong to another program.
  const state = await retryWhileBusy(options, () => readSchemaState(database, path));
  await retryWhileBusy(options, () => useLog(database, path));
  database.exec(settings);
  if (state === "current") return;
  await connection.transaction("BEGIN IMMEDIATE", () => {
    // Another process may have been faster.
    const now = readSchemaState(database, path);
    if (now === "none") createSchema(database);
    if (now === "earlier") upgradeSchema(database);
  });
}

/**
 * Page size of new files; existing files keep theirs. An ingestion takes half as many writes as with SQLite's 4,096 bytes, and no more bytes. Larger pages
 * waste more where rows change one by one.
 */
const pageBytes = 8192;

function useLog(database: DatabaseSync, path: string): void {
  const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
  if (mode === "wal") return;
  throw new IbidError("store-failed", `${path} cannot have a write-ahead log.`, {
    uri: path,
    hint: "Keep it on a local file system.",
  });
}

function createConnection(database: DatabaseSync, path: string, options: ConnectionOptions): SqliteConnection {
  const statements = new Map<string, StatementSync>();
  const file = holdFile(path);

  let turns = 0;
  let turn = 0;
  const begun = <Result>(work: () => Result): Result => {
    turn = ++turns;
    try {
      return work();
    } finally {
      turn = 0;
    }
  };

  const emptyLog = (): boolean => prepared("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;

  function prepared(sql: string): StatementSync {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  }

  return {
    all: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).all(...values) as Row[],
    get: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).get(...values) as Row | undefined,
    iterate: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).iterate(...values) as Iterable<Row>,
    run: (sql, ...values) => Number(prepared(sql).run(...values).lastInsertRowid),
    async transaction(begin, work, undone) {
      try {
        return await retryWhileBusy(options, () =>
          runTransaction(database, prepared, begin, () => begun(work), undone),
        );
      } catch (error) {
        throw toStoreError(error, path);
      }
    },
    savepoint(work) {
      database.exec("SAVEPOINT part");
      try {
        const result = work();
        database.exec("RELEASE part");
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK TO part; RELEASE part");
        if (turn !== 0) turn = ++turns;
        throw toStoreError(error, path);
      }
    },
    get inTransaction() {
      return database.isTransaction;
    },
    get turn() {
      return turn;
    },
    scrub: () => attempt(path, () => scrubFile(path, file, emptyLog)),
    file,
    close() {
      database.close();
      file.release();
    },
  };
}

function runTransaction<Result>(
  database: DatabaseSync,
  prepared: (sql: string) => StatementSync,
  begin: string,
  work: () => Result,
  undone?: () => void,
): Result {
  if (!database.isOpen) throw new IbidError("store-closed", "The store is closed.", { hint: "Open it again." });
  try {
    prepared(begin).run();
    const result = work();
    prepared("COMMIT").run();
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    undone?.();
    throw error;
  }
}

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, path);
  }
}

/** The first waits are short, since most locks are. */
const longestWaitMs = 50;

async function retryWhileBusy<Result>({ busyTimeoutMs }: ConnectionOptions, work: () => Result): Promise<Result> {
  const deadline = performance.now() + busyTimeoutMs;
  for (let wait = 1; ; wait = Math.min(longestWaitMs, wait * 2)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    // Not in step with others who wait.
    await sleep(wait * (0.5 + Math.random()));
  }
}
