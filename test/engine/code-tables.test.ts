import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CodeMemory, CodeTable } from "../../src/engine/kernels/code-table.ts";
import { createPlainMemory } from "../../src/engine/kernels/plain-memory.ts";
import { createSimdMemory } from "../../src/engine/kernels/simd-memory.ts";

const stride = 32;

/** Codes of a row by its number. */
const codesOf = (value: number): Int8Array => Int8Array.from({ length: stride }, (_, i) => (value * 31 + i * 7) % 127);

const write = (table: CodeTable, from: number, values: readonly number[]): void =>
  table.write(from, (rows) =>
    values.forEach((value, row) => {
      rows.codes.set(codesOf(value), row * stride);
      [rows.norms[row], rows.slopes[row], rows.residuals[row]] = [value, 1, 0];
    }),
  );

/** Rows that are found when all are looked at, by a bound that lets each through. */
function scanAll(memory: CodeMemory, table: CodeTable, rows: number): number[] {
  memory.reserve(stride, rows);
  memory.flags.fill(1, 0, rows);
  memory.query.fill(1);
  memory.digits.fill(65);
  const open = { tau: 1, more: 1, margin: 1e9 };
  const bounds = { fine: open, coarse: open, scaled: false, shrink: 0, bound: 0 };
  return Array.from({ length: memory.scan(table, 0, rows, bounds) }, (_, i) => memory.found[i]!);
}

type Step =
  | { readonly do: "allocate"; readonly rows: number }
  | { readonly do: "write" | "weave" | "scan" | "free"; readonly of: number; readonly share: number }
  | { readonly do: "grow"; readonly rows: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("allocate" as const), rows: fc.integer({ min: 1, max: 600 }) }),
  fc.record({
    do: fc.constantFrom("write" as const, "weave" as const, "weave" as const, "scan" as const, "free" as const),
    of: fc.nat(50),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ do: fc.constant("grow" as const), rows: fc.integer({ min: 1, max: 3_000_000 }) }),
);

describe.each([
  ["with SIMD", () => createSimdMemory()!],
  ["without", createPlainMemory],
])("tables of codes %s", (_, createMemory) => {
  it("hold what was written, whatever is woven, grown, freed and used again in between [L11]", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const memory = createMemory();
        memory.reserve(stride, 64);
        const held: { readonly table: CodeTable; readonly values: number[] }[] = [];
        let next = 1;
        const wrong: string[] = [];
        for (const each of steps) {
          if (each.do === "allocate") {
            const table = memory.allocate(stride, each.rows);
            table.fill((bytes) => bytes.fill(0));
            held.push({ table, values: [] });
          } else if (each.do === "grow") memory.reserve(stride, each.rows);
          else if (held.length > 0) {
            const at = each.of % held.length;
            const { table, values } = held[at]!;
            if (each.do === "write") {
              const count = Math.ceil(each.share * (table.rows - values.length));
              const more = Array.from({ length: count }, () => next++);
              write(table, values.length, more);
              values.push(...more);
            } else if (each.do === "weave") memory.weave(table, Math.round(each.share * values.length));
            else if (each.do === "scan") {
              const found = scanAll(memory, table, values.length);
              if (found.length !== values.length || found.some((row, i) => row !== i)) wrong.push("a scan");
            } else {
              held.splice(at, 1);
              memory.free(table);
            }
          }
        }
        for (const { table, values } of held)
          values.forEach((value, row) => {
            const codes = codesOf(value);
            if (table.norm(row) !== value) wrong.push(`the norm of row ${row}`);
            if (table.row(row).some((code, i) => code !== codes[i])) wrong.push(`the codes of row ${row}`);
          });
        expect(wrong).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("refuse to be read, written and scanned after they are freed", () => {
    const memory = createMemory();
    memory.reserve(stride, 8);
    const table = memory.allocate(stride, 8);
    write(table, 0, [1, 2, 3, 4, 5, 6, 7, 8]);
    memory.free(table);
    memory.free(table);
    const uses = [
      () => table.row(0),
      () => table.norm(0),
      () => write(table, 0, [1]),
      () => table.fill(() => {}),
      () => memory.weave(table, 8),
      () => scanAll(memory, table, 8),
    ];
    for (const use of uses) expect(use).toThrow(expect.objectContaining({ code: "internal" }));
  });
});

describe("a table with SIMD", () => {
  it("refuses to write over woven rows, and takes the rows after them", () => {
    const memory = createSimdMemory()!;
    memory.reserve(stride, 16);
    const table = memory.allocate(stride, 16);
    write(table, 0, [1, 2, 3, 4, 5, 6, 7]);
    memory.weave(table, 7);
    // Four of the seven are woven.
    for (const from of [0, 3])
      expect(() => write(table, from, [9])).toThrow(`Row ${from} of a table of codes is woven`);
    expect(() => table.fill((bytes) => bytes.fill(0))).toThrow("is woven");
    write(table, 4, [10, 11, 12, 13]);
    memory.weave(table, 8);
    expect([0, 3, 4, 7].map((row) => table.norm(row))).toEqual([1, 4, 10, 13]);
    expect([0, 3, 4, 7].map((row) => table.row(row))).toEqual([1, 4, 10, 13].map(codesOf));
  });

  it("says when the memory grew while it was written: the rows would be lost", () => {
    const memory = createSimdMemory()!;
    const table = memory.allocate(stride, 4);
    const grow = (): void => memory.reserve(stride, 40_000_000);
    expect(() => table.write(0, grow)).toThrow("grew while a table was written");
    write(table, 0, [1]);
    expect(table.row(0)).toEqual(codesOf(1));
  });
});
