/** Spreads every bit of a 32-bit hash over all of them. **Source** MurmurHash3's 32-bit finaliser. */
export function mixHash(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
