import { makeFolder } from "./make-folder.ts";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted, untilAborted } from "../../runtime/abort.ts";
import { type Database, openDatabase } from "./sqlite-database.ts";
import { isBusy } from "./sqlite-errors.ts";

/**
 * Runs one task at a time among all processes that name the same file. The system releases the lock when its holder dies in any way.
 *
 * The file is an empty database; the holder of a write transaction on it has the turn. Node has no other lock that ends with its process.
 *
 * **Shape** first come, first served within a process; between processes the order is not defined.
 * **Errors** `store-busy` after `patienceMs` (default 30 s) without a turn; `store-failed` where the file cannot be made; `aborted`.
 */
export function createTurns(
  path: string,
  patienceMs = 30_000,
): <Value>(task: () => Promise<Value>, signal: AbortSignal | undefined) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = async <Value>(task: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> => {
    throwIfAborted(signal, "Waiting for a turn to write");
    const letGo = await lock(path, patienceMs, signal);
    try {
      return await task();
    } finally {
      letGo();
    }
  };
  return (task, signal) => {
    const mine = last.then(() => inTurn(task, signal));
    last = mine.catch(() => {});
    return untilAborted(mine, signal, "Waiting for a turn to write");
  };
}

async function lock(path: string, patienceMs: number, signal: AbortSignal | undefined): Promise<() => void> {
  const until = performance.now() + patienceMs;
  for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
    let database: Database | undefined;
    try {
      makeFolder(dirname(path));
      database = openDatabase(path, { timeout: 0 });
      database.exec("BEGIN IMMEDIATE");
      const held = database;
      return () => held.close();
    } catch (cause) {
      database?.close();
      if (!isBusy(cause)) {
        throw new IbidError("store-failed", `The lock ${path} cannot be taken: ${(cause as Error).message}.`, {
          uri: path,
          hint: "Name a folder that can be written, on a local disk.",
          cause,
        });
      }
      if (performance.now() > until) {
        throw new IbidError("store-busy", `Another process has been writing beside ${path} for too long.`, {
          uri: path,
          hint: "Try again later, or end that process.",
        });
      }
    }
    // A random part, or two that wait would always ask at the same moment.
    await sleep(wait * (0.5 + Math.random()));
    throwIfAborted(signal, "Waiting for a turn to write");
  }
}
