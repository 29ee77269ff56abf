import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { WorkBook } from "@e965/xlsx";
import { unzipSync } from "fflate";
import { describe, expect, it, vi } from "vitest";

import { openCompoundFile } from "../../src/readers/compound/compound-file.ts";
import { createReaders } from "../../src/readers/create-readers.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { createXlsReader } from "../../src/readers/sheets/xls-reader.ts";
import { pack, relationships } from "./make-office.ts";
import { makeXls, sheetOf } from "./make-xls.ts";
import { readAny } from "./read-any.ts";
import { readAs, refusalOf } from "./read-with.ts";

function makeBook(): WorkBook {
  const prices = sheetOf([
    ["Product", "Price", "Share", "Since", "Sold", "Note"],
    ["Lamp", 12, 0.256, 45_413, true],
    ["Desk", 90.5, 0.5, 45_414, false, "größer"],
  ]);
  prices["C2"] = { t: "n", v: 0.256, z: "0.0%" };
  prices["D2"] = { t: "n", v: 45_413, z: "dd/mm/yyyy" };
  prices["D3"] = { t: "n", v: 45_414, z: "dd/mm/yyyy" };
  prices["F2"] = { t: "e", v: 42 };
  const groups = sheetOf([
    ["Group", "Name"],
    ["A", "x"],
    [undefined, "y"],
    ["B", "z"],
  ]);
  groups["!merges"] = [{ s: { r: 1, c: 0 }, e: { r: 2, c: 0 } }];
  const book: WorkBook = {
    SheetNames: ["Prices", "Groups"],
    Sheets: { Prices: prices, Groups: groups },
    Workbook: { Sheets: [{}, { Hidden: 1 }] },
  };
  return book;
}

