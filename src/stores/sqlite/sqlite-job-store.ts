import type { SQLInputValue } from "node:sqlite";
import { IbidError } from "../../contracts/errors.ts";
import type {
  JobCounts,
  JobFailure,
  JobLease,
  JobOutcome,
  JobResult,
  JobRoom,
  JobState,
  JobStore,
  NewJob,
  StoredJob,
} from "../../contracts/job-store.ts";
import type { Scope } from "../../contracts/scope.ts";
import { purgeSetting } from "../segments/purge.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { scrubPatiently } from "./scrub-file.ts";
import { openConnection } from "./open-connection.ts";
import { boundLimit, type SqliteConnection } from "./sqlite-connection.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/**
 * How a job store in a file is opened.
 *
 * @experimental
 */
export interface SqliteJobStoreOptions {
  /** How long a call waits for another process that is writing. Default 30,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** So many jobs that are done stay to be asked about, the latest ones. Default 10,000. */
  readonly keep?: number | undefined;
}

interface JobRow {
  readonly key: number;
  readonly id: string;
  readonly scope: Scope;
  readonly document: Uint8Array | null;
  readonly state: JobState;
  readonly attempts: number;
  readonly dueAt: number;
  readonly revision: number;
  readonly size: number;
  readonly enqueuedAt: number;
  readonly updatedAt: number;
  readonly error: string | null;
  readonly result: string | null;
  readonly facts: string;
}

const columns = `key, id, scope, CAST(document AS BLOB) AS document, state, attempts, due_at AS dueAt, revision, size,
  enqueued_at AS enqueuedAt, updated_at AS updatedAt, error, result, facts`;
const live = "state IN ('queued', 'reading', 'embedding')";
const leased = "state IN ('reading', 'embedding')";

/** Note in the settings that forgotten jobs are still in the file's bytes. It differs from every purge's note. */
const unscrubbedJobs = "jobs";

/** Looking for what may be forgotten is put off for so many jobs. */
const pruneEvery = 256;

/**
 * Opens the jobs in the SQLite file of a knowledge base, which is created if missing. Acknowledged jobs survive `kill -9` and power loss, and
 * several processes may work on it.
 *
 * **Shape** a connection of its own. A document that is deleted or purged, and a scope that is reset, take their jobs with them.
 * **Errors** as `openSqliteStore`. **Cost** a commit for each call that changes something.
 *
 * @experimental
 */
export async function openSqliteJobStore(path: string, options: SqliteJobStoreOptions = {}): Promise<JobStore> {
  checkOptions("openSqliteJobStore", options, { busyTimeoutMs: true, keep: true });
  const { busyTimeoutMs = 30_000, keep = 10_000 } = options;
  if (typeof path !== "string" || path.trim() === "" || !(busyTimeoutMs >= 0) || !(Number.isInteger(keep) && keep >= 0))
    throw new IbidError("invalid-argument", "openSqliteJobStore takes a file's path, and numbers from 0.");
  return createSqliteJobStore(await openConnection(path, { busyTimeoutMs }), keep);
}

