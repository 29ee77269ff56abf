import { closeSync, fdatasync, openSync } from "node:fs";
import { IbidError } from "../../contracts/errors.ts";
import { fileReason } from "./make-folder.ts";

/** Waits for the disk beside the event loop, where SQLite would hold the thread that commits. */
export interface LogSync {
  /** Whether commits may leave the waiting to {@link synced}. The first one may not: SQLite makes the log's entry in its folder safe then. */
  begin(): boolean;
  /** Resolves when all commits before the call are on the disk. One wait is for all that asked before it began. **Errors** `store-failed`. */
  synced(): Promise<void>;
  /** Ends when no wait is under way, and lets go of the log. */
  close(): Promise<void>;
}

/** **Shape** the log is opened beside SQLite's own handle, which is safe: SQLite has no locks on it, unlike on the database. */
export function createLogSync(path: string): LogSync {
  let handle: number | undefined;
  let commits = 0;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  const sync = (): Promise<void> =>
    new Promise((resolve, reject) => {
      fdatasync(handle!, (cause) => {
        if (cause === null) resolve();
        else reject(notSafe(path, cause));
      });
    });

  return {
    begin() {
      if (commits++ === 0) return false;
      try {
        handle ??= openSync(`${path}-wal`, "r+");
        return true;
      } catch {
        return false;
      }
    },
    synced() {
      if (next === undefined) {
        next = running.then(() => {
          next = undefined;
          const started = sync();
          running = started.catch(() => {});
          return started;
        });
      }
      return next;
    },
    async close() {
      await next?.catch(() => {});
      await running;
      if (handle !== undefined) closeSync(handle);
      handle = undefined;
      commits = 0;
    },
  };
}

function notSafe(path: string, cause: unknown): IbidError {
  return new IbidError("store-failed", `The last write to ${path} may be lost in a power cut: ${fileReason(cause)}.`, {
    uri: path,
    hint: "Look after the disk, and write it again.",
    cause,
  });
}
