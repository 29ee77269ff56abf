import { dotCodes } from "./dot-codes.ts";
import { createFreeList } from "./free-list.ts";
import { scanCodesModule } from "./scan-codes-module.ts";

/**
 * Rows of 8-bit codes with what bounds their scores, where the scan reads them. The memory is given back when nobody holds the table any more.
 *
 * **Shape** what the functions give are views that hold until the next `allocate` or `reserve`.
 */
export interface CodeTable {
  /** Codes per row, padding included. */
  readonly stride: number;
  /** How many there is room for. */
  readonly rows: number;
  /** All of the below, end to end. */
  bytes(): Uint8Array;
  codes(): Int8Array;
  norms(): Float64Array;
  slopes(): Float32Array;
  residuals(): Float32Array;
}

/** What turns the sum of a row into bounds, and which rows are found. */
export interface CodeBounds {
  readonly tau: number;
  readonly more: number;
  readonly margin: number;
  /** Whether the upper bound is taken times the norm, less `shrink` times its square. */
  readonly scaled: boolean;
  readonly shrink: number;
  readonly bound: number;
}

/** Where 8-bit codes are kept and scanned: one for the whole process, like the heap. Everything is synchronous. */
export interface CodeMemory {
  /** Whether scans run on SIMD instructions. What they find is the same without. */
  readonly simd: boolean;
  /** **Shape** what lies there may be left over from before. */
  allocate(stride: number, rows: number): CodeTable;
  free(table: CodeTable): void;
  /** Makes room for the query's codes, and for one flag a row. */
  reserve(stride: number, rows: number): void;
  readonly query: Int16Array;
  readonly flags: Uint8Array;
  /**
   * Looks at `rows` rows of a table, from row `from` on, whose flag is not 0. With `sum` their {@link dotCodes} with the query,
   *
   *     middle = slope · (tau · sum),  reach = residual · more + margin,  upper = middle + reach
   *     (scaled: norm · (middle + reach) - norm · norm · shrink)
   *
   * and a row is found when its `upper` is not below `bound`.
   *
   * **Shape** how many were found: their numbers, middles and reaches are in `found`, `middles` and `reaches`. The flag of a row lies at its
   * number; at most {@link batchRows} rows; no sum may leave 32 bits. All is computed in 64 bits, in the order that is written above.
   * **Cost** about 20 GB of codes a second on one thread with SIMD.
   */
  scan(table: CodeTable, from: number, rows: number, bounds: CodeBounds): number;
  readonly found: Uint32Array;
  readonly middles: Float64Array;
  readonly reaches: Float64Array;
}

/** How many rows one call of `scan` takes. */
export const batchRows = 2048;

/** Rows are padded with zeros to a multiple of this many codes. */
const strideStep = 32;

export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / strideStep) * strideStep;
}

/** Bytes of norm, slope and residual. */
const boundBytes = 16;

/** The views of a table that starts there. */
function viewTable(buffer: ArrayBuffer, start: number, stride: number, rows: number) {
  const norms = start + stride * rows;
  const slopes = norms + 8 * rows;
  const residuals = slopes + 4 * rows;
  return {
    bytes: new Uint8Array(buffer, start, rows * (stride + boundBytes)),
    codes: new Int8Array(buffer, start, stride * rows),
    norms: new Float64Array(buffer, norms, rows),
    slopes: new Float32Array(buffer, slopes, rows),
    residuals: new Float32Array(buffer, residuals, rows),
  };
}

type TableViews = ReturnType<typeof viewTable>;

function toTable(stride: number, rows: number, look: () => TableViews): CodeTable {
  return {
    stride,
    rows,
    bytes: () => look().bytes,
    codes: () => look().codes,
    norms: () => look().norms,
    slopes: () => look().slopes,
    residuals: () => look().residuals,
  };
}

interface Scratch {
  readonly query: Int16Array;
  readonly flags: Uint8Array;
  readonly found: Uint32Array;
  readonly middles: Float64Array;
  readonly reaches: Float64Array;
}

/** The scratch's bytes: reaches, middles, found, sums, query, flags. **Shape** where each starts, after the start of all. */
function layScratch(stride: number, rows: number) {
  const found = 16 * batchRows;
  const sums = found + 4 * batchRows;
  const query = sums + 4 * batchRows;
  const flags = query + 2 * stride;
  return { middles: 8 * batchRows, found, sums, query, flags, length: flags + rows };
}

