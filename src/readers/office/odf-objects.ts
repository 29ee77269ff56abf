import { oneLine } from "./clean-text.ts";
import { type TextPiece, writeGraphic } from "./graphic-text.ts";
import { elementsOf, findAll, findChild, textOf, type XmlElement } from "./read-xml.ts";

/** Embedded charts and formulas of an OpenDocument file, by the folder of its archive that holds each. */
export type OdfObjects = ReadonlyMap<string, XmlElement>;

/** A cell may say that it is repeated; a chart of more columns shows nothing. */
const maxRepeated = 64;

/**
 * The text of an embedded object: a chart's titles, categories and series, or a formula.
 *
 * **Shape** empty for a frame without an object, and for objects of another kind.
 * **Source** OASIS OpenDocument 1.3, part 3, 10.4.6 (objects), 11 (charts), 14.5 (formulas).
 */
export function readObject(frame: XmlElement, objects: OdfObjects): readonly TextPiece[] {
  const object = findChild(frame, "object");
  if (object === undefined) return [];
  const folder = folderOf(object);
  // A flat file holds its objects where it shows them.
  const root = objects.get(folder) ?? elementsOf(object).find(({ name }) => name === "document" || name === "math");
  const chart = findChild(root, "body", "chart", "chart");
  if (chart !== undefined) return readChart(chart);
  const formula = root?.name === "math" ? readFormula(root) : "";
  return formula === "" ? [] : [{ text: formula, block: { kind: "paragraph" } }];
}

/** The folder of the archive that an object stands in. */
export function folderOf(object: XmlElement): string {
  return (object.attributes.get("href") ?? "").replace(/^\.\//u, "").replace(/\/$/u, "");
}

/** Whether the root of a part is that of an object with text. */
export function isObject(root: XmlElement | undefined): root is XmlElement {
  return root?.name === "math" || findChild(root, "body", "chart") !== undefined;
}

function readChart(chart: XmlElement): readonly TextPiece[] {
  const titles = findAll(chart, "title", "subtitle").map((title) => oneLine(findAll(title, "p").map(textOf).join(" ")));
  const rows = findAll(findChild(chart, "table"), "table-row").map((row) =>
    elementsOf(row).flatMap((cell) => {
      const count = Number(cell.attributes.get("number-columns-repeated") ?? "1") || 1;
      const shown = oneLine(findAll(cell, "p").map(textOf).join(" "));
      // A number that is missing is written as one that is none.
      const text = /^nan$/iu.test(shown) ? "" : shown;
      return Array.from({ length: Math.min(Math.max(count, 1), maxRepeated) }, () => text);
    }),
  );
  return writeGraphic({ titles: titles.filter((title) => title !== ""), rows, lines: [] });
}

/** As its author wrote it, else its signs in a row. */
function readFormula(math: XmlElement): string {
  const [annotation] = findAll(math, "annotation");
  return oneLine(textOf(annotation ?? math));
}
