import { throwIfAborted } from "../text/abort.ts";

/**
 * Applies `work` to at most `limit` items at a time and gives the results in the items' order.
 *
 * **Shape** reads ahead by `limit` items at most, so memory is bounded by the slowest. **Errors** the first failure, in order; nothing new is started after it,
 * and what is under way is waited for. An abort (`aborted`) ends it between items.
 */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): AsyncGenerator<Result> {
  const pending: Promise<Result>[] = [];
  const iterator = items[Symbol.asyncIterator]();
  let done = false;
  try {
    for (;;) {
      throwIfAborted(signal, "The work");
      while (!done && pending.length < limit) {
        const next = await iterator.next();
        if (next.done === true) {
          done = true;
          break;
        }
        const started = work(next.value);
        // Awaited below, in order; until then a rejection must not count as unhandled.
        started.catch(() => {});
        pending.push(started);
      }
      const first = pending.shift();
      if (first === undefined) return;
      yield await first;
    }
  } finally {
    await Promise.allSettled(pending);
    if (!done) await iterator.return?.();
  }
}
