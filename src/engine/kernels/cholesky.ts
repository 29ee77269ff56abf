/** Cholesky factors of a symmetric positive semidefinite matrix: `matrix = P · L · Lᵀ · Pᵀ`, up to entries that were too small. */
export interface Cholesky {
  /** How many columns are independent. */
  readonly rank: number;
  /** Column of the matrix at each place: the first `rank` are the independent ones. */
  readonly order: Uint32Array;
  /** The first `rank` rows of `L`, `rank × rank`, row by row, zero above the diagonal. */
  readonly lower: Float64Array;
}

/**
 * Cholesky's factors, largest pivot first; what is left below `tolerance` times the largest diagonal value counts as dependent and is left out.
 *
 * **Shape** reads the lower triangle of a `size × size` matrix, row by row. Ties go to the smaller column. **Cost** size³ / 3.
 * **Source** Higham, Accuracy and Stability of Numerical Algorithms (2002), section 10.3, outer product form with complete pivoting.
 */
export function factorCholesky(matrix: Float64Array, size: number, tolerance: number): Cholesky {
  const work = symmetric(matrix, size);
  const order = Uint32Array.from({ length: size }, (_, i) => i);
  const diagonal = (place: number): number => work[order[place]! * size + order[place]!]!;
  let largest = 0;
  for (let i = 0; i < size; i++) largest = Math.max(largest, diagonal(i));
  const columns: Float64Array[] = [];
  for (let step = 0; step < size; step++) {
    let best = step;
    for (let i = step + 1; i < size; i++) if (diagonal(i) > diagonal(best)) best = i;
    const pivot = diagonal(best);
    if (!(pivot > tolerance * largest)) break;
    const chosen = order[best]!;
    order[best] = order[step]!;
    order[step] = chosen;
    // By column of the matrix, not by place, so that nothing moves when places are exchanged.
    const column = new Float64Array(size);
    const root = Math.sqrt(pivot);
    column[chosen] = root;
    for (let i = step + 1; i < size; i++) column[order[i]!] = work[order[i]! * size + chosen]! / root;
    for (let i = step + 1; i < size; i++) {
      const row = order[i]!;
      const factor = column[row]!;
      for (let j = step + 1; j < size; j++) work[row * size + order[j]!]! -= factor * column[order[j]!]!;
    }
    columns.push(column);
  }
  const rank = columns.length;
  const lower = new Float64Array(rank * rank);
  for (let row = 0; row < rank; row++) {
    for (let column = 0; column <= row; column++) lower[row * rank + column] = columns[column]![order[row]!]!;
  }
  return { rank, order, lower };
}

/** A full matrix of its lower triangle. */
export function symmetric(matrix: Float64Array, size: number): Float64Array {
  const full = matrix.slice(0, size * size);
  for (let row = 0; row < size; row++) {
    for (let column = row + 1; column < size; column++) full[row * size + column] = matrix[column * size + row]!;
  }
  return full;
}

/** The inverse of a lower triangle. **Shape** `size × size`, row by row, a lower triangle too. */
export function invertLower(lower: Float64Array, size: number): Float64Array {
  const inverse = new Float64Array(size * size);
  for (let row = 0; row < size; row++) {
    const base = row * size;
    for (let k = 0; k < row; k++) {
      const factor = lower[base + k]!;
      for (let column = 0; column <= k; column++) inverse[base + column]! -= factor * inverse[k * size + column]!;
    }
    const pivot = lower[base + row]!;
    inverse[base + row] = 1;
    for (let column = 0; column <= row; column++) inverse[base + column]! /= pivot;
  }
  return inverse;
}
