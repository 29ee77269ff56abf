import { sumTermsModule } from "./sum-terms-module.ts";

/** A term as a fit has it; a scale of 0 and no row where the fit does not know it. */
export interface SummedTerm {
  readonly weight: number;
  readonly scale: number;
  readonly row?: Int8Array | undefined;
  /** Dimensions of its n-grams. */
  readonly grams: Uint32Array;
}

/**
 * Terms by their numbers, and the sums of a text's. Every product is rounded to a whole multiple of 2^-32, and every sum is below 2^53, which a double holds
 * whatever the order.
 */
export interface TermSums {
  /** Sums of the rows by their factors. The next sum writes over them. */
  readonly direction: () => Float64Array;
  /** Sums of the weights, at the dimensions of n-grams. */
  readonly hashed: () => Float64Array;
  /** Takes the next term. */
  add(this: void, term: SummedTerm): void;
  /** `weigh` says how much so many occurrences count. */
  sum(this: void, numbers: ArrayLike<number>, counts: ArrayLike<number>, weigh: (count: number) => number): void;
}

/** Products are rounded to whole multiples of 2^-32. */
const unit = 4_294_967_296;

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

/** The plain reference, where there is no SIMD and for a few texts. Its numbers lie in arrays, because objects all over the memory cost more than the sums. */
export function createPlainTermSums(dimensions: number, forms: number): TermSums {
  let met = 0;
  let weights = new Float64Array(0);
  let scales = new Float64Array(0);
  let rows = new Int8Array(0);
  let grams = new Uint16Array(0);
  /** Where the n-grams of each term begin, and those of the last one end. */
  let ends = new Uint32Array(1);
  const direction = new Float64Array(dimensions);
  const hashed = new Float64Array(forms);
  return {
    direction: () => direction,
    hashed: () => hashed,
    add({ weight, scale, row, grams: own }) {
      const start = ends[met]!;
      weights = grown(weights, met + 1);
      scales = grown(scales, met + 1);
      ends = grown(ends, met + 2);
      rows = grown(rows, (met + 1) * dimensions);
      grams = grown(grams, start + own.length);
      weights[met] = weight;
      scales[met] = scale;
      ends[met + 1] = start + own.length;
      if (row !== undefined) rows.set(row, met * dimensions);
      grams.set(own, start);
      met++;
    },
    sum(numbers, counts, weigh) {
      direction.fill(0);
      hashed.fill(0);
      for (let i = 0; i < numbers.length; i++) {
        const number = numbers[i]!;
        const weight = weigh(counts[i]!) * weights[number]!;
        const factor = Math.round(weight * scales[number]! * unit);
        const from = number * dimensions;
        for (let at = 0; at < dimensions; at++) direction[at]! += factor * rows[from + at]!;
        const whole = Math.round(weight * unit);
        const end = ends[number + 1]!;
        for (let at = ends[number]!; at < end; at++) hashed[grams[at]!]! += whole;
      }
    },
  };
}

const pageBytes = 65_536;
const entryBytes = 32;
const headBytes = 24;
/** Terms of a text that there is room for at first. */
const firstEntries = 512;

let compiled: WebAssembly.Module | undefined;

/** The same on SIMD instructions, to the bit; `undefined` where there are none. **Shape** `forms` is even, and 8,191 at most. */
export function createSimdTermSums(dimensions: number, forms: number): TermSums | undefined {
  let exports: WebAssembly.Instance["exports"];
  try {
    compiled ??= new WebAssembly.Module(Uint8Array.from(atob(sumTermsModule), (character) => character.charCodeAt(0)));
    ({ exports } = new WebAssembly.Instance(compiled));
  } catch {
    return undefined;
  }
  const memory = exports["memory"] as WebAssembly.Memory;
  const sumTerms = exports["sum"] as (...args: number[]) => void;
  const stride = Math.ceil(dimensions / 16) * 16;
  const [directionAt, hashedAt] = [0, stride * 8];
  /** Where records begin; entries stand behind the last one. */
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
    add({ weight, scale, row, grams }) {
      const from = end;
      const [at, gramsAt] = [from + headBytes, from + headBytes + stride];
      // The next record begins at a multiple of 8.
      end = Math.ceil((gramsAt + grams.length * 2) / 8) * 8;
      reserve(end + firstEntries * entryBytes);
      doubles[from / 8] = weight;
      doubles[from / 8 + 1] = scale;
      words[from / 4 + 4] = gramsAt + grams.length * 2;
      // Entries have stood here.
      bytes.fill(0, at, gramsAt);
      if (row !== undefined) bytes.set(row, at);
      for (let i = 0; i < grams.length; i++) halves[gramsAt / 2 + i] = grams[i]! * 8;
      places = grown(places, met + 1);
      places[met++] = from;
    },
    sum(numbers, counts, weigh) {
      const { length } = numbers;
      const last = end + length * entryBytes;
      reserve(last);
      for (let i = 0, word = end / 4, double = end / 8 + 1; i < length; i++, word += 8, double += 4) {
        words[word] = places[numbers[i]!]!;
        doubles[double] = weigh(counts[i]!);
      }
      sumTerms(end, last, stride, unit, 0.5, directionAt, hashedAt, hashedAt + forms * 8);
    },
  };
}
