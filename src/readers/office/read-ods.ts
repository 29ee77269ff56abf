import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { addCarried } from "../add-carried.ts";
import { composeWorkbook } from "../sheets/compose-workbook.ts";
import { createSheetBuilders, type SheetBuilder } from "../sheets/sheet-builder.ts";
import type { CellKind, Sheet, SheetText } from "../sheets/workbook.ts";

import { cleanText } from "./clean-text.ts";
import { folderOf, type OdfObjects, readObject } from "./odf-objects.ts";
import { openOpenDocument } from "./open-document.ts";
import { unreadable } from "./refusals.ts";
import { elementsOf, findAll, findChild, textOf, type XmlElement } from "./read-xml.ts";

/** A sheet says of its blank end that it is repeated; rows and columns beyond these are no one's. */
const [maxRows, maxColumns] = [1_048_576, 16_384];

/** Implements {@link createOdsReader}; loaded with its libraries when the first file is read. */
export async function readOds(input: ReadInput): Promise<ReadResult> {
  const { uri, signal } = input;
  const { readPart, objects, otherObjects, facts } = await openOpenDocument(input);
  const charts = await objects();
  const embedded = otherObjects(charts);
  const carried = new Set(embedded.map(({ name }) => name));
  const begin = createSheetBuilders(input);
  const sheets: Sheet[] = [];
  let hidden: ReadonlySet<string> | undefined;
  const leftOut = { charts: 0, pictures: 0 };
  const content = await readPart("content.xml", {
    depth: 3,
    parent: "spreadsheet",
    visit(element, root) {
      if (element.name !== "table") return;
      throwIfAborted(signal, `Reading ${uri}`, { uri });
      hidden ??= hiddenStyles(root);
      const { attributes } = element;
      const builder = begin(attributes.get("name") ?? "", hidden.has(attributes.get("style-name") ?? ""));
      const drawn = [...drawnOn(findChild(element, "shapes"), 1, 1, charts), ...addRows(builder, element, charts)];
      const sheet = builder.finish();
      // Figures of a chart are cells as a rule.
      const texts = drawn.filter(({ block }) => block.kind !== "table" || sheet.rows.length === 0);
      sheets.push({ ...sheet, ...(texts.length > 0 && { texts }) });
      for (const frame of findAll(element, "frame")) {
        const object = findChild(frame, "object") ?? findChild(frame, "object-ole");
        if (object !== undefined) leftOut.charts += carried.has(folderOf(object)) ? 0 : 1;
        else if (findChild(frame, "image") !== undefined) leftOut.pictures++;
      }
    },
  });
  if (findChild(content, "body", "spreadsheet") === undefined) throw unreadable(uri, "holds no spreadsheet");
  const { title, metadata } = await facts();
  const found = Object.entries(leftOut).filter(([, count]) => count > 0);
  const notes =
    found.length === 0
      ? []
      : [`Cells were read; not in the text: ${found.map(([what, count]) => `${what} (${count})`).join(", ")}.`];
  const result = composeWorkbook(input, sheets, { title: title || undefined, metadata, notes });
  return addCarried(result, embedded, input, "what is embedded in it");
}

function hiddenStyles(root: XmlElement): ReadonlySet<string> {
  const styles = elementsOf(findChild(root, "automatic-styles")).filter(
    (style) => findChild(style, "table-properties")?.attributes.get("display") === "false",
  );
  return new Set(styles.map(({ attributes }) => attributes.get("name") ?? ""));
}

/** Adds the rows of a sheet. **Shape** the texts that are drawn at their cells. */
function addRows(builder: SheetBuilder, table: XmlElement, charts: OdfObjects): readonly SheetText[] {
  const texts: SheetText[] = [];
  let row = 1;
  const visit = (element: XmlElement): void => {
    if (element.name === "table-row") {
      const repeated = countOf(element, "number-rows-repeated");
      const cells = cellsOf(element);
      // Rows that are blank, or all the same to the end of the sheet, are there for their look.
      const times = cells.length === 0 ? 0 : Math.min(repeated, maxRows - row + 1);
      for (let copy = 0; copy < times; copy++) for (const add of cells) add(builder, row + copy);
      let column = 1;
      for (const cell of elementsOf(element)) {
        texts.push(...drawnOn(cell, row, column, charts));
        column += countOf(cell, "number-columns-repeated");
      }
      row += repeated;
    } else if (/^table-(?:rows|header-rows|row-group)$/.test(element.name)) elementsOf(element).forEach(visit);
  };
  elementsOf(table).forEach(visit);
  return texts;
}

