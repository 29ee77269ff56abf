import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Metric } from "../../src/contracts/embedding.ts";
import { strideOf } from "../../src/engine/kernels/code-layout.ts";
import { codeMemory } from "../../src/engine/kernels/code-memory.ts";
import { createGrowingRows } from "../../src/engine/vectors/dense-rows.ts";
import { searchNearest } from "../../src/engine/vectors/nearest.ts";
import { passCodes, readBounds } from "../../src/engine/vectors/pass-codes.ts";
import type { VectorColumn } from "../../src/engine/segments/segment.ts";
import { eachVector, readColumn } from "../../src/engine/vectors/vector-column.ts";
import { type Form, openFiles, segmentOf, toVector, writeColumn } from "./column-files.ts";

const dimensions = 5;
const stride = strideOf(dimensions);

/** A column in use, and its vectors as they were given. */
interface Used {
  readonly form: Form;
  readonly given: number[][];
  readonly column: () => VectorColumn;
  /** Adds rows, where the column takes them. */
  readonly add: (rows: readonly number[][]) => void;
}

function useFiles(form: Form, rows: number[][], asBytes: boolean): Used {
  const { header, files } = writeColumn(form, rows, (row) => row);
  const { read, bytes } = openFiles(files);
  const column = readColumn(header, 0, read, asBytes ? bytes : undefined);
  const from = bytes("codes/0");
  const passed: VectorColumn = {
    ...column,
    // Short stretches, and by turns none.
    stretches: () =>
      asBytes && turn++ % 3 < 2
        ? passCodes(column, { stride, bytes: from, bounds: readBounds(stride, rows.length, from) }, 3 * stride)
        : undefined,
  };
  let turn = 0;
  return { form, given: rows, column: () => passed, add: () => {} };
}

function useMemory(form: Form, rows: readonly number[][]): Used {
  const given: number[][] = [];
  const dense = createGrowingRows(dimensions, form);
  const add = (more: readonly number[][]): void => {
    for (const row of more) dense.add(toVector(form, row).dense);
    given.push(...more);
  };
  add(rows);
  const column = (): VectorColumn => ({
    version: "v",
    kind: "dense",
    form,
    dimensions,
    rows: given.length,
    ordinals: Uint32Array.from(given.keys()),
    dense: () => dense,
    sparse: () => undefined,
  });
  return { form, given, column, add };
}

const row = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: dimensions, maxLength: dimensions });
const rows = fc.array(row, { minLength: 3, maxLength: 30 });
interface Step {
  readonly use: "search" | "each" | "vector" | "norm" | "codes" | "add" | "grow";
  readonly at: number;
  readonly metric: Metric;
  readonly asked: readonly number[];
  readonly more: readonly number[][];
}
const step: fc.Arbitrary<Step> = fc.record({
  use: fc.constantFrom<Step["use"][]>("search", "search", "each", "vector", "norm", "codes", "add", "grow"),
  at: fc.nat(1000),
  metric: fc.constantFrom<Metric>("cosine", "dot", "euclidean"),
  asked: row,
  more: fc.array(row, { minLength: 1, maxLength: 20 }),
});

/** Each row by the formula of the metric, best first. */
function scoreEach({ form, given }: Used, asked: readonly number[], metric: Metric): number[] {
  const unit = form === "int8" ? 1 : 1 / 16;
  const product = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, i) => sum + value * unit * (b[i]! * unit), 0);
  const scores = given.map((own) => {
    const joint = product(own, asked);
    if (metric === "dot") return joint;
    const [a, b] = [product(own, own), product(asked, asked)];
    if (metric === "cosine") return a === 0 || b === 0 ? 0 : joint / Math.sqrt(a * b);
    return 1 / (1 + Math.sqrt(Math.max(0, a + b - 2 * joint)));
  });
  return scores.sort((x, y) => y - x);
}

/** Numbers that may differ in their last bits, as text. */
const rounded = (numbers: readonly number[]): string => numbers.map((each) => (each + 0).toFixed(9)).join(" ");

/** Uses a column. **Shape** what it gave, and what it should have given. */
function useColumn(used: Used, { use, at, metric, asked, more }: Step): readonly [given: unknown, expected: unknown] {
  const { form, given } = used;
  const column = used.column();
  const dense = column.dense()!;
  const picked = (at >> 3) % given.length;
  const vector = toVector(form, given[picked]!).dense;
  switch (use) {
    case "add":
      return [used.add(more), undefined];
    case "grow":
      return [codeMemory().allocate(stride, 20_000).rows, 20_000];
    case "vector":
      return [dense.vector(picked), vector];
    case "norm":
      return [rounded([dense.norm(picked)]), rounded([Math.hypot(...vector)])];
    case "codes":
      // Bytes are their own codes.
      return form === "int8" ? [dense.codes().row(picked).slice(0, dimensions), vector] : [0, 0];
    case "each":
      return [Array.from(eachVector(column), (own) => own.dense), given.map((own) => toVector(form, own).dense)];
    case "search": {
      const size = given.length;
      const searched = [{ segment: segmentOf(column, size), admitted: new Uint8Array(size).fill(1) }];
      const topK = 1 + (at % 5);
      const found = searchNearest(searched, toVector(form, asked), metric, topK, -Infinity);
      return [rounded(found.map(({ score }) => score)), rounded(scoreEach(used, asked, metric).slice(0, topK))];
    }
  }
}

describe("columns that are searched, read and grown in any order", () => {
  it("give their vectors and the nearest ones as they were written [L5 L11]", () => {
    fc.assert(
      fc.property(rows, rows, fc.array(step, { maxLength: 25 }), (stored, held, steps) => {
        const columns = [
          useFiles("int8", stored, true),
          useFiles("int8", stored, false),
          useFiles("float32", stored, true),
          useMemory("int8", held),
          useMemory("float32", held),
        ];
        const uses = steps.map((each) => useColumn(columns[each.at % columns.length]!, each));
        expect(uses.map(([given]) => given)).toEqual(uses.map(([, expected]) => expected));
      }),
      { numRuns: 120 },
    );
  });
});
