/** Events for any number of listeners, each at its own pace. */
export interface EventStream<Event> {
  emit(event: Event): void;
  /**
   * Everything from now on. **Shape** at most `buffer` events wait; beyond it the oldest go, and `missed` makes an event that stands in their place
   * and says how many. Ends with the signal, and when the stream is closed.
   */
  listen(options: ListenOptions<Event>): AsyncIterable<Event>;
  close(): void;
}

/** Options of a listener. */
export interface ListenOptions<Event> {
  readonly buffer: number;
  readonly missed: (count: number) => Event;
  /** Filter of events. Default: all. */
  readonly wanted?: ((event: Event) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Listener<Event> {
  readonly take: (event: Event) => void;
  readonly end: () => void;
}

/** Makes a stream for any number of listeners; none of them can delay the emitter. */
export function createEventStream<Event>(): EventStream<Event> {
  const listeners = new Set<Listener<Event>>();
  let isClosed = false;

  return {
    emit(event) {
      for (const { take } of listeners) take(event);
    },
    listen({ buffer, missed, wanted = () => true, signal }) {
      const waiting: Event[] = [];
      let lost = 0;
      let isOver = isClosed || signal?.aborted === true;
      let wake: (() => void) | undefined;

      const end = (): void => {
        isOver = true;
        listeners.delete(listener);
        signal?.removeEventListener("abort", end);
        wake?.();
      };
      const listener: Listener<Event> = {
        take(event) {
          if (!wanted(event)) return;
          waiting.push(event);
          if (waiting.length > buffer) {
            waiting.shift();
            lost++;
          }
          wake?.();
        },
        end,
      };
      if (!isOver) {
        listeners.add(listener);
        signal?.addEventListener("abort", end, { once: true });
      }

      const next = async (): Promise<IteratorResult<Event, undefined>> => {
        for (;;) {
          if (lost > 0) {
            const value = missed(lost);
            lost = 0;
            return { done: false, value };
          }
          if (waiting.length > 0) return { done: false, value: waiting.shift() as Event };
          if (isOver) return { done: true, value: undefined };
          await new Promise<void>((resolve) => (wake = resolve));
          wake = undefined;
        }
      };
      return {
        [Symbol.asyncIterator]: () => ({
          next,
          return() {
            waiting.length = 0;
            lost = 0;
            end();
            return Promise.resolve({ done: true as const, value: undefined });
          },
        }),
      };
    },
    close() {
      isClosed = true;
      for (const { end } of listeners) end();
    },
  };
}
