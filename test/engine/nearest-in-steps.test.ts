import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Metric } from "../../src/contracts/embedding.ts";
import { type NearestHit, nearestInSteps, searchNearest } from "../../src/engine/vectors/nearest.ts";
import { strideOf } from "../../src/engine/kernels/code-layout.ts";
import { passCodes, readBounds } from "../../src/engine/vectors/pass-codes.ts";
import { createColumnWriter, readColumn } from "../../src/engine/vectors/vector-column.ts";
import { type Form, openFiles, segmentOf, toVector, writeColumn } from "./column-files.ts";

const rows = 300;
const dimensions = 8192;
const made = (seed: number) =>
  Array.from({ length: rows }, (_, row) =>
    Array.from({ length: dimensions }, (__, i) => ((row * (31 + seed) + i * 7 + seed) % 19) - 9),
  );

/** Two columns of 2.4 MB each. The first is read by ranges and passed over; the second has nothing but whole parts. */
function openTwo() {
  const files = [0, 1].map((seed) => {
    const { header, files: parts } = writeColumn("int8", made(seed), (row) => row);
    const opened = openFiles(parts);
    const column = readColumn(header, 0, opened.read, seed === 0 ? opened.bytes : undefined);
    return { opened, searched: { segment: segmentOf(column, rows), admitted: new Uint8Array(rows).fill(1) } };
  });
  return { files, searched: files.map(({ searched }) => searched) };
}

describe("a search for the nearest vectors in steps", () => {
  it("reads a megabyte of codes a step at most, whether it keeps them or not [18.6]", () => {
    const { files, searched } = openTwo();
    const counts: number[] = [];
    // Three searches pass over the first column; the fourth keeps it.
    for (let search = 0; search < 5; search++) {
      const steps = nearestInSteps(searched, toVector("int8", made(0)[7]!), "cosine", 3, -Infinity);
      let taken = 0;
      for (let step = steps.next(); ; step = steps.next()) {
        taken++;
        const [ranges, parts] = [files[0]!.opened.stretches, files[1]!.opened.parts];
        const read = ranges.reduce((sum, length) => sum + (length > dimensions ? length : 0), 0);
        const codes = parts.filter((name) => name.startsWith("codes")).length;
        expect(read + codes * 2 ** 20).toBeLessThanOrEqual(2 ** 20);
        ranges.length = 0;
        parts.length = 0;
        if (step.done === true) break;
      }
      counts.push(taken);
    }
    // Three stretches, or three pieces and a look, of each; and the end.
    expect(counts).toEqual([3 + 4 + 1, 3 + 1 + 1, 3 + 1 + 1, 4 + 1 + 1, 1 + 1 + 1]);
  });

  it("gives what it gives in one go, whichever others are under way [L5 L11]", () => {
    const row = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 5, maxLength: 5 });
    const query = fc.record({
      row,
      metric: fc.constantFrom<Metric>("cosine", "dot", "euclidean", "manhattan"),
      // All rows are scored one by one where no more are there than are asked for.
      topK: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(200)),
    });
    fc.assert(
      fc.property(
        fc.constantFrom<Form>("int8", "float32"),
        fc.array(fc.array(row, { minLength: 4, maxLength: 20 }), { minLength: 2, maxLength: 5 }),
        fc.array(query, { minLength: 2, maxLength: 4 }),
        fc.array(fc.nat(3), { maxLength: 40 }),
        (form, columns, queries, turns) => {
          const searched = columns.map((own, n) => {
            const { header, files } = writeColumn(form, own, (at) => at);
            const { read, bytes } = openFiles(files);
            const whole = readColumn(header, 0, read, bytes);
            const from = bytes("codes/0");
            const stride = strideOf(5);
            const bounds = readBounds(stride, own.length, from);
            // Every second column is passed over, four rows at a time, in the table that all such columns share.
            const stretches = () =>
              n % 2 === 0 ? passCodes(whole, { stride, bytes: from, bounds }, 4 * stride) : undefined;
            const segment = segmentOf({ ...whole, stretches }, own.length);
            return { segment, admitted: new Uint8Array(own.length).fill(1) };
          });
          const given = queries.map(
            ({ row: own, metric, topK }) => [searched, toVector(form, own), metric, topK, -Infinity] as const,
          );
          const steps = given.map((each) => nearestInSteps(...each));
          const found = steps.map((): string => "");
          const describeHits = (hits: readonly NearestHit[]): string =>
            hits
              .map(({ segment, ordinal, score }) =>
                [searched.findIndex((one) => one.segment === segment), ordinal, score].join(" "),
              )
              .join(", ");
          const advance = (at: number): boolean => {
            const step = steps[at]!.next();
            if (step.done === true && step.value !== undefined) found[at] = describeHits(step.value);
            return step.done !== true;
          };
          for (const turn of turns) advance(turn % steps.length);
          steps.forEach((_, at) => {
            while (advance(at));
          });
          expect(found).toEqual(given.map((each) => describeHits(searchNearest(...each))));
        },
      ),
    );
  });

  it("scores 512 rows a step at most where each is scored [18.6]", () => {
    const values = Array.from({ length: 1300 }, (_, row) => [row % 7, row % 5, row % 3]);
    const { header, files } = writeColumn("float32", values, (row) => row);
    const column = readColumn(header, 0, openFiles(files).read);
    const searched = [{ segment: segmentOf(column, 1300), admitted: new Uint8Array(1300).fill(1) }];
    const steps = nearestInSteps(searched, toVector("float32", [1, 2, 3]), "manhattan", 2, -Infinity);
    expect([...steps]).toHaveLength(3);
  });

  it("finds nothing in a column without rows", () => {
    const { header, files } = createColumnWriter("v", "dense", 3, "int8").finish(0);
    const column = readColumn(header, 0, openFiles(files).read);
    const searched = [{ segment: segmentOf(column, 4), admitted: new Uint8Array(4).fill(1) }];
    expect(searchNearest(searched, toVector("int8", [1, 2, 3]), "dot", 1, -Infinity)).toEqual([]);
    expect([...column.dense()!.load!()]).toHaveLength(1);
  });
});
