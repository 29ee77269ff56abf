import { closeSync, openSync, statSync } from "node:fs";

/** A handle on a database's file, beside SQLite's own. */
export interface DatabaseFile {
  /** Opened when first asked for, to read and write at given places; where it may not be written, to read. */
  handle(): number;
  /** To be called when the connection is closed. */
  release(): void;
}

interface SharedHandle {
  connections: number;
  handle: number | undefined;
}

/** By device and number of the file: two paths may lead to one. */
const shared = new Map<string, SharedHandle>();

/**
 * Lets a connection look at its file past SQLite, without harm to the locks.
 *
 * When a process closes any handle of a file, POSIX drops all its locks on that file, SQLite's included. Another process could then remove the log that is
 * still written to. So each file has one handle, which is closed after the last connection.
 *
 * **Source** SQLite, "How To Corrupt An SQLite Database File", 2.2.
 */
export function holdFile(path: string): DatabaseFile {
  const { dev, ino } = statSync(path, { bigint: true });
  const name = `${dev}:${ino}`;
  const held: SharedHandle = shared.get(name) ?? { connections: 0, handle: undefined };
  shared.set(name, held);
  held.connections++;
  let isReleased = false;
  return {
    handle: () => (held.handle ??= openOnce(path)),
    release() {
      if (isReleased) return;
      isReleased = true;
      if (--held.connections > 0) return;
      shared.delete(name);
      if (held.handle !== undefined) closeSync(held.handle);
    },
  };
}

function openOnce(path: string): number {
  try {
    return openSync(path, "r+");
  } catch {
    // Where nobody may write, it can still be looked at.
    return openSync(path, "r");
  }
}
