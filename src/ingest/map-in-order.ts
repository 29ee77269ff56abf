import { throwIfAborted } from "../runtime/abort.ts";

/**
 * Applies `work` to some items at a time, and gives the results in the items' order.
 * Another item begins while those under way weigh less than `limit` together.
 *
 * **Shape** an item weighs 1 unless `weigh` says otherwise. Reads ahead by `limit` items at most, so memory is bounded by the slowest. **Errors** the first failure, in order; nothing new is started after it,
 * and what is under way is waited for. An abort (`aborted`) ends it between items.
 */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
  weigh: (item: Item) => number = () => 1,
): AsyncGenerator<Result> {
  const pending: { readonly result: Promise<Result>; readonly weight: number }[] = [];
  let load = 0;
  const iterator = items[Symbol.asyncIterator]();
  let done = false;
  try {
    for (;;) {
      throwIfAborted(signal, "The work");
      while (!done && load < limit) {
        const next = await iterator.next();
        if (next.done === true) {
          done = true;
          break;
        }
        const started = { result: work(next.value), weight: weigh(next.value) };
        // Awaited below, in order; until then a rejection must not count as unhandled.
        started.result.catch(() => {});
        pending.push(started);
        load += started.weight;
      }
      const first = pending.shift();
      if (first === undefined) return;
      const result = await first.result;
      load -= first.weight;
      yield result;
    }
  } finally {
    await Promise.allSettled(pending.map(({ result }) => result));
    if (!done) await iterator.return?.();
  }
}
