import { describe, expect, it } from "vitest";

import type { ReadLimits, ReadResult } from "../../src/contracts/reader.ts";
import { csvReader } from "../../src/readers/sheets/csv-reader.ts";
import { detectDelimiter } from "../../src/readers/sheets/detect-delimiter.ts";
import { locate } from "../../src/text/locate.ts";

const read = (text: string, mediaType = "text/csv", limits: Partial<ReadLimits> = {}): Promise<ReadResult> =>
  csvReader.read({ uri: "dir/list.csv", bytes: new TextEncoder().encode(text), mediaType, limits });
const rowsOf = ({ text, blocks }: ReadResult): string[] => {
  const table = blocks?.find(({ kind }) => kind === "table");
  const starts = table?.rowStarts ?? [];
  return starts.map((start, i) => text.slice(start, starts[i + 1] ?? table?.end).trimEnd());
};

describe("detectDelimiter", () => {
  it.each([
    ["a,b\n1,2", ","],
    ["a;b\n1;2", ";"],
    ["a\tb\n1\t2", "\t"],
    ["a|b\n1|2", "|"],
    ["name;note\nx;hello, world\ny;a, b", ";"],
    ["1,5;2,5\n3,5;4,5", ";"],
    ["id,tags\n1,x|y\n2,p|q", ","],
    ['"a;b",c\n"d;e",f', ","],
    ["a;b;c\n1;2;3;4\n5;6;7", ";"],
    ["only one column\nno delimiter", ","],
    ["", ","],
  ])("%j: %j", (text, delimiter) => {
    expect(detectDelimiter(text)).toBe(delimiter);
  });

  it("looks no further than the beginning", () => {
    expect(detectDelimiter(`${"a;b\n".repeat(100)}${"a,b,c,d\n".repeat(10_000)}`)).toBe(";");
    expect(detectDelimiter(`"${"x".repeat(200_000)}";b\n1;2`)).toBe(";");
  });
});

describe("csvReader", () => {
  it("keeps the source as it is, and knows rows, columns and delimiter [E15 T34 L1]", async () => {
    const text = 'Name;Note\nAda;"first line\nsecond; line"\n\nBob;short\n';
    const result = await read(text);
    expect(result.text).toBe(text);
    expect(rowsOf(result)).toEqual(['Ada;"first line\nsecond; line"', "Bob;short"]);
    expect(result.blocks?.[0]).toMatchObject({ kind: "table", columns: ["Name", "Note"], delimiter: ";" });
    expect(result.metadata).toEqual({ delimiter: ";", rows: 2, columns: 2 });
    expect(result.notes).toBeUndefined();
    expect(locate(result, text.indexOf("Bob")).line).toBe(5);
  });

  it("names columns by letters where no row does", async () => {
    const result = await read("1,2\n3,4\n5,6\n");
    expect(result.blocks?.[0]).toMatchObject({ columns: ["A", "B"], bodyStart: 0, rowStarts: [0, 4, 8] });
    const named = await read("id,2023,2024\nx,10,20\ny,30,40\n");
    expect(named.blocks?.[0]).toMatchObject({ columns: ["id", "2023", "2024"] });
    const repeated = await read("x,1\ny,2\nx,3\n");
    expect(repeated.blocks?.[0]).toMatchObject({ columns: ["A", "B"] });
  });

  it("names the only column, unless its first line is a text like the others", async () => {
    expect((await read("Country\nAfghanistan\nAlbania\n")).blocks?.[0]).toMatchObject({ columns: ["Country"] });
    expect((await read("This is a text.\nThis is another.\n")).blocks?.[0]).toMatchObject({ columns: ["A"] });
  });

  it("sets lines above the table apart", async () => {
    const text = "Report of the year\n\nName,Age,City\nAda,36,London\nBob,41,Paris\n";
    const { blocks } = await read(text);
    expect(blocks).toMatchObject([
      { kind: "paragraph", start: 0, end: 18 },
      { kind: "table", start: 20, columns: ["Name", "Age", "City"], rowStarts: [34, 48] },
    ]);
  });

  it("keeps ragged rows and says which they are", async () => {
    const result = await read("a,b,c\n1,2,3\n1,2,3,4\n1\n4,5,6\n");
    expect(rowsOf(result)).toEqual(["1,2,3", "1,2,3,4", "1", "4,5,6"]);
    expect(result.notes).toEqual([
      "Most rows have 3 cells; 2 rows do not, the first of them row 3 with 4 cells. They were read as they are.",
    ]);
  });

  it("reads tabs in TSV, a delimiter that the file names, and an encoding that is given", async () => {
    expect((await read("a,b\tc\n1,2\t3", "text/tab-separated-values")).blocks?.[0]).toMatchObject({
      columns: ["a,b", "c"],
      delimiter: "\t",
    });
    const told = await read("sep=;\na,b;c\n1,2;3");
    expect(told.blocks).toMatchObject([
      { kind: "paragraph", end: 5 },
      { columns: ["a,b", "c"], delimiter: ";" },
    ]);
    for (const bare of ["sep=;", "sep=;\n", "sep=;\r\n"]) {
      const { text, blocks } = await read(bare);
      expect(blocks?.map(({ start, end }) => text.slice(start, end))).toEqual(["sep=;"]);
    }
    const bytes = Uint8Array.of(0x93, 0xfa, 0x2c, 0x96, 0x7b, 0x0a, 0x31, 0x2c, 0x32);
    const japanese = await csvReader.read({ uri: "j.csv", bytes, mediaType: "text/csv", charset: "shift_jis" });
    expect(japanese.blocks?.[0]?.columns).toEqual(["日", "本"]);
  });

  it("cuts the name of a column that is no name", async () => {
    const { blocks } = await read(`${"n".repeat(1000)},b\n1,2\n`);
    expect(blocks?.[0]?.columns).toEqual([`${"n".repeat(254)}…`, "b"]);
  });

  it("refuses a row of more cells, more rows, or a text longer, than is allowed", async () => {
    expect((await read("a\n1\n2\n", "text/csv", { maxCells: 3 })).metadata["rows"]).toBe(2);
    await expect(read("a\n1\n2\n3\n", "text/csv", { maxCells: 3 })).rejects.toMatchObject({
      code: "too-large",
      details: { limit: "maxCells" },
    });
    await expect(read(`a,b\n${",".repeat(500)}`, "text/csv", { maxCells: 500 })).rejects.toMatchObject({
      code: "too-large",
      uri: "dir/list.csv",
      details: { limit: "maxCells" },
    });
    await expect(read("a,b\n1,2\n", "text/csv", { maxTextLength: 7 })).rejects.toMatchObject({
      code: "too-large",
      details: { limit: "maxTextLength" },
    });
    await expect(read("a,b\n1,\0\0\0\n")).rejects.toMatchObject({ code: "binary", uri: "dir/list.csv" });
  });
});
