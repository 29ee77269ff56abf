import { describe } from "vitest";

import type { EventFilter, EventStore, KnowledgeEvent } from "../../src/contracts/event-store.ts";
import { collect } from "../../src/testing/assert.ts";
import { createMemoryEventStore, type EventStoreOptions } from "../../src/stores/memory/memory-event-store.ts";
import { createEventStorePack, type EventStoreSubject } from "../../src/testing/event-store-pack.ts";
import { runMutants } from "./mutants.ts";

/** A good store, of which some is changed. */
const changed = (
  change: (good: EventStore) => Partial<EventStore>,
  options: (given: EventStoreOptions) => EventStoreOptions = (given) => given,
): EventStoreSubject => ({
  create(given) {
    const good = createMemoryEventStore(options(given));
    return { ...good, ...change(good) };
  },
});
const filtering = (rewrite: (filter: EventFilter) => EventFilter): EventStoreSubject =>
  changed((good) => ({ read: (filter = {}) => good.read(rewrite(filter)) }));
const without = (name: keyof EventFilter): EventStoreSubject =>
  filtering((filter) => Object.fromEntries(Object.entries(filter).filter(([key]) => key !== name)));

/** One that keeps the very objects that it is given. */
function keeper(): EventStore {
  const kept: KnowledgeEvent[] = [];
  return {
    append: async (events) => void kept.push(...events),
    async *read() {
      yield* kept;
    },
    async close() {},
  };
}

describe("the event store pack notices a store with one fault [T53]", () => {
  runMutants(createEventStorePack, [
    [
      "keeps only the first of a batch",
      "event-store/gives-back-what-was-appended-in-order",
      changed((good) => ({ append: (events) => good.append(events.slice(0, 1)) })),
    ],
    [
      "sorts by time",
      "event-store/gives-back-what-was-appended-in-order",
      changed((good) => ({
        async *read(filter) {
          yield* (await collect(good.read(filter))).toSorted((a, b) => a.at - b.at);
        },
      })),
    ],
    [
      "loses fractions of a millisecond",
      "event-store/gives-back-what-was-appended-in-order",
      changed((good) => ({ append: (events) => good.append(events.map((e) => ({ ...e, at: Math.floor(e.at) }))) })),
    ],
    [
      "forgets scopes",
      "event-store/gives-back-what-was-appended-in-order",
      changed((good) => ({ append: (events) => good.append(events.map((e) => ({ ...e, scopes: [] }))) })),
    ],
    ["keeps what it was handed", "event-store/copies", { create: keeper }],
    ["heeds no name", "event-store/filters-by-name-time-and-scope", without("names")],
    ["heeds no beginning", "event-store/filters-by-name-time-and-scope", without("from")],
    ["heeds no end", "event-store/filters-by-name-time-and-scope", without("to")],
    ["heeds no scope", "event-store/filters-by-name-time-and-scope", without("scope")],
    [
      "takes no name for any",
      "event-store/filters-by-name-time-and-scope",
      filtering(({ names, ...rest }) => (names?.length === 0 ? rest : { ...rest, ...(names && { names }) })),
    ],
    [
      "counts the end in",
      "event-store/filters-by-name-time-and-scope",
      filtering((filter) => (filter.to === undefined ? filter : { ...filter, to: filter.to + 1e-3 })),
    ],
    [
      "keeps one too many",
      "event-store/keeps-so-many",
      changed(
        () => ({}),
        ({ maxEvents, ...rest }) => ({ ...rest, ...(maxEvents !== undefined && { maxEvents: maxEvents + 1 }) }),
      ),
    ],
    [
      "keeps for good",
      "event-store/keeps-so-long",
      changed(
        () => ({}),
        (given) => ({ ...given, maxAgeMs: Infinity }),
      ),
    ],
    [
      "tells ages by another clock",
      "event-store/keeps-so-long",
      changed(
        () => ({}),
        (given) => ({ ...given, now: () => (given.now?.() ?? 0) + 1 }),
      ),
    ],
    [
      "reads what comes meanwhile",
      "event-store/reads-what-was-there",
      changed((good) => ({
        async *read(filter) {
          let seen = 0;
          for await (const event of good.read(filter)) {
            seen++;
            yield event;
          }
          yield* (await collect(good.read(filter))).slice(seen);
        },
      })),
    ],
    [
      "keeps the sound part of a batch",
      "event-store/refuses-what-is-no-event",
      changed((good) => ({
        async append(events) {
          for (const event of events) await good.append([event]);
        },
      })),
    ],
    [
      "goes on after its end",
      "event-store/refuses-what-is-no-event",
      changed(() => ({ close: async () => undefined })),
    ],
  ]);
});
