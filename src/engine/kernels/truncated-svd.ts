import { factorCholesky, invertLower, symmetric } from "./cholesky.ts";
import { eigenSymmetric } from "./eigen-symmetric.ts";
import { addGram } from "./gram-matrix.ts";
import { multiplyDense } from "./multiply-dense.ts";
import { fillRandomSigns } from "./random-signs.ts";
import { multiplySparse, type SparseMatrix, transposeSparse } from "./sparse-matrix.ts";

/** The directions in which the rows of a matrix lie most. */
export interface TruncatedSvd {
  /** At most as many as asked for; fewer when all others are nothing, or less than a three-hundredth of the largest. */
  readonly rank: number;
  /** Singular values, largest first. */
  readonly values: Float64Array;
  /**
   * Right singular vectors of matrix columns `from … to`, without making the others.
   *
   * **Shape** written to the start of `target`: one row of `rank` values per column of the matrix, row by row.
   */
  rightVectors(from: number, to: number, target: Float64Array): void;
}

/** Options of {@link truncateSvd}. */
export interface TruncatedSvdOptions {
  readonly rank: number;
  /** How many more directions are followed than kept. **Source** 5 to 10 as Halko et al. advise; more costs little. */
  readonly oversampling?: number;
  /** Chooses the random start; a whole number of 32 bits, not 0. */
  readonly seed?: number;
}

/** Products between two breaths: some ten milliseconds. */
const slice = 8_000_000;
/**
 * Smallest squared length of a direction, as a share of the longest; below it is rounding. The matrix and its transpose have multiplied both, so the least
 * singular value that counts is a three-hundredth of the largest.
 */
const dependent = 1e-10;
/** Odd and without a pattern. **Source** 2^32 over the golden ratio. */
const defaultSeed = 0x9e3779b9;

/**
 * Computes the largest singular values of a sparse matrix and their right singular vectors, in slices.
 *
 * A random start is multiplied by the matrix and its transpose once, and the best directions within the product are found exactly. No left vectors: a row's
 * coordinates are its product with the right ones.
 *
 * **Shape** a generator that yields the share that is done after every slice, and returns the result. Slices do not change it, and the same matrix gives the
 * same bits everywhere.
 * **Cost** with l = rank + oversampling: 3 · entries · l + (rows + columns) · l² / 2 + 10 · l³ products. Memory for a
 * dense matrix of l columns for each side of the matrix.
 * **Source** Halko, Martinsson and Tropp, Finding Structure with Randomness (SIAM Review 2011), algorithm 4.3. It works
 * from the side of the columns, with one multiplication by the matrix and its transpose. Rayleigh-Ritz uses Cholesky's
 * factors of the Gram matrix in place of QR, as in Stathopoulos and Wu (2002).
 */
export function* truncateSvd(matrix: SparseMatrix, options: TruncatedSvdOptions): Generator<number, TruncatedSvd> {
  const { rows, columns } = matrix;
  const rankAtMost = Math.min(options.rank, rows, columns);
  if (rankAtMost < 1) return emptySvd;
  // Also where there are fewer directions than that: a few random ones may well lie in the same plane, so many not.
  const width = rankAtMost + (options.oversampling ?? 16);
  const entries = matrix.starts[rows]!;
  const total = 3 * entries * width + ((rows + columns) * width * width) / 2 + 10 * width * width * width;
  let done = 0;

  /** Runs a kernel over rows in slices; `perRow` is the mean number of products of one. */
  function* sliced(count: number, perRow: number, run: (from: number, to: number) => void): Generator<number, void> {
    // A whole number of groups of four, so that slices do not change what kernels add together.
    const step = Math.max(4, Math.floor(slice / Math.max(1, perRow) / 4) * 4);
    for (let from = 0; from < count; from += step) {
      const to = Math.min(count, from + step);
      run(from, to);
      done += (to - from) * perRow;
      yield Math.min(1, done / total);
    }
  }

  const transposed = transposeSparse(matrix);
  const onColumns = new Float64Array(columns * width);
  const onRows = new Float64Array(rows * width);
  const perRow = (entries * width) / rows;
  const timesMatrix = (from: number, to: number): void => multiplySparse(matrix, onColumns, width, onRows, from, to);
  fillRandomSigns(onColumns, options.seed ?? defaultSeed);
  yield* sliced(rows, perRow, timesMatrix);
  yield* sliced(columns, (entries * width) / columns, (from, to) =>
    multiplySparse(transposed, onRows, width, onColumns, from, to),
  );
  const columnGram = new Float64Array(width * width);
  yield* sliced(columns, (width * width) / 2, (from, to) => addGram(onColumns, width, columnGram, from, to));
  yield* sliced(rows, perRow, timesMatrix);
  const rowGram = new Float64Array(width * width);
  yield* sliced(rows, (width * width) / 2, (from, to) => addGram(onRows, width, rowGram, from, to));

  const best = bestDirections(columnGram, rowGram, width, options.rank);
  yield 1;
  return {
    rank: best.rank,
    values: best.values,
    rightVectors: (from, to, target) =>
      multiplyDense(onColumns.subarray(from * width, to * width), width, best.mix, best.rank, target, 0, to - from),
  };
}

const emptySvd: TruncatedSvd = { rank: 0, values: new Float64Array(0), rightVectors: () => undefined };

/**
 * How to mix the followed directions `Z` into the best orthonormal ones, of `ZᵀZ` and `(AZ)ᵀ(AZ)`.
 *
 * With `ZᵀZ = L·Lᵀ`, the columns of `Z·L⁻ᵀ` are orthonormal, and `L⁻¹·(AZ)ᵀ(AZ)·L⁻ᵀ` is what A does to them.
 */
function bestDirections(
  columnGram: Float64Array,
  rowGram: Float64Array,
  width: number,
  wanted: number,
): { readonly rank: number; readonly values: Float64Array; readonly mix: Float64Array } {
  const { rank: independent, order, lower } = factorCholesky(columnGram, width, dependent);
  const inverse = invertLower(lower, independent);
  const turned = transposeDense(inverse, independent, independent);
  const full = symmetric(rowGram, width);
  const action = new Float64Array(independent * independent);
  for (let i = 0; i < independent; i++) {
    for (let j = 0; j < independent; j++) action[i * independent + j] = full[order[i]! * width + order[j]!]!;
  }
  const half = new Float64Array(independent * independent);
  const within = new Float64Array(independent * independent);
  multiplyDense(inverse, independent, action, independent, half, 0, independent);
  multiplyDense(half, independent, turned, independent, within, 0, independent);
  const { values: squares, vectors } = eigenSymmetric(within, independent);

  let rank = 0;
  while (rank < Math.min(wanted, independent) && squares[rank]! > dependent * squares[0]!) rank++;
  const chosen = transposeDense(vectors.subarray(0, rank * independent), rank, independent);
  const placed = new Float64Array(independent * rank);
  multiplyDense(turned, independent, chosen, rank, placed, 0, independent);
  const mix = new Float64Array(width * rank);
  for (let i = 0; i < independent; i++) mix.set(placed.subarray(i * rank, (i + 1) * rank), order[i]! * rank);
  return { rank, values: Float64Array.from(squares.subarray(0, rank), Math.sqrt), mix };
}

function transposeDense(matrix: Float64Array, rows: number, columns: number): Float64Array {
  const turned = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) turned[j * rows + i] = matrix[i * columns + j]!;
  return turned;
}
