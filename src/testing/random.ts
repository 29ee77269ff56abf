/** Numbers that look random and are the same on every machine, for the packs' own generated cases. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, below). */
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** **Source** mulberry32, Tommy Ettinger's 32-bit generator: integer arithmetic only, so it gives the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}
