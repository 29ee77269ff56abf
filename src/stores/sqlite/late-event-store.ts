import { existsSync } from "node:fs";
import type { EventRetention, EventStore } from "../../contracts/event-store.ts";
import { openSqliteEventStore } from "./sqlite-event-store.ts";

/**
 * A store of events in a file that is opened when there is something to write, so that a knowledge base opens no slower for it.
 *
 * **Shape** reading makes no file, and finds nothing where there is none. **Errors** those of {@link openSqliteEventStore}, at each call anew.
 */
export function createLateEventStore(path: string, retention: EventRetention): EventStore {
  let writing: Promise<EventStore> | undefined;

  return {
    async append(events) {
      writing ??= openSqliteEventStore(path, retention);
      try {
        await (await writing).append(events);
      } catch (error) {
        // What cannot be opened now may be later.
        await writing.catch(() => (writing = undefined));
        throw error;
      }
    },
    async *read(filter) {
      if (!existsSync(path)) return;
      const store = await openSqliteEventStore(path, { ...retention, readOnly: true });
      try {
        yield* store.read(filter);
      } finally {
        await store.close();
      }
    },
    async close() {
      await writing?.then(
        (store) => store.close(),
        () => undefined,
      );
    },
  };
}
