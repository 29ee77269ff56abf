import { describe, expect, it } from "vitest";

import { markTables } from "../../src/readers/mark-tables.ts";
import type { Block } from "../../src/contracts/document.ts";
import type { ReadResult } from "../../src/contracts/reader.ts";

const rowsOf = (text: string, headerRows: number): Block => ({
  kind: "table",
  start: 0,
  end: text.length,
  bodyStart: text
    .split("\n")
    .slice(0, headerRows)
    .reduce((sum, line) => sum + line.length + 1, 0),
});
const root = (text: string) =>
  ({ id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] }) as const;
const mark = (text: string, blocks: readonly Block[]) =>
  markTables<ReadResult>({ text, title: "", root: root(text), sourceMap: { lines: "none" }, metadata: {}, blocks })
    .sourceMap.tables;

describe("markTables", () => {
  it("names the columns by the header", () => {
    const text = "| a | b |\n| 1 | 2 |";
    const table = { start: 0, end: 19, header: { start: 0, end: 9 }, columns: ["a", "b"] };
    expect(mark(text, [rowsOf(text, 1)])).toEqual([table]);
  });

  it("names no columns where the reader knows no header, or no row below it", () => {
    const text = "| a | b |\n| 1 | 2 |";
    expect(mark(text, [rowsOf(text, 0)])).toEqual([{ start: 0, end: 19 }]);
    expect(mark(text, [{ ...rowsOf(text, 0), bodyStart: 19 }])).toEqual([{ start: 0, end: 19 }]);
  });

  it("names a column by all rows of the header; a name over several columns is each one's", () => {
    const text = "| Office | Capacity | | Notes |\n| | Desks | Rooms | |\n| Kiel 7 | 127 | 12 | none |";
    expect(mark(text, [rowsOf(text, 2)])?.[0]?.columns).toEqual([
      "Office",
      "Capacity Desks",
      "Capacity Rooms",
      "Notes",
    ]);
  });

  it("leaves text that is no header of names, tables of Markdown, sheets and delimited text", () => {
    const long = `| ${"a".repeat(3000)} | b |\n| 1 | 2 |`;
    expect(mark(long, [rowsOf(long, 1)])).toEqual([{ start: 0, end: long.length }]);
    for (const markdown of ["| a | b |\n|---|---|\n| 1 | 2 |", `| ${"a".repeat(3000)} | b |\n|---|---|\n| 1 | 2 |`])
      expect(mark(markdown, [rowsOf(markdown, 2)])).toBeUndefined();
    const piped = "| a | b |\n| 1 | 2 |";
    expect(mark(piped, [{ ...rowsOf(piped, 1), delimiter: "|" }])).toBeUndefined();
    expect(mark(piped, [{ ...rowsOf(piped, 1), columns: ["a", "b"] }])).toBeUndefined();
  });
});
