import { setImmediate as nextTurn } from "node:timers/promises";
import type { DirectoryWriter, SegmentDirectory } from "../segments/segment-directory.ts";
import type { Errands, StoreThread } from "../segments/errands.ts";
import { createDiskReserve } from "./disk-reserve.ts";
import { openFileShelf } from "./file-shelf.ts";
import { findIds, inspectFiles } from "./inspect-files.ts";
import { createLogSync } from "./log-sync.ts";
import { scrubPatiently } from "./scrub-file.ts";
import { createSqliteRows, type SqliteRows } from "./sqlite-rows.ts";
import { mostLogPages, type SqliteConnection, usualLogPages } from "./sqlite-connection.ts";

/** Turns of the event loop that a write waits for others to share its commit. An idle process loses nothing; an ingestion reads a document in each turn. */
const turnsTogether = 48;

/** Longest such wait, where a turn is a search. **Units** milliseconds. */
const longestGathering = 200;

/** Free pages that one transaction gives back: some milliseconds. */
const compactedAtOnce = 256;

/** Writes that may share one commit, so that no search waits for long. */
const mostTogether = 32;

/** Another write joins a commit until its writes have taken so long. **Units** milliseconds. */
const longestTogether = 10;

/** Thrown where a write of a group fails, so that all are taken back. */
const failedTogether = new Error("A write of a group has failed.");

/** Works of the thread that go on beside writes. */
const besideWrites: ReadonlySet<keyof Errands> = new Set(["fit", "build", "follow", "analyze"]);

/** Parts of a directory that are not made of its connection. */
interface SqliteDirectoryParts {
  readonly rows?: SqliteRows;
  /** Has a connection of its own to the same file. */
  readonly thread?: StoreThread | undefined;
  /** Another one, for works that only read. */
  readonly readingThread?: StoreThread | undefined;
  /** Whether the caller moves the log between its writes. */
  readonly movesLogItself?: boolean;
}

