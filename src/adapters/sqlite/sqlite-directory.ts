import { setTimeout as sleep } from "node:timers/promises";
import type { SegmentDirectory } from "../../stores/segment-directory.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { createSqliteRows } from "./sqlite-rows.ts";

/** How often an attempt is made to empty the log while readers of other processes come and go, and how long apart. */
const scrubs = { attempts: 10, waitMs: 20 };

/** Segments in one SQLite file: what was acknowledged survives `kill -9` and power loss. */
export function createSqliteDirectory(connection: SqliteConnection): SegmentDirectory {
  const rows = createSqliteRows(connection);
  /** Ends when the last write that was asked for has; never rejects. */
  let lastWrite: Promise<unknown> = Promise.resolve();

  return {
    durability: "commit",
    read: (work) =>
      connection.transaction("BEGIN", () => {
        // The first statement fixes the moment that all others see; if it must wait, nothing has been read yet.
        rows.stamp();
        return work(rows);
      }),
    write(work) {
      const turn = lastWrite.then(() => connection.transaction("BEGIN IMMEDIATE", () => work(rows)));
      lastWrite = turn.catch(() => {});
      return turn;
    },
    async scrub() {
      for (let attempt = 0; attempt < scrubs.attempts; attempt++) {
        if (attempt > 0) await sleep(scrubs.waitMs);
        await lastWrite;
        if (connection.emptyLog()) return true;
      }
      return false;
    },
    async close() {
      await lastWrite;
      connection.close();
    },
  };
}