/** Content of a cell itself; anything else in it is drawn over the sheet. */
const ownContent: ReadonlySet<string> = new Set(["p", "list", "annotation", "detective", "cell-range-source"]);

/** Texts of boxes, shapes and charts below an element, also those in groups. **Source** OASIS OpenDocument 1.3, part 3, 10 (graphic content). */
function drawnOn(element: XmlElement | undefined, row: number, column: number, charts: OdfObjects): SheetText[] {
  return elementsOf(element)
    .filter((shape) => !ownContent.has(shape.name))
    .flatMap((shape): SheetText[] => {
      if (shape.name === "g") return drawnOn(shape, row, column, charts);
      if (findChild(shape, "object") !== undefined)
        return readObject(shape, charts).map((piece) => ({ row, column, ...piece }));
      const text = cleanText(findAll(shape, "p").map(paragraphText).join("\n")).trim();
      return text === "" ? [] : [{ row, column, text, block: { kind: "paragraph" } }];
    });
}

/** Adds a cell to a row of a sheet. */
type AddCell = (builder: SheetBuilder, row: number) => void;

function cellsOf(row: XmlElement): AddCell[] {
  const cells: AddCell[] = [];
  let column = 1;
  for (const cell of elementsOf(row)) {
    if (cell.name !== "table-cell" && cell.name !== "covered-table-cell") continue;
    const repeated = countOf(cell, "number-columns-repeated");
    const { text, kind } = cell.name === "table-cell" ? readCell(cell) : { text: "", kind: "text" as const };
    const at = column;
    for (const note of elementsOf(cell).filter(({ name }) => name === "annotation")) {
      const said = elementsOf(note).filter(({ name }) => name === "p" || name === "list");
      const author = textOf(findChild(note, "creator"));
      cells.push((builder, line) => builder.addComment(line, at, author, said.map(paragraphText).join(" ")));
    }
    if (text.trim() !== "") {
      const [columns, rows] = [countOf(cell, "number-columns-spanned"), countOf(cell, "number-rows-spanned")];
      for (let copy = 0; copy < Math.min(repeated, maxColumns - column + 1); copy++) {
        const at = column + copy;
        cells.push((builder, line) => {
          builder.addCell(line, at, text, kind);
          builder.addMerge({
            firstRow: line,
            lastRow: line + rows - 1,
            firstColumn: at,
            lastColumn: at + columns - 1,
          });
        });
      }
    }
    column += repeated;
  }
  return cells;
}

/** **Source** OASIS OpenDocument 1.3, part 3, 19.385 (`office:value-type`). */
function readCell(cell: XmlElement): { readonly text: string; readonly kind: CellKind } {
  const type = cell.attributes.get("value-type") ?? "string";
  const shown = elementsOf(cell)
    .filter(({ name }) => name === "p")
    .map(paragraphText)
    .join(" ");
  if (type === "date") {
    const date = cell.attributes.get("date-value") ?? "";
    return { text: date.replace(/T00:00:00(?:\.0+)?$/, "").replace("T", " ") || shown, kind: "date" };
  }
  if (type === "boolean")
    return { text: cell.attributes.get("boolean-value") === "true" ? "TRUE" : "FALSE", kind: "boolean" };
  if (type === "float" || type === "percentage" || type === "currency")
    return { text: shown || (cell.attributes.get("value") ?? ""), kind: "number" };
  return { text: shown || (cell.attributes.get("string-value") ?? ""), kind: "text" };
}

/** White space of a paragraph as it is shown; comments in it are left out. */
function paragraphText(paragraph: XmlElement): string {
  return paragraph.children
    .map((child) => {
      if (typeof child === "string") return child.replace(/\s+/gu, " ");
      if (child.name === "s" || child.name === "tab" || child.name === "line-break") return " ";
      return child.name === "annotation" ? "" : paragraphText(child);
    })
    .join("");
}

function countOf({ attributes }: XmlElement, name: string): number {
  const count = Number(attributes.get(name) ?? "1");
  return Number.isSafeInteger(count) && count >= 1 ? count : 1;
}
