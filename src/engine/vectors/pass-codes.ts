import { codeMemory } from "../kernels/code-memory.ts";
import type { CodeTable } from "../kernels/code-table.ts";
import type { DenseRows } from "./dense-rows.ts";
import type { ReadBytes, VectorColumn } from "../segments/segment.ts";

/** Codes of one stretch: long enough that reading is one call or two, short enough to stay in the processor's cache until it is scanned. */
const usualStretchBytes = 1 << 20;

/** Where the last stretch was looked at: one for all columns, since a search looks at one after the other. */
let table: CodeTable | undefined;

/** The same memory, but another table: nobody who knows the last one must take this for it. */
function nextTable(stride: number, rows: number): CodeTable {
  const memory = codeMemory();
  if (table !== undefined) memory.free(table);
  return (table = memory.allocate(stride, rows));
}

/** Bounds of the scores of a column's rows, by row; see `CodedRows`. */
export interface RowBounds {
  readonly norms: Float64Array;
  readonly slopes: Float32Array;
  readonly residuals: Float32Array;
}

/** Behind the codes in a file: the norms of all rows, then their slopes, then their residuals, as in a table. */
export function readBounds(stride: number, rows: number, bytes: ReadBytes): RowBounds {
  const { buffer } = new Float64Array(2 * rows);
  bytes(new Uint8Array(buffer), stride * rows);
  return {
    norms: new Float64Array(buffer, 0, rows),
    slopes: new Float32Array(buffer, 8 * rows, rows),
    residuals: new Float32Array(buffer, 12 * rows, rows),
  };
}

/** Source of the stretches of a column. */
export interface PassedCodes {
  readonly stride: number;
  readonly bytes: ReadBytes;
  readonly bounds: RowBounds;
}

/**
 * Reads a column in stretches, each a column of its own over some of its rows. The codes of a stretch overwrite those of the one before, and
 * hold until the next is read.
 *
 * Reading codes costs a process less than the memory that they fill, which the system must hand out page by page.
 *
 * **Shape** rows and their scores are the column's own. **Cost** each code is read once and moved once; nothing is kept.
 */
export function passCodes(
  column: VectorColumn,
  passed: PassedCodes,
  stretchBytes = usualStretchBytes,
): readonly VectorColumn[] {
  const { rows } = column;
  const length = rowsPerStretch(passed.stride, stretchBytes);
  const stretches: VectorColumn[] = [];
  for (let from = 0; from < rows; from += length) {
    const count = Math.min(length, rows - from);
    const own = rowsFrom(column.dense()!, from, () => readStretch(passed, from, count));
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

/** How many rows a stretch has; a column with no more is as soon kept. */
export function rowsPerStretch(stride: number, stretchBytes = usualStretchBytes): number {
  return Math.max(1, Math.floor(stretchBytes / stride));
}

function rowsFrom(whole: DenseRows, from: number, codes: () => CodeTable): DenseRows {
  return {
    dimensions: whole.dimensions,
    codes,
    isPassed: true,
    block: (row) => whole.block(from + row),
    start: (row) => whole.start(from + row),
    norm: (row) => whole.norm(from + row),
    vector: (row) => whole.vector(from + row),
  };
}

function readStretch({ stride, bytes, bounds }: PassedCodes, from: number, count: number): CodeTable {
  const place = nextTable(stride, count);
  place.write(0, ({ codes, norms, slopes, residuals }) => {
    bytes(new Uint8Array(codes.buffer, codes.byteOffset, codes.length), stride * from);
    norms.set(bounds.norms.subarray(from, from + count));
    slopes.set(bounds.slopes.subarray(from, from + count));
    residuals.set(bounds.residuals.subarray(from, from + count));
  });
  return place;
}
