import { vi } from "vitest";

/** A clock by which each look takes so many milliseconds, or which stands still. It goes on from the time of now: something may have begun before. Mocks are restored by the caller. */
export function slowClock(step: number): void {
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => (now += step));
}

/** Counts turns of the event loop while a work goes on. */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let goesOn = true;
  const count = (): void => {
    if (!goesOn) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  await work();
  goesOn = false;
  return turns;
}
