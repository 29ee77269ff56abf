import type { EmbeddingKind, ScoringMetric } from "../../contracts/embedding.ts";
import { countDifferences, manhattanDistance, squaredDistance } from "../kernels/distance.ts";
import { dot, norm } from "../../runtime/dot.ts";
import { sparseDistance, sparseDot, sparseNorm, type SparseRow } from "../../runtime/sparse.ts";
import type { DenseForm, DenseRows, DenseVector } from "./dense-rows.ts";
import { formOf } from "./dense-rows.ts";
import type { SparseColumn, VectorColumn } from "../segments/segment.ts";
import type { StoredVector } from "./stored-vector.ts";

/** A query for rows: one vector, and values computed from it once. */
export interface ScoredQuery {
  readonly kind: EmbeddingKind;
  readonly metric: ScoringMetric;
  readonly form: DenseForm;
  /** As it came. */
  readonly vector: DenseVector;
  readonly dense: Float32Array;
  readonly denseNorm: number;
  readonly sparse: SparseRow;
  readonly sparseNorm: number;
}

export function createScoredQuery(vector: StoredVector, metric: ScoringMetric): ScoredQuery {
  const sparse: SparseRow = { indices: vector.indices, values: vector.values, start: 0, end: vector.values.length };
  const dense = vector.dense instanceof Int8Array ? Float32Array.from(vector.dense) : vector.dense;
  return {
    kind: vector.kind,
    metric,
    form: formOf(vector.dense),
    vector: vector.dense,
    dense,
    denseNorm: norm(dense, 0, dense.length),
    sparse,
    sparseNorm: sparseNorm(sparse),
  };
}

/** The score of one row, and the only way in which a score is computed: sums of 64 bits in one order. */
export function scoreRow(column: VectorColumn, row: number, query: ScoredQuery): number {
  const dense = column.dense();
  const sparse = column.sparse();
  const score = dense === undefined ? 0 : scoreDense(dense, row, query);
  return sparse === undefined ? score : score + scoreSparse(sparse, row, query);
}

export function scoreDense(rows: DenseRows, row: number, { metric, dense, denseNorm }: ScoredQuery): number {
  const block = rows.block(row);
  const start = rows.start(row);
  const { length } = dense;
  switch (metric) {
    case "cosine":
      return cosine(dot(block, start, dense, 0, length), rows.norm(row), denseNorm);
    case "dot":
      // Adding 0 makes -0 plain.
      return dot(block, start, dense, 0, length) + 0;
    case "euclidean":
      return closeness(squaredDistance(block, start, dense, 0, length));
    case "manhattan":
      return 1 / (1 + manhattanDistance(block, start, dense, length));
    case "hamming":
      return 1 / (1 + countDifferences(block, start, dense, length));
  }
}

function scoreSparse(column: SparseColumn, row: number, query: ScoredQuery): number {
  const other = rowIn(column, row);
  if (query.metric === "euclidean") return closeness(sparseDistance(other, query.sparse, "euclidean"));
  if (query.metric === "manhattan" || query.metric === "hamming")
    return 1 / (1 + sparseDistance(other, query.sparse, query.metric));
  return scoreProduct(sparseDot(other, query.sparse), column.norms[row]!, query);
}

/** The score of a sparse row whose product with the query is known. **Shape** for cosine and dot. */
export function scoreProduct(product: number, rowNorm: number, query: ScoredQuery): number {
  return query.metric === "cosine" ? cosine(product, rowNorm, query.sparseNorm) : product + 0;
}

/** From 1 for no distance down to 0. */
export function closeness(squared: number): number {
  return 1 / (1 + Math.sqrt(squared));
}

/** A zero vector is near nothing; rounding must not take a cosine out of its range. */
function cosine(product: number, a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  return Math.max(-1, Math.min(1, product / (a * b))) + 0;
}

/** Distance of a row: for Euclidean its square. Both parts of a hybrid vector count. */
export function distance(column: VectorColumn, row: number, query: ScoredQuery): number {
  const rows = column.dense();
  const sparse = column.sparse();
  const { metric } = query;
  const by = metric === "manhattan" || metric === "hamming" ? metric : "euclidean";
  return (
    (rows === undefined ? 0 : denseDistance(rows, row, query)) +
    (sparse === undefined ? 0 : sparseDistance(rowIn(sparse, row), query.sparse, by))
  );
}

function denseDistance(rows: DenseRows, row: number, { metric, dense }: ScoredQuery): number {
  const block = rows.block(row);
  const start = rows.start(row);
  if (metric === "manhattan") return manhattanDistance(block, start, dense, dense.length);
  if (metric === "hamming") return countDifferences(block, start, dense, dense.length);
  return squaredDistance(block, start, dense, 0, dense.length);
}

function rowIn({ indices, values, starts }: SparseColumn, row: number): SparseRow {
  return { indices, values, start: starts[row]!, end: starts[row + 1]! };
}
