import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import { type Embedding, kindOf } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkEmbedding, dimensionsOf, isEmbedding } from "./check-embedding.ts";

/** The dimensions of a model's vectors: stated, or learned from what it answers first, and fixed from then on. */
export interface SettledDimensions {
  known(): number | undefined;
  /**
   * Checks embeddings, and learns from the first of them when all are sound.
   *
   * **Errors** as `checkEmbedding`; `invalid-response` for another kind of embedding than the model declares.
   */
  check(embeddings: readonly Embedding[], where: string): void;
}

/** **Shape** a sparse model that does not state the size of its vocabulary has 0 dimensions: an open one. */
export function createSettledDimensions(model: EmbeddingModel): SettledDimensions {
  let settled = model.dimensions;
  const known = (): number | undefined => {
    settled ??= model.dimensions ?? (model.kind === "sparse" ? 0 : undefined);
    return settled;
  };
  return {
    known,
    check(embeddings, where) {
      const first = embeddings[0];
      const dimensions = known() ?? (isEmbedding(first) ? dimensionsOf(first) : undefined) ?? 0;
      for (const embedding of embeddings) {
        checkEmbedding(embedding, { dimensions }, where);
        if (kindOf(embedding) !== model.kind) {
          throw new IbidError(
            "invalid-response",
            `${where} is a ${kindOf(embedding)} vector; the model declares ${model.kind} ones.`,
            {
              hint: "Declare the kind of vector that the model returns.",
              details: { expected: model.kind, got: kindOf(embedding) },
            },
          );
        }
      }
      if (first !== undefined) settled = dimensions;
    },
  };
}
