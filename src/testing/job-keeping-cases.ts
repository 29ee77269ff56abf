import type { JobStore } from "../contracts/job-store.ts";
import { check, equal, scribble, throwsCode } from "./assert.ts";
import type { CaseDefinition } from "./contract-case.ts";
import { done, job, leaseOf, mustTake, room, takeAt, type JobStoreSubject, usingStoreOf } from "./job-store-case.ts";

/** The last request counts, deleted jobs leave nothing, and two stores over one file share their jobs. */
export function jobKeepingCases(subject: JobStoreSubject): readonly CaseDefinition[] {
  const using = usingStoreOf(subject);
  return [
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
        equal(await store.forget("deployment", { document: "a.md" }), 1, "one document, in one scope");
        equal(await store.get("a"), undefined, "gone");
        equal(
          (await store.list({ limit: 9 })).map(({ id }) => id),
          ["b", "c", "d"],
          "the others",
        );
        await store.put(job("e"), wide);
        equal(await store.forget("team:x", { document: "e.md", id: "e" }), 0, "by its id, and only in its own scope");
        equal(await store.forget("deployment", { document: "e.md", id: "e" }), 1, "one whose document nobody knows");
        equal(await store.get("e"), undefined, "gone too");
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
}
