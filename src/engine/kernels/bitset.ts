/** One byte per flag, which loops read fastest, to one bit per flag, which is stored. **Shape** flag `i` is bit `i mod 8` of byte `i div 8`. */
export function packBits(flags: Uint8Array, size: number): Uint8Array {
  const bits = new Uint8Array((size + 7) >> 3);
  for (let i = 0; i < size; i++) if (flags[i] !== 0) bits[i >> 3]! |= 1 << (i & 7);
  return bits;
}

/** The reverse of {@link packBits}. **Cost** where all flags of a byte are set, as they mostly are, that of a fill. */
export function unpackBits(bits: Uint8Array, size: number): Uint8Array {
  const flags = new Uint8Array(size);
  for (let i = 0; i < size;) {
    const start = i;
    while (i + 8 <= size && bits[i >> 3] === 0xff) i += 8;
    flags.fill(1, start, i);
    for (const end = Math.min(size, i + 8); i < end; i++) flags[i] = (bits[i >> 3]! >> (i & 7)) & 1;
  }
  return flags;
}

/** How many bits are set. */
export function countBits(bits: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] === 0xff) count += 8;
    else for (let rest = bits[i]!; rest > 0; rest &= rest - 1) count++;
  }
  return count;
}
