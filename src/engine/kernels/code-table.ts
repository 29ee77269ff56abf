import { IbidError } from "../../contracts/errors.ts";
import { copyRow, type RowSums, sumRow, type TableViews } from "./code-layout.ts";

/** Rows of codes that are written, and the bounds of their scores: views that hold as long as the work that gets them. */
export interface CodedRows {
  /** Rows end to end. */
  readonly codes: Int8Array;
  readonly stride: number;
  /** By row: its Euclidean length. */
  readonly norms: Float64Array;
  /** By row: the worth of one step of a code in the direction of the row, a vector of length 1. 0 for a zero row. */
  readonly slopes: Float32Array;
  /** By row: how much of the row the codes leave out, as a share of its length; rounded up. */
  readonly residuals: Float32Array;
}

/**
 * Rows of 8-bit codes with the bounds of their scores, in the scan's memory. The memory is freed when no holder of the table remains.
 *
 * Rows that are woven lie in another order, and views of the memory are empty once it grows. So views are handed out for writing alone, for rows that are not
 * woven, and for the time of one call. Everything that is read is a copy.
 *
 * **Errors** `internal` for a table that was freed; for a woven row that would be written; for a memory that grew while it was written.
 */
export interface CodeTable {
  /** Codes per row, padding included. */
  readonly stride: number;
  /** How many there is room for. */
  readonly rows: number;
  /** Gives all bytes to be written, as a file holds them: rows end to end, then norms, slopes and residuals. */
  fill(work: (bytes: Uint8Array) => void): void;
  /** Gives the rows from `from` on to be written. **Shape** row 0 of what is given is row `from` of the table. */
  write(from: number, work: (rows: CodedRows) => void): void;
  /** A copy of a row's codes, in order. */
  row(row: number): Int8Array;
  /** The same into an array of at least {@link stride} numbers, for loops over rows: nothing is allocated. */
  copyRow(row: number, target: Float32Array): void;
  /** The Euclidean length of a row. */
  norm(row: number): number;
  /** **Cost** reads the row. */
  sums(row: number, query: Int16Array): RowSums;
  /** As {@link CodedRows.residuals}. */
  residual(row: number): number;
  /** As {@link CodedRows.slopes}. */
  slope(row: number): number;
}

/** Where a table lies, as its memory alone knows it. */
export interface TablePlace {
  readonly stride: number;
  readonly rows: number;
  /** The same arrays as long as they hold. */
  readonly views: () => TableViews;
  /** How many rows are woven. */
  woven: number;
  isFree: boolean;
}

export function createCodeTable(place: TablePlace): CodeTable {
  const { stride, rows } = place;
  function look(): TableViews {
    if (place.isFree) throw misused("A table of codes is used after it was freed.");
    return place.views();
  }
  function write(from: number, work: (views: TableViews) => void): void {
    const views = look();
    if (from < place.woven) throw misused(`Row ${from} of a table of codes is woven, and cannot be written.`);
    work(views);
    if (look() !== views) throw misused("The memory of codes grew while a table was written.");
  }
  return {
    stride,
    rows,
    fill: (work) => write(0, ({ bytes }) => work(bytes)),
    write: (from, work) =>
      write(from, ({ codes, norms, slopes, residuals }) =>
        work({
          stride,
          codes: codes.subarray(from * stride),
          norms: norms.subarray(from),
          slopes: slopes.subarray(from),
          residuals: residuals.subarray(from),
        }),
      ),
    row: (row) => copyRow(look().codes, row, stride, place.woven, new Int8Array(stride)),
    copyRow: (row, target) => void copyRow(look().codes, row, stride, place.woven, target),
    norm: (row) => look().norms[row]!,
    sums: (row, query) => sumRow(look().codes, row, stride, place.woven, query),
    residual: (row) => look().residuals[row]!,
    slope: (row) => look().slopes[row]!,
  };
}

/** **Errors** `internal`: the engine holds a table wrongly, and a score would be wrong in silence. */
export function misused(message: string): IbidError {
  return new IbidError("internal", message, { hint: "Report it with the stack; a search again makes a new table." });
}

/** Factors from the sum of a row to a middle and a reach: see {@link CodeMemory.scan}. */
export interface SumBounds {
  readonly tau: number;
  readonly more: number;
  readonly margin: number;
}

/** Factors from the sums of a row to its bounds, and the rows that are found. */
export interface CodeBounds {
  /** For the query's digits. */
  readonly coarse: SumBounds;
  /** For the query itself. */
  readonly fine: SumBounds;
  /** Whether the upper bound is taken times the norm, less `shrink` times its square. */
  readonly scaled: boolean;
  readonly shrink: number;
  readonly bound: number;
}

/** Where 8-bit codes are kept and scanned: one for the whole process, like the heap. Everything is synchronous. */
export interface CodeMemory {
  /** On which SIMD instructions scans run. With relaxed ones rows are looked at by the query's digits first; what is found is bounded alike. */
  readonly simd: "none" | "plain" | "relaxed";
  /** Bytes of the tables in it. 0 in plain JavaScript, whose tables are arrays of their own. */
  readonly bytes: number;
  /** **Shape** the memory may hold old data. */
  allocate(stride: number, rows: number): CodeTable;
  free(table: CodeTable): void;
  /**
   * Marks the first `rows` rows as final, with zeros for padding, so that they can be put into the order of the fastest scan.
   *
   * **Shape** after a `reserve` for the table's stride. **Cost** linear in rows that were not woven yet: 4 to 10 ms for 100,000 of 384 codes.
   */
  weave(table: CodeTable, rows: number): void;
  /** Makes room for the query's codes, and for one flag a row. */
  reserve(stride: number, rows: number): void;
  /** The query's codes. */
  readonly query: Int16Array;
  /** The query in numbers from -63 to 63, each plus 64. */
  readonly digits: Uint8Array;
  readonly flags: Uint8Array;
  /**
   * Looks at `rows` rows of a table, from row `from` on, whose flag is not 0. With `sum` their {@link dotCodes} with the query,
   *
   *     middle = slope · (tau · sum),  reach = residual · more + margin,  upper = middle + reach
   *     (scaled: norm · (middle + reach) - norm · norm · shrink)
   *
   * and a row is found when its `upper` is not below `bound`. Those may be left out whose `upper` is below it by their sum with the digits
   * (each less 64) and the coarse bounds.
   *
   * **Shape** how many were found: their numbers, middles and reaches are in `found`, `middles` and `reaches`. The flag of a row lies at its
   * number; `from` is a multiple of four; at most {@link batchRows} rows; no sum may leave 32 bits. All is computed in 64 bits, in the order
   * that is written above.
   * **Cost** about 40 GB of codes a second on one thread with relaxed SIMD, 20 with plain.
   */
  scan(table: CodeTable, from: number, rows: number, bounds: CodeBounds): number;
  readonly found: Uint32Array;
  readonly middles: Float64Array;
  readonly reaches: Float64Array;
  /** The `upper` of each row that has a flag, by the digits or by all bits, rounded to 32 bits. **Shape** by its place among the rows that were looked at. */
  readonly uppers: Float32Array;
}
