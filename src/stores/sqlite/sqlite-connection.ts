import type { SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { IbidError } from "../../contracts/errors.ts";
import { type DatabaseFile, holdFile } from "./database-file.ts";
import { scrubFile } from "./scrub-file.ts";
import type { Database, Statement } from "./sqlite-database.ts";
import { isBusy } from "./sqlite-errors.ts";

/** Free pages that a file keeps for the next write, and the share of its pages that it keeps. */
const leastFree = 32;
const keptFree = 0.01;

/** Pages at which a commit moves the log: 32 MB instead of SQLite's 4. A page that is written again meanwhile is moved once. */
export const usualLogPages = 4000;

/** Pages of the log at which a commit moves it although a thread does so. */
export const mostLogPages = 12_000;

/**
 * A limit that is bound. SQLite plans a statement anew whenever the value of a bare `LIMIT ?` is bound; the sum keeps the value from it.
 *
 * **Cost** the plan of a short listing takes three times as long as reading it.
 */
export const boundLimit = "LIMIT ? + 0";

/** One connection, its statements prepared once. */
export interface SqliteConnection {
  all<Row>(sql: string, ...values: SQLInputValue[]): readonly Row[];
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined;
  iterate<Row>(sql: string, ...values: SQLInputValue[]): Iterable<Row>;
  /** **Shape** key of the row that was inserted. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** Runs several statements, such as those that make tables. */
  exec(sql: string): void;
  /**
   * Runs `work` between `begin` and `COMMIT`. Everything is rolled back when it throws or cannot be committed; `undone` is called before the next transaction.
   * While another process holds the lock, this waits without blocking the event loop. **Errors** `store-busy` when that takes too long.
   *
   * **Shape** with `"later"` the commit does not wait for the disk, and the caller does.
   */
  transaction<Result>(
    begin: "BEGIN" | "BEGIN IMMEDIATE",
    work: () => Result,
    undone?: () => void,
    safe?: "now" | "later",
  ): Promise<Result>;
  /**
   * As `transaction`, across turns of the event loop: until `work` ends, nobody else may use the connection. **Errors** as `transaction`.
   */
  hold<Result>(work: () => Promise<Result>, undone?: () => void): Promise<Result>;
  /**
   * Runs `work` inside a transaction and rolls back its writes alone when it throws. **Errors** as `work`.
   */
  savepoint<Result>(work: () => Result): Result;
  /** Whether a transaction is under way: SQLite itself ends one when the disk is full. */
  readonly inTransaction: boolean;
  /** Number of the transaction under way: what is read in it holds while nothing is written and this stays. 0 outside a transaction. */
  readonly turn: number;
  /** Whether its rows lie as an earlier version keeps them: it is only read then. */
  readonly isEarlier: boolean;
  /** Gives free pages back to the disk, so many at most. **Shape** whether there are more. */
  compact(pages: number): boolean;
  /** Whether the transaction under way may write. */
  readonly isWriting: boolean;
  /** Sets how many pages the log may have before a commit moves them into the file. */
  moveLogAt(pages: number): void;
  /** Moves what it can of the log into the file, beside other connections. */
  moveLog(): void;
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

export function createConnection(
  database: Database,
  path: string,
  options: ConnectionOptions,
  isEarlier = false,
): SqliteConnection {
  const statements = new Map<string, Statement>();
  const file = holdFile(path);

  let logPages = usualLogPages;
  let turns = 0;
  let turn = 0;
  let isWriting = false;
  const begun = <Result>(begin: string, work: () => Result): Result => {
    turn = ++turns;
    isWriting = begin !== "BEGIN";
    try {
      return work();
    } finally {
      turn = 0;
      isWriting = false;
    }
  };

  const emptyLog = (): boolean => prepared("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;

  function prepared(sql: string): Statement {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  }

  return {
    all: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).all(...values) as Row[],
    get: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).get(...values) as Row | undefined,
    iterate: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).iterate(...values) as Iterable<Row>,
    exec: (sql) => database.exec(sql),
    run: (sql, ...values) => Number(prepared(sql).run(...values).lastInsertRowid),
    transaction(begin, work, undone, safe = "now") {
      const run = () => runTransaction(database, prepared, begin, () => begun(begin, work), undone);
      return retryWhileBusy(options, safe === "now" ? run : () => withoutWaiting(database, run));
    },
    async hold(work, undone) {
      try {
        checkOpen(database);
        await retryWhileBusy(options, () => prepared("BEGIN IMMEDIATE").run());
        turn = ++turns;
        isWriting = true;
        const result = await work();
        prepared("COMMIT").run();
        return result;
      } catch (error) {
        if (database.isOpen && database.isTransaction) database.exec("ROLLBACK");
        undone?.();
        throw error;
      } finally {
        turn = 0;
        isWriting = false;
      }
    },
    savepoint(work) {
      prepared("SAVEPOINT part").run();
      try {
        const result = work();
        prepared("RELEASE part").run();
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK TO part; RELEASE part");
        if (turn !== 0) turn = ++turns;
        throw error;
      }
    },
    get inTransaction() {
      return database.isTransaction;
    },
    get turn() {
      return turn;
    },
    get isWriting() {
      return isWriting;
    },
    isEarlier,
    compact(pages) {
      const count = (name: string): number => Number(Object.values(prepared(`PRAGMA ${name}`).get()!)[0]);
      const free = count("freelist_count");
      if (free <= Math.max(leastFree, count("page_count") * keptFree)) return false;
      database.exec(`PRAGMA incremental_vacuum(${Math.min(pages, free)})`);
      return free > pages;
    },
    moveLogAt(pages) {
      if (pages === logPages) return;
      database.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
      logPages = pages;
    },
    moveLog() {
      if (database.isOpen) prepared("PRAGMA wal_checkpoint(PASSIVE)").get();
    },
    scrub: () => scrubFile(path, file, emptyLog),
    file,
    close() {
      database.close();
      file.release();
    },
  };
}

function checkOpen(database: Database): void {
  if (!database.isOpen) throw new IbidError("store-closed", "The store is closed.", { hint: "Open it again." });
}

function runTransaction<Result>(
  database: Database,
  prepared: (sql: string) => Statement,
  begin: string,
  work: () => Result,
  undone?: () => void,
): Result {
  checkOpen(database);
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

/** SQLite sets this level while it reads the statement, so that a prepared one would set it once. */
function withoutWaiting<Result>(database: Database, work: () => Result): Result {
  checkOpen(database);
  database.exec("PRAGMA synchronous = NORMAL");
  try {
    return work();
  } finally {
    database.exec("PRAGMA synchronous = FULL");
  }
}

/** The first waits are short, since most locks are. */
const longestWaitMs = 50;

export async function retryWhileBusy<Result>(
  { busyTimeoutMs }: ConnectionOptions,
  work: () => Result,
): Promise<Result> {
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
