import type { FitChunk } from "../../contracts/corpus-model.ts";
import type { SparseMatrix } from "../kernels/sparse-matrix.ts";
import { entropyWeight, localWeight } from "./term-weight.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

/** Chunks by terms, weighted. */
export interface TermMatrix {
  /** Columns, by name, ascending. */
  readonly terms: readonly string[];
  /** Weight of each column. */
  readonly weights: Float32Array;
  /** Rows are the chunks that have any of the terms. */
  readonly matrix: SparseMatrix;
}

/** Memory and time of a fit go with the terms; those left out are in the fewest chunks. */
const mostTerms = 50_000;
/** A term that one chunk has relates it to no other. */
const leastChunks = 2;
const chunksPerSlice = 512;

/**
 * Counts made into the matrix that is factored: `log2(1 + count) · weight`, each row divided by the square root of its length.
 *
 * Undivided, long chunks decide the directions; brought to length 1, short ones count as much as long ones though they say less. The square root is between.
 * Measured (`bench/latent-semantic.ts`), nothing is better on all collections.
 *
 * **Shape** a generator that yields between slices. Chunks are ordered by id and terms by name, so that the order of the input does not matter.
 */
export function* buildTermMatrix(chunks: Iterable<FitChunk>): Generator<void, TermMatrix> {
  const collected = yield* collect(chunks);
  const { byNumber, rows } = collected;
  rows.sort((a, b) => compareCodePoints(a.id, b.id));
  const kept = chooseTerms(byNumber, rows);
  yield;

  const columnOf = new Int32Array(byNumber.length).fill(-1);
  kept.forEach((number, column) => (columnOf[number] = column));
  const weights = weighTerms(rows, columnOf, kept.length);
  yield;

  let entries = 0;
  for (const { numbers } of rows) for (const number of numbers) if (columnOf[number]! >= 0) entries++;
  const starts = [0];
  const indices = new Uint32Array(entries);
  const values = new Float64Array(entries);
  let at = 0;
  for (const [row, { numbers, counts }] of rows.entries()) {
    if (row % chunksPerSlice === chunksPerSlice - 1) yield;
    const from = at;
    for (const number of numbers) if (columnOf[number]! >= 0) indices[at++] = columnOf[number]!;
    // Only now, when columns stand for terms in their order, can the sums not depend on the order of terms within a chunk.
    const columns = indices.subarray(from, at).sort();
    const countOf = new Map<number, number>();
    numbers.forEach((number, i) => countOf.set(columnOf[number]!, counts[i]!));
    let squares = 0;
    columns.forEach((column, i) => {
      const value = localWeight(countOf.get(column)!) * weights[column]!;
      values[from + i] = value;
      squares += value * value;
    });
    if (squares === 0) {
      at = from;
      continue;
    }
    const divisor = Math.sqrt(Math.sqrt(squares));
    for (let i = from; i < at; i++) values[i]! /= divisor;
    starts.push(at);
  }
  return {
    terms: kept.map((number) => byNumber[number]!),
    weights,
    matrix: {
      rows: starts.length - 1,
      columns: kept.length,
      starts: Uint32Array.from(starts),
      indices: indices.subarray(0, at),
      values: values.subarray(0, at),
    },
  };
}

/** A chunk with numbers for terms, in order of first appearance. */
interface NumberedChunk {
  readonly id: string;
  readonly numbers: Uint32Array;
  readonly counts: readonly number[];
}

function* collect(chunks: Iterable<FitChunk>): Generator<void, { byNumber: string[]; rows: NumberedChunk[] }> {
  const numberOf = new Map<string, number>();
  const byNumber: string[] = [];
  const rows: NumberedChunk[] = [];
  for (const { id, terms: counted } of chunks) {
    const numbers = new Uint32Array(counted.terms.length);
    for (const [i, term] of counted.terms.entries()) {
      let number = numberOf.get(term);
      if (number === undefined) {
        number = byNumber.push(term) - 1;
        numberOf.set(term, number);
      }
      numbers[i] = number;
    }
    rows.push({ id, numbers, counts: counted.counts });
    if (rows.length % chunksPerSlice === 0) yield;
  }
  return { byNumber, rows };
}

/** Numbers of the terms that enough chunks have, ordered by name. */
function chooseTerms(byNumber: readonly string[], rows: readonly NumberedChunk[]): readonly number[] {
  const frequency = new Uint32Array(byNumber.length);
  for (const { numbers } of rows) for (const number of numbers) frequency[number]!++;
  const byName = (a: number, b: number): number => compareCodePoints(byNumber[a]!, byNumber[b]!);
  const enough: number[] = [];
  for (const [number, count] of frequency.entries()) if (count >= leastChunks) enough.push(number);
  if (enough.length > mostTerms) {
    enough.sort((a, b) => frequency[b]! - frequency[a]! || byName(a, b));
    enough.length = mostTerms;
  }
  return enough.sort(byName);
}

function weighTerms(rows: readonly NumberedChunk[], columnOf: Int32Array, columns: number): Float32Array {
  const counts: number[][] = Array.from({ length: columns }, () => []);
  for (const row of rows) {
    row.numbers.forEach((number, i) => {
      if (columnOf[number]! >= 0) counts[columnOf[number]!]!.push(row.counts[i]!);
    });
  }
  return Float32Array.from(counts, (of) => entropyWeight(of, rows.length));
}
