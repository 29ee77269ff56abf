/**
 * Adds rows `from … to` of a dense matrix, `width` columns wide, to its Gram matrix: `gram += rowsᵀ · rows`.
 *
 * **Shape** only the lower triangle of `gram` (`width × width`, row by row) is kept; four rows are added at a time.
 * **Cost** half of rows times width squared.
 */
export function addGram(matrix: Float64Array, width: number, gram: Float64Array, from: number, to: number): void {
  let row = from;
  for (; row + 3 < to; row += 4) {
    const a = row * width;
    const b = a + width;
    const c = b + width;
    const d = c + width;
    for (let i = 0; i < width; i++) {
      const x = matrix[a + i]!;
      const y = matrix[b + i]!;
      const z = matrix[c + i]!;
      const w = matrix[d + i]!;
      const base = i * width;
      for (let j = 0; j <= i; j++) {
        gram[base + j]! += x * matrix[a + j]! + y * matrix[b + j]! + (z * matrix[c + j]! + w * matrix[d + j]!);
      }
    }
  }
  for (; row < to; row++) {
    const a = row * width;
    for (let i = 0; i < width; i++) {
      const x = matrix[a + i]!;
      for (let j = 0; j <= i; j++) gram[i * width + j]! += x * matrix[a + j]!;
    }
  }
}
