import { pause } from "../../runtime/abort.ts";

/**
 * Waits for its turn before so many chunks more: on average no faster than the rate.
 *
 * **Errors** `aborted`, `timeout`, at once when the signal fires.
 */
export function createThrottle(
  chunksPerMinute: number | undefined,
  signal: AbortSignal | undefined,
  now: () => number = () => performance.now(),
): (chunks: number) => Promise<void> {
  let free = -Infinity;
  return async (chunks) => {
    if (chunksPerMinute === undefined) return;
    const at = now();
    const wait = free - at;
    free = Math.max(free, at) + (chunks / chunksPerMinute) * 60_000;
    if (wait > 0) await pause(wait, signal, "The re-embedding");
  };
}
