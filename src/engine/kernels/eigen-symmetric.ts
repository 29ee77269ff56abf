/** **Shape** values from the largest to the smallest; vector `i` is `vectors[i * size … (i + 1) * size]`, of length 1. */
export interface Eigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

/** Rotations below this share of the whole change nothing that a double can hold. */
const negligible = 1e-15;
const mostSweeps = 40;

/**
 * Eigenvalues and eigenvectors of a symmetric matrix, by rotating pairs of coordinates until nothing is left off the diagonal.
 *
 * **Shape** takes the lower triangle of a `size × size` matrix, row by row. The largest component of a vector is positive (the first of equal ones).
 * Additions, products, quotients and square roots only, in one order: the same bits on every machine.
 * **Cost** about 25 size³.
 * **Source** Jacobi (1846), cyclic by rows; the rotation as in Golub and Van Loan, Matrix Computations (2013), section 8.5.
 */
export function eigenSymmetric(lower: Float64Array, size: number): Eigen {
  const work = new Float64Array(size * size);
  let whole = 0;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      const value = lower[row * size + column]!;
      work[row * size + column] = value;
      work[column * size + row] = value;
      whole += (row === column ? 1 : 2) * value * value;
    }
  }
  const vectors = new Float64Array(size * size);
  for (let i = 0; i < size; i++) vectors[i * size + i] = 1;
  const least = negligible * Math.sqrt(whole);
  let rotated = true;
  for (let sweep = 0; sweep < mostSweeps && rotated; sweep++) {
    rotated = false;
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        if (Math.abs(work[p * size + q]!) <= least / size) continue;
        rotate(work, vectors, size, p, q);
        rotated = true;
      }
    }
  }
  return sorted(work, vectors, size);
}

/** Makes `work[p][q]` zero. */
function rotate(work: Float64Array, vectors: Float64Array, size: number, p: number, q: number): void {
  const rowP = p * size;
  const rowQ = q * size;
  const off = work[rowP + q]!;
  const tau = (work[rowQ + q]! - work[rowP + p]!) / (2 * off);
  const tangent = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
  const cosine = 1 / Math.sqrt(1 + tangent * tangent);
  const sine = tangent * cosine;
  const atP = work[rowP + p]! - tangent * off;
  const atQ = work[rowQ + q]! + tangent * off;
  for (let i = 0; i < size; i++) {
    const a = work[rowP + i]!;
    const b = work[rowQ + i]!;
    const left = cosine * a - sine * b;
    const right = sine * a + cosine * b;
    work[rowP + i] = left;
    work[rowQ + i] = right;
    work[i * size + p] = left;
    work[i * size + q] = right;
    const x = vectors[rowP + i]!;
    const y = vectors[rowQ + i]!;
    vectors[rowP + i] = cosine * x - sine * y;
    vectors[rowQ + i] = sine * x + cosine * y;
  }
  work[rowP + p] = atP;
  work[rowQ + q] = atQ;
  work[rowP + q] = 0;
  work[rowQ + p] = 0;
}

function sorted(work: Float64Array, vectors: Float64Array, size: number): Eigen {
  const order = Array.from({ length: size }, (_, i) => i);
  order.sort((a, b) => work[b * size + b]! - work[a * size + a]! || a - b);
  const values = new Float64Array(size);
  const placed = new Float64Array(size * size);
  order.forEach((from, to) => {
    values[to] = work[from * size + from]!;
    const vector = vectors.subarray(from * size, (from + 1) * size);
    let largest = 0;
    for (const value of vector) if (Math.abs(value) > Math.abs(largest)) largest = value;
    const sign = largest < 0 ? -1 : 1;
    for (let i = 0; i < size; i++) placed[to * size + i] = sign * vector[i]!;
  });
  return { values, vectors: placed };
}
