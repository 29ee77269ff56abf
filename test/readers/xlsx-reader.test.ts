import { describe, expect, it } from "vitest";

import type { ReadResult } from "../../src/contracts/reader.ts";
import { createXlsxReader } from "../../src/readers/office/xlsx-reader.ts";
import { locate } from "../../src/text/locate.ts";
import { relationships } from "./make-office.ts";
import { makeXlsx, type TestCell } from "./make-xlsx.ts";
import { readAs, refusalOf, showOutline } from "./read-with.ts";

const mediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const textOf = async (rows: readonly (readonly TestCell[])[], merges: readonly string[] = []): Promise<string> =>
  (await readAs("book.xlsx", makeXlsx([{ name: "S", rows, merges }]))).text;
const cellsOf = (result: ReadResult, words: string): string | undefined => {
  const start = result.text.indexOf(words);
  return locate(result, start, start + words.length).cells;
};

describe("sheets", () => {
  it("reads every sheet in the order of its tabs, a section each, and tells where each row is [E15 T34]", async () => {
    const book = makeXlsx([
      {
        name: "Prices & more",
        rows: [
          ["Product", "Price"],
          ["Lamp", 12],
          ["Desk", 90.5],
        ],
      },
      {
        name: "Stock",
        rows: [
          ["Product", "Left"],
          ["Lamp", 3],
        ],
      },
    ]);
    const result = await readAs("book.xlsx", book);
    expect(result.mediaType).toBe(mediaType);
    expect(result.text).toBe(
      [
        "Prices & more\n\nProduct | Price\nProduct: Lamp | Price: 12\nProduct: Desk | Price: 90.5",
        "Stock\n\nProduct | Left\nProduct: Lamp | Left: 3",
      ].join("\n\n"),
    );
    expect(showOutline(result.root)).toEqual(["# Prices & more", "# Stock"]);
    expect(result.metadata).toEqual({ sheets: ["Prices & more", "Stock"] });
    expect(cellsOf(result, "Product | Price")).toBe("A1:B1");
    expect(cellsOf(result, "Desk")).toBe("A3:B3");
    expect(locate(result, result.text.length - 1)).toMatchObject({ sheet: "Stock", cells: "A2:B2" });
    const [table] = result.blocks?.filter(({ kind }) => kind === "table") ?? [];
    expect(table).toMatchObject({ columns: ["Product", "Price"] });
    expect(table?.rowStarts?.map((start) => result.text.slice(start, start + 13))).toEqual([
      "Product: Lamp",
      "Product: Desk",
    ]);
    expect(table?.bodyStart).toBe(table?.rowStarts?.[0]);
  });

  it("reads notes and threaded comments with their authors and cells, each once [L9]", async () => {
    const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const result = await readAs(
      "book.xlsx",
      makeXlsx(
        [
          {
            name: "Budget",
            rows: [
              ["Item", "Cost"],
              ["Rent", 900],
            ],
          },
          { name: "Remarks" },
        ],
        {
          more: {
            "xl/worksheets/_rels/sheet1.xml.rels": relationships([
              ["n", "comments", "../comments/comment1.xml"],
              ["t", "threadedComment", "../threadedComments/threadedComment1.xml"],
            ]),
            "xl/worksheets/_rels/sheet2.xml.rels": relationships([["n", "comments", "../comments2.xml"]]),
            "xl/comments/comment1.xml": `<comments xmlns="${main}"><authors><author>Ada</author><author>tc={1}</author></authors><commentList><comment ref="B2" authorId="0"><text><r><t>Ada:</t></r><r><t xml:space="preserve">\nAgreed by\nletter | signed</t></r></text></comment><comment ref="A1" authorId="1"><text><t>[Threaded comment] Your version of Excel…</t></text></comment></commentList></comments>`,
            "xl/threadedComments/threadedComment1.xml":
              '<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"><threadedComment ref="A1" personId="{p}" id="{1}"><text>Which items?</text></threadedComment><threadedComment ref="A1" personId="{q}" id="{2}" parentId="{1}"><text>All of March.</text></threadedComment></ThreadedComments>',
            "xl/comments2.xml": `<comments xmlns="${main}"><authors/><commentList><comment ref="C4" authorId="0"><text><t>Nothing here yet</t></text></comment></commentList></comments>`,
            "xl/persons/person.xml":
              '<personList xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"><person displayName="Grace" id="{p}"/><person displayName="Karl" id="{q}"/></personList>',
          },
          related: [["people", "person", "persons/person.xml"]],
        },
      ),
    );
    expect(result.text).toBe(
      [
        "Budget",
        "Item | Cost\nItem: Rent | Cost: 900",
        "[Comment by Grace at A1: Which items?]",
        "[Comment by Karl at A1: All of March.]",
        "[Comment by Ada at B2: Agreed by letter | signed]",
        "Remarks",
        "[Comment at C4: Nothing here yet]",
      ].join("\n\n"),
    );
    expect(cellsOf(result, "Agreed by")).toBe("B2");
    expect(cellsOf(result, "All of March")).toBe("A1");
    expect(cellsOf(result, "Rent")).toBe("A2:B2");
    expect(cellsOf(result, "Nothing here")).toBe("C4");
    expect(result.notes).toBeUndefined();
  });

  it("reads what is drawn on a sheet, at its cell: text boxes, diagrams, titles of charts, and figures where no cell has them", async () => {
    const spaces =
      'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';
    const lines = (...texts: string[]): string =>
      texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join("");
    const box = (...texts: string[]): string => `<xdr:sp><xdr:txBody>${lines(...texts)}</xdr:txBody></xdr:sp>`;
    const anchor = (row: number, column: number, inside: string): string =>
      `<xdr:twoCellAnchor><xdr:from><xdr:col>${column - 1}</xdr:col><xdr:row>${row - 1}</xdr:row></xdr:from>${inside}</xdr:twoCellAnchor>`;
    const points = (...values: string[]): string =>
      values.map((value, i) => `<c:pt idx="${i}"><c:v>${value}</c:v></c:pt>`).join("");
    const drawing = [
      anchor(9, 3, box("Check the tides", "before June.")),
      anchor(
        2,
        5,
        `<mc:AlternateContent><mc:Choice>${box("New form")}</mc:Choice><mc:Fallback>${box("Old form")}</mc:Fallback></mc:AlternateContent>`,
      ),
      anchor(4, 5, '<xdr:graphicFrame><c:chart r:id="c1"/></xdr:graphicFrame>'),
      anchor(6, 5, '<xdr:graphicFrame><dgm:relIds r:dm="d1"/></xdr:graphicFrame>'),
    ];
    const chart = `<c:chart><c:title><c:tx><c:rich>${lines("Ships a year")}</c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx>${points("ships")}</c:tx><c:cat>${points("2023", "2024")}</c:cat><c:val>${points("31", "45")}</c:val></c:ser></c:barChart></c:plotArea></c:chart>`;
    const more = {
      "xl/worksheets/_rels/sheet1.xml.rels": relationships([["r1", "drawing", "../drawings/drawing1.xml"]]),
      "xl/drawings/drawing1.xml": `<xdr:wsDr ${spaces}>${drawing.join("")}</xdr:wsDr>`,
      "xl/drawings/_rels/drawing1.xml.rels": relationships([
        ["c1", "chart", "../charts/chart1.xml"],
        ["d1", "diagramData", "../diagrams/data1.xml"],
      ]),
      "xl/charts/chart1.xml": `<c:chartSpace ${spaces}>${chart}</c:chartSpace>`,
      "xl/diagrams/data1.xml": `<dgm:dataModel ${spaces}><dgm:ptLst><dgm:pt><dgm:t>${lines("Load")}</dgm:t></dgm:pt><dgm:pt><dgm:t>${lines("Sail")}</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`,
    };
    const shown = ["Check the tides\nbefore June.", "New form", "Ships a year"];
    const withCells = await readAs("a.xlsx", makeXlsx([{ name: "S", rows: [["a"]] }], { more }));
    expect(withCells.text).toBe(["S", "a", ...shown, "- Load\n- Sail"].join("\n\n"));
    const at = withCells.text.indexOf("before June");
    expect(locate(withCells, at, at + 6)).toMatchObject({ sheet: "S", cells: "C9" });
    const without = await readAs("a.xlsx", makeXlsx([{ name: "S" }], { more }));
    expect(without.text).toBe(
      ["S", ...shown, "|  | ships |\n| 2023 | 31 |\n| 2024 | 45 |", "- Load\n- Sail"].join("\n\n"),
    );
    expect(without.sourceMap.tables).toMatchObject([{ columns: ["", "ships"] }]);
  });

  it("reads hidden sheets and says so, and names what has no cells", async () => {
    const { text, notes } = await readAs(
      "book.xlsx",
      makeXlsx(
        [
          { name: "Shown", rows: [["a"]] },
          { name: "Lookup", rows: [["secret"]], state: "veryHidden" },
          { name: "Blank" },
          { name: "Graph", type: "chartsheet" },
        ],
        { more: { "xl/charts/chart1.xml": "<c/>", "xl/media/image1.png": "x" } },
      ),
    );
    expect(text).toContain("secret");
    expect(notes).toEqual([
      'The sheet "Graph" holds a chart or a dialogue, no cells; it was not read.',
      "Cells were read; not in the text: charts (1), pictures (1).",
      'The sheet "Lookup" is hidden in the workbook; it was read like the others.',
      'The sheet "Blank" is empty.',
    ]);
  });

  it("costs what it holds, not what it declares", async () => {
    const result = await readAs(
      "far.xlsx",
      makeXlsx([
        {
          name: "Far",
          before: '<dimension ref="A1:XFD1048576"/>',
          data: '<row r="2"><c r="C2"><v>1</v></c><c r="D2" s="7"/></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>',
          merges: ["A5:XFD1048576"],
        },
      ]),
    );
    expect(result.text).toBe("Far\n\nC: 1\n\nXFD: 2");
    expect(cellsOf(result, "C: 1")).toBe("C2");
    expect(cellsOf(result, "XFD: 2")).toBe("XFD1048576");
  });

  it("takes strict files, and rows and cells that do not say where they stand", async () => {
    const data = "<row><c><v>1</v></c><c><v>2</v></c></row><row r='4'><c r='B4'><v>3</v></c><c><v>4</v></c></row>";
    const { text } = await readAs("strict.xlsx", makeXlsx([{ name: "S", data }], { isStrict: true }));
    expect(text).toBe("S\n\nA: 1 | B: 2\n\nB: 3 | C: 4");
  });

  it("takes its title and author from what the file says of itself", async () => {
    const core = "<dc:title>Budget</dc:title><dc:creator>Ada</dc:creator>";
    const { title, metadata } = await readAs("b.xlsx", makeXlsx([{ name: "S", rows: [["a"]] }], { core }));
    expect({ title, metadata }).toEqual({ title: "Budget", metadata: { author: "Ada", sheets: ["S"] } });
  });
});

