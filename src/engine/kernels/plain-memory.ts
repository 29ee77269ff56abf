import {
  copyRow,
  layScratch,
  type Scratch,
  tableBytes,
  type TableViews,
  viewScratch,
  viewTable,
} from "./code-layout.ts";
import {
  type CodeBounds,
  type CodeMemory,
  type CodeTable,
  createCodeTable,
  misused,
  type TablePlace,
} from "./code-table.ts";
import { dotCodes } from "./dot-codes.ts";

/** Codes and their scan in plain JavaScript. */
export function createPlainMemory(): CodeMemory {
  let place = { stride: 0, rows: 0 };
  let scratch = viewScratch(new ArrayBuffer(layScratch(0, 0).length), 0, 0, 0);
  const places = new WeakMap<CodeTable, TablePlace>();
  return {
    simd: "none",
    bytes: 0,
    allocate(stride, rows) {
      const place = createPlainPlace(stride, rows);
      const table = createCodeTable(place);
      places.set(table, place);
      return table;
    },
    free(table) {
      const place = places.get(table);
      if (place !== undefined) place.isFree = true;
    },
    weave: (table) => void heldPlace(places.get(table)),
    reserve(stride, rows) {
      if (stride <= place.stride && rows <= place.rows) return;
      place = { stride: Math.max(stride, place.stride), rows: Math.max(rows, place.rows) };
      const buffer = new ArrayBuffer(layScratch(place.stride, place.rows).length);
      scratch = viewScratch(buffer, 0, place.stride, place.rows);
    },
    get query() {
      return scratch.query;
    },
    get digits() {
      return scratch.digits;
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
    get uppers() {
      return scratch.uppers;
    },
    scan: (table, from, rows, bounds) => scanPlainly(heldPlace(places.get(table)), from, rows, bounds, scratch),
  };
}

/** A place in an array of its own. */
export function createPlainPlace(stride: number, rows: number): TablePlace {
  const views = viewTable(new ArrayBuffer(tableBytes(stride, rows)), 0, stride, rows);
  return { stride, rows, views: () => views, woven: 0, isFree: false };
}

/** **Errors** `internal` for a table that is freed, or another memory's. */
export function heldPlace<Place extends Pick<TablePlace, "isFree">>(place: Place | undefined): Place {
  if (place === undefined || place.isFree) throw misused("A table of codes is scanned that its memory does not hold.");
  return place;
}

/** The reference of `scan-codes.wat`, and the scan where that cannot run. */
export function scanPlainly(
  place: TablePlace,
  from: number,
  rows: number,
  bounds: CodeBounds,
  scratch: Scratch,
): number {
  const { query, found, sums } = scratch;
  const count = listFlagged(from, from + rows, 0, scratch);
  const { stride } = place;
  const views = place.views();
  const copied = new Int8Array(stride);
  for (let at = 0; at < count; at++) {
    const row = found[at]!;
    sums[at] =
      row < place.woven
        ? dotCodes(copyRow(views.codes, row, stride, place.woven, copied), 0, query, stride)
        : dotCodes(views.codes, row * stride, query, stride);
  }
  return boundListed(views, from, count, bounds, scratch);
}

/** Lists the rows that have a flag, after the `count` that are listed. **Shape** how many there are then. */
export function listFlagged(from: number, until: number, count: number, { flags, found }: Scratch): number {
  let listed = count;
  for (let row = from; row < until; row++) {
    if (flags[row] !== 0) found[listed++] = row;
  }
  return listed;
}

/** Leaves of the listed rows those whose upper bound by their sum is not below the bound. **Shape** how many; `first` is the row of the first upper bound. */
export function boundListed(
  { norms, slopes, residuals }: TableViews,
  first: number,
  listed: number,
  { fine: { tau, more, margin }, scaled, shrink, bound }: CodeBounds,
  { found, sums, middles, reaches, uppers }: Scratch,
): number {
  let count = 0;
  for (let at = 0; at < listed; at++) {
    const row = found[at]!;
    const middle = slopes[row]! * (tau * sums[at]!);
    const reach = residuals[row]! * more + margin;
    let upper = middle + reach;
    if (scaled) upper = norms[row]! * upper - norms[row]! * norms[row]! * shrink;
    uppers[row - first] = upper;
    if (upper < bound) continue;
    found[count] = row;
    middles[count] = middle;
    reaches[count++] = reach;
  }
  return count;
}
