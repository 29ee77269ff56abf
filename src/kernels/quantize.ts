import { norm } from "./dot.ts";

/** How a row's codes relate to it. */
export interface Quantized {
  /** What one step of a code is worth: a 32-bit number, so that a code times it is exact. */
  readonly step: number;
  /** Euclidean length of what the codes leave out, `row - step · codes`; at least that, never less. */
  readonly residual: number;
  /** Euclidean length of the row, as `norm` computes it. */
  readonly norm: number;
}

/** Covers the rounding of a sum of up to 2^20 squares and its root: 2^20 times 2^-53, generously. */
const roundedUp = 1 + 2 ** -30;

/**
 * Rounds `length` coordinates to whole numbers from `-largest` to `largest` times one step.
 *
 * **Shape** codes go to `codes[at …]`, padding stays as it is. Each is the nearest, so no coordinate is left out by more than itself.
 * **Cost** linear, about 1 µs for 384 coordinates.
 *
 * The difference `x - step · code` is exact in 64 bits. Where the code is 0, it is x itself. Else x is at least about half a step, so that x and
 * the product, both of 24 significant bits times a whole number, are multiples of 2^-25 times the step's power of two, and their difference,
 * below 2^17 steps, has at most 43 bits.
 *
 * **Source** symmetric uniform quantisation with one step per vector (scalar quantisation as in Lucene and FAISS), with the residual kept.
 */
export function quantize(
  values: Float32Array,
  start: number,
  length: number,
  largest: number,
  codes: Int8Array | Int16Array,
  at: number,
): Quantized {
  let top = 0;
  for (let i = 0; i < length; i++) {
    const size = Math.abs(values[start + i]!);
    if (size > top) top = size;
  }
  const step = Math.fround(top / largest);
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const value = values[start + i]!;
    // A step can round to 0 only where all coordinates are next to nothing.
    const nearest = step === 0 ? 0 : Math.round(value / step);
    const code = nearest > largest ? largest : nearest < -largest ? -largest : nearest;
    codes[at + i] = code;
    const left = value - step * code;
    sum += left * left;
  }
  return { step, residual: Math.sqrt(sum) * roundedUp, norm: norm(values, start, length) };
}
