import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { chunkSpreadsheet } from "../../src/chunkers/chunk-spreadsheet.ts";
import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import { createSpreadsheetChunker } from "../../src/chunkers/spreadsheet-chunker.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { LengthFunction } from "../../src/contracts/chunker.ts";
import type { TextDocument } from "../../src/contracts/document.ts";
import type { ReadResult } from "../../src/contracts/reader.ts";
import type { SheetData } from "../../src/contracts/sheet-data.ts";
import { composeWorkbook } from "../../src/readers/sheets/compose-workbook.ts";
import { csvReader } from "../../src/readers/sheets/csv-reader.ts";
import { createSheetBuilders } from "../../src/readers/sheets/sheet-builder.ts";
import { formatRow } from "../../src/text/format-row.ts";
import { characters, heuristicTokens } from "../../src/text/length.ts";
import { markdown } from "./generated-document.ts";

const prices: SheetData = {
  sheetName: "Prices",
  headers: ["Product", "Price"],
  rows: [
    { sourceIndex: 2, values: ["Lamp", "12"] },
    { sourceIndex: 3, values: ["Desk"] },
    { sourceIndex: 4, values: ["Chair", "30"] },
  ],
};

const documentOf = (uri: string, result: ReadResult): TextDocument => ({
  type: "text",
  id: uri,
  uri,
  mediaType: "text/csv",
  origin: "user-content",
  ...result,
});

const readCsv = async (text: string): Promise<TextDocument> =>
  documentOf(
    "list.csv",
    await csvReader.read({ uri: "list.csv", bytes: new TextEncoder().encode(text), mediaType: "text/csv" }),
  );

type Sheets = Readonly<Record<string, readonly (readonly (string | number | null)[])[]>>;

function makeWorkbook(sheets: Sheets): TextDocument {
  const begin = createSheetBuilders({ uri: "book.xlsx" });
  const built = Object.entries(sheets).map(([name, rows]) => {
    const builder = begin(name, false);
    for (const [row, cells] of rows.entries()) {
      for (const [column, cell] of cells.entries()) {
        builder.addCell(row + 1, column + 1, String(cell ?? ""), typeof cell === "number" ? "number" : "text");
      }
    }
    return builder.finish();
  });
  return documentOf("book.xlsx", composeWorkbook({ uri: "book.xlsx" }, built));
}

/** Law 1, whatever was written around the slices. */
function checkSlices({ text }: TextDocument, chunks: readonly Chunk[]): void {
  let reached = 0;
  for (const [index, { urtext, start, end, index: said }] of chunks.entries()) {
    expect(urtext).toBe(text.slice(start, end));
    expect(said).toBe(index);
    expect(start).toBeGreaterThanOrEqual(reached);
    expect(text.slice(reached, start).trim()).toBe("");
    reached = end;
  }
  expect(text.slice(reached).trim()).toBe("");
}

describe("formatRow", () => {
  it("says the name of each column, and of missing cells too [T31 T34]", () => {
    expect(formatRow(["A", "B"], ["1", "2"])).toBe("A: 1 | B: 2");
    expect(formatRow(["A", "B", "C"], ["1", "", "3"])).toBe("A: 1 | B:  | C: 3");
    expect(formatRow(["A", "B"], ["1"])).toBe("A: 1 | B: ");
    expect(formatRow(["A"], ["1", "2"])).toBe("A: 1 | 2");
  });
});

