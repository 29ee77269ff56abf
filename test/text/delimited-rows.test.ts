import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";

import { createDelimitedScanner, readDelimitedCells, readDelimitedRows } from "../../src/text/delimited-rows.ts";

const rowsOf = (text: string, delimiter = ","): (readonly string[])[] =>
  Array.from(readDelimitedRows(text, delimiter), ({ cells }) => cells);
const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

describe("readDelimitedRows", () => {
  it("takes rows apart, with quoted delimiters, line breaks and quotation marks", () => {
    expect(rowsOf('a,b\n"x, y","say ""hi""\nnow"\n1,2')).toEqual([
      ["a", "b"],
      ["x, y", 'say "hi"\nnow'],
      ["1", "2"],
    ]);
    expect(rowsOf("a;;\n;b;", ";")).toEqual([
      ["a", "", ""],
      ["", "b", ""],
    ]);
    expect(rowsOf("a\t b \n\n \nc\td", "\t")).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  it("says where each row stands", () => {
    const text = 'a,b\n\n"x\ny",2\nc,d\n';
    expect(Array.from(readDelimitedRows(text, ","), ({ start, end }) => text.slice(start, end))).toEqual([
      "a,b",
      '"x\ny",2',
      "c,d",
    ]);
  });

  it("keeps a quotation mark that opens nothing, so that it swallows no rows", () => {
    expect(rowsOf('a,"b\nc,d\ne,f')).toEqual([
      ["a", '"b'],
      ["c", "d"],
      ["e", "f"],
    ]);
    expect(rowsOf('a,"b\nc,"d"\n5" pipe,"x"y')).toEqual([
      ["a", '"b'],
      ["c", "d"],
      ['5" pipe', '"x"y'],
    ]);
    expect(rowsOf('"5" wide",x')).toEqual([['5" wide', "x"]]);
  });

  it("gives back what was written, whatever stands in the cells", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "é", "👍", ",", ";", '"', "\n", " ", "1") });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (table) => {
        const text = table.map((cells) => cells.map(quoted).join(",")).join("\n");
        expect(rowsOf(text)).toEqual(table);
      }),
    );
  });

  it("agrees with Papa Parse on well-formed text", () => {
    const plain = fc.string({ unit: fc.constantFrom("a", "b", "é", " ", "1", "'") }).map((text) => `x${text}x`);
    const special = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "é") }).map((text) => quoted(`x${text}x`));
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.oneof(plain, special), { minLength: 1, maxLength: 4 }), { minLength: 1 }),
        (table) => {
          const text = table.map((cells) => cells.join(",")).join("\n");
          expect(rowsOf(text)).toEqual(Papa.parse<string[]>(text, { delimiter: "," }).data);
        },
      ),
    );
  });

  it("covers any text with rows, and finds in each row alone what it found in the whole", () => {
    const text = fc.string({ unit: fc.constantFrom("a", ",", '"', '""', '",', "\n", " "), maxLength: 60 });
    fc.assert(
      fc.property(text, (source) => {
        let reached = 0;
        for (const { start, end, cells } of readDelimitedRows(source, ",")) {
          expect(source.slice(reached, start).trim()).toBe("");
          expect(cells).toEqual(readDelimitedCells(source.slice(start, end), ",", 0, end - start));
          reached = end;
        }
        expect(source.slice(reached).trim()).toBe("");
      }),
    );
  });

  it("reads in vain for closing quotation marks only so often", () => {
    // Each row opens a quotation that only parity denies an end: looked for anew from every row, that would be quadratic.
    const row = '""x""\n';
    const text = row.repeat(200_000);
    let rows = 0;
    const scanner = createDelimitedScanner(text, ",");
    for (let start = 0; start < text.length; rows++) start = scanner.scan(start) + 1;
    expect(rows).toBeGreaterThan(0);
  });
});
