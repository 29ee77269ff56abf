import { describe, expect, it } from "vitest";

import type { ReadResult } from "../../src/contracts/reader.ts";
import { makePdf, type PdfTestLine, type PdfTestOptions } from "./make-pdf.ts";
import { readAs } from "./read-with.ts";

type Row = readonly string[];

/** Rows of cells in columns, from a height down. */
const rowsAt = (y: number, rows: readonly Row[], more: Partial<PdfTestLine> = {}): PdfTestLine[] =>
  rows.flatMap((cells, row) => cells.map((text, column) => ({ text, x: 72 + column * 150, y: y - row * 14, ...more })));

const read = (pages: readonly (readonly PdfTestLine[])[], options: PdfTestOptions = {}): Promise<ReadResult> =>
  readAs("a.pdf", makePdf(pages, options));

/** Columns of each table; `undefined` for one without names. */
const columnsOf = ({ sourceMap }: ReadResult): readonly unknown[] =>
  (sourceMap.tables ?? []).map(({ columns }) => columns);

const names: Row = ["Part", "Material", "Supplier"];
const parts: readonly Row[] = [
  ["Mast", "Spruce", "Holm"],
  ["Keel", "Oak", "Kaya"],
  ["Rudder", "Ash", "Marsh"],
  ["Tiller", "Elm", "Roth"],
];

describe("names of the columns of a PDF's table", () => {
  it("are bold rows above rows that are not, also two of them", async () => {
    const above: Row = ["", "Made of", "Bought from"];
    const result = await read([
      [
        ...rowsAt(700, [above.slice(0, 3), names], { font: "bold" }).filter(({ text }) => text !== ""),
        ...rowsAt(672, parts),
      ],
    ]);
    expect(columnsOf(result)).toEqual([["Part", "Made of Material", "Bought from Supplier"]]);
  });

  it("are the rows above the only line that is drawn between rows, but for that of the sum", async () => {
    const rules = [710, 696, 626].map((y) => ({ x: 72, y, width: 360 }));
    const page = [...rowsAt(700, [names]), ...rowsAt(686, parts)];
    expect(columnsOf(await read([page], { rules }))).toEqual([names]);
    const everywhere = [710, 696, 682, 668, 654, 640, 626].map((y) => ({ x: 72, y, width: 360 }));
    expect(columnsOf(await read([page], { rules: everywhere }))).toEqual([undefined]);
  });

  it("are a row of words above a column of numbers, where each column has one", async () => {
    const sums: readonly Row[] = [
      ["Mast", "EUR 1,200", "3.5%"],
      ["Keel", "EUR 9,800", "1.2%"],
      ["Rudder", "EUR 310", "12%"],
    ];
    expect(columnsOf(await read([rowsAt(700, [["Part", "Price", "Share"], ...sums])]))).toEqual([
      ["Part", "Price", "Share"],
    ]);
    expect(columnsOf(await read([rowsAt(700, sums)]))).toEqual([undefined]);
  });

  it("are not guessed: neither of plain rows, nor of bold rows among others, of a program's output or of a table of contents", async () => {
    const bold: Partial<PdfTestLine> = { font: "bold" };
    expect(columnsOf(await read([rowsAt(700, [names, ...parts])]))).toEqual([undefined]);
    const groups = [
      ...rowsAt(700, [names], bold),
      ...rowsAt(686, parts.slice(0, 2)),
      ...rowsAt(658, parts.slice(2, 3), bold),
    ];
    expect(columnsOf(await read([[...groups, ...rowsAt(644, parts.slice(3))]]))).toEqual([undefined]);
    const output = [["name", "size", "time"], ...parts.map(([part = ""], index) => [part, `${index}`, `${index * 7}`])];
    expect(
      columnsOf(
        await read([
          [
            ...rowsAt(700, output, { font: "mono" }),
            ...rowsAt(500, [["It prints what it finds, and how long that took."]]),
          ],
        ]),
      ),
    ).toEqual([undefined]);
    const contents: readonly Row[] = [
      ["1 Harbours", "3"],
      ["1.1 Tides", "4"],
      ["1.2 Pilots", "9"],
    ];
    const [first, ...rest] = contents;
    expect(columnsOf(await read([[...rowsAt(700, [first!], bold), ...rowsAt(686, rest)]]))).toEqual([undefined]);
  });
});

describe("a PDF's table", () => {
  const header = rowsAt(740, [names], { font: "bold" });
  const many = Array.from({ length: 12 }, (_, index): Row => [`Part ${index}`, `Wood ${index}`, `Yard ${index}`]);

  it("goes on over the page, without the header that is printed there again", async () => {
    const foot = (page: number): PdfTestLine => ({ text: `Page ${page} of 2`, y: 40 });
    const [one, two] = [many.slice(0, 7), many.slice(7)];
    const whole = [names, ...many].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
    for (const next of [[...header, ...rowsAt(726, two)], rowsAt(740, two)]) {
      const { text, sourceMap } = await read([
        [...header, ...rowsAt(726, one), foot(1)],
        [...next, foot(2)],
      ]);
      expect((sourceMap.tables ?? []).map(({ start, end }) => text.slice(start, end))).toEqual([whole]);
      expect(sourceMap.pages?.[1]?.start).toBe(text.indexOf("| Part 7"));
    }
  });

  it("ends where another begins, at a line of text and at a wide gap", async () => {
    const others: readonly Row[] = [
      ["Ship", "Launched", "Cabins"],
      ["Aurora", "1901", "40"],
      ["Boreas", "1902", "41"],
      ["Cygnet", "1903", "42"],
    ];
    const text = "Desks in the corridor are not counted by the auditors, and the list is renewed.";
    const ended = await read([[...header, ...rowsAt(726, parts), { text, y: 650 }, ...rowsAt(620, others)]]);
    expect(columnsOf(ended)).toEqual([names, others[0]]);
    expect(ended.text).toContain(`\n\n${text}\n\n`);
    expect(columnsOf(await read([[...header, ...rowsAt(726, parts), ...rowsAt(646, others)]]))).toEqual([
      names,
      others[0],
    ]);
  });
});
