/** One row of many sparse vectors that are kept end to end: its coordinates are `indices[start … end)`, ascending, beside `values`. */
export interface SparseRow {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
  readonly start: number;
  readonly end: number;
}

/** Sum of products over the coordinates that both rows have, in ascending order. **Cost** linear in both rows. */
export function sparseDot(a: SparseRow, b: SparseRow): number {
  let sum = 0;
  let i = a.start;
  let j = b.start;
  while (i < a.end && j < b.end) {
    const difference = a.indices[i]! - b.indices[j]!;
    if (difference === 0) sum += a.values[i++]! * b.values[j++]!;
    else if (difference < 0) i++;
    else j++;
  }
  return sum;
}

/** Distance over the coordinates that either row has, in ascending order: the sum of squared or absolute differences, or their number. */
export function sparseDistance(a: SparseRow, b: SparseRow, by: "euclidean" | "manhattan" | "hamming"): number {
  let sum = 0;
  let i = a.start;
  let j = b.start;
  while (i < a.end || j < b.end) {
    const left = i < a.end ? a.indices[i]! : Infinity;
    const right = j < b.end ? b.indices[j]! : Infinity;
    const difference = (left <= right ? a.values[i]! : 0) - (right <= left ? b.values[j]! : 0);
    if (left <= right) i++;
    if (right <= left) j++;
    if (by === "euclidean") sum += difference * difference;
    else if (by === "manhattan") sum += Math.abs(difference);
    else if (difference !== 0) sum++;
  }
  return sum;
}

/** Euclidean length of one row. */
export function sparseNorm(row: SparseRow): number {
  let sum = 0;
  for (let i = row.start; i < row.end; i++) sum += row.values[i]! * row.values[i]!;
  return Math.sqrt(sum);
}
