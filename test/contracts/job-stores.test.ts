import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { openSqliteJobStore } from "../../src/stores/sqlite/sqlite-job-store.ts";
import type { JobStore } from "../../src/contracts/job-store.ts";
import { createMemoryJobStore } from "../../src/ingest/queue/memory-job-store.ts";
import { createJobStorePack } from "../../src/testing/job-store-pack.ts";
import { runMutants } from "./mutants.ts";
import { runPack } from "./run-pack.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-jobs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("jobs in memory", () => {
  runPack(createJobStorePack({ create: () => createMemoryJobStore() }));
});

describe("jobs in SQLite", () => {
  const files = new WeakMap<JobStore, string>();
  let count = 0;
  runPack(
    createJobStorePack({
      async create() {
        const file = join(folder, `jobs-${count++}.sqlite`);
        const store = await openSqliteJobStore(file);
        files.set(store, file);
        return store;
      },
      another: (store) => openSqliteJobStore(files.get(store) ?? ""),
    }),
  );
});

/** The memory store with one fault. */
const faulty = (change: (good: JobStore) => Partial<JobStore>) => ({
  create(): JobStore {
    const good = createMemoryJobStore();
    return { ...good, ...change(good) };
  },
});

describe("the job store pack notices a store with one fault [L7 L8 L9 T42 T43]", () => {
  runMutants(createJobStorePack, [
    [
      "bytes lost",
      "job-store/gives-back-what-was-put",
      faulty((good) => ({ put: ({ bytes: _bytes, ...job }, room) => good.put(job, room) })),
    ],
    [
      "callers lost",
      "job-store/gives-back-what-was-put",
      faulty((good) => ({ put: ({ caller: _caller, ...job }, room) => good.put(job, room) })),
    ],
    [
      "waits for nothing",
      "job-store/in-order-of-due-time",
      faulty((good) => ({ take: (claim) => good.take({ ...claim, now: Infinity }) })),
    ],
    ["no time told", "job-store/in-order-of-due-time", faulty(() => ({ nextAt: async () => undefined }))],
    [
      "never full",
      "job-store/full-is-said",
      faulty((good) => ({ put: (job, room) => good.put(job, { ...room, capacity: Infinity }) })),
    ],
    [
      "full without a word",
      "job-store/full-is-said",
      faulty((good) => ({
        async put(job, room) {
          await good.put(job, room);
          return true;
        },
      })),
    ],
    [
      "bytes without bounds",
      "job-store/bytes-are-bounded",
      faulty((good) => ({ put: (job, room) => good.put(job, { ...room, maxBytes: Infinity }) })),
    ],
    [
      "leases that never end",
      "job-store/a-lease-is-exclusive-until-it-ends",
      faulty((good) => ({ take: (claim) => good.take({ ...claim, until: Infinity }) })),
    ],
    [
      "leases that end at once",
      "job-store/a-lease-is-exclusive-until-it-ends",
      faulty((good) => ({ take: (claim) => good.take({ ...claim, until: claim.now }) })),
    ],
    [
      "anybody may renew",
      "job-store/a-lease-is-exclusive-until-it-ends",
      faulty((good) => ({
        renew: async ({ id }, to) =>
          (await good.renew({ id, owner: "one" }, to)) || (await good.renew({ id, owner: "two" }, to)),
      })),
    ],
    [
      "anybody may finish",
      "job-store/a-lease-is-exclusive-until-it-ends",
      faulty((good) => ({
        finish: async (lease, outcome, now) =>
          (await good.finish(lease, outcome, now)) ?? (await good.finish({ ...lease, owner: "two" }, outcome, now)),
      })),
    ],
    [
      "always reading",
      "job-store/tells-how-far-it-is",
      faulty((good) => ({ renew: (lease, { until, now }) => good.renew(lease, { until, now }) })),
    ],
    [
      "tried again at once",
      "job-store/tried-again-when-it-says",
      faulty((good) => ({
        finish: (lease, outcome, now) =>
          good.finish(lease, outcome.state === "queued" ? { ...outcome, dueAt: now } : outcome, now),
      })),
    ],
    [
      "broken off counts",
      "job-store/tried-again-when-it-says",
      faulty((good) => ({
        finish: (lease, outcome, now) =>
          good.finish(lease, { ...outcome, error: outcome.error ?? { code: "internal", message: "" } }, now),
      })),
    ],
    [
      "no second chance",
      "job-store/failed-jobs-stay-and-can-be-replayed",
      faulty(() => ({ replay: async () => false })),
    ],
    [
      "replayed beyond its room",
      "job-store/failed-jobs-stay-and-can-be-replayed",
      faulty((good) => ({ replay: (id, room, now) => good.replay(id, { ...room, capacity: Infinity }, now) })),
    ],
    [
      "the first wish wins",
      "job-store/the-last-wish-wins",
      faulty((good) => ({ put: async (job, room) => (await good.get(job.id)) !== undefined || good.put(job, room) })),
    ],
    [
      "a wish made meanwhile is lost",
      "job-store/the-last-wish-wins",
      faulty((good) => ({
        finish: async (lease, outcome, now) =>
          good.finish({ ...lease, revision: (await good.get(lease.id))?.revision ?? 0 }, outcome, now),
      })),
    ],
    ["cancels nothing", "job-store/cancelling-ends-it", faulty(() => ({ cancel: async () => true }))],
    [
      "lists bytes",
      "job-store/listed-in-pages-and-counted",
      faulty((good) => ({
        list: async (options) => (await good.list(options)).map((job) => ({ ...job, bytes: new Uint8Array() })),
      })),
    ],
    [
      "one page for ever",
      "job-store/listed-in-pages-and-counted",
      faulty((good) => ({ list: ({ after: _after, ...rest }) => good.list(rest) })),
    ],
    ["forgets nothing", "job-store/forgets-documents-and-scopes", faulty(() => ({ forget: async () => 1 }))],
    [
      "forgets too much",
      "job-store/forgets-documents-and-scopes",
      faulty((good) => ({ forget: (scope) => good.forget(scope) })),
    ],
    [
      "forgets documents alone",
      "job-store/forgets-documents-and-scopes",
      faulty((good) => ({ forget: (scope, given) => good.forget(scope, given && { document: given.document }) })),
    ],
    ["open for ever", "job-store/closed-is-closed", faulty(() => ({ close: async () => {} }))],
    [
      "input aliased",
      "job-store/not-aliased",
      faulty((good) => {
        const requests = new Map<string, Record<string, never>>();
        return {
          put(job, room) {
            requests.set(job.id, job.request as Record<string, never>);
            return good.put(job, room);
          },
          async get(id) {
            const job = await good.get(id);
            return job && { ...job, request: requests.get(id) ?? {} };
          },
        };
      }),
    ],
  ]);
  runMutants(createJobStorePack, [
    [
      "two doors that do not see each other",
      "job-store/by-two-doors",
      { create: () => createMemoryJobStore(), another: async () => createMemoryJobStore() },
    ],
  ]);
});