/** Jobs over a connection, which is closed with them; see {@link openSqliteJobStore}. */
export function createSqliteJobStore(db: SqliteConnection, keep: number): JobStore {
  let isClosed = false;
  let finished = 0;

  async function write<Result>(work: () => Result): Promise<Result> {
    checkOpen();
    return db.transaction("BEGIN IMMEDIATE", work);
  }
  async function read<Result>(work: () => Result): Promise<Result> {
    checkOpen();
    return db.transaction("BEGIN", work);
  }
  function checkOpen(): void {
    if (isClosed) throw new IbidError("store-closed", "The job store is closed.", { hint: "Open it again." });
  }

  const find = (id: string): JobRow | undefined => db.get<JobRow>(`SELECT ${columns} FROM jobs WHERE id = ?`, id);
  const held = ({ id, owner }: JobLease): JobRow | undefined =>
    db.get<JobRow>(`SELECT ${columns} FROM jobs WHERE id = ? AND owner = ? AND ${leased}`, id, owner);
  const hasRoom = (row: JobRow | undefined, size: number, { capacity, maxBytes }: JobRoom): boolean => {
    const now = db.get<{ live: number; bytes: number }>(
      "SELECT coalesce(sum(state <> 'failed'), 0) AS live, coalesce(sum(size), 0) AS bytes FROM jobs WHERE state <> 'indexed'",
    ) ?? { live: 0, bytes: 0 };
    const more = row === undefined || row.state === "indexed" || row.state === "failed" ? 1 : 0;
    return now.live + more <= capacity && now.bytes + size - (row?.size ?? 0) <= maxBytes;
  };
  const toQueue = (key: number, now: number): void =>
    void db.run(
      "UPDATE jobs SET state = 'queued', attempts = 0, due_at = ?, updated_at = ?, owner = NULL WHERE key = ?",
      now,
      now,
      key,
    );

  function prune(): void {
    if (++finished % pruneEvery !== 0) return;
    db.run(
      "DELETE FROM jobs WHERE state = 'indexed' AND key <= (SELECT key FROM jobs WHERE state = 'indexed' ORDER BY key DESC LIMIT 1 OFFSET ? + 0)",
      keep,
    );
  }

  function end({ key, attempts }: JobRow, outcome: JobOutcome, now: number): void {
    const error = outcome.error === undefined ? null : JSON.stringify(outcome.error);
    const set = (more: string, ...values: SQLInputValue[]): void =>
      void db.run(
        `UPDATE jobs SET state = ?, owner = NULL, updated_at = ?, error = ?${more} WHERE key = ?`,
        outcome.state,
        now,
        error,
        ...values,
        key,
      );
    if (outcome.state === "failed") set("");
    if (outcome.state === "queued")
      set(", due_at = ?, attempts = ?", outcome.dueAt, outcome.error === undefined ? attempts - 1 : attempts);
    if (outcome.state === "indexed") {
      const result = JSON.stringify(outcome.result);
      set(", bytes = NULL, size = 0, result = ?, document = coalesce(?, document)", result, outcome.document ?? null);
      prune();
    }
  }

  return {
    durability: "commit",
    put: (job, room) =>
      write(() => {
        const before = find(job.id);
        const size = job.bytes?.byteLength ?? 0;
        if (!hasRoom(before, size, room)) return false;
        const wish = [
          job.scope,
          job.document ?? null,
          size,
          job.enqueuedAt,
          job.enqueuedAt,
          factsOf(job),
          job.bytes ?? null,
        ];
        if (before === undefined) {
          db.run(
            `INSERT INTO jobs (scope, document, size, enqueued_at, updated_at, facts, bytes, id, state, attempts, due_at, revision)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'queued', 0, ?, 1)`,
            ...wish,
            job.id,
            job.enqueuedAt,
          );
          return true;
        }
        db.run(
          `UPDATE jobs SET scope = ?, document = ?, size = ?, enqueued_at = ?, updated_at = ?, facts = ?, bytes = ?, error = NULL,
            result = NULL, attempts = 0, revision = revision + 1 WHERE key = ?`,
          ...wish,
          before.key,
        );
        if (before.state !== "reading" && before.state !== "embedding") toQueue(before.key, job.enqueuedAt);
        return true;
      }),
    take: ({ owner, now, until }) =>
      write(() => {
        const first = db.get<{ key: number }>(
          `SELECT key FROM jobs WHERE ${live} AND due_at <= ? ORDER BY due_at, key LIMIT 1`,
          now,
        );
        if (first === undefined) return undefined;
        db.run(
          "UPDATE jobs SET state = 'reading', owner = ?, due_at = ?, updated_at = ?, attempts = attempts + 1 WHERE key = ?",
          owner,
          until,
          now,
          first.key,
        );
        const row = db.get<JobRow & { readonly bytes: Uint8Array | null }>(
          `SELECT ${columns}, bytes FROM jobs WHERE key = ?`,
          first.key,
        );
        return row && { ...toStored(row), ...(row.bytes === null ? {} : { bytes: row.bytes }) };
      }),
    renew: (lease, { until, now, state }) =>
      write(() => {
        const row = held(lease);
        if (row === undefined) return false;
        db.run(
          "UPDATE jobs SET due_at = ?, updated_at = ?, state = ? WHERE key = ?",
          until,
          now,
          state ?? row.state,
          row.key,
        );
        return true;
      }),
    finish: (lease, outcome, now) =>
      write(() => {
        const row = held(lease);
        if (row === undefined) return undefined;
        if (row.revision === lease.revision) end(row, outcome, now);
        else toQueue(row.key, now);
        return row.revision === lease.revision ? outcome.state : "queued";
      }),
    cancel: (id, error, now) =>
      write(() => {
        const row = find(id);
        if (row === undefined || row.state === "indexed" || row.state === "failed") return false;
        db.run(
          "UPDATE jobs SET state = 'failed', owner = NULL, updated_at = ?, error = ?, bytes = NULL, size = 0 WHERE key = ?",
          now,
          JSON.stringify(error),
          row.key,
        );
        return true;
      }),
    replay: (id, room, now) =>
      write(() => {
        const row = find(id);
        if (row?.state !== "failed" || toStored(row).error?.code === "aborted" || !hasRoom(row, row.size, room))
          return false;
        toQueue(row.key, now);
        return true;
      }),
    get: (id) =>
      read(() => {
        const row = find(id);
        return row && toStored(row);
      }),
    list: ({ states, after = 0, limit }) =>
      read(() => {
        const among = states === undefined ? "" : ` AND state IN (${states.map(() => "?").join(", ")})`;
        const sql = `SELECT ${columns} FROM jobs WHERE key > ?${among} ORDER BY key ${boundLimit}`;
        return db.all<JobRow>(sql, after, ...(states ?? []), limit).map(toStored);
      }),
    counts: () =>
      read(() => {
        const counts = { queued: 0, reading: 0, embedding: 0, indexed: 0, failed: 0, bytes: 0 };
        const sql = "SELECT state, count(*) AS jobs, sum(size) AS bytes FROM jobs GROUP BY state";
        for (const { state, jobs, bytes } of db.all<{ state: JobState; jobs: number; bytes: number }>(sql)) {
          counts[state] = jobs;
          counts.bytes += bytes;
        }
        return counts satisfies JobCounts;
      }),
    nextAt: () =>
      read(() => db.get<{ at: number | null }>(`SELECT min(due_at) AS at FROM jobs WHERE ${live}`)?.at ?? undefined),
    forget: (scope, job) =>
      write(() => {
        const which = job === undefined ? "scope = ?" : "scope = ? AND (document = ? OR id = ?)";
        const values = job === undefined ? [scope] : [scope, job.document, job.id ?? null];
        const gone = db.get<{ jobs: number }>(`SELECT count(*) AS jobs FROM jobs WHERE ${which}`, ...values)?.jobs ?? 0;
        db.run(`DELETE FROM jobs WHERE ${which}`, ...values);
        // The next opening after a crash removes the bytes, as for documents. A note of a purge of documents is kept.
        if (gone > 0) db.run("INSERT OR IGNORE INTO settings VALUES (?, ?)", purgeSetting, unscrubbedJobs);
        return gone;
      }),
    async scrub() {
      checkOpen();
      if (!(await scrubPatiently(() => db.scrub()))) return false;
      await write(() => db.run("DELETE FROM settings WHERE name = ? AND value = ?", purgeSetting, unscrubbedJobs));
      return true;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      db.close();
    },
  };
}

/** Facts that only the runner of the job reads. */
function factsOf({ uri, caller, request }: NewJob): string {
  return JSON.stringify({ uri, caller, request });
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function toStored(row: JobRow): StoredJob {
  const { key, id, scope, document, state, attempts, dueAt, revision, size, enqueuedAt, updatedAt } = row;
  return {
    key,
    id,
    scope,
    state,
    attempts,
    dueAt,
    revision,
    size,
    enqueuedAt,
    updatedAt,
    ...(document === null ? {} : { document: decoder.decode(document) }),
    ...(parseStored(row.facts) as Pick<StoredJob, "uri" | "caller" | "request">),
    ...(row.error === null ? {} : { error: parseStored(row.error) as JobFailure }),
    ...(row.result === null ? {} : { result: parseStored(row.result) as JobResult }),
  };
}
