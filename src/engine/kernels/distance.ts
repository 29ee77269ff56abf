/** Sum of squared differences of `length` coordinates. **Shape** summed in four lanes, as `dot` is. */
export function squaredDistance(
  a: Float32Array,
  aStart: number,
  b: Float32Array,
  bStart: number,
  length: number,
): number {
  let lane0 = 0;
  let lane1 = 0;
  let lane2 = 0;
  let lane3 = 0;
  for (let i = 0; i < length; i += 4) {
    const d0 = a[aStart + i]! - b[bStart + i]!;
    lane0 += d0 * d0;
    if (i + 1 >= length) break;
    const d1 = a[aStart + i + 1]! - b[bStart + i + 1]!;
    lane1 += d1 * d1;
    if (i + 2 >= length) break;
    const d2 = a[aStart + i + 2]! - b[bStart + i + 2]!;
    lane2 += d2 * d2;
    if (i + 3 >= length) break;
    const d3 = a[aStart + i + 3]! - b[bStart + i + 3]!;
    lane3 += d3 * d3;
  }
  return lane0 + lane1 + (lane2 + lane3);
}

/** Sum of absolute differences between a stretch and a whole vector, in ascending order. */
export function manhattanDistance(a: Float32Array, aStart: number, b: Float32Array, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += Math.abs(a[aStart + i]! - b[i]!);
  return sum;
}

/** Number of coordinates in which a stretch and a whole vector differ. */
export function countDifferences(a: Float32Array, aStart: number, b: Float32Array, length: number): number {
  let count = 0;
  for (let i = 0; i < length; i++) if (a[aStart + i] !== b[i]) count++;
  return count;
}
