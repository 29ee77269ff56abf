import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { ReadResult } from "../../src/contracts/reader.ts";
import { composeWorkbook } from "../../src/readers/sheets/compose-workbook.ts";
import { judgeHeader, type JudgedCell } from "../../src/readers/sheets/header-row.ts";
import { createSheetBuilders } from "../../src/readers/sheets/sheet-builder.ts";
import type { CellKind, MergedCells } from "../../src/readers/sheets/workbook.ts";
import { checkBlocks, checkSourceMap, checkTree } from "../../src/testing/tree-checks.ts";
import { locate } from "../../src/text/locate.ts";

type Placed = readonly [row: number, column: number, text: string, kind: CellKind];

function compose(cells: readonly Placed[], merges: readonly MergedCells[] = []): ReadResult {
  const builder = createSheetBuilders({ uri: "b.xlsx" })("S", false);
  for (const [row, column, text, kind] of cells) builder.addCell(row, column, text, kind);
  for (const merge of merges) builder.addMerge(merge);
  return composeWorkbook({ uri: "b.xlsx" }, [builder.finish()]);
}

/** The corners of `B2:D9`. */
function cornersOf(cells: string): readonly [top: number, left: number, bottom: number, right: number] {
  const corner = (name: string): readonly [number, number] => {
    const [, letters = "", row = ""] = /^([A-Z]+)(\d+)$/u.exec(name) ?? [];
    return [Number(row), Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)];
  };
  const [from = "", to = from] = cells.split(":");
  return [...corner(from), ...corner(to)];
}

const sheets = fc.record({
  places: fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 1, max: 9 }), fc.boolean()), {
    minLength: 1,
    maxLength: 50,
    selector: ([row, column]) => `${row}:${column}`,
  }),
  merges: fc.array(
    fc.record({
      firstRow: fc.integer({ min: 1, max: 14 }),
      firstColumn: fc.integer({ min: 1, max: 9 }),
      height: fc.integer({ min: 0, max: 3 }),
      width: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 4 },
  ),
});

describe("composeWorkbook", () => {
  it("loses no cell, and tells of each where it stands, however cells are strewn [L1 T34]", () => {
    fc.assert(
      fc.property(sheets, ({ places, merges }) => {
        const cells = places.map(([row, column, isText]): Placed => {
          const text = isText ? `t${row}x${column}t` : String(row * 1000 + column + 0.5);
          return [row, column, text, isText ? "text" : "number"];
        });
        const result = compose(
          cells,
          merges.map(({ firstRow, firstColumn, height, width }) => ({
            firstRow,
            firstColumn,
            lastRow: firstRow + height,
            lastColumn: firstColumn + width,
          })),
        );
        checkTree(result.root, result.text);
        checkBlocks(result.blocks, result.text);
        checkSourceMap(result.sourceMap, result.text);
        for (const [row, column, text] of cells) {
          const start = result.text.indexOf(text);
          expect(start).toBeGreaterThan(0);
          const [top, left, bottom, right] = cornersOf(locate(result, start, start + text.length).cells ?? "");
          // A header of merged rows is one line, which is called after its first row.
          expect(row - top).toBeLessThanOrEqual(merges.length === 0 ? 0 : 3);
          expect([top <= row, left <= column, column <= right, top === bottom]).toEqual([true, true, true, true]);
        }
        for (const { kind, start, rowStarts = [], bodyStart } of result.blocks ?? []) {
          expect(kind !== "table" || bodyStart !== undefined).toBe(true);
          for (const row of rowStarts) expect(row === start || result.text[row - 1] === "\n").toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("says a merged label in the rows below it, no further than the sheet goes", () => {
    const label: Placed[] = [
      [1, 1, "Group", "text"],
      [1, 2, "Value", "text"],
      [2, 1, "A", "text"],
      [2, 2, "1", "number"],
      [3, 2, "2", "number"],
    ];
    const merge = { firstRow: 2, firstColumn: 1, lastRow: 1_048_576, lastColumn: 1 };
    expect(compose(label, [merge]).text).toBe("S\n\nGroup | Value\nGroup: A | Value: 1\nGroup: A | Value: 2");
  });

  it("calls a sheet without a name by its number, and cleans what cells say", () => {
    const begin = createSheetBuilders({ uri: "b.xlsx" });
    const builder = begin(" \u0001 ", false);
    builder.addCell(1, 1, "a\u0000 \r\n\tb\u200B", "text");
    builder.addCell(2, 1, " \n ", "text");
    expect(composeWorkbook({ uri: "b.xlsx" }, [builder.finish()]).text).toBe("Sheet 1\n\na b");
  });

  it("stops when it is told to", () => {
    const builder = createSheetBuilders({ uri: "b.xlsx" })("S", false);
    builder.addCell(1, 1, "a", "text");
    expect(() => composeWorkbook({ uri: "b.xlsx", signal: AbortSignal.abort() }, [builder.finish()])).toThrow(
      expect.objectContaining({ code: "aborted" }),
    );
  });
});

describe("judgeHeader", () => {
  const row = (...cells: readonly (string | number | null)[]): JudgedCell[] =>
    cells.map((cell) =>
      cell === null ? undefined : { text: String(cell), kind: typeof cell === "number" ? "number" : "text" },
    );

  it.each([
    ["texts above numbers", [row("a", "b"), row("x", 1), row("y", 2)], 1],
    ["texts above texts, of which nothing tells", [row("a", "b"), row("x", "y"), row("z", "w")], 0],
    ["numbers above numbers", [row(1, 2), row(3, 4), row(5, 6)], -1],
    ["a text that comes again", [row("a", "b"), row("x", "y"), row("a", "w")], -1],
    ["a header that is repeated on every page", [row("a", "b"), row("x", 1), row("a", "b"), row("y", 2)], 1],
    ["years above other numbers", [row("a", 2023, 2024), row("x", 1, 2), row("y", 3, 4)], 1],
    ["years above years", [row("a", 2023), row("a", 1999), row("b", 2001)], -1],
    ["a plain word above codes with digits", [row("code", "name"), row("X1", "x"), row("X2", "y")], 1],
    ["mostly nothing", [row("a", null, null), row(1, 2, 3)], -1],
  ])("%s", (_, [first = [], ...rows], sign) => {
    expect(Math.sign(judgeHeader(first, rows))).toBe(sign);
  });
});
