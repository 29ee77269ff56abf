import type { Chunk } from "../../contracts/chunk.ts";
import type { Embedder } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { AddedVector } from "../../contracts/reembedding.ts";

/** What became of the chunks of one batch. */
export interface EmbeddedBatch {
  readonly vectors: readonly AddedVector[];
  readonly embedded: readonly Chunk[];
  readonly failed: readonly { readonly chunk: Chunk; readonly error: IbidError }[];
}

/** So many chunks one after the other refused, and none taken: it is the model that fails, not a chunk. */
const enough = 3;

/** Failures that may be of one text: too long, of a kind that the model does not take. The others would meet every chunk. */
const ofOneText: readonly string[] = ["embedding-failed", "unsupported-input", "invalid-response"];

/**
 * Embeds some chunks together or, when that fails, one by one, so that one that the model refuses does not hold up the others.
 *
 * **Errors** those of the model when it refuses everything.
 */
export async function embedBatch(
  embedder: Embedder,
  chunks: readonly Chunk[],
  signal: AbortSignal | undefined,
): Promise<EmbeddedBatch> {
  const embed = async (some: readonly Chunk[]): Promise<readonly AddedVector[]> => {
    const { embeddings } = await embedder.embed(some, { purpose: "document", ...(signal && { signal }) });
    return some.map(({ id, text }, i) => ({ chunkId: id, text, embedding: embeddings[i]! }));
  };
  try {
    return { vectors: await embed(chunks), embedded: chunks, failed: [] };
  } catch (error) {
    if (!isOfOneText(error) || chunks.length === 1) {
      if (!isOfOneText(error)) throw error;
      return { vectors: [], embedded: [], failed: [{ chunk: chunks[0]!, error }] };
    }
  }
  const vectors: AddedVector[] = [];
  const embedded: Chunk[] = [];
  const failed: { chunk: Chunk; error: IbidError }[] = [];
  for (const chunk of chunks) {
    try {
      vectors.push(...(await embed([chunk])));
      embedded.push(chunk);
    } catch (error) {
      if (!isOfOneText(error)) throw error;
      failed.push({ chunk, error });
      if (embedded.length === 0 && failed.length === Math.min(enough, chunks.length)) throw error;
    }
  }
  return { vectors, embedded, failed };
}

function isOfOneText(error: unknown): error is IbidError {
  return IbidError.isInstance(error) && ofOneText.includes(error.code);
}
