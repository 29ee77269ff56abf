import { strideOf } from "../kernels/code-layout.ts";
import { codeMemory } from "../kernels/code-memory.ts";
import type { CodedRows, CodeTable } from "../kernels/code-table.ts";
import { norm } from "../../runtime/dot.ts";
import { quantize } from "../kernels/quantize.ts";

/** Dense coordinates as they are kept: 32-bit floats, or bytes when they came as bytes. */
export type DenseVector = Float32Array | Int8Array;

/** In which of the two a column keeps its rows. */
export type DenseForm = "float32" | "int8";

export function formOf(dense: DenseVector): DenseForm {
  return dense instanceof Int8Array ? "int8" : "float32";
}

/** The dense part of a column. */
export interface DenseRows {
  readonly dimensions: number;
  /** Codes for the first pass, see `certified-scan.ts`: row `r` of the table is row `r`. */
  codes(): CodeTable;
  /** Whether {@link codes} hold only until others are read. */
  readonly isPassed?: true;
  /** Makes {@link codes} ready in pieces of a megabyte or less. Absent where they are in memory. */
  load?(): Iterable<undefined>;
  /** Where the row's coordinates are: in `block(row)` from `start(row)` on. Holds until the next call. */
  block(row: number): Float32Array;
  start(row: number): number;
  /** The row's Euclidean length. */
  norm(row: number): number;
  /** The row as it was given; a view or a copy. */
  vector(row: number): DenseVector;
  /** Whether {@link block} reads the row from a file now, or may have to fetch it. Absent where none is, or where {@link codes} do not last. */
  isRead?(row: number): boolean;
  /** Says which rows are read next, so that a source that fetches them fetches them together. Absent where they are at hand. */
  expect?(rows: Iterable<number>): void;
  /** Every row as it was given, read from front to back and not kept. Absent where {@link vector} reads nothing. */
  each?(): Iterable<DenseVector>;
}

/** The largest code of a row. -128 is left to vectors that are bytes themselves. */
const largestCode = 127;

/** Writes one row. Bytes are their own codes, with a step of 1 and nothing left out. **Shape** padding must be 0 already. */
export function writeRow(
  dense: DenseVector,
  row: number,
  { codes, stride, norms, slopes, residuals }: CodedRows,
): void {
  const at = row * stride;
  if (dense instanceof Int8Array) {
    codes.set(dense, at);
    const values = new Float32Array(dense);
    const length = norm(values, 0, values.length);
    norms[row] = length;
    slopes[row] = length === 0 ? 0 : 1 / length;
    residuals[row] = 0;
    return;
  }
  const { step, residual } = quantize(dense, 0, dense.length, largestCode, codes, at);
  const length = norm(dense, 0, dense.length);
  norms[row] = length;
  slopes[row] = length === 0 ? 0 : step / length;
  residuals[row] = length === 0 ? 0 : (residual / length) * roundedUp;
}

/** Above what rounding to 32 bits can take away. */
const roundedUp = 1 + 2 ** -20;

/** Dense rows in memory that others can be added to. */
export interface GrowingRows extends DenseRows {
  add(dense: DenseVector): void;
}

/**
 * **Cost** codes are made at the first use, and again when the number of rows has doubled. So a run of writes costs no
 * more than a copy.
 */
export function createGrowingRows(dimensions: number, form: DenseForm): GrowingRows {
  const stride = strideOf(dimensions);
  const memory = codeMemory();
  const scratch = new Float32Array(form === "int8" ? dimensions : 0);
  let rows = 0;
  let values: DenseVector = form === "int8" ? new Int8Array(0) : new Float32Array(0);
  let capacity = 0;
  let coded = 0;
  let table: CodeTable | undefined;

  const view = (row: number): DenseVector => values.subarray(row * dimensions, (row + 1) * dimensions);

  function makeRoom(): CodeTable {
    if (table !== undefined && rows <= table.rows) return table;
    const grown = memory.allocate(stride, capacity);
    // The padding of rows must be 0.
    grown.write(0, ({ codes }) => codes.fill(0));
    if (table !== undefined) memory.free(table);
    coded = 0;
    return (table = grown);
  }

  function codes(): CodeTable {
    const room = makeRoom();
    if (coded === rows) return room;
    room.write(coded, (coding) => {
      for (let row = coded; row < rows; row++) writeRow(view(row), row - coded, coding);
    });
    coded = rows;
    return room;
  }

  return {
    dimensions,
    add(dense) {
      if (rows === capacity) {
        capacity = Math.max(16, capacity * 2);
        const grown = form === "int8" ? new Int8Array(capacity * dimensions) : new Float32Array(capacity * dimensions);
        grown.set(values);
        values = grown;
      }
      values.set(dense, rows++ * dimensions);
    },
    codes,
    norm: (row) => codes().norm(row),
    block(row) {
      if (values instanceof Float32Array) return values;
      scratch.set(view(row));
      return scratch;
    },
    start: (row) => (form === "int8" ? 0 : row * dimensions),
    vector: view,
  };
}
