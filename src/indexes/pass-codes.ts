import { codeMemory, type CodeTable } from "../kernels/code-memory.ts";
import type { DenseRows } from "./dense-rows.ts";
import type { ReadBytes, VectorColumn } from "./segment.ts";

/** Codes of one stretch: long enough that reading is one call or two, short enough to stay in the processor's cache until it is scanned. */
const stretchBytes = 1 << 20;

/** Where the last stretch was looked at: one for all columns, since a search looks at one after the other. */
let table: CodeTable | undefined;

/** The same memory, but another table: nobody who knows the last one must take this for it. */
function nextTable(stride: number, rows: number): CodeTable {
  const memory = codeMemory();
  if (table !== undefined) memory.free(table);
  return (table = memory.allocate(stride, rows));
}

/**
 * A column in stretches, each a column of its own over some of its rows. The codes of a stretch are read when they are asked for, into the same place as those
 * of the stretch before: they hold until the next one's are.
 *
 * What reading codes costs a process is less the reading than the memory that they are put into, which the system must hand out page by page.
 *
 * **Shape** `undefined` where the column is no longer than one stretch. Rows and their scores are the column's own.
 * **Cost** the codes are read, a few calls a stretch; nothing is kept.
 */
export function passCodes(column: VectorColumn, stride: number, bytes: ReadBytes): readonly VectorColumn[] | undefined {
  const { rows } = column;
  const length = Math.max(1, Math.floor(stretchBytes / stride));
  if (rows <= length) return undefined;
  const stretches: VectorColumn[] = [];
  for (let from = 0; from < rows; from += length) {
    const count = Math.min(length, rows - from);
    const own = rowsFrom(column.dense()!, from, () => readStretch(stride, rows, from, count, bytes));
    stretches.push({
      version: column.version,
      kind: column.kind,
      form: column.form,
      dimensions: column.dimensions,
      rows: count,
      ordinals: column.ordinals.subarray(from, from + count),
      dense: () => own,
      sparse: () => undefined,
    });
  }
  return stretches;
}

function rowsFrom(whole: DenseRows, from: number, codes: () => CodeTable): DenseRows {
  return {
    dimensions: whole.dimensions,
    codes,
    block: (row) => whole.block(from + row),
    start: (row) => whole.start(from + row),
    norm: (row) => whole.norm(from + row),
    vector: (row) => whole.vector(from + row),
  };
}

/** The file holds what a table of all rows would: codes, then norms, slopes and residuals. */
function readStretch(stride: number, rows: number, from: number, count: number, bytes: ReadBytes): CodeTable {
  const place = nextTable(stride, count);
  const norms = stride * rows;
  const slopes = norms + 8 * rows;
  const residuals = slopes + 4 * rows;
  bytes(bytesOf(place.codes(), stride * count), stride * from);
  bytes(bytesOf(place.norms(), 8 * count), norms + 8 * from);
  bytes(bytesOf(place.slopes(), 4 * count), slopes + 4 * from);
  bytes(bytesOf(place.residuals(), 4 * count), residuals + 4 * from);
  return place;
}

function bytesOf({ buffer, byteOffset }: Int8Array | Float32Array | Float64Array, length: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
