import { builtInFormat, type NumberFormat, readNumberFormat } from "../sheets/number-format.ts";
import type { OfficePackage } from "./open-package.ts";
import { elementsOf, findChild } from "./read-xml.ts";

/** The number format of cells of a style. */
export type CellFormats = (style: number) => NumberFormat;

/**
 * How the numbers of each style of cells are shown.
 *
 * **Cost** each format is read once. **Source** ISO/IEC 29500-1, 18.8.10 (`cellXfs`) and 18.8.31 (`numFmts`).
 */
export async function readCellFormats(office: OfficePackage, from1904: boolean): Promise<CellFormats> {
  const styles = await office.readPart(await office.findRelated(office.mainPart, "styles"));
  const codes = new Map<number, string>();
  for (const { attributes } of elementsOf(findChild(styles, "numFmts"))) {
    codes.set(Number(attributes.get("numFmtId")), attributes.get("formatCode") ?? "General");
  }
  const ids = elementsOf(findChild(styles, "cellXfs")).map(({ attributes }) => Number(attributes.get("numFmtId") ?? 0));
  const formats = new Map<number, NumberFormat>();
  return (style) => {
    const id = ids[style] ?? 0;
    const known = formats.get(id) ?? readNumberFormat(codes.get(id) ?? builtInFormat(id), from1904);
    formats.set(id, known);
    return known;
  };
}