/** A write that waits for its turn. */
interface Waiting {
  readonly work: (rows: DirectoryWriter) => unknown;
  readonly undone: (() => void) | undefined;
  /** Whether it is acknowledged when it is on the disk, and not before. */
  readonly lasts: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

/**
 * Segments in one SQLite file: what was acknowledged survives `kill -9` and power loss.
 *
 * Writes of the same turn of the event loop share one commit: waiting for the disk is most of what a small write costs. Each write is
 * there whole or not at all, and none is acknowledged before it is safe. Where one fails, all are taken back and run again, each apart. The wait is
 * beside the event loop: reads and the next commit go on meanwhile, and see what was committed.
 *
 * **Source** group commit: Gawlick and Kinkade, Varieties of Concurrency Control in IMS/VS Fast Path (1985).
 */
export function createSqliteDirectory(
  connection: SqliteConnection,
  path?: string,
  { rows = createSqliteRows(connection), thread, readingThread, movesLogItself = false }: SqliteDirectoryParts = {},
): SegmentDirectory {
  const waiting: Waiting[] = [];
  /** Works of the thread that write, and come before the writes that wait. */
  const between: (() => Promise<void>)[] = [];
  /** Ends when the last write that was asked for has; never rejects. */
  let lastWrite: Promise<unknown> = Promise.resolve();
  const log = path === undefined ? undefined : createLogSync(path);

  function runEach(group: readonly Waiting[], runOne: (work: Waiting["work"]) => Outcome): readonly Outcome[] {
    const until = performance.now() + longestTogether;
    const outcomes: Outcome[] = [];
    for (const { work } of group) {
      if (outcomes.length > 0 && performance.now() > until) break;
      outcomes.push(runOne(work));
    }
    return outcomes;
  }

  /** One write of several. SQLite copies each page that a savepoint changes, so there is none. **Errors** {@link failedTogether}. */
  function runTogether(work: Waiting["work"]): Outcome {
    rows.texts.mark();
    try {
      return { result: work(rows) };
    } catch (error) {
      // The failure that ended the transaction has undone all of them.
      throw connection.inTransaction ? failedTogether : error;
    }
  }

  /** One write of several, which takes nothing with it where it fails. */
  function runApart(work: Waiting["work"]): Outcome {
    const takeBack = rows.texts.mark();
    try {
      return { result: connection.savepoint(() => work(rows)) };
    } catch (error) {
      takeBack();
      rows.undone();
      if (!connection.inTransaction) throw error;
      return { error };
    }
  }

  async function gather(): Promise<void> {
    const until = performance.now() + longestGathering;
    for (let turn = 0; turn < turnsTogether && waiting.length < mostTogether; turn++) {
      await nextTurn();
      if (performance.now() > until) return;
    }
  }

  async function commitAll(): Promise<void> {
    for (; waiting.length > 0 || between.length > 0; await nextTurn()) {
      await between.shift()?.();
      if (waiting.length > 0) await commitGroup(waiting.splice(0, mostTogether));
    }
  }

  /** Has the lock to itself after the group that is written now, before those that wait. */
  function betweenGroups<Result>(work: () => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    between.push(() => work().then(resolve, reject));
    if (waiting.length === 0) lastWrite = lastWrite.then(commitAll);
    return promise;
  }

  /** Commits the first of a group, and puts back those for which there was no time. */
  async function commitGroup(group: readonly Waiting[]): Promise<void> {
    const undone = (): void => {
      rows.undone();
      group.forEach((one) => one.undone?.());
    };
    try {
      const [only] = group;
      const run = (runOne: (work: Waiting["work"]) => Outcome): readonly Outcome[] => {
        const takeBack = rows.texts.mark();
        try {
          const isAlone = only !== undefined && group.length === 1;
          const outcomes = isAlone ? [{ result: only.work(rows) }] : runEach(group, runOne);
          rows.texts.flush();
          return outcomes;
        } catch (error) {
          takeBack();
          throw error;
        }
      };
      // A thread that is up moves the log after its own writes, and nobody waits for that.
      connection.moveLogAt(movesLogItself || thread?.isAlive === true ? mostLogPages : usualLogPages);
      const lasts = group.some((one) => one.lasts);
      const safe = !lasts || log?.begin() === true ? "later" : "now";
      const commit = (runOne: (work: Waiting["work"]) => Outcome): Promise<readonly Outcome[]> =>
        connection.transaction("BEGIN IMMEDIATE", () => run(runOne), undone, safe);
      const outcomes = await commit(runTogether).catch((error: unknown) => {
        if (error === failedTogether) return commit(runApart);
        throw error;
      });
      waiting.unshift(...group.slice(outcomes.length));
      const acknowledge = (): void =>
        outcomes.forEach((outcome, i) => {
          if ("error" in outcome) group[i]!.reject(outcome.error);
          else group[i]!.resolve(outcome.result as never);
        });
      if (safe === "now" || !lasts) return acknowledge();
      log!.synced().then(acknowledge, (error: unknown) => {
        for (const { reject } of group.slice(0, outcomes.length)) reject(error);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /**
   * Works that write wait in line with the writes here: all would wait for the lock otherwise. A fit writes seldom, and takes long. A segment is built beside the
   * writes, and placed between two groups of them.
   */
  const inLine = (calls: StoreThread): StoreThread => ({
    get isAlive() {
      return calls.isAlive;
    },
    get isFree() {
      return calls.isFree;
    },
    call(name, given, options) {
      if (besideWrites.has(name)) return calls.call(name, given, options);
      if (name === "place") return betweenGroups(() => calls.call(name, given, options));
      const done = lastWrite.then(() => calls.call(name, given, options));
      lastWrite = done.catch(() => {});
      return done;
    },
    close: (how) => calls.close(how),
  });

  const add =
    (lasts: boolean) =>
    <Result>(work: (rows: DirectoryWriter) => Result, undone?: () => void): Promise<Result> => {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.push({ work, undone, lasts, resolve, reject });
      if (waiting.length === 1) lastWrite = lastWrite.then(gather).then(commitAll);
      return promise;
    };

  return {
    durability: "commit",
    thread: thread && inLine(thread),
    readingThread,
    peek() {
      try {
        return rows.stamp();
      } catch {
        // `read` waits, or reports the error.
        return undefined;
      }
    },
    read: (work) =>
      connection.transaction("BEGIN", () => {
        // The first statement fixes the moment that all others see; if it must wait, nothing has been read yet.
        rows.stamp();
        return work(rows);
      }),
    write: add(true),
    rewrite: add(false),
    async compact() {
      await lastWrite;
      while (await connection.transaction("BEGIN IMMEDIATE", () => connection.compact(compactedAtOnce)))
        await nextTurn();
    },
    scrub: () =>
      scrubPatiently(async () => {
        await lastWrite;
        return connection.scrub();
      }),
    ...(path !== undefined && {
      reserve: createDiskReserve(path),
      openShelf: () => openFileShelf(path),
      inspect: async (probes: readonly string[]) => {
        await lastWrite;
        return inspectFiles(connection, path, probes);
      },
      idsInFiles: async (documentIds: readonly string[]) => {
        await lastWrite;
        return findIds(connection, path, documentIds);
      },
    }),
    async close() {
      await lastWrite;
      await Promise.all([thread?.close(), readingThread?.close()]);
      await log?.close();
      connection.close();
    },
  };
}
