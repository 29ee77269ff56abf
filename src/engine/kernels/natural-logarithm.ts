/**
 * ln(x) by additions, products and quotients only, so that every engine gives the same bits; `Math.log` may differ in the last ones.
 *
 * **Shape** `x` is finite and positive; within 4e-16 of the true value, relatively, or absolutely where that is below 1.
 * **Cost** some twenty operations and one per power of two.
 * **Source** ln(m · 2^e) = e · ln 2 + 2 · artanh((m - 1) / (m + 1)), with the series of artanh.
 */
export function naturalLogarithm(x: number): number {
  let mantissa = x;
  let exponent = 0;
  // Halving and doubling are exact.
  while (mantissa > Math.SQRT2) {
    mantissa /= 2;
    exponent++;
  }
  while (mantissa < Math.SQRT1_2) {
    mantissa *= 2;
    exponent--;
  }
  const s = (mantissa - 1) / (mantissa + 1);
  const square = s * s;
  let sum = 0;
  // |s| is at most 0.172, so terms past s^23 are below half a unit in the last place.
  for (let power = 23; power >= 1; power -= 2) sum = sum * square + 1 / power;
  return exponent * Math.LN2 + 2 * s * sum;
}
