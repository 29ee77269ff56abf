/** How many rows one call of `scan` takes. */
export const batchRows = 2048;

/** Rows are padded with zeros to a multiple of this many codes. */
const strideStep = 32;

export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / strideStep) * strideStep;
}

/** Bytes of norm, slope and residual. */
const boundBytes = 16;

/** Bytes of the codes, norms, slopes and residuals of `rows` rows. */
export function tableBytes(stride: number, rows: number): number {
  return rows * (stride + boundBytes);
}

/** Where the parts of a table lie that starts there, after its codes. */
export function layTable(start: number, stride: number, rows: number) {
  const norms = start + stride * rows;
  const slopes = norms + 8 * rows;
  const residuals = slopes + 4 * rows;
  return { norms, slopes, residuals, end: start + tableBytes(stride, rows) };
}

export function viewTable(buffer: ArrayBuffer, start: number, stride: number, rows: number) {
  const { norms, slopes, residuals } = layTable(start, stride, rows);
  return {
    bytes: new Uint8Array(buffer, start, tableBytes(stride, rows)),
    codes: new Int8Array(buffer, start, stride * rows),
    norms: new Float64Array(buffer, norms, rows),
    slopes: new Float32Array(buffer, slopes, rows),
    residuals: new Float32Array(buffer, residuals, rows),
  };
}

export type TableViews = ReturnType<typeof viewTable>;

/** Where the first 16 codes of a row stand, and how far on the next 16. sift-codes.wat weaves rows. */
function piecesOf(row: number, stride: number, woven: number): readonly [at: number, step: number] {
  return row < woven ? [(row - (row % 4)) * stride + (row % 4) * 16, 64] : [row * stride, 16];
}

/** Copies a row's codes in order, whether it is among the `woven` ones or not. */
export function copyRow<Copy extends Int8Array | Float32Array>(
  codes: Int8Array,
  row: number,
  stride: number,
  woven: number,
  copied: Copy,
): Copy {
  const [first, step] = piecesOf(row, stride, woven);
  for (let to = 0, at = first; to < stride; to += 16, at += step) {
    for (let i = 0; i < 16; i++) copied[to + i] = codes[at + i]!;
  }
  return copied;
}

/** Sums over the codes of a row. **Shape** whole, and exact. */
export interface RowSums {
  /** Sum of the products with a query's codes. */
  readonly product: number;
  /** Sum of the squares. */
  readonly squares: number;
}

export function sumRow(codes: Int8Array, row: number, stride: number, woven: number, query: Int16Array): RowSums {
  const [first, step] = piecesOf(row, stride, woven);
  let product = 0;
  let squares = 0;
  for (let from = 0, at = first; from < stride; from += 16, at += step) {
    let [products, own] = [0, 0];
    for (let i = 0; i < 16; i++) {
      const code = codes[at + i]!;
      products += code * query[from + i]!;
      own += code * code;
    }
    product += products;
    squares += own;
  }
  return { product, squares };
}

/** Buffers of a search beside the tables. */
export interface Scratch {
  readonly query: Int16Array;
  readonly digits: Uint8Array;
  readonly flags: Uint8Array;
  readonly found: Uint32Array;
  readonly sums: Int32Array;
  readonly uppers: Float32Array;
  readonly middles: Float64Array;
  readonly reaches: Float64Array;
}

/** The scratch's bytes: reaches, middles, found, sums, uppers, query, room for four rows, digits, flags. **Shape** where each starts, after the start of all. */
export function layScratch(stride: number, rows: number) {
  const found = 16 * batchRows;
  const sums = found + 4 * batchRows;
  const uppers = sums + 4 * batchRows;
  const query = uppers + 4 * batchRows;
  const four = query + 2 * stride;
  const digits = four + 4 * stride;
  const flags = digits + stride;
  return { middles: 8 * batchRows, found, sums, uppers, query, four, digits, flags, length: flags + rows };
}

export function viewScratch(buffer: ArrayBuffer, start: number, stride: number, rows: number): Scratch {
  const { middles, found, sums, uppers, query, digits, flags } = layScratch(stride, rows);
  return {
    reaches: new Float64Array(buffer, start, batchRows),
    middles: new Float64Array(buffer, start + middles, batchRows),
    found: new Uint32Array(buffer, start + found, batchRows),
    sums: new Int32Array(buffer, start + sums, batchRows),
    uppers: new Float32Array(buffer, start + uppers, batchRows),
    query: new Int16Array(buffer, start + query, stride),
    digits: new Uint8Array(buffer, start + digits, stride),
    flags: new Uint8Array(buffer, start + flags, rows),
  };
}