describe("chunkSpreadsheet", () => {
  it("says which rows of which sheet, counted from 1 with the header, and the columns [T31 T34]", () => {
    expect(chunkSpreadsheet(prices)).toEqual([
      'Sheet "Prices", rows 2–4 of 3\nColumns: Product, Price\nProduct: Lamp | Price: 12\nProduct: Desk | Price: \nProduct: Chair | Price: 30',
    ]);
  });

  it("repeats the header in each text, within the size [T34 T30]", () => {
    const texts = chunkSpreadsheet(prices, { maxTokens: 82 }, characters);
    expect(texts).toEqual([
      'Sheet "Prices", rows 2–2 of 3\nColumns: Product, Price\nProduct: Lamp | Price: 12',
      'Sheet "Prices", rows 3–3 of 3\nColumns: Product, Price\nProduct: Desk | Price: ',
      'Sheet "Prices", rows 4–4 of 3\nColumns: Product, Price\nProduct: Chair | Price: 30',
    ]);
    expect(chunkSpreadsheet(prices, { maxTokens: 103 }, characters)).toHaveLength(2);
    expect(chunkSpreadsheet(prices, { maxTokens: 102 }, characters)).toHaveLength(3);
  });

  it("lets a row beyond the size stand alone [T34]", () => {
    const wide = { ...prices, rows: [...prices.rows, { sourceIndex: 5, values: ["x".repeat(500), "1"] }] };
    const texts = chunkSpreadsheet(wide, { maxTokens: 120 }, characters);
    expect(texts.at(-1)).toBe(
      `Sheet "Prices", rows 5–5 of 4\nColumns: Product, Price\nProduct: ${"x".repeat(500)} | Price: 1`,
    );
  });

  it("gives nothing for no rows or no headers [T34]", () => {
    expect(chunkSpreadsheet({ ...prices, rows: [] })).toEqual([]);
    expect(chunkSpreadsheet({ ...prices, headers: [] })).toEqual([]);
  });

  it("takes 512 heuristic tokens by default, and refuses what cannot be kept [T30]", () => {
    const rows = Array.from({ length: 400 }, (_, i) => ({ sourceIndex: i + 2, values: [`Product ${i}`, String(i)] }));
    const texts = chunkSpreadsheet({ ...prices, rows });
    expect(texts).toEqual(chunkSpreadsheet({ ...prices, rows }, { maxTokens: 512 }, heuristicTokens));
    expect(Math.max(...texts.map(heuristicTokens))).toBeLessThanOrEqual(512);
    expect(Math.min(...texts.slice(0, -1).map(heuristicTokens))).toBeGreaterThan(490);
    const config = { maxTokens: 512, overlapTokens: 0, minTokens: 1 };
    expect(chunkSpreadsheet({ ...prices, rows }, config)).toEqual(texts);
    for (const maxTokens of [0, -1, 1.5, Number.NaN]) {
      expect(() => chunkSpreadsheet(prices, { maxTokens })).toThrow(
        expect.objectContaining({ code: "invalid-argument" }),
      );
    }
    expect(() => createSpreadsheetChunker({ overlap: 3 } as object)).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  });

  it("keeps the size and every row once, for any rows and any honest length [T33 T34]", () => {
    // Longer than the sum of its parts by one, as the contract of lengths allows.
    const words: LengthFunction = (text) =>
      text.split(/\s+/u).filter((word) => word !== "").length + (text === "" ? 0 : 1);
    fc.assert(
      fc.property(
        fc.array(
          fc.array(
            fc.string({ maxLength: 30 }).map((text) => text.replace(/\s+/gu, " ")),
            { maxLength: 3 },
          ),
          {
            minLength: 1,
            maxLength: 30,
          },
        ),
        fc.integer({ min: 1, max: 200 }),
        fc.constantFrom(characters, heuristicTokens, words),
        (table, maxTokens, length) => {
          const rows = table.map((values, i) => ({ sourceIndex: i + 2, values }));
          const sheet = { sheetName: "S", headers: ["A", "B"], rows };
          const texts = chunkSpreadsheet(sheet, { maxTokens }, length);
          const written = texts.map((text) => text.split("\n").slice(2));
          expect(written.flat()).toEqual(rows.map(({ values }) => formatRow(sheet.headers, values)));
          for (const [i, text] of texts.entries()) {
            expect(length(text) <= maxTokens || written[i]?.length === 1).toBe(true);
          }
        },
      ),
    );
  });
});

