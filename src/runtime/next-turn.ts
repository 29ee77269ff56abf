/** Ends when whatever else waits has had its turn: long work without a wait would hold up everybody in this thread. **Cost** a millisecond. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}

/** Longest stretch of short works before timers and sockets have their turn. **Units** milliseconds. */
const longestStretch = 3;

/** Works one after the other without a turn of anybody else. */
interface Stretch {
  readonly since: number;
  /** Ends with the stretch. */
  readonly over: Promise<void>;
}

let stretch: Stretch | undefined;

/** Runs work after the turn of everybody else. Taken before a test or an application puts another one in its place. */
export const afterTurn: (work: () => void) => void = typeof setImmediate === "function" ? setImmediate : inTask;

/** Browsers make timers of timers wait for four milliseconds, and have no `setImmediate`. */
function inTask(work: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener("message", () => {
    port1.close();
    work();
  });
  port1.start();
  port2.postMessage(undefined);
}

function isLong(now = performance.now()): boolean {
  if (stretch === undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    stretch = { since: now, over: promise };
    afterTurn(() => {
      stretch = undefined;
      resolve();
    });
  }
  return now - stretch.since > longestStretch;
}

/**
 * To be awaited before each of many short works. A loop over awaited searches never leaves the queue of promises by itself, so that no timer and no socket
 * would have its turn.
 *
 * **Shape** `undefined` for the first three milliseconds of work; then a promise that ends after the turn of everybody else. **Cost** a call of the clock; some
 * microseconds every three milliseconds.
 */
export function giveTurn(): Promise<void> | undefined {
  return isLong() ? waitForTurn() : undefined;
}

/** Those who waited together go on one after the other, so that each looks at the clock again. */
async function waitForTurn(): Promise<void> {
  while (isLong()) await stretch?.over;
}

/** Does a work of many steps, and gives everybody else a turn where they take long. **Shape** the result of the steps. */
export async function inTurns<Result>(steps: Generator<unknown, Result>): Promise<Result> {
  for (;;) {
    // Asked before a step, so that a long first step counts.
    await giveTurn();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in one go. */
export function atOnce<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
