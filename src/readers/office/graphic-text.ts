import { oneLine } from "./clean-text.ts";
import type { OfficePackage, Relationship } from "./open-package.ts";
import { type XmlElement, elementsOf, findAll, findChild, textOf } from "./read-xml.ts";
import { writeTable } from "./table-text.ts";

/** Text of a chart or a diagram. */
export interface GraphicText {
  readonly titles: readonly string[];
  /** Categories down, series across; the first row names them. */
  readonly rows: readonly (readonly string[])[];
  readonly lines: readonly string[];
}

/**
 * A chart's title and the titles of its axes, its series as columns and its categories as rows.
 *
 * **Source** ISO/IEC 29500-1, 21.2 (DrawingML charts); newer kinds of charts give their texts as lines.
 */
function readChart(root: XmlElement): GraphicText {
  const titles = findAll(root, "title").map((title) => oneLine(readParagraphs(title)));
  const series = findAll(findChild(root, "chart", "plotArea"), "ser");
  if (series.length === 0) {
    const lines = findAll(root, "pt", "v", "t").map((element) => oneLine(textOf(element)));
    return { titles: [], rows: [], lines: lines.filter((line) => line !== "") };
  }
  const columns = series.map((one) => ({
    name: oneLine([...readPoints(findChild(one, "tx")).values()].join(" ") || textOf(findChild(one, "tx", "v"))),
    labels: readPoints(findChild(one, "cat") ?? findChild(one, "xVal")),
    values: readPoints(findChild(one, "val") ?? findChild(one, "yVal")),
  }));
  const labels = columns.map((column) => column.labels).find(({ size }) => size > 0) ?? new Map<number, string>();
  const indexes = [...new Set([...labels.keys(), ...columns.flatMap(({ values }) => [...values.keys()])])];
  return {
    titles: titles.filter((title) => title !== ""),
    rows: [
      ["", ...columns.map(({ name }) => name)],
      ...indexes
        .toSorted((a, b) => a - b)
        .map((index) => [labels.get(index) ?? "", ...columns.map(({ values }) => values.get(index) ?? "")]),
    ],
    lines: [],
  };
}

/** Points by their number, as the chart copies them from its workbook. Categories in levels give the words of all levels. */
function readPoints(element: XmlElement | undefined): ReadonlyMap<number, string> {
  const points = new Map<number, string>();
  for (const point of findAll(element, "pt")) {
    const index = Number(point.attributes.get("idx") ?? "");
    const value = oneLine(textOf(findChild(point, "v")));
    const before = points.get(index);
    if (Number.isInteger(index)) points.set(index, before === undefined ? value : `${value} ${before}`);
  }
  return points;
}

/** The texts of a diagram (SmartArt), in the order in which it keeps them. **Source** ISO/IEC 29500-1, 21.4. */
function readDiagram(root: XmlElement): GraphicText {
  const lines = elementsOf(findChild(root, "ptLst")).map((point) => oneLine(readParagraphs(findChild(point, "t"))));
  return { titles: [], rows: [], lines: lines.filter((line) => line !== "") };
}

/** Text of DrawingML, a line for each paragraph. */
function readParagraphs(element: XmlElement | undefined): string {
  return findAll(element, "p")
    .map((paragraph) => findAll(paragraph, "t").map(textOf).join(""))
    .join("\n");
}

/** A text of its own, and what it is. */
export interface TextPiece {
  readonly text: string;
  readonly block: { readonly kind: "paragraph" | "list" | "table"; readonly bodyStart?: number };
}

/** A graphic as it stands in a text: titles, then the table of its figures, or its lines as a list. */
export function writeGraphic({ titles, rows, lines }: GraphicText): readonly TextPiece[] {
  const pieces: TextPiece[] = titles.map((text) => ({ text, block: { kind: "paragraph" } }));
  if (rows.length > 1) {
    const cells = rows.map((row) => row.map((text) => ({ text })));
    const { text, bodyStart } = writeTable(cells, 1);
    pieces.push({ text, block: { kind: "table", bodyStart } });
  }
  if (lines.length > 0) pieces.push({ text: lines.map((line) => `- ${line}`).join("\n"), block: { kind: "list" } });
  return pieces;
}

/** The charts and diagrams that a part shows, by the id of their relationship. */
export async function readGraphics(
  office: OfficePackage,
  relationships: ReadonlyMap<string, Relationship>,
): Promise<ReadonlyMap<string, GraphicText>> {
  const graphics = new Map<string, GraphicText>();
  for (const { id, type, target, isExternal } of relationships.values()) {
    const read = type === "chart" || type === "chartEx" ? readChart : type === "diagramData" ? readDiagram : undefined;
    const root = read === undefined || isExternal ? undefined : await office.readPart(target);
    if (read !== undefined && root !== undefined) graphics.set(id, read(root));
  }
  return graphics;
}
