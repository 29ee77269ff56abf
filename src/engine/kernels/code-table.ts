/**
 * Rows of 8-bit codes with the bounds of their scores, in the scan's memory. The memory is freed when no holder of the table remains.
 *
 * **Shape** the functions return views that hold until the next `allocate` or `reserve`.
 */
export interface CodeTable {
  /** Codes per row, padding included. */
  readonly stride: number;
  /** How many there is room for. */
  readonly rows: number;
  /** All of the below, end to end. */
  bytes(): Uint8Array;
  /** Rows end to end, to be written; where those lie that are woven is the memory's own affair. */
  codes(): Int8Array;
  norms(): Float64Array;
  slopes(): Float32Array;
  residuals(): Float32Array;
  /** A copy of a row's codes. */
  row(row: number): Int8Array;
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
}
