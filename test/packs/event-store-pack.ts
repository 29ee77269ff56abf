import type { EventFilter, EventName, EventStore, KnowledgeEvent } from "../../src/contracts/event-store.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { check, equal, scribble, throwsCode } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";
import { sampleTrace } from "./tracer-pack.ts";

/** How the pack gets stores of events, one for each case. */
export interface EventStoreSubject {
  /** A fresh, empty store that keeps so much, and tells ages by this clock. */
  create(options: {
    readonly now: () => number;
    readonly maxAgeMs?: number;
    readonly maxEvents?: number;
  }): Promise<EventStore> | EventStore;
}

/** Any moment will do. */
const noon = 1_700_000_000_000;

const flushed = (latencyMs: number, at = noon, scopes: readonly Scope[] = ["deployment"]): KnowledgeEvent => ({
  name: "KnowledgeFlushed",
  at,
  scopes,
  data: { latencyMs },
});

/** One of each name, as they are written. */
const oneOfEach: readonly KnowledgeEvent[] = [
  { name: "KnowledgeRetrieved", at: noon, scopes: ["deployment", "team:north"], data: sampleTrace },
  { name: "KnowledgeRetrievalMiss", at: noon, scopes: [], data: { queryHash: sampleTrace.queryHash } },
  { name: "KnowledgeChunkIndexed", at: noon + 1, scopes: ["deployment"], data: { documentId: "d", chunks: 3 } },
  { name: "KnowledgeChunkFailed", at: noon + 2, scopes: ["user:ada"], data: { documentId: "", code: "unreadable" } },
  { name: "KnowledgeChunkReembedded", at: noon + 3, scopes: ["platform"], data: { version: "a/b/3", chunks: 9 } },
  {
    name: "KnowledgeChunkReembedFailed",
    at: noon + 4,
    scopes: ["team:日本 'x'"],
    data: { version: "a/b/3", chunks: 1, code: "timeout" },
  },
  {
    name: "KnowledgeEmbedded",
    at: noon + 5.5,
    scopes: [],
    data: { purpose: "query", inputs: 1, sent: 0, latencyMs: 0.25 },
  },
  flushed(12, noon + 6),
  { name: "KnowledgeQueued", at: noon + 7, scopes: [], data: { depth: 4, rejected: 1 } },
];

async function readAll(store: EventStore, filter?: EventFilter): Promise<readonly KnowledgeEvent[]> {
  const events: KnowledgeEvent[] = [];
  for await (const event of store.read(filter)) events.push(event);
  return events;
}

const latencies = async (store: EventStore, filter?: EventFilter): Promise<readonly number[]> =>
  (await readAll(store, filter)).map(({ data }) => ("latencyMs" in data ? data.latencyMs : Number.NaN));

