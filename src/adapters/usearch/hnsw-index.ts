import type { NativeIndex } from "./load-usearch.ts";

/** A vector on its way into the graph. */
export interface IndexedVector {
  readonly id: string;
  readonly vector: Float32Array;
}

/** The nearest by the graph's word. */
export interface Candidates {
  /** Nearest first. */
  readonly ids: readonly string[];
  /** The cosine of each. */
  readonly cosines: readonly number[];
  /** Cosine of the farthest of them: whatever was not found lies beyond, as far as the graph knows. */
  readonly reach: number;
}

/** What must be kept beside the graph to read it again. */
export interface IndexFacts {
  readonly keys: readonly number[];
  readonly ids: readonly string[];
  /** Of each vector as it came. */
  readonly prints: readonly number[];
  readonly nextKey: number;
  readonly normalized: boolean;
}

/**
 * A graph of vectors under ids of chunks.
 *
 * **Shape** vectors are taken in at length 1, so that the inner product is the cosine whatever came; the zero vector stays, at a cosine of 0 to everything.
 */
export interface HnswIndex {
  readonly size: number;
  /** Whether every vector came with length 1 (or 0): then the dot product ranks as the cosine does. */
  readonly normalized: boolean;
  has(id: string): boolean;
  /** The same id replaces; the same vector under the same id changes nothing. **Cost** some 70 µs for each vector of 384 dimensions and thread. */
  put(vectors: readonly IndexedVector[]): void;
  /** Removes all others. */
  keep(stays: (id: string) => boolean): void;
  search(unit: Float32Array, k: number): Candidates;
  save(path: string): IndexFacts;
}

/** How far from 1 a length may be that counts as 1. */
const normalizedWithin = 1e-3;

export function createHnswIndex(native: NativeIndex, threads: number, facts?: IndexFacts): HnswIndex {
  const idOf = new Map<number, string>();
  const entryOf = new Map<string, { readonly key: number; readonly print: number }>();
  let nextKey = facts?.nextKey ?? 0;
  let normalized = facts?.normalized ?? true;
  facts?.keys.forEach((key, i) => {
    idOf.set(key, facts.ids[i]!);
    entryOf.set(facts.ids[i]!, { key, print: facts.prints[i]! });
  });

  function remove(id: string): void {
    const entry = entryOf.get(id);
    if (entry === undefined) return;
    native.remove(BigInt(entry.key));
    entryOf.delete(id);
    idOf.delete(entry.key);
  }

  return {
    get size() {
      return entryOf.size;
    },
    get normalized() {
      return normalized;
    },
    has: (id) => entryOf.has(id),
    put(vectors) {
      const fresh = new Map<string, { readonly vector: Float32Array; readonly print: number }>();
      for (const { id, vector } of vectors) {
        const print = fingerprint(vector);
        if ((fresh.get(id) ?? entryOf.get(id))?.print !== print) fresh.set(id, { vector, print });
      }
      if (fresh.size === 0) return;
      const keys = new BigUint64Array(fresh.size);
      const dimensions = vectors[0]!.vector.length;
      const rows = new Float32Array(fresh.size * dimensions);
      let row = 0;
      for (const [id, { vector, print }] of fresh) {
        remove(id);
        const { unit, length } = toUnit(vector);
        if (length > 0 && Math.abs(length - 1) > normalizedWithin) normalized = false;
        rows.set(unit, row * dimensions);
        keys[row++] = BigInt(nextKey);
        idOf.set(nextKey, id);
        entryOf.set(id, { key: nextKey++, print });
      }
      native.add(keys, rows, threads);
    },
    keep(stays) {
      for (const id of entryOf.keys()) if (!stays(id)) remove(id);
    },
    search(unit, k) {
      if (entryOf.size === 0) return { ids: [], cosines: [], reach: -Infinity };
      const { keys, distances } = native.search(unit, k, 1);
      const ids: string[] = [];
      const cosines: number[] = [];
      keys.forEach((key, i) => {
        const id = idOf.get(Number(key));
        if (id === undefined) return;
        ids.push(id);
        cosines.push(1 - distances[i]!);
      });
      return { ids, cosines, reach: 1 - (distances.at(-1) ?? Infinity) };
    },
    save(path) {
      native.save(path);
      const entries = [...entryOf];
      return {
        keys: entries.map(([, { key }]) => key),
        ids: entries.map(([id]) => id),
        prints: entries.map(([, { print }]) => print),
        nextKey,
        normalized,
      };
    },
  };
}

/** A vector at length 1, and the length that it had. Summed in 64 bits: no 32-bit coordinate is too large or too small for that. */
export function toUnit(vector: ArrayLike<number>): { readonly unit: Float32Array; readonly length: number } {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!;
  const length = Math.sqrt(sum);
  const unit = new Float32Array(vector.length);
  if (length > 0) for (let i = 0; i < unit.length; i++) unit[i] = vector[i]! / length;
  return { unit, length };
}

/** FNV-1a over the words of the vector: two that are taken for one cost a candidate, never a wrong score. **Source** Fowler, Noll and Vo. */
function fingerprint(vector: Float32Array): number {
  const words = new Uint32Array(vector.buffer, vector.byteOffset, vector.length);
  let hash = 0x811c9dc5;
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193);
  return hash >>> 0;
}
