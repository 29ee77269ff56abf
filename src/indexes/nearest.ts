import type { EmbeddingKind } from "../contracts/embedding.ts";
import type { Metric } from "../contracts/store.ts";
import { squaredDistance } from "../kernels/distance.ts";
import { dot, norm } from "../kernels/dot.ts";
import { sparseDot, sparseNorm, sparseSquaredDistance, type SparseRow } from "../kernels/sparse.ts";
import { findBest, type FoundChunk, type SearchedSegment } from "./best-chunks.ts";
import type { SparseColumn, VectorData } from "./segment.ts";
import type { StoredVector } from "./stored-vector.ts";
import { rowOf } from "./vector-column.ts";

export interface NearestHit extends FoundChunk {
  readonly rawScore: number;
}

/** What the scan compares with: one vector, and what is computed of it once. */
interface Query {
  readonly kind: EmbeddingKind;
  readonly metric: Metric;
  readonly dense: Float32Array;
  readonly denseNorm: number;
  readonly sparse: SparseRow;
  readonly sparseNorm: number;
}

/**
 * The nearest vectors of one version and kind, by looking at every one.
 *
 * **Shape** the score is the cosine (from -1 to 1; 0 with a zero vector), the dot product, or `1 / (1 + distance)`; a hybrid vector's is the
 * sum over its two parts. `rawScore` is the score itself, or for Euclidean the distance (of a hybrid vector, in the joint space).
 * **Cost** linear in the admitted vectors.
 */
export function searchNearest(
  searched: readonly SearchedSegment[],
  vector: StoredVector,
  metric: Metric,
  topK: number,
  minScore: number,
): NearestHit[] {
  const sparse: SparseRow = { indices: vector.indices, values: vector.values, start: 0, end: vector.values.length };
  const query: Query = {
    kind: vector.kind,
    metric,
    dense: vector.dense,
    denseNorm: norm(vector.dense, 0, vector.dense.length),
    sparse,
    sparseNorm: sparseNorm(sparse),
  };
  const found = findBest(searched, topK, ({ segment, admitted }, offer, best) => {
    const column = segment.column(vector.version, vector.kind);
    // Absent is recoverable, wrong but ranked is not (T19).
    if (column === undefined || column.dimensions !== vector.dense.length) return;
    const { ordinals, rows } = column;
    const data = column.data();
    for (let row = 0; row < rows; row++) {
      const ordinal = ordinals[row]!;
      if (admitted[ordinal] !== 1) continue;
      const score = scoreRow(data, row, query);
      if (score >= minScore && score >= best.floor) offer(score, ordinal);
    }
  });
  return found.map((hit) => {
    if (metric !== "euclidean") return { ...hit, rawScore: hit.score };
    const column = hit.segment.column(vector.version, vector.kind)!;
    return { ...hit, rawScore: Math.sqrt(squaredDistances(column.data(), rowOf(column, hit.ordinal), query)) };
  });
}

function scoreRow(data: VectorData, row: number, query: Query): number {
  const dense = query.kind === "sparse" ? 0 : scoreDense(data, row, query);
  return data.sparse === undefined ? dense : dense + scoreSparse(data.sparse, row, query);
}

function scoreDense(data: VectorData, row: number, query: Query): number {
  const { dimensions, rowsPerBlock } = data;
  const block = data.blocks[Math.floor(row / rowsPerBlock)]!;
  const start = (row % rowsPerBlock) * dimensions;
  switch (query.metric) {
    case "cosine":
      return cosine(dot(block, start, query.dense, 0, dimensions), data.norms[row]!, query.denseNorm);
    case "dot":
      // Adding 0 makes -0 plain.
      return dot(block, start, query.dense, 0, dimensions) + 0;
    case "euclidean":
      return 1 / (1 + Math.sqrt(squaredDistance(block, start, query.dense, 0, dimensions)));
  }
}

function scoreSparse(column: SparseColumn, row: number, query: Query): number {
  const other = rowIn(column, row);
  switch (query.metric) {
    case "cosine":
      return cosine(sparseDot(other, query.sparse), column.norms[row]!, query.sparseNorm);
    case "dot":
      return sparseDot(other, query.sparse) + 0;
    case "euclidean":
      return 1 / (1 + Math.sqrt(sparseSquaredDistance(other, query.sparse)));
  }
}

/** A zero vector is near nothing; rounding must not take a cosine out of its range. */
function cosine(product: number, a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  return Math.max(-1, Math.min(1, product / (a * b))) + 0;
}

function squaredDistances(data: VectorData, row: number, query: Query): number {
  const { dimensions, rowsPerBlock, sparse } = data;
  const block = data.blocks[Math.floor(row / rowsPerBlock)];
  const dense =
    block === undefined ? 0 : squaredDistance(block, (row % rowsPerBlock) * dimensions, query.dense, 0, dimensions);
  return sparse === undefined ? dense : dense + sparseSquaredDistance(rowIn(sparse, row), query.sparse);
}

function rowIn({ indices, values, starts }: SparseColumn, row: number): SparseRow {
  return { indices, values, start: starts[row]!, end: starts[row + 1]! };
}
