import type { Embedding, SparseVector } from "../../contracts/embedding.ts";

/** An embedding as lists of numbers, which survive JSON: `JSON.stringify` writes typed arrays as objects. */
export function plainEmbedding(embedding: Embedding): Embedding {
  const sparse = ({ indices, values }: SparseVector): SparseVector => ({
    indices: Array.from(indices),
    values: Array.from(values),
  });
  if ("dense" in embedding) return { dense: Array.from(embedding.dense), sparse: sparse(embedding.sparse) };
  return "indices" in embedding ? sparse(embedding) : Array.from(embedding);
}
