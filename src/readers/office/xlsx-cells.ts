import type { SheetBuilder } from "../sheets/sheet-builder.ts";
import type { CellKind, MergedCells } from "../sheets/workbook.ts";
import { unescapeControls } from "./clean-text.ts";
import { elementsOf, findChild, textOf, type XmlElement } from "./read-xml.ts";
import { readRichText } from "./xlsx-strings.ts";
import type { CellFormats } from "./xlsx-styles.ts";

/** Unreadable parts of a sheet, counted. */
export interface SheetFaults {
  formulasWithoutResult: number;
  textsMissing: number;
}

/** The last row and column of a sheet. **Source** Microsoft's limits of Excel. */
const maxRow = 1_048_576;
const maxColumn = 16_384;

/**
 * Takes the rows and merged cells of a sheet, one after the other, as its part hands them out.
 *
 * **Shape** rows and cells that do not say where they stand follow the ones before them. **Source** ISO/IEC 29500-1, 18.3.1.4 (`c`) and 18.18.11 (its types).
 */
export function createCellReader(
  builder: SheetBuilder,
  strings: readonly string[],
  formats: CellFormats,
  faults: SheetFaults,
): (element: XmlElement) => void {
  let row = 0;

  function readCell(cell: XmlElement): readonly [text: string, kind: CellKind] | undefined {
    const type = cell.attributes.get("t") ?? "n";
    if (type === "inlineStr") return [readRichText(findChild(cell, "is")), "text"];
    const stored = findChild(cell, "v");
    const value = textOf(stored).trim();
    if (value === "") {
      const isFormula = findChild(cell, "f") !== undefined;
      // A formula that gives an empty text has one.
      if (isFormula && stored === undefined && type !== "str") faults.formulasWithoutResult += 1;
      return undefined;
    }
    switch (type) {
      case "s": {
        const text = strings[Number(value)];
        if (text === undefined) faults.textsMissing += 1;
        return text === undefined ? undefined : [text, "text"];
      }
      case "b":
        return [/^(?:1|true)$/i.test(value) ? "TRUE" : "FALSE", "boolean"];
      case "d":
        return [value.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, "").replace("T", " "), "date"];
      case "n": {
        const number = Number(value);
        if (!Number.isFinite(number)) return [value, "text"];
        const { text, kind } = formats(Number(cell.attributes.get("s") ?? 0))(number);
        return [text, kind];
      }
      default:
        // Results of formulas that are texts (`str`), and errors (`e`), stand as they are shown.
        return [unescapeControls(textOf(stored)), "text"];
    }
  }

  return (element) => {
    if (element.name === "mergeCell") {
      const merge = readRange(element.attributes.get("ref") ?? "");
      if (merge !== undefined) builder.addMerge(merge);
      return;
    }
    if (element.name !== "row") return;
    const said = Number(element.attributes.get("r") ?? row + 1);
    row = Number.isInteger(said) && said >= 1 && said <= maxRow ? said : row + 1;
    let column = 0;
    for (const cell of elementsOf(element)) {
      if (cell.name !== "c") continue;
      column = readColumn(cell.attributes.get("r") ?? "") ?? column + 1;
      const read = readCell(cell);
      if (read !== undefined) builder.addCell(row, column, read[0], read[1]);
    }
  };
}

/** The number of the column in a reference such as `AB12`; `undefined` when there is none in a sheet. */
function readColumn(reference: string): number | undefined {
  const letters = /^\$?([A-Za-z]{1,3})/.exec(reference)?.[1];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column <= maxColumn ? column : undefined;
}

/** The cells of a reference such as `A1:B2` or `A1`; `undefined` when there are none in a sheet. */
export function readRange(reference: string): MergedCells | undefined {
  const [from = "", to = from] = reference.split(":");
  const [firstColumn, lastColumn] = [readColumn(from), readColumn(to)];
  const [firstRow, lastRow] = [from, to].map((corner) => Number(/(\d{1,7})$/.exec(corner)?.[1]));
  if (firstColumn === undefined || lastColumn === undefined || !firstRow || !lastRow) return undefined;
  return { firstRow, lastRow, firstColumn, lastColumn };
}
