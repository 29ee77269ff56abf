import { coreProperties, escapeXml, pack, relationships } from "./make-office.ts";

const spreadsheetml = {
  usual: "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
  strict: "http://purl.oclc.org/ooxml/spreadsheetml/main",
} as const;

/** A cell: a text, a number or a boolean as they are, markup of its own, or nothing. */
export type TestCell = string | number | boolean | null | { readonly xml: string };

export interface TestSheet {
  readonly name: string;
  /** Rows of cells from A1 on. */
  readonly rows?: readonly (readonly TestCell[])[];
  /** What stands in `sheetData`, when `rows` is not enough. */
  readonly data?: string;
  /** Ranges such as `A1:B1`. */
  readonly merges?: readonly string[];
  readonly state?: "hidden" | "veryHidden";
  /** What stands before `sheetData`. */
  readonly before?: string;
  readonly type?: string;
}

export interface XlsxTestParts {
  /** Texts that cells of type `s` refer to, as the inside of `si`. */
  readonly strings?: readonly string[];
  /** The inside of `styleSheet`. */
  readonly styles?: string;
  readonly workbookProperties?: string;
  readonly core?: string;
  readonly isStrict?: boolean;
  readonly more?: Readonly<Record<string, string | Uint8Array>>;
  /** Further relationships of the workbook. */
  readonly related?: readonly (readonly [id: string, type: string, target: string])[];
}

/** A workbook in which texts stand in their cells. */
export function makeXlsx(sheets: readonly TestSheet[], parts: XlsxTestParts = {}): Uint8Array {
  const main = parts.isStrict === true ? spreadsheetml.strict : spreadsheetml.usual;
  const root = (name: string, inside: string): string =>
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<${name} xmlns="${main}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">${inside}</${name}>`;
  const { strings, styles } = parts;
  return pack({
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": relationships([
      ["rId1", "officeDocument", "xl/workbook.xml"],
      ["rId2", "metadata/core-properties", "docProps/core.xml"],
    ]),
    "docProps/core.xml": coreProperties(parts.core ?? ""),
    "xl/workbook.xml": root(
      "workbook",
      `${parts.workbookProperties ?? ""}<sheets>${sheets
        .map(
          ({ name, state }, i) =>
            `<sheet name="${escapeXml(name)}" sheetId="${i + 1}" r:id="s${i + 1}"${state === undefined ? "" : ` state="${state}"`}/>`,
        )
        .join("")}</sheets>`,
    ),
    "xl/_rels/workbook.xml.rels": relationships([
      ...sheets.map(({ type }, i) => [`s${i + 1}`, type ?? "worksheet", `worksheets/sheet${i + 1}.xml`] as const),
      ...(strings === undefined ? [] : [["strings", "sharedStrings", "sharedStrings.xml"] as const]),
      ...(styles === undefined ? [] : [["styles", "styles", "styles.xml"] as const]),
      ...(parts.related ?? []),
    ]),
    ...Object.fromEntries(
      sheets.map((sheet, i) => [`xl/worksheets/sheet${i + 1}.xml`, root("worksheet", insideOf(sheet))]),
    ),
    ...(strings === undefined
      ? {}
      : { "xl/sharedStrings.xml": root("sst", strings.map((inside) => `<si>${inside}</si>`).join("")) }),
    ...(styles === undefined ? {} : { "xl/styles.xml": root("styleSheet", styles) }),
    ...parts.more,
  });
}

function insideOf({ rows = [], data, merges = [], before = "" }: TestSheet): string {
  const written = rows.map((cells) => `<row>${cells.map(cellXml).join("")}</row>`).join("");
  const merged = merges.map((range) => `<mergeCell ref="${range}"/>`).join("");
  return `${before}<sheetData>${data ?? written}</sheetData>${merged === "" ? "" : `<mergeCells>${merged}</mergeCells>`}`;
}

function cellXml(cell: TestCell): string {
  if (cell === null) return "<c/>";
  if (typeof cell === "number") return `<c><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === "string") return `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`;
  return cell.xml;
}
