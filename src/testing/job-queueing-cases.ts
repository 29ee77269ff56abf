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

/** Jobs come out in turn, and no more go in than there is room for. */
export function jobQueueingCases(subject: JobStoreSubject): readonly CaseDefinition[] {
  const using = usingStoreOf(subject);
  return [
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
  ];
}
