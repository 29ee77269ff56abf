import { createWakeUp, waitByTimer } from "../../ingest/queue/wake-up.ts";
import type { Caller } from "../route.ts";
import { hasShare } from "../slots.ts";
import {
  isLive,
  type JobChanges,
  type JobRecord,
  type JobSelection,
  type LiveJob,
  ownerOf,
  type Revision,
  showJob,
} from "./job.ts";

/** Room for jobs that are not over, and for their bytes. */
export interface JobRoom {
  readonly jobs: number;
  readonly jobBytes: number;
  /** One caller may have the share of it that `perCaller` is of `concurrent`. */
  readonly perCaller: number;
  readonly concurrent: number;
}

/** Jobs in memory, in the order in which they came, and the order of their changes. */
export interface JobTable {
  get(id: string): LiveJob | undefined;
  all(): readonly LiveJob[];
  add(record: JobRecord, received: number): void;
  /** Changes a job. **Shape** `undefined` for one that is not there. */
  change(id: string, more: Partial<JobRecord>, facts?: Partial<LiveJob>): LiveJob | undefined;
  remove(id: string): void;
  /** Jobs that a caller may see: operators all; others their own, as long as they may write to the scope. */
  seen(caller: Caller, selection: JobSelection): readonly LiveJob[];
  changes(caller: Caller, selection: JobSelection, after: number | undefined): JobChanges;
  /** Waits for a change after a revision of the caller's, for the signal, or for `wake`. */
  changed(caller: Caller, after: number, signal: AbortSignal): Promise<void>;
  wake(): void;
  /** Number of the caller's jobs that are done before one that waits. */
  ahead(caller: Caller, id: string): number | undefined;
  /** Whether an owner may have one more job, with a file of so many bytes. */
  hasRoom(owner: string, size: number, room: JobRoom): boolean;
}

/** Removed jobs that streams still hear of. */
const mostRemoved = 1000;
const longestWaitMs = 3_600_000;

export function createJobTable(now: () => number): JobTable {
  const jobs = new Map<string, LiveJob>();
  const removed: { readonly job: LiveJob; readonly revision: Revision }[] = [];
  const wakeUp = createWakeUp(waitByTimer);
  /** Changes of all jobs, and of each owner's. */
  let changesOfAll = 0;
  const changesOf = new Map<string, number>();
  /** The last changes that are forgotten. */
  let forgottenOfAll = 0;
  const forgottenOf = new Map<string, number>();

  const count = (owner: string): Revision => {
    const own = (changesOf.get(owner) ?? 0) + 1;
    changesOf.set(owner, own);
    return { all: ++changesOfAll, own };
  };
  const forget = ({ job, revision }: (typeof removed)[number]): void => {
    forgottenOfAll = revision.all;
    forgottenOf.set(job.record.owner, revision.own);
  };
  const seenBy = (caller: Caller, { all, own }: Revision): number => (caller.isOperator ? all : own);
  const lastOf = (caller: Caller): number => (caller.isOperator ? changesOfAll : (changesOf.get(ownerOf(caller)) ?? 0));

  const isSeen = (caller: Caller, { record }: LiveJob, { id, batch, states }: JobSelection): boolean =>
    (caller.isOperator ||
      (ownerOf(caller) === record.owner && (record.scope === undefined || caller.kb.mayWrite(record.scope)))) &&
    (id === undefined || record.id === id) &&
    (batch === undefined || record.batch === batch) &&
    (states === undefined || states.includes(record.state));
  const seen: JobTable["seen"] = (caller, selection) =>
    [...jobs.values()].filter((job) => isSeen(caller, job, selection));
  const placesOf = (caller: Caller): readonly string[] =>
    seen(caller, { states: ["queued"] }).map(({ record }) => record.id);

  return {
    get: (id) => jobs.get(id),
    all: () => [...jobs.values()],
    add(record, received) {
      jobs.set(record.id, { record, received, revision: count(record.owner) });
      wakeUp.now();
    },
    change(id, more, facts = {}) {
      const job = jobs.get(id);
      if (job === undefined) return undefined;
      const revision = count(job.record.owner);
      const changed = { ...job, ...facts, record: { ...job.record, ...more, updatedAt: now() }, revision };
      jobs.set(id, changed);
      wakeUp.now();
      return changed;
    },
    remove(id) {
      const job = jobs.get(id);
      if (job === undefined) return;
      jobs.delete(id);
      removed.push({ job, revision: count(job.record.owner) });
      if (removed.length > mostRemoved) forget(removed.shift()!);
      wakeUp.now();
    },
    seen,
    changes(caller, selection, after) {
      const revision = lastOf(caller);
      const forgotten = caller.isOperator ? forgottenOfAll : (forgottenOf.get(ownerOf(caller)) ?? 0);
      const isWhole = after === undefined || after < forgotten || after > revision;
      const at = (change: { readonly revision: Revision }): number => seenBy(caller, change.revision);
      const own = seen(caller, selection);
      const waiting = new Map(placesOf(caller).map((id, index) => [id, index]));
      return {
        revision,
        isWhole,
        jobs: own
          .filter((job) => isWhole || at(job) > after)
          .toSorted((one, other) => at(one) - at(other))
          .map((job) => ({
            revision: at(job),
            job: showJob(job, waiting.get(job.record.id), caller.isOperator),
          })),
        removed: removed
          .filter((gone) => !isWhole && at(gone) > after && isSeen(caller, gone.job, selection))
          .map(({ job }) => job.record.id),
        isOver: own.every(({ record }) => !isLive(record) && record.delivery?.state !== "waiting"),
      };
    },
    async changed(caller, after, signal) {
      const since = wakeUp.calls;
      if (lastOf(caller) <= after) await wakeUp.wait(longestWaitMs, since, signal);
    },
    wake: () => wakeUp.now(),
    ahead(caller, id) {
      const place = placesOf(caller).indexOf(id);
      return place < 0 ? undefined : place;
    },
    hasRoom(owner, size, { jobs: most, jobBytes, perCaller, concurrent }) {
      let [live, own, bytes, ownBytes] = [0, 0, 0, 0];
      for (const { record } of jobs.values()) {
        const isOwn = record.owner === owner;
        const isHeld = isLive(record) || record.state === "failed";
        bytes += isHeld ? (record.size ?? 0) : 0;
        ownBytes += isHeld && isOwn ? (record.size ?? 0) : 0;
        live += isLive(record) ? 1 : 0;
        own += isLive(record) && isOwn ? 1 : 0;
      }
      return (
        hasShare(own, most - live, concurrent, perCaller) &&
        (size === 0 || hasShare(ownBytes + size - 1, jobBytes - bytes - size + 1, concurrent, perCaller))
      );
    },
  };
}
