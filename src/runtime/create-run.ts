import { IbidError } from "../contracts/errors.ts";

/**
 * Work that starts when somebody first looks: awaited, it gives its result; iterated, what happens on the way; both, in either order, the work is done once.
 *
 * **Shape** `leave` is called when a loop is left before the end: what a step waits for can then be stopped.
 * **Errors** awaiting after the loop was left early rejects with `aborted`: there is no result.
 */
export function createRun<Item, Result>(
  start: () => AsyncGenerator<Item, Result>,
  leave?: () => void,
): AsyncIterable<Item> & PromiseLike<Result> {
  let generator: AsyncGenerator<Item, Result> | undefined;
  let outcome: Promise<Result> | undefined;
  let settle: { resolve: (result: Result) => void; reject: (error: unknown) => void } | undefined;

  const begin = (): AsyncGenerator<Item, Result> => {
    if (generator === undefined) {
      generator = start();
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      // Whoever iterates gets the error there; it is not unhandled because nobody awaits the result.
      promise.catch(() => {});
      outcome = promise;
      settle = { resolve, reject };
    }
    return generator;
  };
  const next = async (): Promise<IteratorResult<Item, undefined>> => {
    try {
      const step = await begin().next();
      if (step.done !== true) return step;
      settle?.resolve(step.value);
      return { done: true, value: undefined };
    } catch (error) {
      settle?.reject(error);
      throw error;
    }
  };
  const stop = async (): Promise<IteratorResult<Item, undefined>> => {
    leave?.();
    await begin().return(undefined as Result);
    settle?.reject(new IbidError("aborted", "The work was left before its end; it has no result."));
    return { done: true, value: undefined };
  };

  return {
    [Symbol.asyncIterator]: () => ({ next, return: stop }),
    // oxlint-disable-next-line unicorn/no-thenable -- being awaitable is the point
    then(onResult, onError) {
      const drain = async (): Promise<Result> => {
        for (;;) if ((await next()).done === true) break;
        return await (outcome as Promise<Result>);
      };
      return drain().then(onResult, onError);
    },
  };
}
