import { IbidError } from "../contracts/errors.ts";
import type { Run } from "../contracts/run.ts";

/**
 * Makes a {@link Run} of a generator: what it yields are the events, what it returns is the result.
 *
 * **Shape** `start` is called when the run is first awaited or iterated. `leave` is called when a loop is left early, to stop what a step waits for.
 */
export function createRun<Event, Result>(
  start: () => AsyncGenerator<Event, Result>,
  leave?: () => void,
): Run<Event, Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  // A loop throws the failure as well, so the promise alone is not an unhandled rejection.
  promise.catch(() => {});
  /** Events that a loop has not taken yet, for each loop. */
  const loops = new Set<Event[]>();
  let generator: AsyncGenerator<Event, Result> | undefined;
  let isOver = false;
  let step: Promise<boolean> | undefined;
  let isDraining = false;

  /** Takes one step and returns whether it was the last. */
  const takeStep = async (): Promise<boolean> => {
    if (isOver) return true;
    try {
      const { done, value } = await (generator ??= start()).next();
      if (done !== true) for (const events of loops) events.push(value);
      else if (!isOver) resolve(value);
      isOver ||= done === true;
    } catch (error) {
      isOver = true;
      reject(error);
    }
    return isOver;
  };
  /** One step at a time: loops and the promise that wait together share it. */
  const advance = (): Promise<boolean> => (step ??= takeStep().finally(() => (step = undefined)));
  const drain = async (): Promise<void> => {
    isDraining = true;
    while (!(await advance()));
  };
  const stop = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    leave?.();
    try {
      await generator?.return(undefined as Result);
    } finally {
      reject(
        new IbidError("aborted", "The run was left before its end, so it has no result.", {
          hint: "Finish the loop, or await the run without a loop.",
        }),
      );
    }
  };

  function iterate(): AsyncIterator<Event, undefined> {
    const events: Event[] = [];
    loops.add(events);
    const end = { done: true, value: undefined } as const;
    return {
      async next() {
        while (events.length === 0) if (await advance()) break;
        if (events.length > 0) return { done: false, value: events.shift()! };
        // A failure of the run is a failure of the loop, once.
        if (loops.delete(events)) await promise;
        return end;
      },
      async return() {
        loops.delete(events);
        events.length = 0;
        await stop();
        return end;
      },
    };
  }

  class LazyRun extends Promise<Result> implements AsyncIterable<Event> {
    /** Promises made by `then`, `catch` and `finally` are plain ones. */
    static override get [Symbol.species](): PromiseConstructor {
      return Promise;
    }

    // oxlint-disable-next-line unicorn/no-thenable -- a promise is thenable
    override then<A = Result, B = never>(
      onResult?: ((result: Result) => A | PromiseLike<A>) | null,
      onError?: ((error: unknown) => B | PromiseLike<B>) | null,
    ): Promise<A | B> {
      if (!isDraining) void drain();
      return promise.then(onResult, onError);
    }

    [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
      return iterate();
    }
  }

  return new LazyRun(() => {});
}
