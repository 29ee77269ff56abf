import type { Embedding, SparseVector, Vector } from "../contracts/embedding.ts";
import { dot, norm } from "../runtime/dot.ts";
import { sparseDot, sparseNorm, type SparseRow } from "../runtime/sparse.ts";

const isSparse = (embedding: Embedding): embedding is SparseVector => "indices" in embedding;
const denseOf = (embedding: Embedding): Vector => ("dense" in embedding ? embedding.dense : (embedding as Vector));
const rowOf = ({ indices, values }: SparseVector): SparseRow => ({
  indices: Uint32Array.from(indices),
  values: Float32Array.from(values),
  start: 0,
  end: values.length,
});

/**
 * Distance in meaning between two texts: one minus their cosine.
 *
 * **Shape** from 0 to 2; 1 where one has no direction; NaN for embeddings of different kinds or dimensions, or with NaN. Hybrid embeddings compare by their dense part.
 */
export function cosineDistance(a: Embedding, b: Embedding): number {
  if (isSparse(a) || isSparse(b)) {
    if (!isSparse(a) || !isSparse(b)) return Number.NaN;
    const [left, right] = [rowOf(a), rowOf(b)];
    return distance(sparseDot(left, right), sparseNorm(left) * sparseNorm(right));
  }
  const [left, right] = [Float32Array.from(denseOf(a)), Float32Array.from(denseOf(b))];
  if (left.length !== right.length) return Number.NaN;
  return distance(dot(left, 0, right, 0, left.length), norm(left, 0, left.length) * norm(right, 0, right.length));
}

const distance = (product: number, lengths: number): number => (lengths === 0 ? 1 : 1 - product / lengths);
