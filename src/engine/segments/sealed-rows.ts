import { strideOf } from "../kernels/code-layout.ts";
import { codeMemory } from "../kernels/code-memory.ts";
import type { CodeTable } from "../kernels/code-table.ts";
import { asFloat32, torn } from "./bytes.ts";
import { codeBlockBytes, type ColumnHeader, rowsPerBlock } from "./column-header.ts";
import { createGrowingRows, type DenseRows } from "../vectors/dense-rows.ts";
import { passCodes, readBounds, type RowBounds, rowsPerStretch } from "../vectors/pass-codes.ts";
import { createKeptBlocks } from "./kept-blocks.ts";
import type { ReadBytes, VectorColumn } from "./segment.ts";

/** How a column reads its files. */
export type ReadFile = (name: string, part: number) => Uint8Array;

/** The same by name as bytes, where they can be had so; see `SegmentSource.bytes`. */
export type BytesOf = (name: string) => ReadBytes | undefined;

/** Says which parts of a file are read next; see `SegmentSource.expect`. */
export type ExpectParts = (name: string, parts: readonly number[]) => void;

/** The dense part of a column that does not change. */
export interface SealedRows extends DenseRows {
  /** The column in stretches, as long as looking at them once is less work than keeping the codes. */
  stretches(column: VectorColumn): readonly VectorColumn[] | undefined;
}

/** Searches that go through codes without keeping them: so many cost about as much as keeping them does. */
const mostPasses = 3;

/** Rows that are read together where all are read once. */
const rowsAtOnce = 1024;

/** Rows that are read one by one before all codes are: a hybrid search scores some hundred. */
const mostSingles = 2048;

/**
 * Rows as they lie in a segment's files. **Cost** nothing until the first use: codes are read whole, 32-bit rows by the block.
 *
 * The first searches of a process pass over the codes without keeping them, and read the few rows to score one by one. Later searches keep them. A process
 * that searches once pays for no memory that it will not use again. No process pays more than twice the cost of keeping them at once.
 *
 * **Source** the rule of the ski rental: Karlin, Manasse, Rudolph and Sleator, Competitive snoopy caching (1988).
 */
