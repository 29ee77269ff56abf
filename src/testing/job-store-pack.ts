import type { JobOutcome, JobStore, NewJob, StoredJob, TakenJob } from "../contracts/job-store.ts";
import { check, equal, scribble, throwsCode } from "./assert.ts";
import { type CaseDefinition, type ContractCase, defineCases } from "./contract-case.ts";

/** How the pack gets job stores, one for each case. */
export interface JobStoreSubject {
  /** A fresh, empty store. */
  create(): Promise<JobStore> | JobStore;
  /** The same jobs by another door, as another process would have them. Left out where there is none. */
  another?(store: JobStore): Promise<JobStore>;
}

const room = { capacity: 3, maxBytes: 100 };
const failure = { code: "internal", message: "It went wrong." } as const;
const done = { state: "indexed", result: { documents: 1, chunks: 2, failed: 0 } } as const satisfies JobOutcome;

function job(id: string, more: Partial<NewJob> = {}): NewJob {
  return { id, scope: "deployment", uri: `${id}.md`, request: { kind: "path" }, enqueuedAt: 1, ...more };
}

async function takeAt(store: JobStore, now: number, owner = "one", until = now + 100): Promise<TakenJob | undefined> {
  return store.take({ owner, now, until });
}

async function mustTake(store: JobStore, now: number, owner = "one", until = now + 100): Promise<TakenJob> {
  const taken = await takeAt(store, now, owner, until);
  check(taken !== undefined, "a job that is due is taken");
  return taken;
}

const leaseOf = ({ id, revision }: StoredJob, owner = "one") => ({ id, owner, revision });

