import { describe, expect, it } from "vitest";
import { detectMediaType } from "../../src/readers/media-type.ts";
import { readAny } from "./read-any.ts";
import { refusalOf } from "./read-with.ts";

const workbook = (body: string, prefix = ""): Uint8Array =>
  new TextEncoder().encode(
    `<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<${prefix}Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" xmlns:html="http://www.w3.org/TR/REC-html40">${body}</${prefix}Workbook>`,
  );
const cell = (type: string, text: string, more = "", after = ""): string =>
  `<Cell ${more}><Data ss:Type="${type}">${text}</Data>${after}</Cell>`;
const sheet = (name: string, rows: string, more = ""): string =>
  `<Worksheet ss:Name="${name}"><Table>${rows}</Table>${more}</Worksheet>`;

describe("a workbook in one XML file (Excel 2002 and 2003)", () => {
  const fees = workbook(
    `<DocumentProperties><Title>Fees of the port</Title><Author>Ada</Author><Created>2003-04-01T10:00:00Z</Created></DocumentProperties>` +
      `<Styles><Style ss:ID="Default"/><Style ss:ID="p"><NumberFormat ss:Format="Percent"/></Style><Style ss:ID="q" ss:Parent="p"/><Style ss:ID="f"><NumberFormat ss:Format="#,##0.00"/></Style></Styles>` +
      sheet(
        "Fees",
        `<Row>${["Berth", "Fee", "Share", "From", "Paid"].map((name) => cell("String", name)).join("")}</Row>` +
          `<Row>${cell("String", "North <html:B>quay</html:B>")}${cell("Number", "1234.5", 'ss:StyleID="f"')}${cell("Number", "0.25", 'ss:StyleID="q"')}${cell("DateTime", "2003-04-01T00:00:00.000")}${cell("Boolean", "1")}</Row>` +
          `<Row ss:Index="4">${cell("String", "South", "", '<Comment ss:Author="Bo"><ss:Data><html:B>Bo:</html:B>closed in May</ss:Data></Comment>')}${cell("Error", "#N/A", 'ss:Index="3"')}</Row>`,
      ) +
      sheet(
        "Old",
        `<Row>${cell("String", "Rope")}</Row>`,
        "<WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions>",
      ),
  );

  it.each(["fees.xml", "fees.xls", "fees"])("is read by its sheets, cells and comments: %s", async (name) => {
    const read = await readAny(name, fees);
    expect(read.text.split("\n")).toEqual([
      "Fees",
      "",
      "Berth | Fee | Share | From | Paid",
      "Berth: North quay | Fee: 1,234.50 | Share: 25.00% | From: 2003-04-01 | Paid: TRUE",
      "",
      "Berth: South | Fee:  | Share: #N/A | From:  | Paid: ",
      "",
      "[Comment by Bo at A4: closed in May]",
      "",
      "Old",
      "",
      "Rope",
    ]);
    expect(read.sourceMap.sheets?.map(({ name }) => name)).toEqual(["Fees", "Old"]);
    expect(read.title).toBe("Fees of the port");
    expect(read.metadata).toMatchObject({ author: "Ada", createdAt: "2003-04-01T10:00:00Z" });
  });

  it("knows cells that are shown as one, also under a prefix", async () => {
    const merged = workbook(
      `<ss:Worksheet ss:Name="S"><ss:Table><ss:Row><ss:Cell ss:MergeAcross="1"><ss:Data ss:Type="String">Both</ss:Data></ss:Cell><ss:Cell><ss:Data ss:Type="String">Third</ss:Data></ss:Cell></ss:Row></ss:Table></ss:Worksheet>`,
      "ss:",
    );
    const { sourceMap } = await readAny("m.xml", merged);
    expect(sourceMap.sheets).toMatchObject([{ name: "S", rows: [{ row: 1, columns: [1, 3] }] }]);
  });

  it("is told from other XML by its namespace", () => {
    const other = new TextEncoder().encode('<?xml version="1.0"?><Workbook xmlns="urn:x"><Row/></Workbook>');
    expect(detectMediaType(other, { name: "a.xml" })).toBe("application/xml");
    expect(detectMediaType(fees, { name: "a.xml" })).toBe("application/vnd.ms-spreadsheetml");
  });

  it("is refused by name when it is empty, cut off, or beyond a limit", async () => {
    expect(await refusalOf(readAny("e.xml", workbook(sheet("S", ""))))).toMatchObject({ code: "empty" });
    expect(await refusalOf(readAny("c.xml", fees.subarray(0, fees.length - 40)))).toMatchObject({ code: "unreadable" });
    const long = workbook(sheet("S", `<Row>${"<Cell/>".repeat(40)}</Row>`));
    expect(await refusalOf(readAny("l.xml", long, { limits: { maxCells: 30 } }))).toMatchObject({ code: "too-large" });
    const circle = workbook(
      `<Styles><Style ss:ID="a" ss:Parent="b"/><Style ss:ID="b" ss:Parent="a"/></Styles>${sheet("S", `<Row>${cell("Number", "5", 'ss:StyleID="a"')}</Row>`)}`,
    );
    expect((await readAny("circle.xml", circle)).text).toBe("S\n\nA: 5");
  });
});
