import { dotCodes } from "./dot-codes.ts";
import { createFreeList } from "./free-list.ts";
import { scanCodesModule } from "./scan-codes-module.ts";

/** A stretch of 8-bit codes, where the scan reads them. It is given back when nobody holds it any more, or by `free`. */
export interface CodeRegion {
  readonly length: number;
  /** The codes. **Shape** a view that holds until the next `allocate` or `reserve`. */
  codes(): Int8Array;
}

/** Where 8-bit codes are kept and scanned: one for the whole process, like the heap. Everything is synchronous. */
export interface CodeMemory {
  /** Whether scans run on SIMD instructions. The sums are the same without. */
  readonly simd: boolean;
  /** **Shape** all zero. */
  allocate(length: number): CodeRegion;
  free(region: CodeRegion): void;
  /** Makes room for the scratch below. **Shape** `stride` 16-bit numbers, `rows` flags and sums. */
  reserve(stride: number, rows: number): void;
  /** The query's codes, one flag a row, and where the sums appear. They hold until the next `allocate` or `reserve`. */
  readonly query: Int16Array;
  readonly flags: Uint8Array;
  readonly sums: Int32Array;
  /**
   * For each of the `rows` rows of a region from row `from` on whose flag is not 0: its {@link dotCodes} with the query.
   *
   * **Shape** rows of `stride` codes, a multiple of {@link strideStep}; flag and sum of a row lie at its number; no sum may leave 32 bits.
   * **Cost** about 20 GB of codes a second on one thread with SIMD.
   */
  scan(region: CodeRegion, stride: number, from: number, rows: number): void;
}

/** Rows are padded with zeros to a multiple of this many codes. */
export const strideStep = 32;

export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / strideStep) * strideStep;
}

const pageBytes = 65_536;
/** Stretches start on multiples of a cache line. */
const lineBytes = 64;
/** Memory is asked for in steps of this size at least, since every step makes the views anew. */
const leastPages = 16;

/** The scan on SIMD instructions, or `undefined` where the platform has none or forbids it (a content security policy may). */
export function createSimdMemory(): CodeMemory | undefined {
  let instance: WebAssembly.Instance;
  try {
    const bytes = Uint8Array.from(atob(scanCodesModule), (character) => character.charCodeAt(0));
    instance = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  } catch {
    return undefined;
  }
  const memory = instance.exports["memory"] as WebAssembly.Memory;
  const scan = instance.exports["scan"] as (...args: number[]) => number;
  const free = createFreeList();
  const placed = new WeakMap<CodeRegion, number>();
  const plain = createPlainMemory();
  const lost = new FinalizationRegistry<readonly [number, number]>(([start, length]) => free.give(start, length));
  free.give(0, memory.buffer.byteLength);

  let scratch = { query: -1, flags: -1, sums: -1, stride: 0, rows: 0 };
  let views = { query: new Int16Array(0), flags: new Uint8Array(0), sums: new Int32Array(0) };
  let seen: ArrayBuffer | undefined;

  /** **Errors** whatever the platform throws when there is no more memory. */
  function place(length: number): number {
    const start = free.take(length);
    if (start >= 0) return start;
    const pages = Math.max(leastPages, Math.ceil(length / pageBytes));
    free.give(memory.grow(pages) * pageBytes, pages * pageBytes);
    return free.take(length);
  }

  /** Growing leaves the old views empty. */
  function look(): typeof views {
    if (seen !== memory.buffer) {
      seen = memory.buffer;
      const { query, flags, sums, stride, rows } = scratch;
      views = {
        query: new Int16Array(seen, Math.max(0, query), stride),
        flags: new Uint8Array(seen, Math.max(0, flags), rows),
        sums: new Int32Array(seen, Math.max(0, sums), rows),
      };
    }
    return views;
  }

  return {
    simd: true,
    allocate(length) {
      const rounded = roundUp(length);
      let start: number;
      try {
        start = place(rounded);
      } catch {
        // 4 GB is all that such a memory can have, and a machine may have less: what does not fit is scanned plainly.
        return plain.allocate(length);
      }
      new Uint8Array(memory.buffer, start, rounded).fill(0);
      const region: CodeRegion = { length, codes: () => new Int8Array(memory.buffer, start, length) };
      placed.set(region, start);
      lost.register(region, [start, rounded], region);
      return region;
    },
    free(region) {
      const start = placed.get(region);
      if (start === undefined) return;
      placed.delete(region);
      lost.unregister(region);
      free.give(start, roundUp(region.length));
    },
    reserve(stride, rows) {
      if (stride <= scratch.stride && rows <= scratch.rows) return;
      const before = scratch;
      const wide = Math.max(stride, before.stride);
      const long = Math.max(roundUp(rows), before.rows);
      scratch = {
        stride: wide,
        rows: long,
        query: place(roundUp(2 * wide)),
        flags: place(long),
        sums: place(4 * long),
      };
      seen = undefined;
      if (before.rows === 0) return;
      free.give(before.query, roundUp(2 * before.stride));
      free.give(before.flags, before.rows);
      free.give(before.sums, 4 * before.rows);
    },
    get query() {
      return look().query;
    },
    get flags() {
      return look().flags;
    },
    get sums() {
      return look().sums;
    },
    scan(region, stride, from, rows) {
      const start = placed.get(region);
      const { query, flags, sums } = scratch;
      if (start !== undefined) {
        scan(start + from * stride, stride, rows, flags + from, query, sums + 4 * from);
        return;
      }
      scanPlainly(region.codes(), stride, from, rows, look());
    },
  };
}

/** The same in plain JavaScript. */
export function createPlainMemory(): CodeMemory {
  let query = new Int16Array(0);
  let flags = new Uint8Array(0);
  let sums = new Int32Array(0);
  return {
    simd: false,
    allocate(length) {
      const codes = new Int8Array(length);
      return { length, codes: () => codes };
    },
    free() {},
    reserve(stride, rows) {
      if (stride > query.length) query = new Int16Array(stride);
      if (rows > flags.length) flags = new Uint8Array(rows);
      if (rows > sums.length) sums = new Int32Array(rows);
    },
    get query() {
      return query;
    },
    get flags() {
      return flags;
    },
    get sums() {
      return sums;
    },
    scan(region, stride, from, rows) {
      scanPlainly(region.codes(), stride, from, rows, { query, flags, sums });
    },
  };
}

function scanPlainly(
  codes: Int8Array,
  stride: number,
  from: number,
  rows: number,
  { query, flags, sums }: Pick<CodeMemory, "query" | "flags" | "sums">,
): void {
  for (let row = from; row < from + rows; row++) {
    if (flags[row] !== 0) sums[row] = dotCodes(codes, row * stride, query, stride);
  }
}

function roundUp(length: number): number {
  return Math.max(lineBytes, Math.ceil(length / lineBytes) * lineBytes);
}

let shared: CodeMemory | undefined;

/** This process's code memory, made when first asked for. */
export function codeMemory(): CodeMemory {
  return (shared ??= createSimdMemory() ?? createPlainMemory());
}