describe("cells", () => {
  it("reads texts wherever they are kept, without how they are pronounced", async () => {
    const cells = [
      '<c t="s"><v>0</v></c>',
      '<c t="s"><v>1</v></c>',
      '<c t="str"><f>A1&amp;"!"</f><v>made &amp; kept_x000D_</v></c>',
      '<c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>',
      '<c t="e"><v>#DIV/0!</v></c>',
      '<c t="b"><v>1</v></c>',
      '<c t="d"><v>2024-05-06T00:00:00</v></c>',
    ];
    const book = makeXlsx([{ name: "S", data: `<row>${cells.join("")}</row>` }], {
      strings: [
        "<t>plain\n text</t>",
        "<r><t>ri</t></r><r><rPr><b/></rPr><t>ch</t></r><rPh sb='0' eb='1'><t>ph</t></rPh>",
      ],
    });
    expect((await readAs("b.xlsx", book)).text).toBe(
      "S\n\nA: plain text | B: rich | C: made & kept | D: inline | E: #DIV/0! | F: TRUE | G: 2024-05-06",
    );
  });

  it("shows numbers as their format does", async () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="&quot;$&quot;#,##0.00"/></numFmts>
      <cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="10"/><xf numFmtId="165"/></cellXfs>`;
    const data = `<row><c><v>0.30000000000000004</v></c><c s="1"><v>45413</v></c><c s="2"><v>0.256</v></c><c s="3"><v>1234.5</v></c></row>`;
    const read = async (workbookProperties = ""): Promise<string> =>
      (await readAs("b.xlsx", makeXlsx([{ name: "S", data }], { styles, workbookProperties }))).text;
    expect(await read()).toBe("S\n\nA: 0.3 | B: 2024-05-01 | C: 25.60% | D: $1,234.50");
    expect(await read('<workbookPr date1904="1"/>')).toContain("B: 2028-05-02");
  });

  it("says which formulas have no stored result, and which texts are missing", async () => {
    const data = '<row><c><f>1+1</f></c><c><f>2+2</f><v>4</v></c><c t="str"><f>""</f></c><c t="s"><v>99</v></c></row>';
    const { text, notes } = await readAs("b.xlsx", makeXlsx([{ name: "S", data }], { strings: ["<t>one</t>"] }));
    expect(text).toBe("S\n\nB: 4");
    expect(notes?.map((note) => note.slice(0, 62))).toEqual([
      'The sheet "S" has formulas without a stored result (1); open a',
      'The sheet "S" refers to texts that the file does not hold (1).',
    ]);
  });
});

describe("tables", () => {
  it("sets titles, tables and remarks apart, and goes on after an empty row", async () => {
    expect(
      await textOf([
        ["Sales of the year"],
        [],
        ["Region", "Q1", "Q2"],
        ["North", 1, 2],
        ["South", null, 4],
        [],
        ["Total", 1, 6],
        ["Source: our books"],
      ]),
    ).toBe(
      [
        "S",
        "Sales of the year",
        "Region | Q1 | Q2\nRegion: North | Q1: 1 | Q2: 2\nRegion: South | Q1:  | Q2: 4",
        "Region: Total | Q1: 1 | Q2: 6",
        "Source: our books",
      ].join("\n\n"),
    );
  });

  it("reads tables beside one another one after the other, each with its cells", async () => {
    const result = await readAs(
      "b.xlsx",
      makeXlsx([
        {
          name: "S",
          rows: [
            ["a", "b"],
            [1, 2, null, "c", "d"],
            [3, 4, null, 5, 6],
            [null, null, null, 7, 8],
          ],
        },
      ]),
    );
    expect(result.text).toBe("S\n\na | b\na: 1 | b: 2\na: 3 | b: 4\n\nc | d\nc: 5 | d: 6\nc: 7 | d: 8");
    expect(cellsOf(result, "a: 3 | b: 4")).toBe("A3:B3");
    expect(cellsOf(result, "c: 7 | d: 8")).toBe("D4:E4");
    expect(cellsOf(result, result.text)).toBe("A1:E4");
  });

  it("keeps a remark in its row, past an empty column", async () => {
    expect(
      await textOf([
        ["Name", "Price"],
        ["x", 1],
        ["y", 2, null, "late"],
        ["z", 3],
      ]),
    ).toBe("S\n\nName | Price | D\nName: x | Price: 1 | D: \nName: y | Price: 2 | D: late\nName: z | Price: 3 | D: ");
  });

  it("joins a header of merged cells, and says a merged label in each of its rows", async () => {
    expect(
      await textOf(
        [
          ["Region", "2024", null, "2025", null],
          [null, "Q1", "Q2", "Q1", "Q2"],
          ["North", 1, 2, 3, 4],
          [null, 5, 6, 7, 8],
        ],
        ["A1:A2", "B1:C1", "D1:E1", "A3:A4"],
      ),
    ).toBe(
      [
        "S\n\nRegion | 2024 Q1 | 2024 Q2 | 2025 Q1 | 2025 Q2",
        "Region: North | 2024 Q1: 1 | 2024 Q2: 2 | 2025 Q1: 3 | 2025 Q2: 4",
        "Region: North | 2024 Q1: 5 | 2024 Q2: 6 | 2025 Q1: 7 | 2025 Q2: 8",
      ].join("\n"),
    );
  });

  it("knows years as names of columns, and numbers as none", async () => {
    expect(
      await textOf([
        ["Region", 2023, 2024],
        ["N", 100, 200],
        ["S", 300, 400],
      ]),
    ).toBe("S\n\nRegion | 2023 | 2024\nRegion: N | 2023: 100 | 2024: 200\nRegion: S | 2023: 300 | 2024: 400");
    expect(
      await textOf([
        [1, 2],
        [3, 4],
      ]),
    ).toBe("S\n\nA: 1 | B: 2\nA: 3 | B: 4");
  });

  it("reads a column of texts as lines", async () => {
    expect(await textOf([["First thought."], ["Second thought."]])).toBe("S\n\nFirst thought.\nSecond thought.");
  });
});

describe("hostile workbooks", () => {
  const tooLarge = (limit: string): object => ({ code: "too-large", uri: "b.xlsx", details: { limit } });
  const read = (bytes: Uint8Array, limits: object): Promise<ReadResult> =>
    createXlsxReader().read({ uri: "b.xlsx", bytes, mediaType, limits });

  it("refuses more cells, sheets, merged cells or unpacked bytes than are allowed", async () => {
    const rows = Array.from({ length: 50 }, () => [1, 2, 3, 4]);
    const sheet = { name: "S", rows };
    expect(await refusalOf(read(makeXlsx([sheet]), { maxCells: 199 }))).toMatchObject(tooLarge("maxCells"));
    expect((await read(makeXlsx([sheet]), { maxCells: 200 })).text).toContain("A: 1");
    expect(await refusalOf(read(makeXlsx([sheet, sheet]), { maxPages: 1 }))).toMatchObject(tooLarge("maxPages"));
    const merges = Array.from({ length: 300 }, (_, i) => `A${i + 1}:B${i + 1}`);
    expect(await refusalOf(read(makeXlsx([{ name: "S", rows: [[1]], merges }]), { maxCells: 200 }))).toMatchObject(
      tooLarge("maxCells"),
    );
    const bomb = makeXlsx([{ name: "S", data: `<row><c><v>1</v></c></row>${" ".repeat(1 << 20)}` }]);
    expect(bomb.length).toBeLessThan(10_000);
    expect(await refusalOf(read(bomb, { maxExpandedBytes: 1 << 19 }))).toMatchObject(tooLarge("maxExpandedBytes"));
  });

  it("refuses a text that many cells refer to, before it is written out", async () => {
    const data = `<row>${'<c t="s"><v>0</v></c>'.repeat(1000)}</row>`;
    const book = makeXlsx([{ name: "S", data }], { strings: [`<t>${"long ".repeat(1000)}</t>`] });
    expect(await refusalOf(read(book, { maxTextLength: 100_000 }))).toMatchObject(tooLarge("maxTextLength"));
  });

  it("refuses such a text while it reads the cells, and holds none beyond the limit", async () => {
    // The sheet is broken behind the cells: a reading that went on would say so.
    const data = `<row>${'<c t="s"><v>0</v></c>'.repeat(1000)}</row><row><c>`;
    const book = makeXlsx([{ name: "S", data }], { strings: [`<t>${"long ".repeat(1000)}</t>`] });
    expect(await refusalOf(read(book, { maxTextLength: 100_000 }))).toMatchObject(tooLarge("maxTextLength"));
  });

  it("refuses a text of more pieces than a cell has characters, while it grows", async () => {
    const book = makeXlsx([{ name: "S", rows: [[1]] }], { strings: ["<r><t>a</t></r>".repeat(300_000)] });
    expect(await refusalOf(read(book, {}))).toMatchObject({
      code: "unreadable",
      message: "b.xlsx has a text of more pieces than a cell has characters.",
    });
  });

  it("names the columns of a very wide table before filled cells only", async () => {
    const names = Array.from({ length: 2000 }, (_, i) => `column ${i + 1} says`);
    const { text } = await readAs(
      "b.xlsx",
      makeXlsx([{ name: "S", rows: [names, [1, ...Array.from({ length: 1998 }, () => null), 2]] }]),
    );
    expect(text.split("\n").at(-1)).toBe("column 1 says: 1 | column 2000 says: 2");
  });

  it("stands cells in any order, out of the sheet, and twice in one place", async () => {
    const data =
      '<row r="3"><c r="B3"><v>4</v></c><c r="A3"><v>3</v></c></row><row r="2"><c r="A2"><v>0</v></c><c r="A2"><v>1</v></c><c r="ZZZZ2"><v>2</v></c></row><row r="-7"><c r="🙂"><v>5</v></c></row>';
    expect((await readAs("b.xlsx", makeXlsx([{ name: "S", data }]))).text).toBe("S\n\nA: 1 | B: 2\nA: 5 | B: 4");
  });

  it("refuses a row of more cells than a sheet has columns, while it grows", async () => {
    const data = `<row>${"<c><v>1</v></c>".repeat(200_000)}</row>`;
    expect(await refusalOf(readAs("b.xlsx", makeXlsx([{ name: "S", data }])))).toMatchObject({
      code: "unreadable",
      message: expect.stringContaining("a row of more cells") as unknown,
    });
  });

  it("expands no entity of its own", async () => {
    const data = '<row><c t="str"><v>&b;</v></c></row>';
    const before = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
    expect((await readAs("b.xlsx", makeXlsx([{ name: "S", before, data }]))).text).toBe("S\n\n&b;");
  });

  it("refuses what is broken or empty", async () => {
    const refused = async (bytes: Uint8Array): Promise<string> => (await refusalOf(readAs("b.xlsx", bytes))).code;
    expect(await refused(makeXlsx([{ name: "S" }]))).toBe("empty");
    expect(await refused(makeXlsx([{ name: "S", data: "<row><c><v>1</c></row>" }]))).toBe("unreadable");
    expect(await refused(makeXlsx([{ name: "S", rows: [["a"]] }]).subarray(0, 400))).toBe("unreadable");
  });
});
