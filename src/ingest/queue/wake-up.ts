/** Waits for a time or for a call, whichever comes first. */
export interface WakeUp {
  /** How often `now` was called. A caller reads it before it looks for work, and passes it to `wait` as `since`. */
  readonly calls: number;
  /** Ends every wait that is under way. */
  now(): void;
  /** **Shape** ends after `ms`, at a `now` that came after `since`, or when the signal fires; never rejects. */
  wait(ms: number, since: number, signal?: AbortSignal): Promise<void>;
}

/** Waits so many milliseconds, or until the signal fires; never rejects. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Longer waits than this are taken in turns: timers count in 32 bits. */
const longestMs = 2 ** 31 - 1;

/** The clock on the wall. */
export const waitByTimer: Wait = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, longestMs));
    signal.addEventListener("abort", end, { once: true });
  });

/** Makes one over a clock. */
export function createWakeUp(wait: Wait): WakeUp {
  const waits = new Set<AbortController>();
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    now() {
      calls++;
      for (const each of waits) each.abort();
    },
    async wait(ms, since, signal) {
      const each = new AbortController();
      const stop = (): void => each.abort();
      if (signal?.aborted === true || calls !== since) return;
      signal?.addEventListener("abort", stop, { once: true });
      waits.add(each);
      try {
        await wait(ms, each.signal);
      } finally {
        waits.delete(each);
        signal?.removeEventListener("abort", stop);
      }
    },
  };
}
