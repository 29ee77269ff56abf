import { oneLine } from "../office/clean-text.ts";
import { type TableText, writeTable } from "../office/table-text.ts";
import { type PptRecord, recordsIn, recordType, viewOf } from "./ppt-records.ts";

/** A text of a slide, and its role there. */
export interface SlideText {
  readonly kind: "title" | "body" | "notes" | "other";
  readonly text: string;
}

/** A text or a table of a slide, in the order of its drawing. */
export type SlidePiece = SlideText | { readonly kind: "table"; readonly table: TableText };

/** Roles of texts by their number. **Source** MS-PPT, 2.13.33 (TextTypeEnum). */
const kinds: Readonly<Record<number, SlideText["kind"]>> = {
  0: "title",
  6: "title",
  1: "body",
  5: "body",
  7: "body",
  8: "body",
  2: "notes",
};

/** Dates, numbers, footers and headers. **Source** MS-PPT, 2.13.22 (PlaceholderEnum). */
const furniture: ReadonlySet<number> = new Set([7, 8, 9, 10, 0x1a, 0x1b, 0x1c, 0x1d]);
/** Property of a group that says that it is a table. **Source** MS-ODRAW, 2.3.4.37. */
const tableProperty = 0x39f;
const maxDepth = 32;

/** Texts in a list of records, each after the header that names its role. */
export function textsIn(records: Iterable<PptRecord>): SlideText[] {
  const texts: SlideText[] = [];
  let kind: SlideText["kind"] = "other";
  for (const { type, body } of records) {
    if (type === recordType.textHeader && body.length >= 4) kind = kinds[viewOf(body).getUint32(0, true)] ?? "other";
    else if (type === recordType.textChars) texts.push({ kind, text: new TextDecoder("utf-16le").decode(body) });
    // Bytes are the low halves of UTF-16, so those from 80 to 9F are no letters of Windows-1252.
    else if (type === recordType.textBytes)
      texts.push({ kind, text: Array.from(body, (byte) => String.fromCharCode(byte)).join("") });
  }
  return texts;
}

/** Pieces of a slide's drawing. `outline` are the texts that the document keeps for the slide, to which shapes point. */
export function readDrawing(drawing: Uint8Array, outline: readonly SlideText[]): SlidePiece[] {
  const pieces: SlidePiece[] = [];
  const visit = (bytes: Uint8Array, depth: number): void => {
    for (const record of recordsIn(bytes)) {
      if (record.type === recordType.shape) {
        const text = textOfShape(record, outline);
        if (text !== undefined) pieces.push(text);
      } else if (record.type === recordType.group && isTable(record)) {
        pieces.push({ kind: "table", table: readTable(record, outline) });
      } else if (record.isContainer && depth < maxDepth) visit(record.body, depth + 1);
    }
  };
  visit(drawing, 0);
  return pieces;
}

function textOfShape({ body }: PptRecord, outline: readonly SlideText[]): SlideText | undefined {
  let found: SlideText | undefined;
  for (const { type, body: inner } of recordsIn(body)) {
    if (type === recordType.clientData) {
      for (const data of recordsIn(inner))
        if (data.type === recordType.placeholder && furniture.has(data.body[4] ?? 0)) return undefined;
    }
    if (type !== recordType.clientText) continue;
    const records = [...recordsIn(inner)];
    const reference = records.find((record) => record.type === recordType.outlineReference);
    const index = reference === undefined || reference.body.length < 4 ? -1 : viewOf(reference.body).getInt32(0, true);
    found = outline[index] ?? textsIn(records)[0];
  }
  return found;
}

/** The first shape of a group is the group itself; a table's has a property of tables. */
function isTable({ body }: PptRecord): boolean {
  for (const { type, body: shape } of recordsIn(body)) {
    if (type !== recordType.shape) return false;
    for (const options of recordsIn(shape)) {
      if (options.type !== recordType.shapeOptions) continue;
      const view = viewOf(options.body);
      for (let index = 0; index < options.instance && index * 6 + 6 <= options.body.length; index++)
        if ((view.getUint16(index * 6, true) & 0x3fff) === tableProperty) return true;
    }
    return false;
  }
  return false;
}

/** A table's cells are shapes; where they stand says their row and column. */
function readTable({ body }: PptRecord, outline: readonly SlideText[]): TableText {
  const cells: { readonly left: number; readonly right: number; readonly top: number; readonly text: string }[] = [];
  for (const record of recordsIn(body)) {
    if (record.type !== recordType.shape) continue;
    const anchor = [...recordsIn(record.body)].find(({ type }) => type === recordType.childAnchor)?.body;
    const text = textOfShape(record, outline);
    if (anchor === undefined || anchor.length < 16 || text === undefined) continue;
    const view = viewOf(anchor);
    const [left, top, right] = [view.getInt32(0, true), view.getInt32(4, true), view.getInt32(8, true)];
    cells.push({ left, top, right, text: oneLine(showText(text.text)) });
  }
  const lefts = [...new Set(cells.map(({ left }) => left))].toSorted((a, b) => a - b);
  const rows = [...Map.groupBy(cells, ({ top }) => top)].toSorted(([a], [b]) => a - b);
  return writeTable(
    rows.map(([, row]) => lefts.map((left) => ({ text: row.find((cell) => cell.left === left)?.text ?? "" }))),
    rows.length > 1 ? 1 : 0,
  );
}

/** Paragraphs as lines; a break within a paragraph is one too. */
export function showText(text: string): string {
  return text.replace(/\r\n?|\v/gu, "\n").replace(/[^\P{Cc}\n\t]/gu, "");
}
