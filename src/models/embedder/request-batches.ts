import type { EmbedOptions, EmbedResult } from "../../contracts/embedding-model.ts";
import { type BatchLimits, isTooLarge } from "./batch-limits.ts";
import type { RequestQueue, Sendable } from "./request-queue.ts";

export interface RequestSettings {
  readonly limits: BatchLimits;
  readonly queue: RequestQueue;
  /** Limit of one call, beside the one of all. */
  readonly concurrency: number;
  readonly options: EmbedOptions;
}

/**
 * Sends items to a model in concurrent batches, and hands each answered batch to `accept`.
 *
 * **Shape** batches begin in order and may be answered in any; after a failure none begins. A batch refused for its size is sent again in two halves, down to single
 * items, and later batches stay below that size. This is no retry: no text is sent twice that could have been answered.
 * **Errors** `embedding-failed` with its cause; `invalid-response` for a wrong
 * number of embeddings; `aborted` or `timeout` as soon as the signal fires, even when the model ignores it. An `IbidError` of the model or of `accept` passes as it is.
 * **Source** Ballerina's messages.
 */
export async function requestBatches<Item extends Sendable>(
  items: readonly Item[],
  { limits, queue, concurrency, options }: RequestSettings,
  accept: (batch: readonly Item[], answer: EmbedResult) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const send = async (batch: readonly Item[], isHalf = false): Promise<void> => {
    let answer: EmbedResult;
    try {
      answer = await queue.send(batch, options, isHalf);
    } catch (error) {
      if (batch.length === 1 || !isTooLarge(error)) throw error;
      const half = Math.ceil(batch.length / 2);
      await send(batch.slice(0, half), true);
      await send(batch.slice(half), true);
      limits.learn(batch);
      return;
    }
    await accept(batch, answer);
  };
  const work = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const batch = limits.take(items, next);
      next += batch.length;
      try {
        await send(batch);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
}
