import type { Embedding, SparseVector, Vector } from "../../contracts/embedding.ts";

const copyVector = (vector: Vector): Vector => vector.slice();

const copySparse = ({ indices, values }: SparseVector): SparseVector => ({
  indices: indices.slice(),
  values: copyVector(values),
});

/** An embedding equal to another that shares no memory with it. */
export function copyEmbedding(embedding: Embedding): Embedding {
  if ("dense" in embedding) return { dense: copyVector(embedding.dense), sparse: copySparse(embedding.sparse) };
  return "indices" in embedding ? copySparse(embedding) : copyVector(embedding);
}
