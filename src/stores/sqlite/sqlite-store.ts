import { IbidError } from "../../contracts/errors.ts";
import type { Store } from "../../contracts/store.ts";
import { resumePurges } from "../segments/purge.ts";
import { composeStore } from "../compose/compose-store.ts";
import { overEngine } from "../engines/over-engine.ts";
import { createSegmentStore, prepareDirectory } from "../segments/segment-store.ts";
import { decideStoreOptions, type StoreOptions, storeOptionNames } from "../segments/store-options.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { openConnection } from "./open-connection.ts";
import { createSqliteRows } from "./sqlite-rows.ts";
import { createStoreThread } from "./store-thread.ts";
import { createSqliteDirectory } from "./sqlite-directory.ts";

export interface SqliteStoreOptions extends StoreOptions {
  /** How long a call waits for another process that is writing. Default 30,000. */
  readonly busyTimeoutMs?: number | undefined;
}

/**
 * Opens a store in one SQLite file, and makes it when it is not there. Several processes may have it open.
 *
 * **Shape** durable: what a call acknowledged is there after `kill -9` or a power cut. Local file systems only.
 * **Errors** `unsupported-runtime` before Node 22.23.3; `store-corrupt` for a file that is not ours, is damaged, or is of a later version
 * (nothing is written to it); `store-failed` where it cannot be written; `store-busy` when another process keeps it locked; `invalid-argument`
 * for an unknown option.
 * **Cost** opening reads a few rows; a scope is read when it is first searched. With another analyzer than the last time, every chunk is analysed again.
 */
export async function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  checkOptions("openSqliteStore", options, { ...storeOptionNames, busyTimeoutMs: true });
  const { busyTimeoutMs = 30_000 } = options;
  if (typeof path !== "string" || path.trim() === "" || !(busyTimeoutMs >= 0)) {
    throw new IbidError("invalid-argument", "openSqliteStore takes a file's path, and busyTimeoutMs from 0.");
  }
  // The store needs a file: its threads open it too.
  if (path.trim() === ":memory:" || path.startsWith("file:")) {
    throw new IbidError("invalid-argument", `openSqliteStore takes a file's path, and got ${JSON.stringify(path)}.`, {
      hint: "Name a file, or call createMemoryStore() for a store in memory.",
    });
  }
  const decided = decideStoreOptions(options);
  const connection = await openConnection(path, { busyTimeoutMs });
  try {
    const rows = connection.isEarlier
      ? (await import("./earlier/rows-of-format-6.ts")).createEarlierRows(connection)
      : createSqliteRows(connection);
    const createThread = () => (connection.isEarlier ? undefined : createStoreThread(path, busyTimeoutMs, decided));
    const [thread, readingThread] = await Promise.all([createThread(), createThread()]);
    const directory = createSqliteDirectory(connection, path, { rows, thread, readingThread });
    const secret = await prepareDirectory(directory, decided);
    const parts = createSegmentStore(directory, { ...decided, secret, embeddings: ["dense", "sparse", "hybrid"] });
    await resumePurges(parts);
    // A file of an earlier format is copied soon, and has no table for former versions.
    const rest = connection.isEarlier ? { ...parts, history: undefined } : parts;
    return composeStore(await overEngine(rest, options), { name: "The SQLite store" });
  } catch (error) {
    connection.close();
    throw error;
  }
}
