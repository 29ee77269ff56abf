/**
 * The sum of products of `length` 8-bit codes and as many of 16 bits.
 *
 * **Shape** whole, and exact as long as it stays below 2^53: any order of adding gives it. It is what `scan-codes.wat` computes, in plain
 * words: its reference in the tests, and what runs where there is no WebAssembly or none with SIMD.
 */
export function dotCodes(codes: Int8Array, start: number, query: Int16Array, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += codes[start + i]! * query[i]!;
  return sum;
}
