import type { EmbeddingKind } from "../../contracts/embedding.ts";
import { strideOf, tableBytes, viewTable } from "../kernels/code-layout.ts";
import { asFloat32, asUint32, bytesOf } from "../segments/bytes.ts";
import { codeBlockBytes, type ColumnHeader, rowsOfNewBlock } from "../segments/column-header.ts";
import { type DenseForm, type DenseVector, formOf, writeRow } from "./dense-rows.ts";
import { type BytesOf, type ExpectParts, readDense, type ReadFile, type SealedRows } from "../segments/sealed-rows.ts";
import type { Segment, SparseColumn, VectorColumn } from "../segments/segment.ts";
import { createSparseColumn, joinSparse } from "./sparse-rows.ts";
import type { StoredVector } from "./stored-vector.ts";

export interface ColumnFile {
  readonly name: string;
  readonly part: number;
  readonly data: Uint8Array;
}

/** A column on its way into a segment: rows are added in order of their ordinals. */
export interface ColumnWriter {
  add(ordinal: number, vector: StoredVector): void;
  finish(column: number): { readonly header: ColumnHeader; readonly files: readonly ColumnFile[] };
}

export function createColumnWriter(
  version: string,
  kind: EmbeddingKind,
  dimensions: number,
  form: DenseForm = "float32",
): ColumnWriter {
  const ordinals: number[] = [];
  const vectors: StoredVector[] = [];
  return {
    add(ordinal, vector) {
      ordinals.push(ordinal);
      vectors.push(vector);
    },
    finish(column) {
      const files: ColumnFile[] = [{ name: `rows/${column}`, part: 0, data: bytesOf(Uint32Array.from(ordinals)) }];
      const dense = dimensions === 0 ? [] : vectors.map((vector) => vector.dense);
      if (form === "float32") files.push(...denseFiles(column, dense, dimensions));
      if (dimensions > 0) files.push(...codeFiles(column, dense, dimensions));
      if (kind !== "dense") files.push(...sparseFiles(column, vectors));
      const floats = form === "float32" && dimensions > 0;
      return {
        header: {
          version,
          kind,
          ...(form === "float32" ? {} : { form }),
          dimensions,
          rows: vectors.length,
          ...(floats ? { rowsPerBlock: rowsOfNewBlock(dimensions) } : {}),
        },
        files,
      };
    },
  };
}

function denseFiles(column: number, dense: readonly DenseVector[], dimensions: number): ColumnFile[] {
  const files: ColumnFile[] = [];
  const perBlock = rowsOfNewBlock(dimensions);
  for (let from = 0; from < dense.length; from += perBlock) {
    const rows = Math.min(perBlock, dense.length - from);
    const block = new Float32Array(rows * dimensions);
    for (let row = 0; row < rows; row++) block.set(dense[from + row]!, row * dimensions);
    files.push({ name: `dense/${column}`, part: from / perBlock, data: bytesOf(block) });
  }
  return files;
}

/** A table's bytes, in blocks: codes padded to the scan's stride, then norms, slopes and residuals. */
function codeFiles(column: number, dense: readonly DenseVector[], dimensions: number): ColumnFile[] {
  const stride = strideOf(dimensions);
  const { bytes, ...coding } = viewTable(new ArrayBuffer(tableBytes(stride, dense.length)), 0, stride, dense.length);
  dense.forEach((vector, row) => writeRow(vector, row, { stride, ...coding }));
  const files: ColumnFile[] = [];
  for (let at = 0; at < bytes.length; at += codeBlockBytes) {
    const data = bytes.slice(at, at + codeBlockBytes);
    files.push({ name: `codes/${column}`, part: at / codeBlockBytes, data });
  }
  return files;
}

function sparseFiles(column: number, vectors: readonly StoredVector[]): ColumnFile[] {
  const { starts, indices, values } = joinSparse(vectors);
  return [
    { name: `starts/${column}`, part: 0, data: bytesOf(starts) },
    { name: `indices/${column}`, part: 0, data: bytesOf(indices) },
    { name: `values/${column}`, part: 0, data: bytesOf(values) },
  ];
}

