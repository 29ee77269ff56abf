import { platformNow } from "../../runtime/platform-clock.ts";
import type { EventRetention, EventStore, KnowledgeEvent } from "../../contracts/event-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { checkEventFilter, checkEvents, decideRetention, selectNames } from "./check-events.ts";

/**
 * How a store of events is made.
 *
 * @experimental
 */
export interface EventStoreOptions extends EventRetention {
  /** Clock for the ages of events. **Units** milliseconds since 1970. Default: the machine's clock. */
  readonly now?: (() => number) | undefined;
}

/**
 * Events in memory, for as long as the process lives. **Cost** each is kept as its JSON.
 *
 * @experimental
 */
export function createMemoryEventStore(options: EventStoreOptions = {}): EventStore {
  checkOptions("createMemoryEventStore", options, { maxAgeMs: true, maxEvents: true, now: true });
  const { maxAgeMs, maxEvents } = decideRetention(options);
  const now = options.now ?? platformNow;
  let kept: readonly { readonly at: number; readonly json: string }[] = [];
  let closed = false;

  const checkOpen = (): void => {
    if (closed) throw new IbidError("store-closed", "The event store is closed.", { hint: "Open another one." });
  };

  return {
    async append(events) {
      checkOpen();
      checkEvents(events);
      const oldest = now() - maxAgeMs;
      const written = events.map((event) => ({ at: event.at, json: JSON.stringify(event) }));
      // A new list each time: a read goes on with the one that it began with.
      kept = [...kept, ...written].filter(({ at }) => at >= oldest).slice(-maxEvents);
    },

    async *read(filter = {}) {
      checkOpen();
      checkEventFilter(filter);
      const { from = -Infinity, to = Infinity, scope } = filter;
      const names = selectNames(filter);
      for (const { at, json } of kept) {
        if (at < from || at >= to) continue;
        const event = JSON.parse(json) as KnowledgeEvent;
        if (names !== undefined && !names.includes(event.name)) continue;
        if (scope === undefined || event.scopes.includes(scope)) yield event;
      }
    },

    async close() {
      closed = true;
    },
  };
}
