import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { addCarried, type CarriedFile } from "../add-carried.ts";
import { composeWorkbook } from "../sheets/compose-workbook.ts";
import { createSheetBuilders } from "../sheets/sheet-builder.ts";
import type { Sheet } from "../sheets/workbook.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { unreadable } from "./refusals.ts";
import { openPackage } from "./open-package.ts";
import { readPackageFacts } from "./package-facts.ts";
import { elementsOf, findChild } from "./read-xml.ts";
import { readComments, readPersons } from "./xlsx-comments.ts";
import { embeddedIn } from "./unwrap-object.ts";
import { nameLeftOut, readDrawings } from "./xlsx-drawings.ts";
import { createCellReader, type SheetFaults } from "./xlsx-cells.ts";
import { readSharedStrings } from "./xlsx-strings.ts";
import { readCellFormats } from "./xlsx-styles.ts";

/** More than a full row of 16,384 cells takes, with a formula, a value or some stretches of rich text each. */
const maxRowElements = 16_384 * 16;

/** A workbook to a document; see `createXlsxReader`. */
export async function readXlsx(input: ReadInput): Promise<ReadResult> {
  const { uri, signal } = input;
  const office = await openPackage(input);
  const workbook = await office.readPart(office.mainPart);
  const related = await office.relationshipsOf(office.mainPart);
  const from1904 = /^(?:1|true|on)$/.test(findChild(workbook, "workbookPr")?.attributes.get("date1904") ?? "");
  const strings = await readSharedStrings(input, office);
  const formats = await readCellFormats(office, from1904);
  const persons = await readPersons(office, related);
  const begin = createSheetBuilders(input);
  const boundRow = (elements: number): void => {
    if (elements > maxRowElements) throw unreadable(uri, "has a row of more cells than a sheet has columns");
  };
  const sheets: Sheet[] = [];
  const parts: { readonly target: string; readonly hasCells: boolean }[] = [];
  const notes: string[] = [];
  for (const { attributes } of elementsOf(findChild(workbook, "sheets"))) {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    const name = attributes.get("name") ?? "";
    const builder = begin(name, (attributes.get("state") ?? "visible") !== "visible");
    const relation = related.get(attributes.get("r:id") ?? "");
    if (relation === undefined || !office.archive.has(relation.target)) {
      notes.push(`The sheet "${name}" is listed in the workbook but missing from the file.`);
      continue;
    }
    parts.push({ target: relation.target, hasCells: relation.type === "worksheet" });
    if (relation.type !== "worksheet") {
      sheets.push(builder.finish());
      continue;
    }
    const faults: SheetFaults = { formulasWithoutResult: 0, textsMissing: 0 };
    const reader = createCellReader(builder, strings, formats, faults);
    await office.visitPart(relation.target, { depth: 2, visit: reader, grow: boundRow });
    await readComments(office, relation.target, builder, persons);
    sheets.push(builder.finish());
    notes.push(...nameFaults(name, faults));
  }
  // Without a cell the figures of charts stand nowhere else.
  const withFigures = sheets.every(({ rows }) => rows.length === 0);
  const drawn: Sheet[] = [];
  const embedded: CarriedFile[] = [];
  for (const [index, sheet] of sheets.entries()) {
    const { target, hasCells } = parts[index]!;
    embedded.push(...embeddedIn(office, await office.relationshipsOf(target)));
    const texts = await readDrawings(office, target, withFigures);
    if (hasCells || texts.length > 0) drawn.push(texts.length === 0 ? sheet : { ...sheet, texts });
    else notes.push(`The sheet "${sheet.name}" holds a chart or a dialogue, no cells; it was not read.`);
  }
  notes.push(...nameLeftOut(office));
  const { title, metadata } = await readPackageFacts(office);
  const result = composeWorkbook(input, drawn, { title: title === "" ? undefined : title, metadata, notes });
  return addCarried(result, embedded, input, "what is embedded in it");
}

function nameFaults(name: string, { formulasWithoutResult, textsMissing }: SheetFaults): string[] {
  const notes: string[] = [];
  if (formulasWithoutResult > 0) {
    notes.push(
      `The sheet "${name}" has formulas without a stored result (${formulasWithoutResult}); open and save it in a spreadsheet program to have them read.`,
    );
  }
  if (textsMissing > 0)
    notes.push(`The sheet "${name}" refers to texts that the file does not hold (${textsMissing}).`);
  return notes;
}
