import type { Embedding } from "../../contracts/embedding.ts";
import type { EngineMetric } from "../../contracts/engine.ts";
import { fromDistance, fromSquare } from "./engine-scores.ts";

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

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

/** A score of two vectors, as an engine gives it: higher is better. */
export type Likeness = (a: Float32Array, b: Float32Array) => number;

/** The score of two vectors under each metric. */
export const likeness: Readonly<Record<EngineMetric, Likeness>> = {
  cosine: (a, b) => dot(a, b) / (Math.sqrt(dot(a, a) * dot(b, b)) || 1),
  dot,
  euclidean: (a, b) => fromSquare(a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0)),
  hamming: (a, b) => fromDistance(a.reduce((sum, value, i) => sum + Number(value !== b[i]), 0)),
  manhattan: (a, b) => fromDistance(a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0)),
};

/** Coordinates that differ by less are the same: engines of the cosine keep directions, and some write fewer digits. */
const tolerance = 1e-5;

/** Whether an engine gave a vector back. In an index of the cosine its length says nothing. */
export function isSameVector(metric: EngineMetric, a: Float32Array, b: Float32Array): boolean {
  const [one, other] = [a, b].map((vector) => (metric === "cosine" ? Math.sqrt(dot(vector, vector)) || 1 : 1));
  const most = metric === "cosine" ? 1 : a.reduce((sum, value) => Math.max(sum, Math.abs(value)), 1);
  return a.length === b.length && a.every((value, i) => Math.abs(value / one! - b[i]! / other!) <= tolerance * most);
}
