import type { SheetText } from "../sheets/workbook.ts";

import { workbookStream } from "./decrypt-workbook.ts";

/** Records of a workbook's stream. **Source** MS-XLS, 2.3 (record types). */
const record = {
  bof: 0x0809,
  eof: 0x000a,
  goesOn: 0x003c,
  object: 0x005d,
  boundSheet: 0x0085,
  drawing: 0x00ec,
  text: 0x01b6,
  chartText: 0x100d,
  chartLink: 0x1027,
};
/** Parts of a chart whose text is a title: the chart and its axes. **Source** MS-XLS, 2.4.182 (ObjectLink). */
const titled: ReadonlySet<number> = new Set([1, 2, 3, 7]);
/** An object of this kind is a comment's box. **Source** MS-XLS, 2.5.143 (FtCmo). */
const note = 0x19;
/** The anchor of a shape on a sheet, within a drawing. **Source** MS-XLS, 2.5.193 (OfficeArtClientAnchorSheet). */
const anchor = [0x10, 0xf0, 0x12, 0x00, 0x00, 0x00] as const;
/** **Source** MS-XLS, 2.4.21: the version that puts texts into boxes so. */
const biff8 = 0x0600;

/**
 * Texts in boxes on the sheets of an old workbook, and titles of charts and their axes, by the sheet's name.
 *
 * **Shape** without comments, which the sheet's cells have. A broken stream gives as much as it holds. **Cost** linear.
 * **Source** MS-XLS, 2.4.329 (TxO), 2.4.181 (Obj), 2.4.170 (MsoDrawing), 2.4.254 (SeriesText), 2.4.182 (ObjectLink).
 */
export function readSheetBoxes(bytes: Uint8Array, uri: string): ReadonlyMap<string, readonly SheetText[]> {
  const found = new Map<string, SheetText[]>();
  const stream = workbookStream(bytes, uri);
  if (stream === undefined) return found;
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  const nameAt = new Map<number, string>();
  let depth = 0;
  let sheet: string | undefined;
  let place = { row: 1, column: 1 };
  let isNote = false;
  let chartText = "";
  /** Where the texts of the chart that is being read begin. */
  let chartFrom = 0;
  const add = (name: string, text: string, index = Infinity): void => {
    const texts = found.get(name) ?? [];
    found.set(name, texts);
    texts.splice(index, 0, { ...place, text, block: { kind: "paragraph" } });
  };
  for (let at = 0; at + 4 <= stream.length;) {
    const [type, size] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    const [from, end] = [at + 4, Math.min(stream.length, at + 4 + size)];
    const start = at;
    at = end;
    if (type === record.bof) {
      if (depth === 0 && start === 0 && view.getUint16(from, true) !== biff8) return found;
      if (depth++ === 0) sheet = nameAt.get(start);
      chartFrom = found.get(sheet ?? "")?.length ?? 0;
    } else if (type === record.eof) depth = Math.max(0, depth - 1);
    else if (type === record.boundSheet && end - from >= 8) {
      const length = Math.min(view.getUint8(from + 6), end - from - 8);
      nameAt.set(view.getUint32(from, true), decode(stream.subarray(from + 8, end), view.getUint8(from + 7), length));
    } else if (sheet === undefined || depth === 0) continue;
    else if (type === record.chartText && end - from >= 4)
      chartText = decode(stream.subarray(from + 4, end), view.getUint8(from + 3), view.getUint8(from + 2)).trim();
    else if (type === record.chartLink && end - from >= 2) {
      const text = chartText.replace(/\s+/gu, " ").toWellFormed();
      const part = view.getUint16(from, true);
      // Its own title comes first.
      if (text !== "" && titled.has(part)) add(sheet, text, part === 1 ? chartFrom : Infinity);
      chartText = "";
    } else if (depth !== 1) continue;
    else if (type === record.drawing) place = placeIn(stream.subarray(from, end)) ?? place;
    else if (type === record.object && end - from >= 6) isNote = view.getUint16(from + 4, true) === note;
    else if (type === record.text && !isNote && end - from >= 12) {
      const text = readText(view, stream, end, view.getUint16(from + 10, true)).trim();
      if (text !== "") add(sheet, text);
    }
  }
  return found;
}

/** The text after a box, over the records that go on with it. Each says anew how wide its letters are. */
function readText(view: DataView, stream: Uint8Array, start: number, length: number): string {
  let text = "";
  for (let at = start; text.length < length && at + 5 <= stream.length;) {
    if (view.getUint16(at, true) !== record.goesOn) break;
    const end = Math.min(stream.length, at + 4 + view.getUint16(at + 2, true));
    text += decode(stream.subarray(at + 5, end), view.getUint8(at + 4), length - text.length);
    at = end;
  }
  return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").toWellFormed();
}

/** Letters of two bytes, or of one where the first bit is clear. **Source** MS-XLS, 2.5.294 (XLUnicodeStringNoCch). */
function decode(bytes: Uint8Array, flags: number, length: number): string {
  const isWide = (flags & 1) === 1;
  return new TextDecoder(isWide ? "utf-16le" : "latin1").decode(bytes.subarray(0, isWide ? length * 2 : length));
}

/** The cell where the last shape of a drawing begins. */
function placeIn(drawing: Uint8Array): { row: number; column: number } | undefined {
  for (let at = drawing.length - 24; at >= 2; at--) {
    if (!anchor.every((byte, index) => drawing[at + index] === byte)) continue;
    const view = new DataView(drawing.buffer, drawing.byteOffset + at + anchor.length, 18);
    return { column: view.getUint16(2, true) + 1, row: view.getUint16(6, true) + 1 };
  }
  return undefined;
}
