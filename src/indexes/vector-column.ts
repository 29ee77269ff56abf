import type { EmbeddingKind } from "../contracts/embedding.ts";
import { norm } from "../kernels/dot.ts";
import { sparseNorm } from "../kernels/sparse.ts";
import { asFloat32, asUint32, bytesOf } from "./bytes.ts";
import type { Segment, SparseColumn, VectorColumn, VectorData } from "./segment.ts";
import type { StoredVector } from "./stored-vector.ts";

/** What a segment says of a column before anybody reads it. */
export interface ColumnHeader {
  readonly version: string;
  readonly kind: EmbeddingKind;
  readonly dimensions: number;
  readonly rows: number;
}

export interface ColumnFile {
  readonly name: string;
  readonly part: number;
  readonly data: Uint8Array;
}

/** Large enough to be read fast, small enough to be written without much memory. */
const blockBytes = 1 << 20;

export function rowsPerBlock(dimensions: number): number {
  return Math.max(1, Math.floor(blockBytes / (4 * Math.max(1, dimensions))));
}

/** A column on its way into a segment: rows are added in order of their ordinals. */
export interface ColumnWriter {
  add(ordinal: number, vector: StoredVector): void;
  finish(column: number): { readonly header: ColumnHeader; readonly files: readonly ColumnFile[] };
}

export function createColumnWriter(version: string, kind: EmbeddingKind, dimensions: number): ColumnWriter {
  const ordinals: number[] = [];
  const vectors: StoredVector[] = [];
  return {
    add(ordinal, vector) {
      ordinals.push(ordinal);
      vectors.push(vector);
    },
    finish(column) {
      const files: ColumnFile[] = [{ name: `rows/${column}`, part: 0, data: bytesOf(Uint32Array.from(ordinals)) }];
      const perBlock = rowsPerBlock(dimensions);
      const denseRows = dimensions === 0 ? 0 : vectors.length;
      for (let from = 0; from < denseRows; from += perBlock) {
        const rows = vectors.slice(from, from + perBlock);
        const block = new Float32Array(rows.length * dimensions);
        rows.forEach(({ dense }, row) => block.set(dense, row * dimensions));
        files.push({ name: `dense/${column}`, part: from / perBlock, data: bytesOf(block) });
      }
      if (kind !== "dense") files.push(...sparseFiles(column, vectors));
      return { header: { version, kind, dimensions, rows: vectors.length }, files };
    },
  };
}

function sparseFiles(column: number, vectors: readonly StoredVector[]): ColumnFile[] {
  const starts = new Uint32Array(vectors.length + 1);
  vectors.forEach(({ values }, row) => {
    starts[row + 1] = starts[row]! + values.length;
  });
  const indices = new Uint32Array(starts[vectors.length]!);
  const values = new Float32Array(starts[vectors.length]!);
  vectors.forEach((vector, row) => {
    indices.set(vector.indices, starts[row]);
    values.set(vector.values, starts[row]);
  });
  return [
    { name: `starts/${column}`, part: 0, data: bytesOf(starts) },
    { name: `indices/${column}`, part: 0, data: bytesOf(indices) },
    { name: `values/${column}`, part: 0, data: bytesOf(values) },
  ];
}

/** **Cost** which chunks have a vector, at once; the vectors, their bytes once, when first asked for. */
export function readColumn(
  header: ColumnHeader,
  column: number,
  read: (name: string, part: number) => Uint8Array,
): VectorColumn {
  let data: VectorData | undefined;
  return {
    ...header,
    ordinals: asUint32(read(`rows/${column}`, 0)),
    data: () => (data ??= readData(header, column, read)),
  };
}

function readData(
  { kind, dimensions, rows }: ColumnHeader,
  column: number,
  read: (name: string, part: number) => Uint8Array,
): VectorData {
  const perBlock = rowsPerBlock(dimensions);
  const blocks: Float32Array[] = [];
  const norms = new Float64Array(dimensions === 0 ? 0 : rows);
  for (let from = 0; from < norms.length; from += perBlock) {
    const block = asFloat32(read(`dense/${column}`, from / perBlock));
    blocks.push(block);
    for (let row = 0; row * dimensions < block.length; row++)
      norms[from + row] = norm(block, row * dimensions, dimensions);
  }
  if (kind === "dense") return { dimensions, rowsPerBlock: perBlock, blocks, norms, sparse: undefined };
  const starts = asUint32(read(`starts/${column}`, 0));
  const indices = asUint32(read(`indices/${column}`, 0));
  const values = asFloat32(read(`values/${column}`, 0));
  return { dimensions, rowsPerBlock: perBlock, blocks, norms, sparse: withNorms(starts, indices, values) };
}

function withNorms(starts: Uint32Array, indices: Uint32Array, values: Float32Array): SparseColumn {
  const norms = new Float64Array(starts.length - 1);
  for (let row = 0; row < norms.length; row++) {
    norms[row] = sparseNorm({ indices, values, start: starts[row]!, end: starts[row + 1]! });
  }
  return { starts, indices, values, norms };
}

/** The row of a chunk, or -1. **Cost** logarithmic. */
export function rowOf(column: VectorColumn, ordinal: number): number {
  let low = 0;
  let high = column.rows;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column.ordinals[middle]! < ordinal) low = middle + 1;
    else high = middle;
  }
  return low < column.rows && column.ordinals[low] === ordinal ? low : -1;
}

/** One row, in views on the column. */
export function vectorAt(column: VectorColumn, row: number): StoredVector {
  const { version, kind, dimensions } = column;
  const { blocks, rowsPerBlock: perBlock, sparse } = column.data();
  const block = blocks[Math.floor(row / perBlock)];
  const start = (row % perBlock) * dimensions;
  const from = sparse?.starts[row] ?? 0;
  const to = sparse?.starts[row + 1] ?? 0;
  return {
    version,
    kind,
    dense: block?.subarray(start, start + dimensions) ?? new Float32Array(0),
    indices: sparse?.indices.subarray(from, to) ?? new Uint32Array(0),
    values: sparse?.values.subarray(from, to) ?? new Float32Array(0),
  };
}

/** Every vector of one chunk, in views on their columns. */
export function vectorsAt(segment: Segment, ordinal: number): StoredVector[] {
  const vectors: StoredVector[] = [];
  for (const column of segment.columns()) {
    const row = rowOf(column, ordinal);
    if (row >= 0) vectors.push(vectorAt(column, row));
  }
  return vectors;
}
