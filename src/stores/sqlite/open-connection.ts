import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { IbidError } from "../../contracts/errors.ts";
import { isDiskFull } from "../segments/disk-full.ts";
import { createDiskReserve } from "./disk-reserve.ts";
import {
  type ConnectionOptions,
  createConnection,
  retryWhileBusy,
  type SqliteConnection,
  usualLogPages,
} from "./sqlite-connection.ts";
import { type Database, openDatabase } from "./sqlite-database.ts";
import { isReadOnly } from "./sqlite-errors.ts";
import {
  addLaterParts,
  createSchema,
  lastEarlierVersion,
  newFile,
  readSchemaState,
  type SchemaState,
} from "./sqlite-schema.ts";
import { fileReason, makeFolder } from "./make-folder.ts";

/**
 * SQLite itself never waits, since that would stop the event loop; `retryWhileBusy` waits.
 */
const settings = `
PRAGMA busy_timeout = 0;
PRAGMA trusted_schema = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -16000;
PRAGMA wal_autocheckpoint = ${usualLogPages};
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
    if (!isReadOnly(error) || !existsSync(path)) throw error;
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
  const address = pathToFileURL(path);
  address.searchParams.set("immutable", "1");
  const database = openDatabase(path, { location: address, readOnly: true });
  const state = readSchemaState(database, path);
  if (state === "current") return createConnection(database, path, options);
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  const isReadable = state === "copied" || version === lastEarlierVersion;
  if (state !== "none" && isReadable) return createConnection(database, path, options, true);
  database.close();
  if (state === "earlier") {
    throw new IbidError("store-failed", `${path} was written by an earlier version of ibid, and may not be written.`, {
      uri: path,
      hint: "Open it once where it can be written: that brings it up to date.",
    });
  }
  throw new IbidError("store-failed", `${path} is empty and may not be written.`, {
    uri: path,
    hint: "Make its folder writable, or name another.",
  });
}

async function openForWriting(path: string, options: ConnectionOptions): Promise<SqliteConnection> {
  makeFolderOf(path);
  const database = openDatabase(path);
  const connection = createConnection(database, path, options);
  let state: SchemaState;
  try {
    state = await prepare(database, path, options, connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  if (state !== "earlier" && state !== "copied") return connection;
  connection.close();
  const { upgradeFile } = await import("./upgrade-file.ts");
  await upgradeFile(path, options);
  return openForWriting(path, options);
}

function makeFolderOf(path: string): void {
  try {
    makeFolder(dirname(path));
  } catch (error) {
    throw new IbidError("store-failed", `The folder of ${path} cannot be made: ${fileReason(error)}.`, {
      uri: path,
      hint: "Name a place that can be written to.",
      cause: error,
    });
  }
}

async function prepare(
  database: Database,
  path: string,
  options: ConnectionOptions,
  connection: SqliteConnection,
): Promise<SchemaState> {
  database.exec("PRAGMA busy_timeout = 0");
  // Read before the first write: the file may belong to another program.
  const state = await retryWhileBusy(options, () => readSchemaState(database, path));
  if (state === "earlier" || state === "copied") return state;
  // Another process may begin with the same file, and lock it meanwhile.
  if (state === "none") await retryWhileBusy(options, () => database.exec(newFile));
  await retryWhileBusy(options, () => useLog(database, path));
  await retryWhileBusy(options, () => database.exec(settings));
  if (state === "current") await retryWhileBusy(options, () => addLaterParts(database));
  if (state === "none") {
    await connection.transaction("BEGIN IMMEDIATE", () => {
      // Another process may have been faster.
      if (readSchemaState(database, path) === "none") createSchema(database);
    });
  }
  return "current";
}

function useLog(database: Database, path: string): void {
  const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
  if (mode === "wal") return;
  throw new IbidError("store-failed", `${path} cannot have a write-ahead log.`, {
    uri: path,
    hint: "Keep it on a local file system.",
  });
}
