import { sumImpactsModule } from "./sum-impacts-module.ts";

/** Chunks of a window, whose places in it take 16 bits. */
export const windowSize = 65_536;

/** Places that one sifting looks at. */
export const siftedAtOnce = 8192;

/** One window's sums of impacts, all 0 between windows. Entries have a place in the low 16 bits and an impact in the high ones. */
export interface ImpactSums {
  readonly sums: Float32Array;
  /** Adds `unit` times the impact of each entry, in 32-bit floats. **Shape** no more entries than a window has places. */
  add(this: void, entries: Uint32Array, unit: number): void;
  /**
   * The places of a stretch whose sum is `least` or more, in `found` from its beginning, and how many.
   *
   * **Shape** `from` is a multiple of 4, and the stretch has {@link siftedAtOnce} places at most. `least` is above 0, so that `to` may lie among unused places.
   */
  sift(this: void, from: number, to: number, least: number): number;
  /** The same of given numbers, {@link siftedAtOnce} at most, with their places among these. */
  siftThese(this: void, numbers: Float32Array, least: number): number;
  readonly found: Uint32Array;
}

/** The plain reference, where there is no SIMD. */
export function createPlainSums(): ImpactSums {
  const sums = new Float32Array(windowSize);
  const found = new Uint32Array(siftedAtOnce);
  function siftAmong(numbers: Float32Array, from: number, to: number, wanted: number): number {
    const least = Math.fround(wanted);
    let size = 0;
    for (let at = from; at < to; at++) if (numbers[at]! >= least) found[size++] = at;
    return size;
  }
  return {
    sums,
    found,
    add(entries, unit) {
      const share = Math.fround(unit);
      for (let i = 0; i < entries.length; i++) {
        const entry = entries[i]!;
        sums[entry & 0xffff]! += Math.fround(share * (entry >>> 16));
      }
    },
    sift: (from, to, least) => siftAmong(sums, from, to, least),
    siftThese: (numbers, least) => siftAmong(numbers, 0, numbers.length, least),
  };
}

/** The same on SIMD instructions, to the bit; `undefined` where there are none. */
export function createSimdSums(): ImpactSums | undefined {
  let instance: WebAssembly.Instance;
  try {
    const bytes = Uint8Array.from(atob(sumImpactsModule), (character) => character.charCodeAt(0));
    instance = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  } catch {
    return undefined;
  }
  const { buffer } = instance.exports["memory"] as WebAssembly.Memory;
  const add = instance.exports["add"] as (...args: number[]) => void;
  const sift = instance.exports["sift"] as (...args: number[]) => number;
  const sums = new Float32Array(buffer, 0, windowSize);
  const room = new Uint32Array(buffer, sums.byteLength, windowSize);
  const given = new Float32Array(buffer, room.byteOffset, siftedAtOnce + 4);
  // A place is written before it is known to be wanted, so that there is one more than can be found.
  const found = new Uint32Array(buffer, sums.byteLength + room.byteLength, siftedAtOnce + 4);
  return {
    sums,
    found,
    add(entries, unit) {
      room.set(entries);
      add(room.byteOffset, room.byteOffset + entries.byteLength, unit, 0);
    },
    sift(from, to, least) {
      const end = Math.min(windowSize, Math.ceil(to / 4) * 4);
      return (sift(0, from, end, least, found.byteOffset) - found.byteOffset) >> 2;
    },
    siftThese(numbers, least) {
      const { length } = numbers;
      given.set(numbers);
      // Unused places of the last four have nothing.
      given.fill(Number.NaN, length, length + 4);
      const end = Math.ceil(length / 4) * 4;
      return (sift(room.byteOffset, 0, end, least, found.byteOffset) - found.byteOffset) >> 2;
    },
  };
}

let shared: ImpactSums | undefined;

/** This process's sums, made when first asked for: a search is over before the next begins. */
export function impactSums(): ImpactSums {
  return (shared ??= createSimdSums() ?? createPlainSums());
}

/** Gives the places of numbers that are not below `least`, in order. **Cost** half a microsecond for a thousand numbers, and a call for each one that is found. */
export function eachReaching(
  numbers: Float32Array,
  from: number,
  to: number,
  least: number,
  take: (at: number) => void,
): void {
  const { siftThese, found } = impactSums();
  for (let base = from; base < to; base += siftedAtOnce) {
    const count = siftThese(numbers.subarray(base, Math.min(to, base + siftedAtOnce)), least);
    for (let i = 0; i < count; i++) take(base + found[i]!);
  }
}
