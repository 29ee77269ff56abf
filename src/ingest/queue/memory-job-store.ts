import { checkGiven } from "../../runtime/check-options.ts";
import { IbidError } from "../../contracts/errors.ts";
import type {
  JobCounts,
  JobLease,
  JobRoom,
  JobState,
  JobStore,
  NewJob,
  StoredJob,
  TakenJob,
} from "../../contracts/job-store.ts";

/** So many jobs that are done stay to be asked about, the latest ones. */
const doneJobsKept = 10_000;

/** Looking for what may be forgotten is put off for so many jobs. */
const pruneEvery = 256;

type Row = { -readonly [Key in keyof TakenJob]: TakenJob[Key] } & { owner?: string | undefined };

const isLive = (state: JobState): boolean => state !== "indexed" && state !== "failed";
const isLeased = (state: JobState): boolean => state === "reading" || state === "embedding";

/**
 * Jobs in memory: gone with the process.
 *
 * **Cost** taking looks at every job that is not done, which a queue's capacity bounds.
 *
 * @experimental
 */
export function createMemoryJobStore(options: { readonly keep?: number | undefined } = {}): JobStore {
  checkGiven("createMemoryJobStore", "options", options, "object");
  const { keep = doneJobsKept } = options;
  const rows = new Map<string, Row>();
  let lastKey = 0;
  let finished = 0;
  let isClosed = false;

  /** Everything below happens in one turn of the event loop, and so whole. */
  async function call<Result>(work: () => Result): Promise<Result> {
    if (isClosed) throw new IbidError("store-closed", "The job store is closed.", { hint: "Open it again." });
    return work();
  }
  const ordered = (): Row[] => [...rows.values()].toSorted((a, b) => a.key - b.key);
  const held = ({ id, owner }: JobLease): Row | undefined => {
    const row = rows.get(id);
    return row !== undefined && isLeased(row.state) && row.owner === owner ? row : undefined;
  };
  const hasRoom = (row: Row | undefined, size: number, { capacity, maxBytes }: JobRoom): boolean => {
    let live = row !== undefined && isLive(row.state) ? 0 : 1;
    let bytes = size - (row?.size ?? 0);
    for (const each of rows.values()) {
      if (isLive(each.state)) live++;
      bytes += each.size;
    }
    return live <= capacity && bytes <= maxBytes;
  };
  const toQueue = (row: Row, now: number): void => {
    Object.assign(row, { state: "queued", attempts: 0, dueAt: now, updatedAt: now, owner: undefined });
  };
  const dropBytes = (row: Row): void => {
    delete row.bytes;
    row.size = 0;
  };
  const prune = (): void => {
    if (++finished % pruneEvery !== 0) return;
    const done = ordered().filter(({ state }) => state === "indexed");
    for (const { id } of done.slice(0, Math.max(0, done.length - keep))) rows.delete(id);
  };

  return {
    durability: "none",
    put: (job, room) =>
      call(() => {
        const before = rows.get(job.id);
        const size = job.bytes?.byteLength ?? 0;
        if (!hasRoom(before, size, room)) return false;
        const { enqueuedAt: now } = job;
        const given: NewJob = structuredClone(job);
        if (before !== undefined && isLeased(before.state)) {
          const { key, state, dueAt, revision, owner } = before;
          rows.set(job.id, {
            ...given,
            key,
            state,
            attempts: 0,
            dueAt,
            revision: revision + 1,
            owner,
            size,
            updatedAt: now,
          });
        } else {
          const [key, revision] = [before?.key ?? ++lastKey, (before?.revision ?? 0) + 1];
          rows.set(job.id, { ...given, key, state: "queued", attempts: 0, dueAt: now, revision, size, updatedAt: now });
        }
        return true;
      }),
    take: ({ owner, now, until }) =>
      call(() => {
        let first: Row | undefined;
        for (const row of rows.values()) {
          if (!isLive(row.state) || row.dueAt > now) continue;
          if (first === undefined || row.dueAt < first.dueAt || (row.dueAt === first.dueAt && row.key < first.key))
            first = row;
        }
        if (first === undefined) return undefined;
        Object.assign(first, { state: "reading", owner, dueAt: until, updatedAt: now, attempts: first.attempts + 1 });
        return { ...toStored(first), ...(first.bytes && { bytes: first.bytes.slice() }) };
      }),
    renew: (lease, { until, now, state }) =>
      call(() => {
        const row = held(lease);
        if (row === undefined) return false;
        Object.assign(row, { dueAt: until, updatedAt: now, state: state ?? row.state });
        return true;
      }),
    finish: (lease, outcome, now) =>
      call(() => {
        const row = held(lease);
        if (row === undefined) return undefined;
        row.owner = undefined;
        row.updatedAt = now;
        if (row.revision !== lease.revision) {
          toQueue(row, now);
          return row.state;
        }
        row.state = outcome.state;
        delete row.error;
        if (outcome.error !== undefined) row.error = { ...outcome.error };
        if (outcome.state === "queued") {
          row.dueAt = outcome.dueAt;
          if (outcome.error === undefined) row.attempts--;
        }
        if (outcome.state === "indexed") {
          dropBytes(row);
          row.result = { ...outcome.result };
          if (outcome.document !== undefined) row.document = outcome.document;
          prune();
        }
        return outcome.state;
      }),
    cancel: (id, error, now) =>
      call(() => {
        const row = rows.get(id);
        if (row === undefined || !isLive(row.state)) return false;
        Object.assign(row, { state: "failed", owner: undefined, updatedAt: now, error: { ...error } });
        dropBytes(row);
        return true;
      }),
    replay: (id, room, now) =>
      call(() => {
        const row = rows.get(id);
        if (row?.state !== "failed" || row.error?.code === "aborted" || !hasRoom(row, row.size, room)) return false;
        toQueue(row, now);
        return true;
      }),
    get: (id) =>
      call(() => {
        const row = rows.get(id);
        return row && toStored(row);
      }),
    list: ({ states, after = 0, limit }) =>
      call(() =>
        ordered()
          .filter(({ key, state }) => key > after && (states?.includes(state) ?? true))
          .slice(0, limit)
          .map(toStored),
      ),
    counts: () =>
      call(() => {
        const counts = { queued: 0, reading: 0, embedding: 0, indexed: 0, failed: 0, bytes: 0 };
        for (const { state, size } of rows.values()) {
          counts[state]++;
          counts.bytes += size;
        }
        return counts satisfies JobCounts;
      }),
    nextAt: () =>
      call(() => {
        const due = [...rows.values()].filter(({ state }) => isLive(state)).map(({ dueAt }) => dueAt);
        return due.length === 0 ? undefined : due.reduce((a, b) => Math.min(a, b));
      }),
    forget: (scope, job) =>
      call(() => {
        const gone = [...rows.values()].filter(
          (row) => row.scope === scope && (job === undefined || row.document === job.document || row.id === job.id),
        );
        for (const { id } of gone) rows.delete(id);
        return gone.length;
      }),
    async close() {
      isClosed = true;
    },
  };
}

function toStored({ bytes: _bytes, owner: _owner, ...row }: Row): StoredJob {
  return structuredClone(row);
}
