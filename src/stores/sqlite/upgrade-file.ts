import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { IbidError } from "../../contracts/errors.ts";
import { createEarlierRows } from "./earlier/rows-of-format-6.ts";
import {
  type ConnectionOptions,
  type SqliteConnection,
  createConnection,
  retryWhileBusy,
} from "./sqlite-connection.ts";
import { type Database, openDatabase } from "./sqlite-database.ts";
import { isBusy } from "./sqlite-errors.ts";
import { createSqliteRows } from "./sqlite-rows.ts";
import {
  createSchema,
  lastEarlierVersion,
  newFile,
  readSchemaState,
  schemaVersion,
  upgradeInPlace,
} from "./sqlite-schema.ts";

/** Rows of documents or chunks that one transaction copies. */
const copiedAtOnce = 256;

/** Room that a file needs besides what it holds. **Units** bytes. */
const spareBytes = 1024 * 1024;

/** SQLite's code for what another connection holds. */
const busy = 5;

/** Tables that are the same in both formats, in the order in which they are copied. */
const sameTables = [
  "settings",
  "scopes",
  "segments",
  "files",
  "fits",
  "fit_parts",
  "pending",
  "marks",
  "jobs",
] as const;

/**
 * Brings a file of an earlier version to the present one: its rows are copied into a file beside it, which then takes its name.
 *
 * 1. The file is taken alone: nobody else has it open, and nobody can open it.
 * 2. Rows are copied in transactions of the other file, each of which says how far it came. A process that is killed leaves the earlier file as it was. The
 *    next one goes on from there, if the earlier file is still the same.
 * 3. Every text is compared, and every table counted.
 * 4. The earlier file is marked as copied. An earlier ibid that waits for it then refuses it.
 * 5. The new file takes the name of the earlier one.
 *
 * **Errors** `store-busy` while another process has the file open; `store-failed` without room for both, before anything is written.
 * **Cost** reads and writes everything once.
 */
export async function upgradeFile(path: string, options: ConnectionOptions): Promise<void> {
  const beside = `${path}-upgrade`;
  checkRoom(path, beside);
  const before = statSync(path, { bigint: true });
  const earlier = await takeAlone(path, options);
  try {
    const now = statSync(path, { bigint: true });
    // Another process was faster: this is its old file.
    if (now.ino !== before.ino || now.dev !== before.dev) return;
    const state = readSchemaState(earlier, path);
    if (state !== "earlier" && state !== "copied") return;
    if (state === "earlier" || !isComplete(beside)) {
      // A file that is written here is not the one any more that a copy was begun of.
      const isWritten = state === "copied" || versionOf(earlier) !== lastEarlierVersion;
      if (isWritten) {
        earlier.exec("BEGIN EXCLUSIVE");
        if (state === "copied") earlier.exec(`PRAGMA user_version = ${lastEarlierVersion}`);
        else upgradeInPlace(earlier);
        earlier.exec("COMMIT");
      }
      await copyAll(earlier, path, beside);
      earlier.exec(`PRAGMA user_version = ${schemaVersion}`);
    }
    if (process.platform === "win32") earlier.close();
    renameSync(beside, path);
    syncFolder(dirname(path));
  } finally {
    if (earlier.isOpen) earlier.close();
  }
}

function versionOf(database: Database): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

function checkRoom(path: string, beside: string): void {
  const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const needed = sizeOf(path) + sizeOf(`${path}-wal`) + spareBytes;
  const { bavail, bsize } = statfsSync(dirname(path));
  const free = bavail * bsize + sizeOf(beside);
  if (free >= needed) return;
  throw new IbidError(
    "store-failed",
    `There is no room to bring ${path} to the present format: it takes ${needed} bytes beside the file for a while, and ${free} are free.`,
    {
      uri: path,
      hint: "Make room on the disk, and open it again. Nothing was written to the file.",
      details: { needed, free },
    },
  );
}

/** A connection beside which there is no other: without a log, SQLite's lock on the file keeps readers out too. */
async function takeAlone(path: string, options: ConnectionOptions): Promise<Database> {
  const database = openDatabase(path);
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL");
    await retryWhileBusy(options, () => {
      database.exec(
        "PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE",
      );
      const isAlone = database.prepare("PRAGMA journal_mode").get()?.["journal_mode"] === "delete";
      database.exec("COMMIT");
      // Another process brought the log back in between.
      if (!isAlone) throw Object.assign(new Error("It has a log."), { errcode: busy });
    });
    return database;
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new IbidError(
      "store-busy",
      `${path} is of an earlier format, and another process has it open: it cannot be brought to the present one.`,
      {
        uri: path,
        hint: "End every process that uses it, and open it again. Nothing was written to the file.",
        cause: error,
      },
    );
  }
}

/** Whether a copy is whole: its last transaction removes the table of what was done. */
function isComplete(beside: string): boolean {
  if (!existsSync(beside)) return false;
  const copy = openDatabase(beside);
  try {
    if (readSchemaState(copy, beside) !== "current") return false;
    return copy.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'copied'").get() === undefined;
  } catch {
    return false;
  } finally {
    copy.close();
  }
}

/** Tells whether the earlier file is the one that a copy was begun of. Its log is in it. */
function describe(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}

