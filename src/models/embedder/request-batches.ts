import type { EmbeddingInput, EmbeddingModel, EmbedOptions, EmbedResult } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted, untilAborted } from "../../runtime/abort.ts";
import { type BatchLimits, isTooLarge } from "./batch-limits.ts";
import type { RequestSlots } from "./request-slots.ts";

export interface RequestSettings {
  readonly limits: BatchLimits;
  readonly slots: RequestSlots;
  /** Limit of one call, beside the slots shared by all. */
  readonly concurrency: number;
  readonly options: EmbedOptions;
}

/** Facts about an item that decide how it is sent. */
interface Sendable {
  readonly input: EmbeddingInput;
  /** Estimated; 0 for what is not text. */
  readonly tokens: number;
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
  model: EmbeddingModel,
  items: readonly Item[],
  { limits, slots, concurrency, options }: RequestSettings,
  accept: (batch: readonly Item[], answer: EmbedResult) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const send = async (batch: readonly Item[]): Promise<void> => {
    let answer: EmbedResult;
    try {
      // A caller that stops waiting leaves the queue for a slot too.
      answer = await untilAborted(
        slots.run(() => request(model, batch, options)),
        options.signal,
        "The embedding",
      );
    } catch (error) {
      if (batch.length === 1 || !isTooLarge(error)) throw error;
      const half = Math.ceil(batch.length / 2);
      await send(batch.slice(0, half));
      await send(batch.slice(half));
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

async function request(
  model: EmbeddingModel,
  batch: readonly { readonly input: EmbeddingInput }[],
  options: EmbedOptions,
): Promise<EmbedResult> {
  const name = `${model.provider}/${model.model}`;
  const { signal } = options;
  throwIfAborted(signal, "The embedding");
  let answer: EmbedResult | undefined;
  try {
    const call = async () =>
      model.embed(
        batch.map((item) => item.input),
        options,
      );
    answer = await untilAborted(call(), signal, "The embedding");
  } catch (error) {
    if (IbidError.isInstance(error)) throw error;
    throwIfAborted(signal, "The embedding", { cause: error });
    throw new IbidError("embedding-failed", `Error generating embedding for provided chunk: ${name} failed.`, {
      hint: "See the cause; nothing of this call was stored.",
      details: { model: name, inputs: batch.length },
      cause: error,
    });
  }
  const got = Array.isArray(answer?.embeddings) ? answer.embeddings.length : 0;
  if (answer === undefined || got !== batch.length) {
    const what =
      got === 0
        ? "No embeddings generated for the provided chunk"
        : "Mismatch between number of chunks and embeddings generated";
    throw new IbidError("invalid-response", `${what}: expected ${batch.length}, got ${got} from ${name}.`, {
      hint: "The model must answer with one embedding for each input, in order.",
      details: { expected: batch.length, got },
    });
  }
  return answer;
}
