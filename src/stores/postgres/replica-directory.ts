import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { SegmentCore } from "../segments/segment-core.ts";
import type { DirectoryWriter, SegmentDirectory } from "../segments/segment-directory.ts";
import { isDiskFull } from "../segments/disk-full.ts";
import { openFileShelf } from "../sqlite/file-shelf.ts";
import { findIds, inspectFiles } from "../sqlite/inspect-files.ts";
import { scrubPatiently } from "../sqlite/scrub-file.ts";
import type { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { createSqliteRows } from "../sqlite/sqlite-rows.ts";
import { applyPage, type Applied, type Replica } from "./apply-page.ts";
import { ageOf, type Instant, isSince, never, present } from "./instant.ts";
import { commitStatement, type CommitStatement } from "./commit-rows.ts";
import { type Postgres, stateOf } from "./postgres-client.ts";
import type { Placement } from "./placement.ts";
import type { Freshened } from "./keep-fresh.ts";
import { chunksOfNext, markOfBase, type Page, stampsAfter } from "./read-page.ts";
import { type AskedPage, createCopyQuestions } from "./copy-questions.ts";
import { otherPast } from "./other-past.ts";
import { createHold } from "./create-hold.ts";
import { createReplicaStamps } from "./replica-stamps.ts";
import { createRowLog, noScopeKey } from "./row-log.ts";
import { sealThread } from "./seal-thread.ts";
import { createTidying } from "./tidy-later.ts";

/** As in the SQLite directory: turns of the event loop in which others may join a commit, and most of them. */
const turnsTogether = 48;
const mostTogether = 32;

/** Keys of scopes that are fetched together. */
const scopeKeysAtOnce = 4;

/** Scopes whose own moment is remembered. */
const scopeBudget = 4_096;

/** Age at which all scopes are asked about, whichever is read: words that were purged elsewhere leave the copy. **Units** milliseconds. */
const mostAlone = 30_000;

/** States of Postgres in which another writer was faster: unique name, deadlock, serialization. */
const conflicts: ReadonlySet<string> = new Set(["23505", "40P01", "40001", "55P03"]);

export interface ReplicaDirectory extends SegmentDirectory, Required<Freshened> {
  /** Receives the index over this directory. To be called once, before anything else. */
  join(core: SegmentCore): void;
  /**
   * Brings the copy to the newest state that was there when this was called. After a notice (`isTold`) it fetches without asking first. **Errors**
   * `store-failed`, `store-busy` with the distance.
   */
  follow(isTold: boolean): Promise<void>;
  /** The same for a node that opens. It is patient as long as pages come: a first copy takes as long as the base is large. */
  fill(): Promise<void>;
}

export interface ReplicaDirectoryOptions {
  readonly db: Postgres;
  readonly schema: string;
  /** The base's secret, by which another one in its place is known. */
  readonly secret: string;
  readonly connection: SqliteConnection;
  /** The copy's file. */
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly placement: Placement;
  /** Called after a commit of this node, where other nodes listen. */
  readonly onCommit?: (() => void) | undefined;
}

interface Waiting {
  readonly asked: Instant;
  readonly work: (rows: DirectoryWriter) => unknown;
  readonly undone: (() => void) | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The reason of a catch-up. */
interface Occasion {
  /** Scopes that must be in their newest state. Default: all. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly isOpening?: boolean;
  /** Whether a notice says that there is something. */
  readonly isTold?: boolean;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** Rolls the copy back: another writer was faster, or a key is missing. */
class Conflict extends Error {}

/** Rolls the copy back: nobody knows yet whether the statement was done. */
class Unanswered extends Error {
  readonly statement: CommitStatement;
  readonly failure: unknown;
  constructor(statement: CommitStatement, failure: unknown) {
    super();
    this.statement = statement;
    this.failure = failure;
  }
}

/**
 * Segments in a local SQLite file that is a copy of a base in Postgres.
 *
 * A write runs in the file's transaction. Rows that all nodes share are sent as one statement before that transaction is committed; a write that touches
 * none, such as sealing, stays here. Reads wait while an answer is under way, since file and index show the write already.
 */
export function createReplicaDirectory({
  db,
  schema,
  secret,
  connection,
  path,
  busyTimeoutMs,
  placement,
  onCommit,
}: ReplicaDirectoryOptions): ReplicaDirectory {
  const rows = createSqliteRows(connection);
  const stamps = createReplicaStamps(connection);
  const keys: number[] = [];
  /** Keys that the transaction under way has given to scopes. */
  const taken: number[] = [];
  const log = createRowLog(connection, rows, stamps, {
    take() {
      const key = keys.shift();
      if (key === undefined) throw noScopeKey;
      taken.push(key);
      return key;
    },
  });
  const lock = createHold();
  const waiting: Waiting[] = [];
  let lastWrite: Promise<unknown> = Promise.resolve();
  let core: SegmentCore | undefined;
  /** When the whole copy was surely in its newest state; and scopes that were later. */
  let fresh = never;
  const freshOf = new Map<Scope, Instant>();
  let isPurged = false;
  /** Whether a node listened when this one committed last. */
  let isHeard = false;
  const tidying = createTidying(() => core);
  const mark = markOfBase(secret);
  const ask = createCopyQuestions({ db, schema, mark, placement, stamps, lock });

  function forgetIndex(): void {
    rows.undone();
    core?.view.forget();
    core?.latent?.forget();
  }

  async function applyHeld(found: Page, kept: Replica["kept"]): Promise<Applied | undefined> {
    const replica = { db: connection, rows, stamps, core: core!, kept, sealing: sealThread() };
    return lock.hold(() =>
      connection.hold(async () => {
        const takeBack = rows.texts.mark();
        try {
          const applied = await applyPage(replica, found);
          if (applied !== undefined) stamps.setPartial(found.more);
          rows.texts.flush();
          return applied;
        } catch (error) {
          takeBack();
          kept.place = undefined;
          throw error;
        }
      }, forgetIndex),
    );
  }

  function noteFresh(at: Instant, scopes: readonly Scope[] | undefined): void {
    if (scopes === undefined) fresh = at;
    if (scopes === undefined || freshOf.size > scopeBudget) freshOf.clear();
    for (const name of scopes ?? []) freshOf.set(name, at);
  }

  async function catchUp({ scopes, isOpening = false, isTold = false }: Occasion): Promise<void> {
    let until = performance.now() + busyTimeoutMs;
    let isBehind = isTold;
    /** The question about some scopes proves nothing of the others. */
    let proved = scopes;
    if (scopes !== undefined) {
      const before = present();
      const comparison = await ask.compare(scopes);
      if (comparison === "same") return noteFresh(before, scopes);
      if (comparison === "behind") isBehind = true;
      else proved = undefined;
    }
    let ahead: AskedPage | undefined;
    const kept: Replica["kept"] = {};
    for (;;) {
      const have = await lock.read(async () => stamps.all());
      const before = present();
      if (!isBehind && !(await ask.isLacking(have))) return noteFresh(before, proved);
      const { asked, found: answer } = ahead ?? ask.page(have);
      const found = await answer;
      if (found.scopes.length === 0) {
        // A notice came, and brings nothing: it may be of another base, or of one with fewer commits.
        if (isTold) await ask.isLacking(have);
        return noteFresh(asked, proved);
      }
      if (found.scopes.some(({ isForked }) => isForked)) {
        // Another base has an error of its own.
        await ask.isLacking(have);
        throw otherPast(db, "ahead");
      }
      isBehind = true;
      // The database works on the next page while this one is applied.
      ahead = found.more ? ask.page(stampsAfter(have, found), chunksOfNext(found)) : undefined;
      const applied = await applyHeld(found, kept);
      if (applied === undefined) ahead = undefined;
      else {
        isPurged ||= applied.purged;
        tidying.note(applied.scopes);
        if (!found.more) {
          tidying.begin();
          return noteFresh(asked, proved);
        }
      }
      if (isOpening && applied !== undefined) until = performance.now() + busyTimeoutMs;
      if (performance.now() > until) throw await ask.tooLate(busyTimeoutMs);
    }
  }

  let running: Promise<void> | undefined;
  let following: { scopes: readonly Scope[] | undefined; readonly done: Promise<void> } | undefined;
  function refresh(occasion: Occasion = {}): Promise<void> {
    if (running === undefined) {
      running = catchUp(occasion).finally(() => (running = undefined));
      return running;
    }
    // The one under way may have asked before this call.
    if (following === undefined) {
      const done = running
        .catch(() => {})
        .then(() => {
          const scopes = following?.scopes;
          following = undefined;
          return refresh({ scopes });
        });
      following = { scopes: occasion.scopes, done };
    } else following.scopes = following.scopes && occasion.scopes && [...following.scopes, ...occasion.scopes];
    return following.done;
  }

  async function read<Result>(work: (rows: DirectoryWriter) => Result): Promise<Result> {
    for (;;) {
      const done = await lock.read(() =>
        connection.transaction("BEGIN", () => {
          rows.stamp();
          return core !== undefined && stamps.isPartial() ? undefined : { result: work(rows) };
        }),
      );
      if (done !== undefined) return done.result;
      await refresh();
    }
  }

  /** Sends the statement. **Errors** {@link Conflict}, {@link Unanswered}, `store-failed` of a statement that was refused. */
  async function send(statement: CommitStatement): Promise<void> {
    let answer: readonly { readonly ok: boolean; readonly heard: boolean }[];
    try {
      answer = await db.query("writing", statement.text, statement.values);
    } catch (error) {
      const state = stateOf(error);
      if (state === undefined) throw new Unanswered(statement, error);
      throw conflicts.has(state) ? new Conflict() : error;
    }
    if (answer[0]?.ok !== true) throw new Conflict();
    isHeard = answer[0].heard;
  }

  /** Whether a statement without an answer was done. Sent again, it writes only if it was not done before. */
  async function resolve({ statement, failure }: Unanswered): Promise<boolean> {
    const until = performance.now() + busyTimeoutMs;
    const isNoted = async (): Promise<boolean> =>
      (
        await db.query("finding a write", `SELECT 1 FROM ${schema}.changes WHERE writer = $1::uuid LIMIT 1`, [
          statement.writer,
        ])
      ).length > 0;
    for (let wait = 50; ; wait = Math.min(2 * wait, 1_000)) {
      try {
        if (await isNoted()) return true;
        await send(statement);
        return true;
      } catch (error) {
        if (error instanceof Conflict) return await isNoted();
        if (performance.now() > until) throw failure;
      }
      await sleep(wait * (0.5 + Math.random()));
    }
  }

  function runEach(group: readonly Waiting[]): readonly Outcome[] {
    const outcomes: Outcome[] = [];
    for (const { work } of group) {
      const takeBack = rows.texts.mark();
      const logged = log.changes.length;
      try {
        outcomes.push({ result: connection.savepoint(() => work(log.writer)) });
      } catch (error) {
        takeBack();
        rows.undone();
        log.changes.length = logged;
        if (!connection.inTransaction || error === noScopeKey) throw error;
        outcomes.push({ error });
      }
      // The name of a scope that has gone may be taken by the next commit only.
      if (log.changes.some(({ kind }) => kind === "scope gone")) break;
    }
    return outcomes;
  }

  /** One transaction of the copy, and the statement that goes with it. */
  async function commitOnce(group: readonly Waiting[], outcomes: Outcome[]): Promise<void> {
    const undone = (): void => {
      forgetIndex();
      for (const one of group) one.undone?.();
    };
    await lock.hold(() =>
      connection.hold(async () => {
        const takeBack = rows.texts.mark();
        log.clear();
        taken.length = 0;
        try {
          outcomes.splice(0, Infinity, ...runEach(group));
          // The statement proves the state that it was computed from. A refusal is of a state that was the newest after the call.
          const isOld = (outcome: Outcome, i: number): boolean =>
            "error" in outcome && !isDiskFull(outcome.error) && !isSince(fresh, group[i]!.asked);
          if (outcomes.some(isOld) || (log.changes.length > 0 && stamps.isPartial())) throw new Conflict();
          rows.texts.flush();
          if (log.changes.length > 0) await send(commitStatement(schema, mark, log.changes, stamps));
        } catch (error) {
          takeBack();
          throw error;
        }
      }, undone),
    );
  }

  async function commitGroup(group: readonly Waiting[]): Promise<number> {
    const outcomes: Outcome[] = [];
    const until = performance.now() + busyTimeoutMs;
    for (let wait = 2; ; wait = Math.min(2 * wait, 200)) {
      try {
        await commitOnce(group, outcomes);
        break;
      } catch (error) {
        if (error === noScopeKey) {
          // Nothing was sent: the keys are free again, and so many more are fetched that a group of new scopes gets on.
          keys.unshift(...taken);
          await fetchScopeKeys(Math.max(scopeKeysAtOnce, taken.length));
          continue;
        }
        if (error instanceof Unanswered) {
          if (await resolve(error)) {
            // It is stored, whatever happens now: the copy gets it here or with the next call, which asks in any case.
            noteFresh(never, undefined);
            await refresh().catch(() => {});
            break;
          }
        } else if (!(error instanceof Conflict)) throw error;
        if (performance.now() > until) {
          throw new IbidError("store-busy", `Other writers to ${db.name} were faster for ${busyTimeoutMs} ms.`, {
            hint: "Try again, or write to the scope from fewer processes.",
          });
        }
        await refresh();
        await sleep(wait * Math.random());
      }
    }
    if (isHeard) onCommit?.();
    isHeard = false;
    outcomes.forEach((outcome, i) => {
      if ("error" in outcome) group[i]!.reject(outcome.error);
      else group[i]!.resolve(outcome.result as never);
    });
    return outcomes.length;
  }

  async function fetchScopeKeys(count: number): Promise<void> {
    const found = await db.query<{ readonly key: unknown }>(
      "numbering a scope",
      `SELECT nextval('${schema}.scope_keys') AS key FROM generate_series(1, ${count})`,
    );
    keys.push(...found.map(({ key }) => Number(key)));
  }

  async function commitAll(): Promise<void> {
    for (let turn = 0; turn < turnsTogether && waiting.length < mostTogether; turn++) await nextTurn();
    while (waiting.length > 0) {
      const group = waiting.slice(0, mostTogether);
      let done = group.length;
      try {
        done = await commitGroup(group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      waiting.splice(0, done);
    }
  }

  return {
    durability: "commit",
    keepsPending: true,
    provesWrites: true,
    join(given) {
      core = given;
    },
    follow: (isTold) => refresh({ isTold }),
    refresh: (scopes) => refresh({ scopes: ageOf(fresh) < mostAlone ? scopes : undefined }),
    fill: () => refresh({ isOpening: true }),
    age(scopes) {
      const whole = ageOf(fresh);
      if (scopes === undefined || freshOf.size === 0) return whole;
      return Math.min(whole, Math.max(0, ...scopes.map((name) => ageOf(freshOf.get(name) ?? never))));
    },
    peek() {
      try {
        return lock.isHeld ? undefined : rows.stamp();
      } catch {
        return undefined;
      }
    },
    read,
    write<Result>(work: (rows: DirectoryWriter) => Result, undone?: () => void) {
      const { promise, resolve: done, reject } = Promise.withResolvers<Result>();
      waiting.push({ asked: present(), work, undone, resolve: done, reject });
      if (waiting.length === 1) lastWrite = lastWrite.then(commitAll);
      return promise;
    },
    async prune() {
      await db.query(
        "forgetting old writers",
        `DELETE FROM ${schema}.changes c USING ${schema}.scopes s
WHERE s.key = c.scope AND c.stamp < s.stamp AND c.at < now() - interval '30 days'`,
      );
    },
    takePurge() {
      const owed = isPurged;
      isPurged = false;
      return owed;
    },
    scrub: () =>
      scrubPatiently(async () => {
        await lastWrite;
        return lock.hold(async () => connection.scrub());
      }),
    openShelf: () => openFileShelf(path),
    inspect: async (probes) => {
      await lastWrite;
      return inspectFiles(connection, path, probes);
    },
    idsInFiles: async (documentIds) => {
      await lastWrite;
      return findIds(connection, path, documentIds);
    },
    async close() {
      await tidying.done();
      await lastWrite;
      await running?.catch(() => {});
      connection.close();
      await db.close();
    },
  };
}