describe("boxes on a sheet of an old workbook", () => {
  const record = (type: number, ...bytes: number[]): number[] => [type & 255, type >> 8, bytes.length, 0, ...bytes];
  /** A box with a text, at a cell; its kind is 6, that of a comment 25. */
  const box = (text: string, kind: number, row: number): number[] => [
    ...record(0xec, 0, 0, 0x10, 0xf0, 18, 0, 0, 0, 0, 0, 3, 0, 0, 0, row - 1, 0, ...Array<number>(10).fill(0)),
    ...record(0x5d, 0x15, 0, 0x12, 0, kind, 0),
    ...record(0x1b6, ...Array<number>(10).fill(0), text.length, 0, 0, 0, 0, 0, 0, 0),
    ...record(0x3c, 0, ...Array.from(text.slice(0, 4), (sign) => sign.charCodeAt(0))),
    // The rest in wide letters.
    ...record(0x3c, 1, ...Array.from(text.slice(4), (sign) => [sign.charCodeAt(0), 0]).flat()),
  ];

  /** A chart's text, and the part of the chart that it belongs to. */
  const chartText = (text: string, part: number): number[] => [
    ...record(0x100d, 0, 0, text.length, 0, ...Array.from(text, (sign) => sign.charCodeAt(0))),
    ...record(0x1027, part, 0, 0, 0, 0, 0),
  ];

  it("go with the titles of charts and of their axes, the chart's own first", async () => {
    const book: WorkBook = { SheetNames: ["Fees"], Sheets: { Fees: sheetOf([["Berth"], ["North"]]) } };
    const stream = openCompoundFile(makeXls(book), "a.xls").stream("Workbook")!;
    const end = stream.length - 4;
    const bytes = Uint8Array.from([
      ...stream.subarray(0, end),
      ...box("Words in a box", 6, 5),
      ...record(0x809, 0, 6, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
      // A label of a point is no title.
      ...[chartText("Crowns", 2), chartText("Fees by berth", 1), chartText("North, 12", 4)].flat(),
      ...record(0x0a),
      ...stream.subarray(end),
    ]);
    expect((await readAny("a.xls", bytes)).text).toMatch(/\n\nWords in a box\n\nFees by berth\n\nCrowns$/u);
  });

  it("are read in their places, but for those of comments [L1]", async () => {
    const fees = sheetOf([
      ["Berth", "Fee"],
      ["North", 120],
    ]);
    const book: WorkBook = { SheetNames: ["Fees"], Sheets: { Fees: fees } };
    const stream = openCompoundFile(makeXls(book), "a.xls").stream("Workbook")!;
    const end = stream.length - 4;
    expect([...stream.subarray(end)]).toEqual([0x0a, 0, 0, 0]);
    const bytes = Uint8Array.from([
      ...stream.subarray(0, end),
      ...box("Words in a box", 6, 5),
      ...box("A comment's own", 25, 6),
      ...stream.subarray(end),
    ]);
    const read = await readAny("a.xls", bytes);
    expect(read.text).toContain("Words in a box");
    expect(read.text).not.toContain("comment");
    const [sheet] = read.sourceMap.sheets ?? [];
    expect([sheet?.name, sheet?.rows.at(-1)?.row]).toEqual(["Fees", 5]);
  });
});

describe("createXlsReader", () => {
  it("reads binary workbooks of today as the same XLSX, whatever they are called", async () => {
    const today = await readAs("book.xlsx", makeXls(makeBook(), "xlsx"));
    const binary = makeXls(makeBook(), "xlsb");
    for (const name of ["book.xlsb", "book"]) expect((await readAs(name, binary)).text).toBe(today.text);
    expect(await refusalOf(readAs("book.xlsb", binary.subarray(0, 900)))).toMatchObject({ code: "unreadable" });
  });

  it("reads text boxes and embedded files of binary workbooks, and says that pictures are not in the text [L9]", async () => {
    const office = "http://schemas.openxmlformats.org";
    const shape = `<xdr:sp><xdr:txBody><a:p><a:r><a:t>Prices of May</a:t></a:r></a:p></xdr:txBody></xdr:sp>`;
    const anchor = `<xdr:twoCellAnchor><xdr:from><xdr:col>3</xdr:col><xdr:row>1</xdr:row></xdr:from>${shape}</xdr:twoCellAnchor>`;
    const drawn = pack({
      ...unzipSync(makeXls(makeBook(), "xlsb")),
      "xl/worksheets/_rels/sheet2.bin.rels": relationships([
        ["d1", "drawing", "../drawings/drawing1.xml"],
        ["d2", "package", "../embeddings/tides.csv"],
      ]),
      "xl/drawings/drawing1.xml": `<xdr:wsDr xmlns:xdr="${office}/drawingml/2006/spreadsheetDrawing" xmlns:a="${office}/drawingml/2006/main">${anchor}</xdr:wsDr>`,
      "xl/embeddings/tides.csv": "port,tide\nBrest,7\n",
      "xl/media/image1.png": "",
    });
    const { text, sourceMap, notes } = await readAny("book.xlsb", drawn);
    expect(text).toMatch(/Group: B \| Name: z\n\nPrices of May\n\ntides\.csv\n\nport,tide\nBrest,7\n$/u);
    expect(sourceMap.sheets?.[1]?.rows.at(-1)).toMatchObject({ row: 2, columns: [4, 4] });
    expect(sourceMap.parts?.map(({ name }) => name)).toEqual(["tides.csv"]);
    expect(notes).toContain("Cells were read; not in the text: pictures (1).");
  });

  it("gives the text that the same workbook has as XLSX [E15 T34]", async () => {
    const old = await readAs("book.xls", makeXls(makeBook()));
    const today = await readAs("book.xlsx", makeXls(makeBook(), "xlsx"));
    expect(old.mediaType).toBe("application/vnd.ms-excel");
    expect(old.text).toBe(
      [
        "Prices\n\nProduct | Price | Share | Since | Sold | Note",
        "Product: Lamp | Price: 12 | Share: 25.6% | Since: 2024-05-01 | Sold: TRUE | Note: #N/A",
        "Product: Desk | Price: 90.5 | Share: 0.5 | Since: 2024-05-02 | Sold: FALSE | Note: größer\n",
        "Groups\n\nGroup | Name\nGroup: A | Name: x\nGroup: A | Name: y\nGroup: B | Name: z",
      ].join("\n"),
    );
    expect({ text: today.text, map: today.sourceMap, blocks: today.blocks }).toEqual({
      text: old.text,
      map: old.sourceMap,
      blocks: old.blocks,
    });
    expect(old.metadata).toEqual({ sheets: ["Prices", "Groups"] });
    expect(old.notes).toEqual(['The sheet "Groups" is hidden in the workbook; it was read like the others.']);
  });

  it("knows a workbook without a name by what it holds", async () => {
    expect((await readAs("attachment", makeXls(makeBook()))).mediaType).toBe("application/vnd.ms-excel");
  });

  it.each(["biff5", "biff2"] as const)("reads older ones: %s", async (kind) => {
    const book: WorkBook = {
      SheetNames: ["S"],
      Sheets: {
        S: sheetOf([
          ["a", "b"],
          [1, "x"],
        ]),
      },
    };
    expect((await readAs("old.xls", makeXls(book, kind))).text).toContain("a: 1 | b: x");
  });

  it("keeps the limit of cells", async () => {
    const bytes = makeXls(makeBook());
    const reading = createXlsReader().read({
      uri: "b.xls",
      bytes,
      mediaType: "application/vnd.ms-excel",
      limits: { maxCells: 10 },
    });
    expect(await refusalOf(reading)).toMatchObject({ code: "too-large", uri: "b.xls" });
  });

  it("refuses what only has the name, is cut off, or holds nothing", async () => {
    expect(await refusalOf(readAs("page.xls", Uint8Array.of(1, 2, 0, 255)))).toMatchObject({
      code: "unreadable",
      uri: "page.xls",
    });
    expect(await refusalOf(readAs("cut.xls", makeXls(makeBook()).subarray(0, 700)))).toMatchObject({
      code: "unreadable",
      uri: "cut.xls",
    });
    const blank: WorkBook = { SheetNames: ["S"], Sheets: { S: sheetOf([[]]) } };
    expect(await refusalOf(readAs("blank.xls", makeXls(blank)))).toMatchObject({ code: "empty", uri: "blank.xls" });
  });

  it("says that a file is encrypted", async () => {
    const bytes = makeXls(makeBook());
    // FilePass (0x2F) follows the first record of an encrypted stream: the BOF of the globals is sixteen bytes long.
    const bof = findBytes(bytes, [0x09, 0x08, 0x10, 0x00, 0x00, 0x06, 0x05, 0x00]);
    bytes.set([0x2f, 0x00, 0x36, 0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0x00], bof + 20);
    expect(await refusalOf(readAs("locked.xls", bytes))).toMatchObject({ code: "encrypted", uri: "locked.xls" });
  });

  it("says that a file is obfuscated by a password, with the password too", async () => {
    const bytes = makeXls(makeBook());
    const bof = findBytes(bytes, [0x09, 0x08, 0x10, 0x00, 0x00, 0x06, 0x05, 0x00]);
    // Key and verifier of the password "secret" by method 1. **Source** MS-OFFCRYPTO, 2.3.7.
    bytes.set([0x2f, 0x00, 0x06, 0x00, 0x00, 0x00, 0x4d, 0x01, 0xa7, 0xda], bof + 20);
    for (const password of [undefined, "secret"]) {
      expect(await refusalOf(readDocument(createReaders(), { uri: "old.xls", bytes, password }))).toMatchObject({
        code: "encrypted",
        message: "old.xls is protected by a password in the way of Excel 95 (XOR), which is not undone here.",
      });
    }
  });

  it("says what to install where the package is missing", async () => {
    vi.resetModules();
    vi.doMock("../../src/runtime/packages.ts", () => ({ findPackage: () => undefined }));
    const { loadSheetjs } = await import("../../src/readers/sheets/load-sheetjs.ts");
    const error: unknown = await loadSheetjs("old.xls", mkdtempSync(join(tmpdir(), "ibid-"))).catch(
      (caught: unknown) => caught,
    );
    vi.doUnmock("../../src/runtime/packages.ts");
    // Files share a process: the next one must not get the module that found nothing.
    vi.resetModules();
    expect(error).toMatchObject({
      code: "dependency-missing",
      uri: "old.xls",
      hint: expect.stringContaining("npm install @e965/xlsx") as unknown,
    });
  });
});

function findBytes(bytes: Uint8Array, wanted: readonly number[]): number {
  for (let at = 0; at < bytes.length; at++) if (wanted.every((byte, i) => bytes[at + i] === byte)) return at;
  throw new Error("not there");
}