export function readDense(
  header: ColumnHeader,
  column: number,
  read: ReadFile,
  bytes?: BytesOf,
  expect?: ExpectParts,
): SealedRows {
  const { form = "float32", dimensions, rows, rowsPerBlock: perBlock } = header;
  if (form === "float32" && perBlock === undefined) return readBeforeCodes(header, column, read);
  const stride = strideOf(dimensions);
  const name = `codes/${column}`;
  let codes: CodeTable | undefined;
  let bounds: RowBounds | undefined;
  let passes = 0;
  let singles = 0;

  /** Codes on their way: `at` bytes of them are read, of `part` parts. */
  let arriving: { readonly table: CodeTable; at: number; part: number } | undefined;

  /** Reads the next piece of the codes. A piece that cannot be read is tried again by the next search. */
  function loadPiece(): void {
    const on = (arriving ??= { table: codeMemory().allocate(stride, rows), at: 0, part: 0 });
    on.table.fill((target) => {
      if (on.at < target.length) {
        const from = bytes?.(name);
        const piece = from === undefined ? read(name, on.part) : target.subarray(on.at, on.at + codeBlockBytes);
        if (piece.length === 0) throw torn();
        if (from === undefined) target.set(piece, on.at);
        else from(piece, on.at);
        on.at += piece.length;
        on.part++;
      }
      if (on.at < target.length) return;
      codes = on.table;
      arriving = undefined;
      bounds = undefined;
    });
  }

  function load(): CodeTable {
    while (codes === undefined) loadPiece();
    return codes;
  }

  /** Reads single rows, as long as that is less work than reading all. */
  const single = (): ReadBytes | undefined =>
    codes === undefined && singles++ < mostSingles ? bytes?.(name) : undefined;

  const boundsFrom = (from: ReadBytes): RowBounds => (bounds ??= readBounds(stride, rows, from));

  function norm(row: number): number {
    const from = codes === undefined && bounds === undefined ? bytes?.(name) : undefined;
    if (from !== undefined) boundsFrom(from);
    return bounds === undefined ? load().norm(row) : bounds.norms[row]!;
  }

  const common = {
    dimensions,
    codes: load,
    *load() {
      while (codes === undefined) {
        loadPiece();
        yield undefined;
      }
    },
    norm,
    stretches(whole: VectorColumn) {
      const isPassed = codes === undefined && rows > rowsPerStretch(stride) && passes++ < mostPasses;
      const from = isPassed ? bytes?.(name) : undefined;
      return from && passCodes(whole, { stride, bytes: from, bounds: boundsFrom(from) });
    },
  };
  if (form === "int8" || perBlock === undefined) {
    const scratch = new Float32Array(stride);
    const readRow = (at: ReadBytes, row: number): Int8Array => {
      const values = new Int8Array(dimensions);
      at(new Uint8Array(values.buffer), row * stride);
      return values;
    };
    const vector = (row: number): Int8Array => {
      const at = single();
      return at === undefined ? load().row(row).subarray(0, dimensions) : readRow(at, row);
    };
    return {
      ...common,
      block(row) {
        const at = single();
        if (at === undefined) load().copyRow(row, scratch);
        else scratch.set(readRow(at, row));
        return scratch;
      },
      start: () => 0,
      vector,
      *each() {
        const from = codes === undefined ? bytes?.(name) : undefined;
        if (from === undefined) {
          // Row by row: a search may have woven the codes, and only a row's own copy is in order.
          for (let row = 0; row < rows; row++) yield load().row(row).subarray(0, dimensions);
          return;
        }
        for (let row = 0; row < rows; row += rowsAtOnce) {
          const end = Math.min(rows, row + rowsAtOnce);
          const run = new Int8Array((end - row) * stride);
          from(new Uint8Array(run.buffer), row * stride);
          for (let at = 0; at < run.length; at += stride) yield run.subarray(at, at + dimensions);
        }
      },
    };
  }
  const blocks = createKeptBlocks(Math.ceil(rows / perBlock), (part) => asFloat32(read(`dense/${column}`, part)));
  const block = (row: number): Float32Array => blocks.get(Math.floor(row / perBlock));
  const start = (row: number): number => (row % perBlock) * dimensions;
  return {
    ...common,
    block,
    start,
    // A search that fetched what it lacked runs again, and must not lack more for what it has.
    isRead: expect === undefined ? (row) => blocks.kept(Math.floor(row / perBlock)) === undefined : () => true,
    vector: (row) => block(row).subarray(start(row), start(row) + dimensions),
    ...(expect !== undefined && {
      expect(wanted: Iterable<number>) {
        const parts = new Set<number>();
        for (const row of wanted) parts.add(Math.floor(row / perBlock));
        expect(
          `dense/${column}`,
          [...parts].filter((part) => blocks.kept(part) === undefined),
        );
      },
    }),
    *each() {
      for (let row = 0; row < rows; row += perBlock) {
        const part = blocks.kept(row / perBlock) ?? asFloat32(read(`dense/${column}`, row / perBlock));
        for (let at = 0; at < part.length; at += dimensions) yield part.subarray(at, at + dimensions);
      }
    },
  };
}

/** A column that was written before there were codes: they are made in memory. */
function readBeforeCodes({ dimensions, rows }: ColumnHeader, column: number, read: ReadFile): SealedRows {
  const perBlock = rowsPerBlock(dimensions, 1 << 20);
  const all = createGrowingRows(dimensions, "float32");
  for (let from = 0; from < rows; from += perBlock) {
    const block = asFloat32(read(`dense/${column}`, from / perBlock));
    for (let at = 0; at < block.length; at += dimensions) all.add(block.subarray(at, at + dimensions));
  }
  return { ...all, stretches: () => undefined };
}