describe("createSpreadsheetChunker", () => {
  it("says of a workbook's rows what T34 says, around the very slices [T34 L1]", () => {
    const document = makeWorkbook({
      Prices: [
        ["Product", "Price"],
        ["Lamp", 12],
        ["Desk", null],
        ["Chair", 30],
      ],
      Stock: [
        ["Product", "Left"],
        ["Lamp", 3],
      ],
    });
    const chunks = [...createSpreadsheetChunker().chunk(document)];
    expect(chunks.map(({ text }) => text)).toEqual([
      ...chunkSpreadsheet(prices),
      'Sheet "Stock", rows 2–2 of 1\nColumns: Product, Left\nProduct: Lamp | Left: 3',
    ]);
    expect(chunks[0]?.urtext).toBe(
      "Prices\n\nProduct | Price\nProduct: Lamp | Price: 12\nProduct: Desk | Price: \nProduct: Chair | Price: 30",
    );
    expect(chunks.map(({ sheet, cells, headings }) => [sheet, cells, headings])).toEqual([
      ["Prices", "A1:B4", ["Prices"]],
      ["Stock", "A1:B2", ["Stock"]],
    ]);
    checkSlices(document, chunks);
  });

  it("names sheet and cells of each piece of a long table", () => {
    const rows = Array.from({ length: 40 }, (_, i) => [`Product number ${i}`, i]);
    const document = makeWorkbook({ Long: [["Product", "Price"], ...rows] });
    const chunks = [...createSpreadsheetChunker({ maxTokens: 100 }).chunk(document)];
    checkSlices(document, chunks);
    expect(chunks.length).toBeGreaterThan(2);
    let next = 2;
    for (const [i, { text, cells }] of chunks.entries()) {
      const [, first, last] = /^Sheet "Long", rows (\d+)–(\d+) of 40\nColumns: Product, Price\n/u.exec(text) ?? [];
      expect(Number(first)).toBe(next);
      expect(cells).toBe(`A${i === 0 ? 1 : first}:B${last}`);
      next = Number(last) + 1;
    }
    expect(next).toBe(42);
  });

  it("takes titles along, and leaves long notes to themselves", () => {
    const document = makeWorkbook({ S: [["Sales of 2024"], [], ["Region", "Q1"], ["North", 1], [], ["", ""]] });
    const [chunk] = createSpreadsheetChunker().chunk(document);
    expect(chunk?.text).toBe('Sheet "S", rows 4–4 of 1\nColumns: Region, Q1\nSales of 2024\nRegion: North | Q1: 1');
    const note = "This says at length what the table below is about. ".repeat(8).trim();
    const long = makeWorkbook({ S: [[note], [], ["Region", "Q1"], ["North", 1]] });
    const chunks = [...createSpreadsheetChunker({ maxTokens: 100 }).chunk(long)];
    expect(chunks.at(-1)?.text).toBe('Sheet "S", rows 4–4 of 1\nColumns: Region, Q1\nRegion: North | Q1: 1');
    checkSlices(long, chunks);
  });

  it("cuts CSV between rows, line breaks in cells and all, and counts as a spreadsheet would [T34 L1]", async () => {
    const document = await readCsv('Name;Note\nAda;"first\nsecond; line"\n\nBob\nCy;"a ""b"""\n');
    const chunks = [...createSpreadsheetChunker({ maxTokens: 24 }).chunk(document)];
    expect(chunks.map(({ text }) => text)).toEqual([
      'Sheet "list.csv", rows 2–2 of 3\nColumns: Name, Note\nName: Ada | Note: first second; line',
      'Sheet "list.csv", rows 4–5 of 3\nColumns: Name, Note\nName: Bob | Note: \nName: Cy | Note: a "b"',
    ]);
    expect(chunks.map(({ urtext, line }) => [urtext, line])).toEqual([
      ['Name;Note\nAda;"first\nsecond; line"', 1],
      ['Bob\nCy;"a ""b"""', 5],
    ]);
    checkSlices(document, chunks);
  });

  it("counts from 1 where no header is, and past a word about the delimiter", async () => {
    const rows = [...createSpreadsheetChunker().chunk(await readCsv("1,2\n3,4\n"))];
    expect(rows[0]?.text).toBe('Sheet "list.csv", rows 1–2 of 2\nColumns: A, B\nA: 1 | B: 2\nA: 3 | B: 4');
    const told = await readCsv("sep=;\na;b\n1;2\n");
    const chunks = [...createSpreadsheetChunker().chunk(told)];
    expect(chunks[0]?.text).toContain("rows 2–2 of 1\nColumns: a, b");
    checkSlices(told, chunks);
    const titled = await readCsv("Report\n\nName,Age\nAda,36\n");
    const [chunk] = createSpreadsheetChunker().chunk(titled);
    expect(chunk?.text).toBe('Sheet "list.csv", rows 4–4 of 1\nColumns: Name, Age\nReport\nName: Ada | Age: 36');
  });

  it("does not repeat names of columns that would fill a chunk, nor name empty cells of very wide tables", async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `name${i}`);
    const rows = Array.from({ length: 100 }, (_, i) => `${i}${",".repeat(999)}`);
    const document = await readCsv([names.join(","), ...rows].join("\n"));
    const chunks = [...createSpreadsheetChunker().chunk(document)];
    checkSlices(document, chunks);
    expect(chunks.map(({ text }) => text).join("").length).toBeLessThan(document.text.length);
    expect(chunks[0]?.text).toMatch(/^Sheet "list.csv", rows 2–\d+ of 100\nname0: 0\nname0: 1\n/u);
  });

  it("cuts what is no sheet as the section chunker does", () => {
    const document = markdown("# A\n\nText.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n");
    const settings = { maxSize: 512, overlap: 0, length: heuristicTokens };
    expect([...createSpreadsheetChunker().chunk(document)]).toEqual([
      ...createSectionChunker(settings).chunk(document),
    ]);
  });

  it("keeps law 1 for any table [L1 T34]", async () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "1", '"', ",", "\n", " ", "é"), maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        cell,
        fc.array(cell, { maxLength: 12 }),
        fc.integer({ min: 1, max: 60 }),
        async (head, cells, maxTokens) => {
          const document = await readCsv([`x${head}`, ...cells].join("\n"));
          checkSlices(document, [...createSpreadsheetChunker({ maxTokens }).chunk(document)]);
          const grid = [["h", head], ...cells.map((text, i) => (i % 5 === 4 ? [] : [text, i]))];
          const workbook = makeWorkbook({ One: grid, Two: grid });
          checkSlices(workbook, [...createSpreadsheetChunker({ maxTokens }).chunk(workbook)]);
        },
      ),
    );
  });

  it("tells its settings in its fingerprint", () => {
    const prints = [{}, { maxTokens: 300 }, { length: characters }].map(
      (options) => createSpreadsheetChunker(options).fingerprint,
    );
    expect(new Set(prints).size).toBe(3);
  });
});

