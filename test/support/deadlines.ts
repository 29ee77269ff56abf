import { vi } from "vitest";

/** Deadlines of `AbortSignal.timeout` in one test, which pass when the test says so and not by the clock. */
export function holdDeadlines(): { passAll(): void } {
  const held: AbortController[] = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const deadline = new AbortController();
    held.push(deadline);
    return deadline.signal;
  });
  return {
    passAll() {
      for (const deadline of held.splice(0)) deadline.abort(new DOMException("The time is over.", "TimeoutError"));
    },
  };
}
