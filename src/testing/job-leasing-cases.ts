import { equal } from "./assert.ts";
import type { CaseDefinition } from "./contract-case.ts";
import {
  done,
  failure,
  job,
  leaseOf,
  mustTake,
  room,
  takeAt,
  type JobStoreSubject,
  usingStoreOf,
} from "./job-store-case.ts";

/** A job is with one owner at a time, and what came of it is kept. */
export function jobLeasingCases(subject: JobStoreSubject): readonly CaseDefinition[] {
  const using = usingStoreOf(subject);
  return [
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
  ];
}