/** What every {@link JobStore} promises: nothing acknowledged is lost, and nothing is with two at a time. */
export function createJobStorePack(subject: JobStoreSubject): readonly ContractCase[] {
  const using =
    (use: (store: JobStore) => Promise<void>): (() => Promise<void>) =>
    async () => {
      const store = await subject.create();
      try {
        await use(store);
      } finally {
        await store.close();
      }
    };

  const cases: readonly CaseDefinition[] = [
    [
      "gives-back-what-was-put",
      "T2 L9",
      using(async (store) => {
        const given = job("a", {
          document: "a\u0000.md",
          uri: "\u0000 and é",
          caller: { userId: "ada", teamId: "acme" },
          request: { kind: "bytes", options: { metadata: { year: 2026, empty: null, zero: "\u0000" } } },
          bytes: Uint8Array.of(0, 255, 7),
        });
        equal(await store.put(given, room), true, "put");
        const { bytes: _, ...facts } = given;
        const kept = { ...facts, key: 1, state: "queued", attempts: 0, dueAt: 1, revision: 1, size: 3, updatedAt: 1 };
        const found = await store.get("a");
        equal(found && { ...found, key: 1 }, kept, "get");
        const taken = await mustTake(store, 5);
        equal([...(taken.bytes ?? [])], [0, 255, 7], "its bytes");
        equal(
          { ...taken, key: 1, bytes: undefined },
          { ...kept, state: "reading", attempts: 1, dueAt: 105, updatedAt: 5 },
          "taken",
        );
        equal(await store.get("unknown"), undefined, "an unknown id");
      }),
    ],
    [
      "in-order-of-due-time",
      "T2",
      using(async (store) => {
        await store.put(job("late", { enqueuedAt: 9 }), room);
        await store.put(job("b", { enqueuedAt: 2 }), room);
        await store.put(job("a", { enqueuedAt: 2 }), room);
        equal(await store.nextAt(), 2, "the next time");
        equal(await takeAt(store, 1), undefined, "before anything is due");
        const order = [await takeAt(store, 10), await takeAt(store, 10), await takeAt(store, 10)];
        equal(
          order.map((each) => each?.id),
          ["b", "a", "late"],
          "the order",
        );
        equal(await takeAt(store, 10), undefined, "when all are taken");
      }),
    ],
    [
      "full-is-said",
      "T42 L9",
      using(async (store) => {
        for (const id of ["a", "b", "c"]) equal(await store.put(job(id), room), true, id);
        equal(await store.put(job("d"), room), false, "one too many");
        equal(await store.get("d"), undefined, "nothing of it is kept");
        equal(await store.put(job("b", { uri: "again" }), room), true, "one that is there already");
        const taken = await mustTake(store, 2);
        equal(await store.put(job("d"), room), false, "while one is being done");
        await store.finish(leaseOf(taken), done, 3);
        equal(await store.put(job("d"), room), true, "once one is done");
      }),
    ],
    [
      "bytes-are-bounded",
      "L9",
      using(async (store) => {
        equal(await store.put(job("a", { bytes: new Uint8Array(60) }), room), true, "the first");
        equal(await store.put(job("b", { bytes: new Uint8Array(41) }), room), false, "one byte too many");
        equal(await store.put(job("a", { bytes: new Uint8Array(100) }), room), true, "in place of the first");
        equal((await store.counts()).bytes, 100, "bytes kept");
        const taken = await mustTake(store, 1);
        await store.finish(leaseOf(taken), { state: "failed", error: failure }, 2);
        equal(
          await store.put(job("b", { bytes: new Uint8Array(1) }), room),
          false,
          "while a failed one keeps its bytes",
        );
        await store.replay("a", room, 3);
        equal((await mustTake(store, 3)).bytes?.byteLength, 100, "bytes of a replayed job");
        await store.finish(leaseOf(taken), done, 4);
        equal((await store.counts()).bytes, 0, "bytes when it is indexed");
      }),
    ],
    [
      "a-lease-is-exclusive-until-it-ends",
      "L8",
      using(async (store) => {
        await store.put(job("a"), room);
        const first = await mustTake(store, 10, "one", 50);
        equal(await takeAt(store, 49, "two"), undefined, "before the lease ends");
        equal(await store.nextAt(), 50, "when it may be taken");
        equal(await store.renew({ id: "a", owner: "one" }, { until: 80, now: 45 }), true, "renewed by its owner");
        equal(await store.renew({ id: "a", owner: "two" }, { until: 99, now: 45 }), false, "renewed by another");
        equal(await takeAt(store, 79, "two"), undefined, "before the longer lease ends");
        const second = await mustTake(store, 80, "two", 120);
        equal(second.attempts, 2, "attempts");
        equal(await store.renew({ id: "a", owner: "one" }, { until: 200, now: 81 }), false, "renewed by who lost it");
        equal(await store.finish(leaseOf(first), done, 82), undefined, "finished by who lost it");
        equal((await store.get("a"))?.state, "reading", "it is with the second");
        equal(await store.finish(leaseOf(second, "two"), done, 83), "indexed", "finished by the second");
        equal(await store.finish(leaseOf(second, "two"), done, 84), undefined, "finished twice");
      }),
    ],
    [
      "tells-how-far-it-is",
      "T2",
      using(async (store) => {
        await store.put(job("a"), room);
        const taken = await mustTake(store, 2);
        await store.renew({ id: "a", owner: "one" }, { until: 90, now: 3, state: "embedding" });
        equal((await store.get("a"))?.state, "embedding", "while it is embedded");
        await store.renew({ id: "a", owner: "one" }, { until: 95, now: 4 });
        equal((await store.get("a"))?.state, "embedding", "after a mere renewal");
        equal(await store.finish(leaseOf(taken), { ...done, document: "a.md" }, 5), "indexed", "finish");
        const found = await store.get("a");
        equal(
          [found?.state, found?.result, found?.document, found?.updatedAt],
          ["indexed", done.result, "a.md", 5],
          "at the end",
        );
        equal(await store.nextAt(), undefined, "nothing to wait for");
        equal(await takeAt(store, 1e6), undefined, "what is done is not taken again");
      }),
    ],
    [
      "tried-again-when-it-says",
      "T43",
      using(async (store) => {
        await store.put(job("a"), room);
        const outcome = { state: "queued", dueAt: 500, error: failure } as const;
        equal(await store.finish(leaseOf(await mustTake(store, 2)), outcome, 3), "queued", "put back");
        equal(await takeAt(store, 499), undefined, "before its time");
        equal((await store.get("a"))?.error, failure, "why");
        const again = await mustTake(store, 500);
        equal(again.attempts, 2, "attempts");
        await store.finish(leaseOf(again), { state: "queued", dueAt: 501 }, 501);
        equal((await mustTake(store, 501)).attempts, 2, "an attempt that was broken off does not count");
      }),
    ],
    [
      "failed-jobs-stay-and-can-be-replayed",
      "T43",
      using(async (store) => {
        await store.put(job("a", { bytes: Uint8Array.of(1) }), room);
        equal(await store.replay("a", room, 2), false, "one that has not failed");
        await store.finish(leaseOf(await mustTake(store, 2)), { state: "failed", error: failure }, 3);
        equal(await takeAt(store, 1e6), undefined, "it is not taken");
        const failed = await store.list({ states: ["failed"], limit: 9 });
        equal(
          failed.map(({ id, error }) => [id, error]),
          [["a", failure]],
          "the dead letters",
        );
        equal(await store.replay("a", { capacity: 0, maxBytes: 100 }, 4), false, "without room");
        equal(await store.replay("a", room, 4), true, "replayed");
        const again = await mustTake(store, 4);
        equal([again.attempts, [...(again.bytes ?? [])]], [1, [1]], "from the start");
        equal(await store.replay("unknown", room, 4), false, "an unknown one");
      }),
    ],
    [
      "the-last-wish-wins",
      "L7 L8",
      using(async (store) => {
        await store.put(job("a", { uri: "first", bytes: Uint8Array.of(1) }), room);
        await store.put(job("a", { uri: "second", bytes: Uint8Array.of(2), enqueuedAt: 2 }), room);
        const taken = await mustTake(store, 3);
        equal([taken.uri, [...(taken.bytes ?? [])]], ["second", [2]], "asked for again while it waits");
        await store.put(job("a", { uri: "third", bytes: Uint8Array.of(3), enqueuedAt: 4 }), room);
        equal(await takeAt(store, 5, "two"), undefined, "never two at one document");
        equal((await store.get("a"))?.attempts, 0, "attempts at what was asked for last");
        equal(await store.finish(leaseOf(taken), done, 6), "queued", "finished, though asked for again meanwhile");
        const third = await mustTake(store, 6);
        equal([third.uri, [...(third.bytes ?? [])], third.attempts], ["third", [3], 1], "what was asked for meanwhile");
        await store.finish(leaseOf(third), done, 7);
        await store.put(job("a", { uri: "fourth", enqueuedAt: 8 }), room);
        const fourth = await mustTake(store, 8);
        equal(
          [fourth.uri, fourth.attempts, fourth.result],
          ["fourth", 1, undefined],
          "asked for again once it was done",
        );
        equal((await store.list({ limit: 9 })).length, 1, "one document has one job");
      }),
    ],
    [
      "cancelling-ends-it",
      "L8",
      using(async (store) => {
        const aborted = { code: "aborted", message: "Cancelled." } as const;
        await store.put(job("a", { bytes: Uint8Array.of(1) }), room);
        const taken = await mustTake(store, 2);
        equal(await store.cancel("a", aborted, 3), true, "cancelled");
        equal(await store.renew({ id: "a", owner: "one" }, { until: 99, now: 4 }), false, "the lease is lost");
        equal(await store.finish(leaseOf(taken), done, 4), undefined, "what came of it does not count");
        const found = await store.get("a");
        equal([found?.state, found?.error, found?.size], ["failed", aborted, 0], "how it stands");
        equal(await store.cancel("a", aborted, 5), false, "cancelled twice");
        equal(await store.replay("a", room, 5), false, "what was cancelled is not replayed");
        equal(await takeAt(store, 1e6), undefined, "nor taken");
        equal(await store.cancel("unknown", aborted, 5), false, "an unknown one");
      }),
    ],
    [
      "listed-in-pages-and-counted",
      "T42",
      using(async (store) => {
        for (const id of ["c", "a", "b"]) await store.put(job(id, { bytes: new Uint8Array(2) }), room);
        const taken = await mustTake(store, 2);
        const all = await store.list({ limit: 9 });
        equal(
          all.map(({ id }) => id),
          ["c", "a", "b"],
          "in the order in which they came",
        );
        check(
          all.every((each) => !("bytes" in each)),
          "a listing has no bytes",
        );
        const [first] = await store.list({ limit: 1 });
        const rest = await store.list({ after: first?.key ?? 0, limit: 9 });
        equal(
          rest.map(({ id }) => id),
          ["a", "b"],
          "the next page",
        );
        equal(
          (await store.list({ states: ["reading"], limit: 9 })).map(({ id }) => id),
          ["c"],
          "by state",
        );
        equal(await store.counts(), { queued: 2, reading: 1, embedding: 0, indexed: 0, failed: 0, bytes: 6 }, "counts");
        await store.finish(leaseOf(taken), done, 3);
        equal(
          await store.counts(),
          { queued: 2, reading: 0, embedding: 0, indexed: 1, failed: 0, bytes: 4 },
          "counts later",
        );
      }),
    ],
    [
      "forgets-documents-and-scopes",
      "L8",
      using(async (store) => {
        const wide = { capacity: 9, maxBytes: 0 };
        await store.put(job("a", { document: "a.md" }), wide);
        await store.put(job("b", { document: "a.md", scope: "team:x" }), wide);
        await store.put(job("c", { document: "c.md", scope: "team:x" }), wide);
        await store.put(job("d", { document: "d.md" }), wide);
        equal(await store.forget("deployment", "a.md"), 1, "one document, in one scope");
        equal(await store.get("a"), undefined, "gone");
        equal(
          (await store.list({ limit: 9 })).map(({ id }) => id),
          ["b", "c", "d"],
          "the others",
        );
        equal(await store.forget("team:x"), 2, "a whole scope");
        equal(
          (await store.list({ limit: 9 })).map(({ id }) => id),
          ["d"],
          "what is left",
        );
      }),
    ],
    [
      "not-aliased",
      "B27",
      using(async (store) => {
        const given = job("a", { bytes: Uint8Array.of(1, 2), request: { options: { tags: ["x"] } } });
        await store.put(given, room);
        scribble(given.request);
        scribble(given.bytes);
        const want = { options: { tags: ["x"] } };
        scribble(await store.get("a"));
        for (const each of await store.list({ limit: 9 })) scribble(each);
        equal((await store.get("a"))?.request, want, "what was put");
        const taken = await mustTake(store, 2);
        equal([taken.request, [...(taken.bytes ?? [])]], [want, [1, 2]], "what is taken");
        scribble(taken.bytes);
        equal([...((await mustTake(store, 200, "two")).bytes ?? [])], [1, 2], "what is taken again");
      }),
    ],
    [
      "closed-is-closed",
      "",
      async () => {
        const store = await subject.create();
        await store.close();
        await throwsCode(() => store.put(job("a"), room), "store-closed", "put");
        await throwsCode(() => store.get("a"), "store-closed", "get");
        await store.close();
      },
    ],
    [
      "by-two-doors",
      "L8",
      using(async (store) => {
        const other = await subject.another?.(store);
        if (other === undefined) return;
        try {
          const wide = { capacity: 1000, maxBytes: 0 };
          for (let i = 0; i < 40; i++) await (i % 2 === 0 ? store : other).put(job(`${i}`), wide);
          equal((await other.list({ limit: 99 })).length, 40, "both doors show every job");
          const takeAll = async (door: JobStore, owner: string): Promise<string[]> => {
            const ids: string[] = [];
            for (let taken = await takeAt(door, 5, owner); taken; taken = await takeAt(door, 5, owner))
              ids.push(taken.id);
            return ids;
          };
          const both = (await Promise.all([takeAll(store, "one"), takeAll(other, "two")])).flat();
          equal(both.length, 40, "every job is taken once");
          equal(new Set(both).size, 40, "and by one only");
        } finally {
          await other.close();
        }
      }),
    ],
  ];
  return defineCases("job-store", cases);
}
