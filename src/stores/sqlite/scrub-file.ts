import { fsyncSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { blankGaps } from "./blank-gaps.ts";
import type { DatabaseFile } from "./database-file.ts";
import { isBusy } from "./sqlite-errors.ts";
import { loadSqlite } from "./sqlite-runtime.ts";

/** How often an attempt is made while readers of other processes come and go, and how long apart. */
const scrubs = { attempts: 10, waitMs: 20 };

/** **Shape** false when a reader held on to an old state all the while. */
export async function scrubPatiently(scrub: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < scrubs.attempts; attempt++) {
    if (attempt > 0) await sleep(scrubs.waitMs);
    if (await scrub()) return true;
  }
  return false;
}

/**
 * Takes what was deleted out of the bytes of a database: the log goes into the file and is emptied, and what SQLite leaves between the cells of pages is blanked.
 *
 * A connection of its own does it, under the lock of writers, and then commits something: so every other connection, in whatever process, sees that the database has
 * changed and drops the pages that it remembers, lest it write their gaps back.
 *
 * **Shape** false when a reader holds on to the log, or a writer was faster. A crash at any moment leaves a whole database: zeros where there is nothing change nothing.
 */
export function scrubFile(path: string, file: DatabaseFile, emptyLog: () => boolean): boolean {
  if (!emptyLog()) return false;
  const { DatabaseSync: Database } = loadSqlite();
  const database = new Database(path);
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL");
    database.exec("BEGIN IMMEDIATE");
    // Somebody may have written between the one and the other: then the file is not all there is.
    if (statSync(`${path}-wal`).size > 0) return false;
    const roots = database.prepare("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0").all();
    blankGaps(file.handle(), [1, ...roots.map((row) => Number(row["rootpage"]))]);
    fsyncSync(file.handle());
    // The same number again: it is the write that the others notice.
    const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    database.exec(`PRAGMA user_version = ${version}; COMMIT`);
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    database.close();
  }
  // What stands in it by now was written after the purge; that it is there for a while does no harm.
  emptyLog();
  return true;
}
