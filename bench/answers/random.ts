/** Numbers from 0 to 1, the same for the same seed. **Source** Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators (2014), 32 bits. */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** The list in another order. **Source** Fisher and Yates. */
export function shuffle<T>(list: readonly T[], seed: number): readonly T[] {
  const random = createRandom(seed);
  const shuffled = [...list];
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!];
  }
  return shuffled;
}
