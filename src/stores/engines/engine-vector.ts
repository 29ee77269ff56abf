import type { Embedding } from "../../contracts/embedding.ts";

/**
 * Coordinates for an engine; `undefined` for a sparse or a hybrid embedding, or another number of dimensions.
 *
 * **Shape** a vector of zeros, which some engines refuse, becomes the first unit vector: an entry only proposes, and ibid scores the stored zeros.
 */
export function toEngineVector(embedding: Embedding, dimensions: number): Float32Array | undefined {
  if ("dense" in embedding || "indices" in embedding || embedding.length !== dimensions) return undefined;
  const vector = Float32Array.from(embedding);
  if (vector.every((value) => value === 0)) vector[0] = 1;
  return vector;
}