/** What every {@link EventStore} promises: what was appended, whole, in order, under every filter, until it is too old. */
export function createEventStorePack(subject: EventStoreSubject): readonly ContractCase[] {
  const create = async (options: { readonly maxAgeMs?: number; readonly maxEvents?: number } = {}) =>
    subject.create({ now: () => noon, ...options });

  return defineCases("event-store", [
    [
      "gives-back-what-was-appended-in-order",
      "T41 T44 T50 T53",
      async () => {
        const store = await create();
        equal(await readAll(store), [], "an empty store");
        await store.append(oneOfEach.slice(0, 4));
        await store.append([]);
        await store.append(oneOfEach.slice(4));
        equal(await readAll(store), oneOfEach, "everything, in the order in which it came");
        equal(await readAll(store), oneOfEach, "and once more");
        await store.append([flushed(99, noon - 5)]);
        equal((await readAll(store)).at(-1), flushed(99, noon - 5), "what came last is last, whatever its time");
        await store.close();
      },
    ],
    [
      "copies",
      "T53",
      async () => {
        const store = await create();
        const scopes: Scope[] = ["deployment"];
        const data = { latencyMs: 5 };
        await store.append([{ name: "KnowledgeFlushed", at: noon, scopes, data }]);
        scopes.push("platform");
        data.latencyMs = 6;
        const [read] = await readAll(store);
        equal(read, flushed(5), "an event whose maker went on to change it");
        scribble(read?.data);
        equal(await readAll(store), [flushed(5)], "an event whose reader changed it");
        await store.close();
      },
    ],
    [
      "filters-by-name-time-and-scope",
      "T53",
      async () => {
        const store = await create();
        await store.append(oneOfEach);
        const named = async (filter: EventFilter): Promise<readonly EventName[]> =>
          (await readAll(store, filter)).map(({ name }) => name);
        equal(
          await named({ names: ["KnowledgeQueued", "KnowledgeChunkFailed"] }),
          ["KnowledgeChunkFailed", "KnowledgeQueued"],
          "two names",
        );
        equal(await named({ names: [] }), [], "no name");
        equal(await named({ from: noon + 6 }), ["KnowledgeFlushed", "KnowledgeQueued"], "from a time, which counts");
        equal(
          await named({ to: noon + 1 }),
          ["KnowledgeRetrieved", "KnowledgeRetrievalMiss"],
          "to a time, which does not",
        );
        equal(await named({ from: noon + 5, to: noon + 6 }), ["KnowledgeEmbedded"], "between two times");
        equal(await named({ scope: "team:north" }), ["KnowledgeRetrieved"], "one of several scopes");
        equal(await named({ scope: "team:日本 'x'" }), ["KnowledgeChunkReembedFailed"], "a scope of any letters");
        equal(await named({ scope: "team:nor" }), [], "the beginning of a scope");
        equal(
          await named({ scope: "deployment", names: ["KnowledgeFlushed", "KnowledgeQueued"], from: noon + 2 }),
          ["KnowledgeFlushed"],
          "everything together",
        );
        await store.close();
      },
    ],
    [
      "keeps-so-many",
      "T53",
      async () => {
        const store = await create({ maxEvents: 3 });
        for (const latency of [1, 2, 3, 4]) await store.append([flushed(latency)]);
        equal(await latencies(store), [2, 3, 4], "the last three of four");
        await store.append([5, 6, 7, 8, 9].map((latency) => flushed(latency)));
        equal(await latencies(store), [7, 8, 9], "the last three of five that came at once");
        equal(await latencies(store, { scope: "deployment" }), [7, 8, 9], "and no scope leads to the others");
        await store.close();
      },
    ],
    [
      "keeps-so-long",
      "T53",
      async () => {
        let time = noon;
        const store = await subject.create({ now: () => time, maxAgeMs: 1000 });
        await store.append([flushed(1, noon), flushed(2, noon + 500), flushed(3, noon + 10_000_000)]);
        time = noon + 1000;
        await store.append([flushed(4, time)]);
        equal(await latencies(store), [1, 2, 3, 4], "a second later, to the millisecond");
        time += 1;
        await store.append([flushed(5, time)]);
        equal(await latencies(store), [2, 3, 4, 5], "a millisecond after that; what claims to be of the future stays");
        await store.close();
      },
    ],
    [
      "reads-what-was-there",
      "T53",
      async () => {
        const store = await create();
        const many = Array.from({ length: 1203 }, (_, i) => flushed(i));
        await store.append(many);
        const reading = store.read()[Symbol.asyncIterator]();
        const seen = [(await reading.next()).value as KnowledgeEvent];
        await store.append([flushed(-1)]);
        for (;;) {
          const step = await reading.next();
          if (step.done === true) break;
          seen.push(step.value);
        }
        equal(seen, many, "a read that began before another append");
        equal((await readAll(store)).length, many.length + 1, "events afterwards");
        for await (const event of store.read()) {
          check(event.name === "KnowledgeFlushed", "the first event");
          break;
        }
        await store.append([flushed(-2)]);
        equal((await latencies(store)).at(-1), -2, "an append after a read was left early");
        await store.close();
      },
    ],
    [
      "refuses-what-is-no-event",
      "T53",
      async () => {
        const store = await create();
        const wrong = { ...flushed(1), name: "Knowledge" } as unknown as KnowledgeEvent;
        await throwsCode(() => store.append([flushed(1), wrong]), "invalid-argument", "an unknown name");
        await throwsCode(() => store.append([flushed(1, Number.NaN)]), "invalid-argument", "no time");
        await throwsCode(
          () => readAll(store, { name: "x" } as unknown as EventFilter),
          "invalid-argument",
          "an unknown filter",
        );
        equal(await readAll(store), [], "events of calls that were refused");
        await store.close();
        await throwsCode(() => store.append([flushed(1)]), "store-closed", "an append after the end");
        await throwsCode(() => readAll(store), "store-closed", "a read after the end");
        await store.close();
      },
    ],
  ]);
}
