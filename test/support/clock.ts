import type { Clock } from "../../src/contracts/clock.ts";

/** A clock that somebody moves. */
export function createClock(start: number) {
  let now = start;
  let waiting: { at: number; call: () => void } | undefined;
  const clock: Clock = {
    now: () => now,
    after(ms, call) {
      const mine = { at: now + ms, call };
      waiting = mine;
      return () => {
        if (waiting === mine) waiting = undefined;
      };
    },
  };
  return {
    clock,
    isWaiting: () => waiting !== undefined,
    async pass(ms: number) {
      const until = now + ms;
      while (waiting !== undefined && waiting.at <= until) {
        const due = waiting;
        waiting = undefined;
        now = due.at;
        due.call();
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = until;
    },
  };
}