describe("the section chunker on tables of sheets", () => {
  it("cuts CSV at its rows, not its lines, and repeats the header [E18 L1]", async () => {
    const document = await readCsv(
      'Name,Note\nAda,"first line\nsecond line, long\nthird"\nBob,"short"\nCy,"a\nb"\nDee,plain\n',
    );
    const chunks = [...createSectionChunker({ maxSize: 60, overlap: 20 }).chunk(document)];
    expect(chunks.map(({ text }) => text)).toEqual([
      'Name,Note\nAda,"first line\nsecond line, long\nthird"',
      'Name,Note\nBob,"short"\nCy,"a\nb"\nDee,plain',
    ]);
  });

  it("begins an overlap at a row", async () => {
    const document = await readCsv('n,m\n1,"a\nb"\n2,"c\nd"\n3,"e\nf"\n4,"g\nh"\n');
    const chunks = [...createSectionChunker({ maxSize: 21, overlap: 9 }).chunk(document)];
    expect(chunks.map(({ text }) => text)).toEqual([
      'n,m\n1,"a\nb"\n2,"c\nd"',
      'n,m\n2,"c\nd"\n3,"e\nf"',
      'n,m\n3,"e\nf"\n4,"g\nh"',
    ]);
  });

  it("keeps rows of workbooks whole, under the names of their columns", () => {
    const document = makeWorkbook({
      S: [
        ["Name", "Age"],
        ["Ada", 36],
        ["Bob", 41],
        ["Cy", 29],
      ],
    });
    expect([...createSectionChunker({ maxSize: 45, overlap: 0 }).chunk(document)].map(({ text }) => text)).toEqual([
      "S\n\nName | Age\nName: Ada | Age: 36",
      "Name | Age\nName: Bob | Age: 41",
      "Name | Age\nName: Cy | Age: 29",
    ]);
  });
});
