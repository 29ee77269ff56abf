import {
  layScratch,
  layTable,
  type Scratch,
  tableBytes,
  type TableViews,
  viewScratch,
  viewTable,
} from "./code-layout.ts";
import { type CodeBounds, type CodeMemory, type CodeTable, createCodeTable, type TablePlace } from "./code-table.ts";
import { createFreeList } from "./free-list.ts";
import { boundListed, createPlainPlace, heldPlace, listFlagged, scanPlainly } from "./plain-memory.ts";
import { scanCodesModule } from "./scan-codes-module.ts";
import { siftCodesModule } from "./sift-codes-module.ts";

const pageBytes = 65_536;
/** Stretches start on multiples of a cache line. */
const lineBytes = 64;
/** Memory is asked for in steps of this size at least, since every step makes the views anew. */
const leastPages = 16;

type Exports = WebAssembly.Instance["exports"];
type Kernel = (...args: number[]) => number;
type SiftKernels = Readonly<Record<"weave" | "sift" | "sum", Kernel>>;

/** **Errors** whatever the platform throws that does not know an instruction, or forbids all (a content security policy may). */
function instantiate(module: string, imports?: ConstructorParameters<typeof WebAssembly.Instance>[1]): Exports {
  const bytes = Uint8Array.from(atob(module), (character) => character.charCodeAt(0));
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports;
}

/** A place in this memory; `start` is absent where it is an array of its own. */
interface Placed extends TablePlace {
  readonly start?: number;
}

