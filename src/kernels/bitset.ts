/** One byte per flag, which loops read fastest, to one bit per flag, which is stored. **Shape** flag `i` is bit `i mod 8` of byte `i div 8`. */
export function packBits(flags: Uint8Array, size: number): Uint8Array {
  const bits = new Uint8Array((size + 7) >> 3);
  for (let i = 0; i < size; i++) if (flags[i] !== 0) bits[i >> 3]! |= 1 << (i & 7);
  return bits;
}

/** The reverse of {@link packBits}. */
export function unpackBits(bits: Uint8Array, size: number): Uint8Array {
  const flags = new Uint8Array(size);
  for (let i = 0; i < size; i++) flags[i] = (bits[i >> 3]! >> (i & 7)) & 1;
  return flags;
}
