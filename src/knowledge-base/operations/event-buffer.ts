import type { EventStore, KnowledgeEvent } from "../../contracts/event-store.ts";

/** Holds events until they are written, so that nobody waits for that. */
export interface EventBuffer {
  add(event: KnowledgeEvent): void;
  /** Writes what is held, and waits; never rejects. */
  flush(): Promise<void>;
  /** Events that could not be kept: the store failed, or too many came at once. */
  readonly lost: number;
}

/** How long an event may wait: what a `kill -9` can take. **Units** milliseconds. */
export const bufferMs = 1000;

/** So many wait at most; what comes beyond is counted as lost, for a store that does not answer must not fill the memory. */
export const mostBuffered = 20_000;

/**
 * Writes what came within a second in one go, in the background.
 *
 * **Shape** a store that fails loses the events it was given; the next second is tried again. No work depends on it.
 */
export function createEventBuffer(store: Pick<EventStore, "append">): EventBuffer {
  let held: KnowledgeEvent[] = [];
  let writing: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lost = 0;

  async function write(): Promise<void> {
    const events = held;
    held = [];
    if (events.length === 0) return;
    try {
      await store.append(events);
    } catch {
      lost += events.length;
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return (writing = writing.then(write));
  }

  return {
    add(event) {
      if (held.length >= mostBuffered) {
        lost++;
        return;
      }
      held.push(event);
      if (timer !== undefined) return;
      timer = setTimeout(() => void flush(), bufferMs);
      // A process that has nothing else to do may end; closing the knowledge base writes the rest. Timers in a page are numbers.
      if (typeof timer === "object") timer.unref();
    },
    flush,
    get lost() {
      return lost;
    },
  };
}