function viewScratch(buffer: ArrayBuffer, start: number, stride: number, rows: number): Scratch {
  const { middles, found, query, flags } = layScratch(stride, rows);
  return {
    reaches: new Float64Array(buffer, start, batchRows),
    middles: new Float64Array(buffer, start + middles, batchRows),
    found: new Uint32Array(buffer, start + found, batchRows),
    query: new Int16Array(buffer, start + query, stride),
    flags: new Uint8Array(buffer, start + flags, rows),
  };
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
  const sum = instance.exports["sum"] as (...args: number[]) => void;
  const bound = instance.exports["bound"] as (...args: number[]) => number;
  const plain = createPlainMemory();
  const free = createFreeList();
  const placed = new WeakMap<CodeTable, number>();
  const lost = new FinalizationRegistry<readonly [number, number]>(([start, length]) => free.give(start, length));
  free.give(0, memory.buffer.byteLength);

  /** Growing leaves the old views empty; this says that it happened. */
  let grown = 0;
  let place = { start: 0, stride: 0, rows: 0 };
  let scratch: Scratch | undefined;
  let seen = -1;

  /** **Errors** whatever the platform throws when there is no more memory. */
  function take(length: number): number {
    const start = free.take(length);
    if (start >= 0) return start;
    const pages = Math.max(leastPages, Math.ceil(length / pageBytes));
    free.give(memory.grow(pages) * pageBytes, pages * pageBytes);
    grown++;
    return free.take(length);
  }

  function look(): Scratch {
    if (scratch === undefined || seen !== grown) {
      scratch = viewScratch(memory.buffer, place.start, place.stride, place.rows);
      seen = grown;
    }
    return scratch;
  }

  function makeRoom(stride: number, rows: number): void {
    const next = { stride: Math.max(stride, place.stride), rows: Math.max(rows, place.rows) };
    const start = take(roundUp(layScratch(next.stride, next.rows).length));
    if (scratch !== undefined) free.give(place.start, roundUp(layScratch(place.stride, place.rows).length));
    place = { ...next, start };
    scratch = undefined;
  }

  return {
    simd: true,
    allocate(stride, rows) {
      const length = roundUp(rows * (stride + boundBytes));
      let start: number;
      try {
        start = take(length);
      } catch {
        // 4 GB is all that such a memory can have, and a machine may have less: what does not fit is scanned plainly.
        return plain.allocate(stride, rows);
      }
      let views: TableViews | undefined;
      let viewed = -1;
      const table = toTable(stride, rows, () => {
        if (views === undefined || viewed !== grown) {
          views = viewTable(memory.buffer, start, stride, rows);
          viewed = grown;
        }
        return views;
      });
      placed.set(table, start);
      lost.register(table, [start, length], table);
      return table;
    },
    free(table) {
      const start = placed.get(table);
      if (start === undefined) return;
      placed.delete(table);
      lost.unregister(table);
      free.give(start, roundUp(table.rows * (table.stride + boundBytes)));
    },
    reserve(stride, rows) {
      if (scratch === undefined || stride > place.stride || rows > place.rows) makeRoom(stride, rows);
    },
    get query() {
      return look().query;
    },
    get flags() {
      return look().flags;
    },
    get found() {
      return look().found;
    },
    get middles() {
      return look().middles;
    },
    get reaches() {
      return look().reaches;
    },
    scan(table, from, rows, bounds) {
      const start = placed.get(table);
      if (start === undefined) return scanPlainly(table, from, rows, bounds, look());
      const { stride } = table;
      const { query, flags, found, sums, middles } = layScratch(place.stride, place.rows);
      const norms = start + stride * table.rows;
      const slopes = norms + 8 * table.rows;
      const flag = place.start + flags + from;
      sum(start + from * stride, stride, rows, flag, place.start + query, place.start + sums);
      const behind = bound(
        from,
        rows,
        flag,
        place.start + sums,
        slopes + 4 * from,
        slopes + 4 * (table.rows + from),
        norms + 8 * from,
        bounds.scaled ? 1 : 0,
        bounds.tau,
        bounds.more,
        bounds.margin,
        bounds.shrink,
        bounds.bound,
        place.start + found,
        place.start + middles,
        place.start,
      );
      return (behind - place.start - found) >> 2;
    },
  };
}

/** The same in plain JavaScript. */
export function createPlainMemory(): CodeMemory {
  let place = { stride: 0, rows: 0 };
  let scratch = viewScratch(new ArrayBuffer(layScratch(0, 0).length), 0, 0, 0);
  return {
    simd: false,
    allocate(stride, rows) {
      const views = viewTable(new ArrayBuffer(rows * (stride + boundBytes)), 0, stride, rows);
      return toTable(stride, rows, () => views);
    },
    free() {},
    reserve(stride, rows) {
      if (stride <= place.stride && rows <= place.rows) return;
      place = { stride: Math.max(stride, place.stride), rows: Math.max(rows, place.rows) };
      const buffer = new ArrayBuffer(layScratch(place.stride, place.rows).length);
      scratch = viewScratch(buffer, 0, place.stride, place.rows);
    },
    get query() {
      return scratch.query;
    },
    get flags() {
      return scratch.flags;
    },
    get found() {
      return scratch.found;
    },
    get middles() {
      return scratch.middles;
    },
    get reaches() {
      return scratch.reaches;
    },
    scan: (table, from, rows, bounds) => scanPlainly(table, from, rows, bounds, scratch),
  };
}

/** The reference of `scan-codes.wat`, and what runs where that cannot. */
function scanPlainly(table: CodeTable, from: number, rows: number, bounds: CodeBounds, scratch: Scratch): number {
  const { tau, more, margin, scaled, shrink, bound } = bounds;
  const { query, flags, found, middles, reaches } = scratch;
  const [codes, norms, slopes, residuals] = [table.codes(), table.norms(), table.slopes(), table.residuals()];
  let count = 0;
  for (let row = from; row < from + rows; row++) {
    if (flags[row] === 0) continue;
    const middle = slopes[row]! * (tau * dotCodes(codes, row * table.stride, query, table.stride));
    const reach = residuals[row]! * more + margin;
    const norm = norms[row]!;
    const upper = scaled ? norm * (middle + reach) - norm * norm * shrink : middle + reach;
    if (upper < bound) continue;
    found[count] = row;
    middles[count] = middle;
    reaches[count++] = reach;
  }
  return count;
}

function roundUp(length: number): number {
  return Math.max(lineBytes, Math.ceil(length / lineBytes) * lineBytes);
}

let shared: CodeMemory | undefined;

/** This process's code memory, made when first asked for. */
export function codeMemory(): CodeMemory {
  return (shared ??= createSimdMemory() ?? createPlainMemory());
}