/** The copy that was begun of this very file, or a new one. */
function openCopy(path: string, beside: string): Database {
  const wanted = describe(path);
  if (existsSync(beside)) {
    const begun = openDatabase(beside);
    try {
      if (begun.prepare("SELECT done FROM copied WHERE name = 'of'").get()?.["done"] === wanted) return begun;
    } catch {
      // It was killed before its first transaction, or is damaged.
    }
    begun.close();
    for (const suffix of ["", "-journal"]) rmSync(beside + suffix, { force: true });
  }
  const copy = openDatabase(beside);
  copy.exec(newFile);
  copy.exec("BEGIN");
  createSchema(copy);
  copy.exec("CREATE TABLE copied (name TEXT PRIMARY KEY, done)");
  copy.prepare("INSERT INTO copied VALUES ('of', ?)").run(wanted);
  copy.exec("COMMIT");
  return copy;
}

async function copyAll(earlier: Database, path: string, beside: string): Promise<void> {
  const copy = openCopy(path, beside);
  try {
    copy.exec("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY");
    const doneOf = (name: string): number =>
      Number(copy.prepare("SELECT done FROM copied WHERE name = ?").get(name)?.["done"] ?? -1);
    /** `step` copies what follows a row, and says how far it came; `undefined` when there is no more. */
    const run = async (name: string, step: (after: number) => number | undefined): Promise<void> => {
      for (let done = doneOf(name); ;) {
        copy.exec("BEGIN IMMEDIATE");
        const next = step(done);
        if (next !== undefined) copy.prepare("INSERT OR REPLACE INTO copied VALUES (?, ?)").run(name, next);
        copy.exec("COMMIT");
        if (next === undefined) return;
        done = next;
        await nextTurn();
      }
    };
    for (const table of sameTables) await run(table, (after) => copyRows(earlier, copy, table, after));
    await copyDocuments(earlier, copy, path, run);
    checkCounts(earlier, copy, path);
    copy.exec("BEGIN IMMEDIATE");
    const { stamp } = earlier.prepare("SELECT stamp FROM clock WHERE key = 1").get() as { stamp: number };
    copy.prepare("UPDATE clock SET stamp = ? WHERE key = 1").run(stamp);
    // Keys are never used again, not those of the earlier file either.
    for (const { name, seq } of earlier.prepare("SELECT name, seq FROM sqlite_sequence").all()) {
      copy.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(name!);
      copy.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name!, seq!);
    }
    copy.exec("DROP TABLE copied; COMMIT");
  } finally {
    copy.close();
  }
}

type Run = (name: string, step: (after: number) => number | undefined) => Promise<void>;

/** Rows of a table as they are, some megabytes at once. */
function copyRows(earlier: Database, copy: Database, table: string, after: number): number | undefined {
  const isKeyed = !["settings", "fit_parts"].includes(table);
  if (!isKeyed && after >= 0) return undefined;
  const sql = isKeyed
    ? `SELECT rowid AS "the row", * FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT 64`
    : `SELECT 0 AS "the row", * FROM ${table} WHERE ? < 0`;
  let last: number | undefined;
  for (const { "the row": row, ...values } of earlier.prepare(sql).iterate(after)) {
    const names = Object.keys(values);
    const places = names.map(() => "?").join(", ");
    copy
      .prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${places})`)
      .run(...(Object.values(values) as SQLInputValue[]));
    last = Number(row);
  }
  return last;
}

async function copyDocuments(earlier: Database, copy: Database, path: string, run: Run): Promise<void> {
  const options = { busyTimeoutMs: 0 };
  const [reading, writing] = [createConnection(earlier, path, options), createConnection(copy, path, options)];
  const from = createEarlierRows(reading);
  // Transactions are begun outside of it: nothing that it reads may be kept.
  const to = createSqliteRows(Object.create(writing, { isWriting: { value: true } }) as SqliteConnection);
  const keysAfter = (table: string, after: number): readonly number[] =>
    earlier
      .prepare(`SELECT key FROM ${table} WHERE key > ? ORDER BY key LIMIT ${copiedAtOnce}`)
      .all(after)
      .map(({ key }) => Number(key));
  await run("documents", (after) => {
    const keys = keysAfter("documents", after);
    for (const key of keys) to.copyDocument(from.document(key), from.documentBody(key));
    to.texts.flush();
    for (const key of keys) {
      const [before, now] = [from.documentBody(key), to.documentBody(key)];
      if (before.text !== now.text || before.structure !== now.structure) throw miscopied(path);
    }
    return keys.at(-1);
  });
  await run("chunks", (after) => {
    const keys = keysAfter("chunks", after);
    for (const row of from.chunks(keys)) to.copyChunk(row!);
    return keys.at(-1);
  });
  for (const { file } of [reading, writing]) file.release();
}

function checkCounts(earlier: Database, copy: Database, path: string): void {
  for (const table of [...sameTables, "documents", "chunks"]) {
    const [before, now] = [earlier, copy].map(
      (file) => file.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"],
    );
    if (before !== now) throw miscopied(path);
  }
}

function miscopied(path: string): IbidError {
  return new IbidError("store-failed", `${path} could not be copied into the present format.`, {
    uri: path,
    hint: "Nothing was changed: an earlier ibid reads it still. Please report this.",
  });
}

/** A new name is safe once its folder is. Windows has no such call, and needs none. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
