import { type CandidatePlaces, createCandidatePlaces } from "../candidate-places.ts";
import { createCodes, type NativeIndex } from "./load-usearch.ts";

/** A vector on its way into the graph. */
export interface IndexedVector {
  readonly id: string;
  readonly vector: Float32Array;
}

/** The nearest by the graph's word. */
export interface NearestNumbers {
  /** Nearest first. */
  readonly numbers: readonly number[];
  /** The cosine of each by its codes. */
  readonly cosines: readonly number[];
  /** By how much two of these cosines may be wrong beside each other, as good as always. */
  readonly doubt: number;
  /** No vector that was not found has a greater cosine, as far as the graph knows. */
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
  readonly step: number;
  readonly residual: number;
}

/**
 * A graph of vectors under ids of chunks.
 *
 * **Shape** vectors are taken in at length 1, so that the inner product is the cosine whatever came; the zero vector stays, at a cosine of 0 to everything.
 * Coordinates are rounded to bytes, all with one step: over 127 the largest of those that came first, or what is usual where that is more. What
 * comes later and is larger is cut. The library's own rounding takes a step of 1 over 127 for any number of dimensions, and never rounds up.
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
  search(unit: Float32Array, k: number): NearestNumbers;
  /** The chunk of a number that a search gave. */
  readonly idOf: (number: number) => string | undefined;
  /** Where the store has them. */
  readonly places: CandidatePlaces;
  save(path: string): IndexFacts;
}

/** How far from 1 a length may be that counts as 1. */
const normalizedWithin = 1e-3;

/** The largest of a byte that its negative has too. */
const largestCode = 127;

/** How far coordinates reach at least, in units of `1 / √dimensions`: of numbers from a normal distribution, one in two million lies beyond. */
const usualReach = 5;

/**
 * How many steps rounding moves two cosines apart, as good as never more: the errors of coordinates are spread evenly over a step, with a standard
 * deviation of `1 / √12`. Two rows have one each, and the query's counts as far as they differ: half a step at most, of which this is five times.
 */
const stepsInDoubt = 2.5;

export function createHnswIndex(native: NativeIndex, threads: number, facts?: IndexFacts): HnswIndex {
  const idOf = new Map<number, string>();
  const entryOf = new Map<string, { readonly key: number; readonly print: number }>();
  let nextKey = facts?.nextKey ?? 0;
  let normalized = facts?.normalized ?? true;
  const places = createCandidatePlaces();
  let asked = createCodes(0);
  /** What one step of a code is worth; 0 before the first vector. */
  let step = facts?.step ?? 0;
  /** The greatest distance of a vector from its codes. */
  let residual = facts?.residual ?? 0;
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
    places.forget(entry.key);
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
      const units = Array.from(fresh.values(), ({ vector }) => toUnit(vector));
      if (step === 0) step = Math.min(1, Math.max(usualReach / Math.sqrt(dimensions), largestOf(units))) / largestCode;
      const codes = createCodes(fresh.size * dimensions);
      let row = 0;
      for (const [id, { print }] of fresh) {
        remove(id);
        const { unit, length } = units[row]!;
        if (length > 0 && Math.abs(length - 1) > normalizedWithin) normalized = false;
        residual = Math.max(residual, encode(unit, step, codes, row * dimensions));
        keys[row++] = BigInt(nextKey);
        idOf.set(nextKey, id);
        entryOf.set(id, { key: nextKey++, print });
      }
      native.add(keys, codes, threads);
    },
    keep(stays) {
      for (const id of entryOf.keys()) if (!stays(id)) remove(id);
    },
    search(unit, k) {
      if (entryOf.size === 0) return { numbers: [], cosines: [], doubt: 0, reach: -Infinity };
      if (asked.length !== unit.length) asked = createCodes(unit.length);
      const left = encode(unit, step, asked, 0);
      const { keys, distances } = native.search(asked, k, 1);
      // Cauchy and Schwarz, of what the codes of both leave out.
      const error = left + residual + left * residual;
      // Little-endian, as everything is that this package is built for: its keys by their halves, which needs no number of any length.
      const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
      const numbers: number[] = [];
      const cosines: number[] = [];
      for (let i = 0; i < keys.length; i++) {
        numbers.push(words[2 * i]! + words[2 * i + 1]! * 2 ** 32);
        cosines.push((1 - distances[i]!) * step * step);
      }
      return { numbers, cosines, doubt: stepsInDoubt * step, reach: (cosines.at(-1) ?? -Infinity) + error };
    },
    idOf: (number) => idOf.get(number),
    places,
    save(path) {
      native.save(path);
      const entries = [...entryOf];
      return {
        keys: entries.map(([, { key }]) => key),
        ids: entries.map(([id]) => id),
        prints: entries.map(([, { print }]) => print),
        nextKey,
        normalized,
        step,
        residual,
      };
    },
  };
}

/** Writes the codes of a vector of length 1. **Shape** how far they are from it. */
export function encode(unit: Float32Array, step: number, codes: Int8Array, at: number): number {
  const inverse = 1 / step;
  let squares = 0;
  for (let i = 0; i < unit.length; i++) {
    const code = Math.max(-largestCode, Math.min(largestCode, Math.round(unit[i]! * inverse)));
    codes[at + i] = code;
    squares += (unit[i]! - code * step) ** 2;
  }
  return Math.sqrt(squares);
}

/** The largest coordinate of any, without its sign. */
function largestOf(vectors: readonly { readonly unit: Float32Array }[]): number {
  let largest = 0;
  for (const { unit } of vectors) for (const value of unit) largest = Math.max(largest, Math.abs(value));
  return largest;
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
