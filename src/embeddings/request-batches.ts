import type { EmbeddingInput, EmbeddingModel, EmbedOptions } from "../contracts/embedding-model.ts";
import type { Embedding } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import { throwIfAborted, untilAborted } from "../text/abort.ts";

export interface RequestSettings {
  readonly batchSize: number;
  readonly concurrency: number;
  readonly options: EmbedOptions;
}

/**
 * Sends items to a model in batches, some at a time, and hands each answered batch to `accept`.
 *
 * **Shape** batches begin in order and may be answered in any; after a failure none begins. **Errors** `embedding-failed` with its cause; `invalid-response` for a wrong
 * number of embeddings; `aborted` or `timeout` as soon as the signal fires, even when the model pays no heed; an `IbidError` of the model, or of `accept`, as it is.
 * **Source** Ballerina's messages (B16).
 */
export async function requestBatches<Item extends { readonly input: EmbeddingInput }>(
  model: EmbeddingModel,
  items: readonly Item[],
  { batchSize, concurrency, options }: RequestSettings,
  accept: (batch: readonly Item[], embeddings: readonly Embedding[]) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const work = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const batch = items.slice(next, next + batchSize);
      next += batchSize;
      try {
        await accept(batch, await request(model, batch, options));
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, Math.ceil(items.length / batchSize)) }, work));
}

async function request(
  model: EmbeddingModel,
  batch: readonly { readonly input: EmbeddingInput }[],
  options: EmbedOptions,
): Promise<readonly Embedding[]> {
  const name = `${model.provider}/${model.model}`;
  const { signal } = options;
  throwIfAborted(signal, "The embedding");
  let embeddings: readonly Embedding[] | undefined;
  try {
    const call = async () =>
      model.embed(
        batch.map((item) => item.input),
        options,
      );
    const answer = await untilAborted(call(), signal, "The embedding");
    embeddings = answer?.embeddings;
  } catch (error) {
    if (IbidError.isInstance(error)) throw error;
    throwIfAborted(signal, "The embedding", { cause: error });
    throw new IbidError("embedding-failed", `Error generating embedding for provided chunk: ${name} failed.`, {
      mend: "See the cause; nothing of this call was stored.",
      details: { model: name, inputs: batch.length },
      cause: error,
    });
  }
  const got = Array.isArray(embeddings) ? embeddings.length : 0;
  if (embeddings === undefined || got !== batch.length) {
    const what =
      got === 0
        ? "No embeddings generated for the provided chunk"
        : "Mismatch between number of chunks and embeddings generated";
    throw new IbidError("invalid-response", `${what}: expected ${batch.length}, got ${got} from ${name}.`, {
      mend: "The model must answer with one embedding for each input, in order.",
      details: { expected: batch.length, got },
    });
  }
  return embeddings;
}
