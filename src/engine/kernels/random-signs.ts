/**
 * Fills with +1 and -1, half and half by chance, always the same for the same seed.
 *
 * **Shape** the seed is a whole number of 32 bits, not 0. **Source** Marsaglia, Xorshift RNGs (2003): shifts 13, 17, 5.
 */
export function fillRandomSigns(target: Float64Array, seed: number): void {
  let state = seed | 0;
  for (let i = 0; i < target.length;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    for (let bit = 0; bit < 32 && i < target.length; bit++) target[i++] = (state >>> bit) & 1 ? 1 : -1;
  }
}