/** **Cost** the flags of chunks with a vector at once; codes, 32-bit rows and sparse rows at the first use. */
export function readColumn(
  header: ColumnHeader,
  column: number,
  read: ReadFile,
  bytes?: BytesOf,
  expect?: ExpectParts,
): VectorColumn {
  const { version, kind, form = "float32", dimensions, rows } = header;
  let dense: SealedRows | undefined;
  let sparse: SparseColumn | undefined;
  const loadDense = (): SealedRows => (dense ??= readDense(header, column, read, bytes, expect));
  const loaded: VectorColumn = {
    version,
    kind,
    form,
    dimensions,
    rows,
    ordinals: shareOrdinals(asUint32(read(`rows/${column}`, 0))),
    dense: () => (dimensions === 0 ? undefined : loadDense()),
    sparse: () => (kind === "dense" ? undefined : (sparse ??= readSparse(column, read))),
    stretches: () => (dimensions === 0 ? undefined : loadDense().stretches(loaded)),
  };
  return loaded;
}

/** Ordinals from 0 on: columns in which every chunk has a row share them. */
let everyOrdinal = new Uint32Array(0);

function shareOrdinals(ordinals: Uint32Array): Uint32Array {
  const { length } = ordinals;
  if (!ordinals.every((ordinal, row) => ordinal === row)) return ordinals;
  if (everyOrdinal.length < length) everyOrdinal = new Uint32Array(length + (length >> 3)).map((_, row) => row);
  return everyOrdinal.subarray(0, length);
}

function readSparse(column: number, read: ReadFile): SparseColumn {
  return createSparseColumn(
    asUint32(read(`starts/${column}`, 0)),
    asUint32(read(`indices/${column}`, 0)),
    asFloat32(read(`values/${column}`, 0)),
  );
}

/** The row of a chunk, or -1. **Cost** logarithmic; one look where every chunk before it has a vector. */
export function rowOf(column: VectorColumn, ordinal: number): number {
  if (column.ordinals[ordinal] === ordinal) return ordinal;
  let low = 0;
  let high = column.rows;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column.ordinals[middle]! < ordinal) low = middle + 1;
    else high = middle;
  }
  return low < column.rows && column.ordinals[low] === ordinal ? low : -1;
}

/** One row, in views on the column where it has them. */
export function vectorAt(column: VectorColumn, row: number, dense = column.dense()?.vector(row)): StoredVector {
  const { version, kind } = column;
  const sparse = column.sparse();
  const from = sparse?.starts[row] ?? 0;
  const to = sparse?.starts[row + 1] ?? 0;
  return {
    version,
    kind,
    dense: dense ?? new Float32Array(0),
    indices: sparse?.indices.subarray(from, to) ?? new Uint32Array(0),
    values: sparse?.values.subarray(from, to) ?? new Float32Array(0),
  };
}

/** Every row in order. **Cost** one pass over the column's files; nothing of it is kept. */
export function* eachVector(column: VectorColumn): Generator<StoredVector, undefined> {
  const dense = column.dense()?.each?.()[Symbol.iterator]();
  for (let row = 0; row < column.rows; row++)
    yield vectorAt(column, row, dense?.next().value as DenseVector | undefined);
  return undefined;
}

/** Every vector of one chunk, or those of some versions, in views on their columns. */
export function vectorsAt(segment: Segment, ordinal: number, isWanted?: (version: string) => boolean): StoredVector[] {
  const vectors: StoredVector[] = [];
  for (const column of segment.columns(isWanted)) {
    const row = rowOf(column, ordinal);
    if (row >= 0) vectors.push(vectorAt(column, row));
  }
  return vectors;
}

/** Name of a column, unique in its segment. */
export function columnName({ version, kind, dense }: StoredVector): string {
  return `${formOf(dense)} ${kind} ${version}`;
}
