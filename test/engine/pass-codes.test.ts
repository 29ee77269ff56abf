import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Metric } from "../../src/contracts/embedding.ts";
import { searchNearest } from "../../src/engine/vectors/nearest.ts";
import { passCodes, readBounds } from "../../src/engine/vectors/pass-codes.ts";
import type { VectorColumn } from "../../src/engine/segments/segment.ts";
import { readColumn } from "../../src/engine/vectors/vector-column.ts";
import { strideOf } from "../../src/engine/kernels/code-layout.ts";
import { type Form, openFiles, segmentOf, toVector, writeColumn } from "./column-files.ts";

describe("codes that are looked at and not kept", () => {
  it("find what codes that are kept find, to the last bit and the last tie, however long a stretch is [L5 L11]", () => {
    const row = fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.constantFrom<Form>("float32", "int8"),
        fc.constantFrom<Metric>("cosine", "dot", "euclidean"),
        fc.array(row, { minLength: 2, maxLength: 40 }),
        row,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 32, max: 400 }),
        fc.array(fc.boolean(), { minLength: 80, maxLength: 80 }),
        (form, metric, rows, query, topK, stretchBytes, admits) => {
          // Every second chunk has a vector.
          const { header, files } = writeColumn(form, rows, (at) => 2 * at);
          const admitted = Uint8Array.from(admits, Number);
          const search = (column: VectorColumn) =>
            searchNearest(
              [{ segment: segmentOf(column, 80), admitted }],
              toVector(form, query),
              metric,
              topK,
              -Infinity,
            ).map(({ ordinal, score, rawScore }) => ({ ordinal, score, rawScore }));
          const kept = readColumn(header, 0, openFiles(files).read);
          const passing = openFiles(files);
          const column = readColumn(header, 0, passing.read, passing.bytes);
          const passed: VectorColumn = {
            ...column,
            stretches() {
              const [stride, bytes] = [strideOf(3), passing.bytes("codes/0")];
              return passCodes(column, { stride, bytes, bounds: readBounds(stride, rows.length, bytes) }, stretchBytes);
            },
          };
          const found = search(passed);
          expect(found).toEqual(search(kept));
          expect(found).toHaveLength(Math.min(topK, rows.filter((_, at) => admits[2 * at]).length));
          // Twice, since what one search leaves must not be taken for another's.
          expect(search(passed)).toEqual(search(kept));
          expect(passing.parts).not.toContain("codes/0");
        },
      ),
      { numRuns: 300 },
    );
  });

  it("three searches keep nothing of them, the fourth all; and none makes arrays of parts [L11]", () => {
    const dimensions = 8192;
    const rows = Array.from({ length: 300 }, (_, row) =>
      Array.from({ length: dimensions }, (__, i) => ((row * 31 + i * 7) % 19) - 9),
    );
    const { header, files } = writeColumn("int8", rows, (row) => row);
    const opened = openFiles(files);
    const column = readColumn(header, 0, opened.read, opened.bytes);
    const searched = [{ segment: segmentOf(column, rows.length), admitted: new Uint8Array(rows.length).fill(1) }];
    const search = () =>
      searchNearest(searched, toVector("int8", rows[7]!), "cosine", 3, -Infinity).map(({ ordinal }) => ordinal);

    const first = search();
    expect(first).toContain(7);
    // Three stretches of a megabyte at most: their codes; what bounds all rows; and some rows by themselves.
    const whole = rows.length * (dimensions + 16);
    expect(Math.max(...opened.stretches)).toBeLessThanOrEqual(1 << 20);
    expect(opened.stretches.filter((length) => length > dimensions)).toHaveLength(3);
    expect(opened.stretches.reduce((sum, length) => sum + length, 0)).toBeLessThan(1.2 * whole);

    for (const expected of ["passed", "passed", "kept", "there"]) {
      opened.stretches.length = 0;
      expect(search()).toEqual(first);
      const codes = opened.stretches.filter((length) => length > dimensions);
      expect(codes).toHaveLength({ passed: 3, kept: 3, there: 0 }[expected]!);
    }
    expect(opened.parts).toEqual(["rows/0"]);
  });

  it("are not taken for codes where they could not be read to their end [L8]", () => {
    const { header, files } = writeColumn(
      "int8",
      [
        [1, 0],
        [0, 1],
        [9, 9],
      ],
      (row) => row,
    );
    const { read } = openFiles(files);
    let fails = true;
    const column = readColumn(header, 0, (name, part) => {
      if (fails && name === "codes/0") throw new Error("The disk does not answer.");
      return read(name, part);
    });
    const searched = [{ segment: segmentOf(column, 3), admitted: new Uint8Array(3).fill(1) }];
    const search = () => searchNearest(searched, toVector("int8", [9, 9]), "dot", 1, -Infinity);
    expect(search).toThrow("The disk does not answer.");
    fails = false;
    expect(search()).toMatchObject([{ ordinal: 2, rawScore: 162 }]);
  });
});
