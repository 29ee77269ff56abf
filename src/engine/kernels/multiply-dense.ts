/**
 * Rows `from … to` of `product = left · right`, all row by row; `left` has `inner` columns and `right` `width`.
 *
 * **Shape** four columns of `left` are added at a time. **Cost** rows times inner times width.
 */
export function multiplyDense(
  left: Float64Array,
  inner: number,
  right: Float64Array,
  width: number,
  product: Float64Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const base = row * width;
    const source = row * inner;
    product.fill(0, base, base + width);
    let k = 0;
    for (; k + 3 < inner; k += 4) {
      const a = left[source + k]!;
      const b = left[source + k + 1]!;
      const c = left[source + k + 2]!;
      const d = left[source + k + 3]!;
      const atA = k * width;
      const atB = atA + width;
      const atC = atB + width;
      const atD = atC + width;
      for (let i = 0; i < width; i++) {
        product[base + i]! += a * right[atA + i]! + b * right[atB + i]! + (c * right[atC + i]! + d * right[atD + i]!);
      }
    }
    for (; k < inner; k++) {
      const a = left[source + k]!;
      for (let i = 0; i < width; i++) product[base + i]! += a * right[k * width + i]!;
    }
  }
}