/** The scan on SIMD instructions, and on the relaxed ones where there are any; `undefined` where there are none at all. */
export function createSimdMemory(): CodeMemory | undefined {
  let scanning: Exports;
  let sifting: SiftKernels | undefined;
  try {
    scanning = instantiate(scanCodesModule);
  } catch {
    return undefined;
  }
  try {
    sifting = instantiate(siftCodesModule, { codes: { memory: scanning["memory"]! } }) as unknown as SiftKernels;
  } catch {
    // Then every row is looked at by all the bits of the query.
  }
  const memory = scanning["memory"] as WebAssembly.Memory;
  const sum = scanning["sum"] as Kernel;
  const bound = scanning["bound"] as Kernel;
  const free = createFreeList();
  const placed = new WeakMap<CodeTable, Placed>();
  /** Bytes of tables that nobody gave back yet. */
  let held = 0;
  const lost = new FinalizationRegistry<readonly [number, number]>(([start, length]) => giveBack(start, length));
  free.give(0, memory.buffer.byteLength);

  /** Growing leaves the old views empty; this says that it happened. */
  let grown = 0;
  /** Where the scratch lies; in an array of its own without a `start`. */
  let place: { readonly start: number | undefined; readonly stride: number; readonly rows: number } = {
    start: undefined,
    stride: 0,
    rows: 0,
  };
  let scratch: Scratch | undefined;
  let seen = -1;

  /** **Shape** `undefined` where there is no more: 4 GB is all that such a memory can have, and a machine may have less. The scan is plain then. */
  function take(length: number): number | undefined {
    const start = free.take(length);
    if (start >= 0) return start;
    const pages = Math.max(leastPages, Math.ceil(length / pageBytes));
    try {
      free.give(memory.grow(pages) * pageBytes, pages * pageBytes);
    } catch {
      return undefined;
    }
    grown++;
    return free.take(length);
  }

  function look(): Scratch {
    if (scratch === undefined || (seen !== grown && place.start !== undefined)) {
      scratch = viewScratch(memory.buffer, place.start ?? 0, place.stride, place.rows);
      seen = grown;
    }
    return scratch;
  }

  /** Room for the scratch. Where there is none, an array of its own is enough until some is given back. */
  function makeRoom(stride: number, rows: number): void {
    const next = { stride: Math.max(stride, place.stride), rows: Math.max(rows, place.rows) };
    const { length } = layScratch(next.stride, next.rows);
    const start = take(roundUp(length));
    const fits = scratch !== undefined && next.stride === place.stride && next.rows === place.rows;
    if (start === undefined && fits) return;
    if (place.start !== undefined) free.give(place.start, roundUp(layScratch(place.stride, place.rows).length));
    place = { ...next, start };
    scratch = viewScratch(
      start === undefined ? new ArrayBuffer(length) : memory.buffer,
      start ?? 0,
      next.stride,
      next.rows,
    );
    seen = grown;
  }

  function giveBack(start: number, length: number): void {
    free.give(start, length);
    held -= length;
  }

  function allocate(stride: number, rows: number): CodeTable {
    const length = spanOf(stride, rows);
    const start = take(length);
    const place: Placed = start === undefined ? createPlainPlace(stride, rows) : createPlace(start, stride, rows);
    const table = createCodeTable(place);
    placed.set(table, place);
    if (start !== undefined) {
      held += length;
      lost.register(table, [start, length], table);
    }
    return table;
  }

  function createPlace(start: number, stride: number, rows: number): Placed {
    let views: TableViews | undefined;
    let viewed = -1;
    const view = (): TableViews => {
      if (views === undefined || viewed !== grown) {
        views = viewTable(memory.buffer, start, stride, rows);
        viewed = grown;
      }
      return views;
    };
    return { start, stride, rows, views: view, woven: 0, isFree: false };
  }

  /** By all the bits of the query. */
  function scanWhole(
    scratchStart: number,
    start: number,
    own: Placed,
    from: number,
    rows: number,
    bounds: CodeBounds,
  ): number {
    const { stride } = own;
    const { query, flags, found, sums, middles, uppers } = layScratch(place.stride, place.rows);
    const { norms, slopes, residuals } = layTable(start, stride, own.rows);
    const { tau, more, margin } = bounds.fine;
    const flag = scratchStart + flags + from;
    sum(start + from * stride, stride, rows, flag, scratchStart + query, scratchStart + sums);
    const behind = bound(
      from,
      rows,
      flag,
      scratchStart + sums,
      slopes + 4 * from,
      residuals + 4 * from,
      norms + 8 * from,
      bounds.scaled ? 1 : 0,
      tau,
      more,
      margin,
      bounds.shrink,
      bounds.bound,
      scratchStart + found,
      scratchStart + middles,
      scratchStart,
      scratchStart + uppers,
    );
    return (behind - scratchStart - found) >> 2;
  }

  /** By the digits, and what they leave by all the bits; so are the last rows that make no four. */
  function scanWoven(
    kernels: SiftKernels,
    scratchStart: number,
    start: number,
    own: Placed,
    from: number,
    rows: number,
    bounds: CodeBounds,
  ): number {
    const { stride, woven } = own;
    const { query, digits, flags, found, sums, uppers } = layScratch(place.stride, place.rows);
    const { norms, slopes, residuals, end: biases } = layTable(start, stride, own.rows);
    const { tau, more, margin } = bounds.coarse;
    const last = from + rows;
    const until = Math.min(last - (last % 4), woven);
    const behind = kernels.sift(
      from,
      until,
      scratchStart + flags + from,
      start + from * stride,
      stride,
      scratchStart + digits,
      biases + 4 * from,
      slopes + 4 * from,
      residuals + 4 * from,
      norms + 8 * from,
      bounds.scaled ? 1 : 0,
      tau,
      more,
      margin,
      bounds.shrink,
      bounds.bound,
      scratchStart + found,
      scratchStart + uppers,
    );
    const sifted = (behind - scratchStart - found) >> 2;
    const count = listFlagged(until, last, sifted, look());
    if (count === 0) return 0;
    kernels.sum(scratchStart + found, count, start, stride, woven, scratchStart + query, scratchStart + sums);
    return boundListed(own.views(), from, count, bounds, look());
  }

  return {
    simd: sifting === undefined ? "plain" : "relaxed",
    get bytes() {
      return held;
    },
    allocate,
    free(table) {
      const own = placed.get(table);
      if (own === undefined || own.isFree) return;
      own.isFree = true;
      if (own.start === undefined) return;
      lost.unregister(table);
      giveBack(own.start, spanOf(own.stride, own.rows));
    },
    weave(table, rows) {
      const own = heldPlace(placed.get(table));
      const until = rows - (rows % 4);
      const { start, stride, woven } = own;
      if (start === undefined || place.start === undefined || sifting === undefined || until <= woven) return;
      const biases = layTable(start, stride, own.rows).end + 4 * woven;
      sifting.weave(
        until - woven,
        start + woven * stride,
        stride,
        place.start + layScratch(place.stride, place.rows).four,
        biases,
      );
      own.woven = until;
    },
    reserve(stride, rows) {
      if (place.start === undefined || stride > place.stride || rows > place.rows) makeRoom(stride, rows);
    },
    get query() {
      return look().query;
    },
    get digits() {
      return look().digits;
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
    get uppers() {
      return look().uppers;
    },
    scan(table, from, rows, bounds) {
      const own = heldPlace(placed.get(table));
      const { start } = own;
      if (start === undefined || place.start === undefined) return scanPlainly(own, from, rows, bounds, look());
      return sifting === undefined || own.woven <= from
        ? scanWhole(place.start, start, own, from, rows, bounds)
        : scanWoven(sifting, place.start, start, own, from, rows, bounds);
    },
  };
}

/** Bytes of a table, with 4 per row for the error of a woven row's digits. */
function spanOf(stride: number, rows: number): number {
  return roundUp(tableBytes(stride, rows) + 4 * rows);
}

function roundUp(length: number): number {
  return Math.max(lineBytes, Math.ceil(length / lineBytes) * lineBytes);
}
