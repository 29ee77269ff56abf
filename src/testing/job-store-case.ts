import type { JobOutcome, JobStore, NewJob, StoredJob, TakenJob } from "../contracts/job-store.ts";
import { check } from "./assert.ts";

/**
 * How the pack gets job stores, one for each case.
 *
 * @experimental
 */
export interface JobStoreSubject {
  /** A fresh, empty store. */
  create(): Promise<JobStore> | JobStore;
  /** Opens the same jobs again, as another process would. Absent where that is impossible. */
  another?(store: JobStore): Promise<JobStore>;
}

/** Gives a case a store of its own, and closes it afterwards. */
export function usingStoreOf(
  subject: JobStoreSubject,
): (use: (store: JobStore) => Promise<void>) => () => Promise<void> {
  return (use) => async () => {
    const store = await subject.create();
    try {
      await use(store);
    } finally {
      await store.close();
    }
  };
}

export const room = { capacity: 3, maxBytes: 100 };
export const failure = { code: "internal", message: "It went wrong." } as const;
export const done = { state: "indexed", result: { documents: 1, chunks: 2, failed: 0 } } as const satisfies JobOutcome;

export function job(id: string, more: Partial<NewJob> = {}): NewJob {
  return { id, scope: "deployment", uri: `${id}.md`, request: { kind: "path" }, enqueuedAt: 1, ...more };
}

export async function takeAt(
  store: JobStore,
  now: number,
  owner = "one",
  until = now + 100,
): Promise<TakenJob | undefined> {
  return store.take({ owner, now, until });
}

export async function mustTake(store: JobStore, now: number, owner = "one", until = now + 100): Promise<TakenJob> {
  const taken = await takeAt(store, now, owner, until);
  check(taken !== undefined, "a job that is due is taken");
  return taken;
}

export const leaseOf = ({ id, revision }: StoredJob, owner = "one") => ({ id, owner, revision });
