import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { composeWorkbook } from "../sheets/compose-workbook.ts";
import { type NumberFormat, readNumberFormat } from "../sheets/number-format.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { createSheetBuilders, type SheetBuilder } from "../sheets/sheet-builder.ts";
import type { CellKind, Sheet } from "../sheets/workbook.ts";

import { readFact, statedFacts } from "./package-facts.ts";
import { unreadable } from "./refusals.ts";
import { elementsOf, findChild, readXml, textOf, type XmlElement } from "./read-xml.ts";

/** Formats that have a name instead of a code. **Source** XML Spreadsheet reference, `NumberFormat`. */
const namedFormats: ReadonlyMap<string, string> = new Map([
  ["Fixed", "0.00"],
  ["Standard", "#,##0.00"],
  ["Currency", "#,##0.00"],
  ["Percent", "0.00%"],
  ["Scientific", "0.00E+00"],
]);

/** Reads a workbook in one XML file for {@link createXlsxReader}. **Errors** as there. **Cost** memory for one row beyond the cells. */
export async function readXmlWorkbook(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes, signal } = input;
  const { maxCells } = limitsOf(input);
  const begin = createSheetBuilders(input);
  const begun = new Map<XmlElement, { readonly builder: SheetBuilder; row: number }>();
  let styles: Styles | undefined;
  // Rows are read one at a time: what stands before them is in the root by then.
  const root = readXml(bytes, uri, "the file itself", {
    depth: 3,
    parent: "Table",
    grow(elements) {
      if (elements > maxCells) throw overLimit(uri, "maxCells", maxCells);
    },
    visit(element, root) {
      const sheet = elementsOf(root).at(-1);
      if (element.name !== "Row" || sheet?.name !== "Worksheet") return;
      styles ??= readStyles(findChild(root, "Styles"));
      const state = begun.get(sheet) ?? { builder: begin(sheet.attributes.get("Name") ?? "", false), row: 0 };
      begun.set(sheet, state);
      state.row = countOf(element, "Index") ?? state.row + 1;
      if (state.row % 1000 === 0) throwIfAborted(signal, `Reading ${uri}`, { uri });
      addRow(state.builder, element, state.row, styles);
    },
  });
  if (root.name !== "Workbook") throw unreadable(uri, "holds no workbook");
  const sheets = elementsOf(root)
    .filter(({ name }) => name === "Worksheet")
    .map((element): Sheet => {
      const { builder } = begun.get(element) ?? { builder: begin(element.attributes.get("Name") ?? "", false) };
      return {
        ...builder.finish(),
        hidden: textOf(findChild(element, "WorksheetOptions", "Visible")).startsWith("Sheet"),
      };
    });
  const facts = findChild(root, "DocumentProperties");
  const metadata = statedFacts({
    author: readFact(findChild(facts, "Author")),
    language: undefined,
    createdAt: findChild(facts, "Created"),
    modifiedAt: findChild(facts, "LastSaved"),
  });
  return composeWorkbook(input, sheets, { title: readFact(findChild(facts, "Title")) || undefined, metadata });
}

type Styles = (id: string) => NumberFormat;

function readStyles(element: XmlElement | undefined): Styles {
  const found = new Map(elementsOf(element).map((style) => [style.attributes.get("ID") ?? "", style]));
  const formats = new Map<string, NumberFormat>();
  /** The code of a style, else of the one that it is based on. A circle of styles ends. */
  const codeOf = (id: string, seen: ReadonlySet<string> = new Set()): string => {
    const style = found.get(id);
    const own = findChild(style, "NumberFormat")?.attributes.get("Format");
    if (own !== undefined) return namedFormats.get(own) ?? (/^[A-Z][a-z/ A-Z]*$/u.test(own) ? "General" : own);
    const parent = style?.attributes.get("Parent");
    return parent === undefined || seen.has(id) ? "General" : codeOf(parent, new Set([...seen, id]));
  };
  return (id) => {
    const known = formats.get(id) ?? readNumberFormat(codeOf(id));
    formats.set(id, known);
    return known;
  };
}

function addRow(builder: SheetBuilder, line: XmlElement, row: number, styles: Styles): void {
  let column = 0;
  for (const cell of elementsOf(line)) {
    if (cell.name !== "Cell") continue;
    column = countOf(cell, "Index") ?? column + 1;
    const { text, kind } = readCell(cell, styles);
    builder.addCell(row, column, text, kind);
    const [across, down] = [countOf(cell, "MergeAcross") ?? 0, countOf(cell, "MergeDown") ?? 0];
    if (text.trim() !== "")
      builder.addMerge({ firstRow: row, lastRow: row + down, firstColumn: column, lastColumn: column + across });
    const comment = findChild(cell, "Comment");
    if (comment !== undefined) builder.addComment(row, column, comment.attributes.get("Author") ?? "", textOf(comment));
    column += across;
  }
}

function readCell(cell: XmlElement, styles: Styles): { readonly text: string; readonly kind: CellKind } {
  const data = findChild(cell, "Data");
  const text = textOf(data);
  switch (data?.attributes.get("Type")) {
    case "Number": {
      const value = Number(text);
      if (text.trim() === "" || !Number.isFinite(value)) return { text, kind: "text" };
      return styles(cell.attributes.get("StyleID") ?? "Default")(value);
    }
    case "DateTime":
      return {
        text: text
          .replace(/\.\d+$/u, "")
          .replace(/T00:00:00$/u, "")
          .replace("T", " "),
        kind: "date",
      };
    case "Boolean":
      return { text: text.trim() === "1" ? "TRUE" : "FALSE", kind: "boolean" };
    default:
      return { text, kind: "text" };
  }
}

function countOf({ attributes }: XmlElement, name: string): number | undefined {
  const count = Number(attributes.get(name) ?? "");
  return Number.isSafeInteger(count) && count >= 1 ? count : undefined;
}
