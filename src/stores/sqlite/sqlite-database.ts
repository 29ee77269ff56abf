import type { DatabaseSync, DatabaseSyncOptions, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { IbidError } from "../../contracts/errors.ts";
import { toStoreError } from "./sqlite-errors.ts";
import { loadSqlite } from "./sqlite-runtime.ts";

type Row = Record<string, SQLOutputValue>;

/** A prepared statement of a {@link Database}. */
export interface Statement {
  all(...values: readonly SQLInputValue[]): Row[];
  get(...values: readonly SQLInputValue[]): Row | undefined;
  iterate(...values: readonly SQLInputValue[]): Iterable<Row>;
  run(...values: readonly SQLInputValue[]): { readonly lastInsertRowid: number | bigint };
}

/** A database of Node's SQLite. **Errors** an `IbidError` in the place of each error of SQLite, from every call and every step of an iteration. */
export interface Database extends Pick<DatabaseSync, "exec" | "close" | "isOpen" | "isTransaction"> {
  prepare(sql: string): Statement;
  /** Copies the file. **Shape** as it is at one moment, whatever others write meanwhile. */
  copyTo(path: string): Promise<void>;
}

/** More pages than a file has, so that a copy is one step. */
const allPages = 2 ** 31 - 1;

/**
 * Opens a file of a store. Errors of SQLite are translated here alone.
 *
 * **Errors** as {@link Database}. They name `path`; `location` is how SQLite finds it.
 */
export function openDatabase(
  path: string,
  { location = path, ...options }: DatabaseSyncOptions & { readonly location?: string | URL } = {},
): Database {
  const sqlite = loadSqlite();
  const database = attempt(
    () => new sqlite.DatabaseSync(location, options),
    (error) => toStoreError(error, path),
  );
  const translate = (error: unknown): unknown =>
    database.isOpen
      ? toStoreError(error, path)
      : new IbidError("store-closed", `${path} is closed.`, { uri: path, hint: "Open it again.", cause: error });
  const translated = <Result>(work: () => Result): Result => attempt(work, translate);
  return {
    exec: (sql) => translated(() => database.exec(sql)),
    close: () => translated(() => database.close()),
    get isOpen() {
      return database.isOpen;
    },
    get isTransaction() {
      return database.isTransaction;
    },
    prepare(sql) {
      const statement = translated(() => database.prepare(sql));
      return {
        all: (...values) => translated(() => statement.all(...values)),
        get: (...values) => translated(() => statement.get(...values)),
        run: (...values) => translated(() => statement.run(...values)),
        *iterate(...values) {
          try {
            yield* statement.iterate(...values);
          } catch (error) {
            throw translate(error);
          }
        },
      };
    },
    async copyTo(target) {
      try {
        await sqlite.backup(database, target, { rate: allPages });
      } catch (error) {
        throw translate(error);
      }
    },
  };
}

function attempt<Result>(work: () => Result, translate: (error: unknown) => unknown): Result {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}
