import { sumTermsModule } from "./sum-terms-module.ts";

/**
 * Rows and n-grams of terms, by the terms' numbers, and the sums of a text's. Every product and sum is a whole number below 2^53, which a double holds whatever
 * the order.
 */
export interface TermSums {
  /** Sums of the rows by their factors. The next sum writes over them. */
  readonly direction: () => Float64Array;
  /** Sums of the weights, at the dimensions of n-grams. */
  readonly hashed: () => Float64Array;
  /** Takes the next term; without a row where its factor is always 0. */
  add(this: void, row: Int8Array | undefined, grams: Uint32Array): void;
  sum(this: void, numbers: ArrayLike<number>, factors: Float64Array, weights: Float64Array, length: number): void;
}

/** An array with room for more. */
export function grown<Numbers extends Int8Array | Uint16Array | Uint32Array | Float64Array>(
  array: Numbers,
  length: number,
): Numbers {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => Numbers)(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}

/** The plain reference, where there is no SIMD and for a few texts. Its numbers lie in three arrays, because objects all over the memory cost more than the sums. */
export function createPlainTermSums(dimensions: number, forms: number): TermSums {
  let met = 0;
  let rows = new Int8Array(0);
  let grams = new Uint16Array(0);
  /** Where the n-grams of each term begin, and those of the last one end. */
  let ends = new Uint32Array(1);
  const direction = new Float64Array(dimensions);
  const hashed = new Float64Array(forms);
  return {
    direction: () => direction,
    hashed: () => hashed,
    add(row, own) {
      const start = ends[met]!;
      ends = grown(ends, met + 2);
      rows = grown(rows, (met + 1) * dimensions);
      grams = grown(grams, start + own.length);
      ends[met + 1] = start + own.length;
      if (row !== undefined) rows.set(row, met * dimensions);
      grams.set(own, start);
      met++;
    },
    sum(numbers, factors, weights, length) {
      direction.fill(0);
      hashed.fill(0);
      for (let i = 0; i < length; i++) {
        const number = numbers[i]!;
        const factor = factors[i]!;
        const from = number * dimensions;
        for (let at = 0; at < dimensions; at++) direction[at]! += factor * rows[from + at]!;
        const weight = weights[i]!;
        const end = ends[number + 1]!;
        for (let at = ends[number]!; at < end; at++) hashed[grams[at]!]! += weight;
      }
    },
  };
}

const pageBytes = 65_536;
const entryBytes = 32;
/** Terms of a text that there is room for at first. */
const firstEntries = 512;

let compiled: WebAssembly.Module | undefined;

/** The same on SIMD instructions, to the bit; `undefined` where there are none. **Shape** `forms` is 8,191 at most. */
export function createSimdTermSums(dimensions: number, forms: number): TermSums | undefined {
  let exports: WebAssembly.Instance["exports"];
  try {
    compiled ??= new WebAssembly.Module(Uint8Array.from(atob(sumTermsModule), (character) => character.charCodeAt(0)));
    ({ exports } = new WebAssembly.Instance(compiled));
  } catch {
    return undefined;
  }
  const memory = exports["memory"] as WebAssembly.Memory;
  const addRows = exports["rows"] as (...args: number[]) => void;
  const addGrams = exports["grams"] as (...args: number[]) => void;
  const stride = Math.ceil(dimensions / 16) * 16;
  const [directionAt, hashedAt] = [0, stride * 8];
  /** Where rows and n-grams begin; entries stand behind the last one. */
  let end = hashedAt + forms * 8;
  let places = new Uint32Array(0);
  let met = 0;
  let bytes = new Int8Array(0);
  let halves = new Uint16Array(0);
  let words = new Uint32Array(0);
  let doubles = new Float64Array(0);

  function reserve(length: number): void {
    const more = length - memory.buffer.byteLength;
    if (more > 0) memory.grow(Math.ceil(Math.max(more, memory.buffer.byteLength) / pageBytes));
    if (bytes.length === memory.buffer.byteLength) return;
    bytes = new Int8Array(memory.buffer);
    halves = new Uint16Array(memory.buffer);
    words = new Uint32Array(memory.buffer);
    doubles = new Float64Array(memory.buffer);
  }

  reserve(end + firstEntries * entryBytes);
  return {
    direction: () => doubles.subarray(directionAt / 8, directionAt / 8 + dimensions),
    hashed: () => doubles.subarray(hashedAt / 8, hashedAt / 8 + forms),
    add(row, grams) {
      const from = end;
      // The next row begins at a multiple of 8.
      end = Math.ceil((from + stride + grams.length * 2) / 8) * 8;
      reserve(end + firstEntries * entryBytes);
      // Entries have stood here.
      bytes.fill(0, from, from + stride);
      if (row !== undefined) bytes.set(row, from);
      for (let i = 0, at = (from + stride) / 2; i < grams.length; i++) halves[at + i] = grams[i]! * 8;
      places = grown(places, 2 * met + 2);
      places[2 * met] = from;
      places[2 * met + 1] = from + stride + grams.length * 2;
      met++;
    },
    sum(numbers, factors, weights, length) {
      const last = end + length * entryBytes;
      reserve(last);
      for (let i = 0, word = end / 4, double = end / 8; i < length; i++, word += 8, double += 4) {
        const number = numbers[i]!;
        const from = places[2 * number]!;
        words[word] = from;
        words[word + 1] = from + stride;
        words[word + 2] = places[2 * number + 1]!;
        doubles[double + 2] = factors[i]!;
        doubles[double + 3] = weights[i]!;
      }
      addRows(end, last, stride, directionAt);
      doubles.fill(0, hashedAt / 8, hashedAt / 8 + forms);
      addGrams(end, last, hashedAt);
    },
  };
}
