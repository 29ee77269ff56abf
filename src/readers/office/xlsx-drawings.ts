import type { SheetText } from "../sheets/workbook.ts";
import { cleanText } from "./clean-text.ts";
import { readGraphics, writeGraphic } from "./graphic-text.ts";
import type { OfficePackage } from "./open-package.ts";
import { alternativesOf, elementsOf, findAll, findChild, textOf, type XmlElement } from "./read-xml.ts";

/**
 * Texts that are drawn on a sheet: text boxes, the words of diagrams, and the titles of charts, each with the cell where it begins.
 *
 * **Shape** figures of a chart are cells as a rule; `withFigures` gives them too. **Source** ISO/IEC 29500-1, 20.5 (SpreadsheetML drawings).
 */
export async function readDrawings(
  office: OfficePackage,
  sheetPart: string,
  withFigures: boolean,
): Promise<readonly SheetText[]> {
  const texts: SheetText[] = [];
  for (const { type, target, isExternal } of (await office.relationshipsOf(sheetPart)).values()) {
    if (type !== "drawing" || isExternal) continue;
    const graphics = await readGraphics(office, await office.relationshipsOf(target));
    for (const anchor of elementsOf(await office.readPart(target))) {
      const from = findChild(anchor, "from");
      const [row, column] = ["row", "col"].map((name) => (Number(textOf(findChild(from, name))) || 0) + 1) as [
        number,
        number,
      ];
      for (const shape of shapesOf(anchor)) {
        if (shape.name === "sp") {
          const lines = findAll(findChild(shape, "txBody"), "p").map((paragraph) =>
            findAll(paragraph, "t").map(textOf).join(""),
          );
          const text = cleanText(lines.join("\n")).trim();
          if (text !== "") texts.push({ row, column, text, block: { kind: "paragraph" } });
          continue;
        }
        const graphic = graphics.get(shape.attributes.get(shape.name === "chart" ? "r:id" : "r:dm") ?? "");
        if (graphic === undefined) continue;
        const shown = withFigures ? graphic : { ...graphic, rows: [] };
        texts.push(...writeGraphic(shown).map((piece) => ({ row, column, ...piece })));
      }
    }
  }
  return texts;
}

/** Shapes with a text, charts and diagrams below an element, in order; the first of alternatives. */
function shapesOf(element: XmlElement): XmlElement[] {
  return elementsOf(element).flatMap((child) => {
    if (child.name === "sp" || child.name === "chart" || child.name === "relIds") return [child];
    if (child.name === "AlternateContent") return alternativesOf(child).slice(0, 1).flatMap(shapesOf);
    return shapesOf(child);
  });
}

/** Content of a workbook beside its cells, by the names of its parts. */
export function nameLeftOut({ archive: { names } }: OfficePackage): string[] {
  const kinds = [
    ["charts", /(?:^|\/)charts\/chart[^/]*\.xml$/i],
    ["pictures", /(?:^|\/)media\/[^/]+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)$/i],
  ] as const;
  const found = kinds
    .map(([what, pattern]) => [what, names.filter((name) => pattern.test(name)).length] as const)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${what} (${count})`);
  return found.length === 0 ? [] : [`Cells were read; not in the text: ${found.join(", ")}.`];
}
