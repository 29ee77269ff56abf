import { unlockPackage } from "../office/open-archive.ts";
import { openPackage } from "../office/open-package.ts";
import { embeddedIn } from "../office/unwrap-object.ts";
import { nameLeftOut, readDrawings } from "../office/xlsx-drawings.ts";
import { addCarried, type CarriedFile } from "../add-carried.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { decryptWorkbook } from "../compound/decrypt-workbook.ts";
import { readSheetBoxes } from "../compound/xls-drawings.ts";
import { asksForPassword } from "../office/refusals.ts";
import { composeWorkbook } from "./compose-workbook.ts";
import { type NumberFormat, readNumberFormat } from "./number-format.ts";
import { createSheetBuilders, type SheetBuilder } from "./sheet-builder.ts";
import type { Sheet } from "./workbook.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { type LibraryCell, type LibrarySheet, type LibraryWorkbook, loadSheetjs } from "./load-sheetjs.ts";

/** Implements `createXlsReader`. */
export async function readXls(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes, password, signal } = input;
  // The library takes many formats; ours are the ones that this reader answers for.
  const isPacked = input.mediaType !== "application/vnd.ms-excel";
  // The archive's directory is held against the limits before the library unpacks it.
  const plain = isPacked ? await unlockPackage(input) : bytes;
  const office = isPacked ? await openPackage({ ...input, bytes: plain }) : undefined;
  if (!isPacked && !isBinaryWorkbook(bytes)) {
    throw new IbidError("unreadable", `${uri} is named as an Excel workbook (XLS), but its content is not one.`, {
      hint: "If it is text, a web page or a newer workbook, name it so: .csv, .html, .xlsx.",
      uri,
    });
  }
  const library = await loadSheetjs(uri);
  throwIfAborted(signal, `Reading ${uri}`, { uri });
  const unlocked = isPacked ? undefined : decryptWorkbook(bytes, uri, password);
  const workbook = open(uri, password, () =>
    library.read(unlocked ?? plain, {
      type: "array",
      cellNF: true,
      cellDates: false,
      cellFormula: false,
      cellHTML: false,
      cellText: false,
      ...(password === undefined ? {} : { password }),
    }),
  );

  const from1904 = workbook.Workbook?.WBProps?.date1904 === true;
  const formats = new Map<string, NumberFormat>();
  const format = (code: unknown, value: number): ReturnType<NumberFormat> => {
    const key = typeof code === "string" ? code : "General";
    const known = formats.get(key) ?? readNumberFormat(key, from1904);
    formats.set(key, known);
    return known(value);
  };
  const begin = createSheetBuilders(input);
  const sheets: Sheet[] = [];
  const embedded: CarriedFile[] = [];
  const parts = await office?.relationshipsOf(office.mainPart);
  const boxes = isPacked ? undefined : readSheetBoxes(unlocked ?? bytes, uri);
  for (const [index, name] of workbook.SheetNames.entries()) {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    const listed = workbook.Workbook?.Sheets?.[index];
    const builder = begin(name, (listed?.Hidden ?? 0) !== 0);
    addCells(builder, workbook.Sheets[name] ?? {}, format);
    const sheet = builder.finish();
    // Only the cells of a binary workbook are binary: what is drawn on a sheet is XML.
    const part = parts?.get(String(listed?.strRelID))?.target;
    if (office === undefined || part === undefined) {
      const texts = boxes?.get(name);
      sheets.push(texts === undefined ? sheet : { ...sheet, texts });
      continue;
    }
    const texts = await readDrawings(office, part, false);
    sheets.push({ ...sheet, ...(texts.length > 0 && { texts }) });
    embedded.push(...embeddedIn(office, await office.relationshipsOf(part)));
  }
  const { Title: title, Author: author } = workbook.Props ?? {};
  const metadata: Metadata = typeof author === "string" && author.trim() !== "" ? { author: author.trim() } : {};
  const said = typeof title === "string" ? title.replace(/\s+/gu, " ").trim() : "";
  const notes = office === undefined ? [] : nameLeftOut(office);
  const result = composeWorkbook(input, sheets, { title: said === "" ? undefined : said, metadata, notes });
  return addCarried(result, embedded, input, "what is embedded in it");
}

function addCells(
  builder: SheetBuilder,
  sheet: LibrarySheet,
  format: (code: unknown, value: number) => ReturnType<NumberFormat>,
): void {
  for (const [address, found] of Object.entries(sheet)) {
    const place = /^([A-Z]{1,3})(\d{1,7})$/.exec(address);
    if (place === null) continue;
    const [, letters = "", row = ""] = place;
    let column = 0;
    for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
    const { t, v, z, c: comments = [] } = found as LibraryCell;
    for (const { a: author, t: said } of comments)
      if (typeof said === "string")
        builder.addComment(Number(row), column, typeof author === "string" ? author : "", said);
    if (t === "n" && typeof v === "number") {
      const { text, kind } = format(z, v);
      builder.addCell(Number(row), column, text, kind);
    } else if (t === "b") {
      builder.addCell(Number(row), column, v === true ? "TRUE" : "FALSE", "boolean");
    } else if (t === "e") {
      builder.addCell(Number(row), column, errors.get(Number(v)) ?? "#ERROR!", "text");
    } else if (typeof v === "string") {
      builder.addCell(Number(row), column, v, "text");
    }
  }
  for (const { s, e } of sheet["!merges"] ?? []) {
    builder.addMerge({ firstRow: s.r + 1, lastRow: e.r + 1, firstColumn: s.c + 1, lastColumn: e.c + 1 });
  }
}

/** Text of error cells. **Source** MS-XLS, 2.5.10 (BErr). */
const errors: ReadonlyMap<number, string> = new Map([
  [0x00, "#NULL!"],
  [0x07, "#DIV/0!"],
  [0x0f, "#VALUE!"],
  [0x17, "#REF!"],
  [0x1d, "#NAME?"],
  [0x24, "#NUM!"],
  [0x2a, "#N/A"],
]);

/** A compound file, or the bare stream that came before it. **Source** MS-CFB, 2.2; MS-XLS, 2.4.21 (BOF). */
function isBinaryWorkbook(bytes: Uint8Array): boolean {
  const [a, b, c, d] = bytes;
  const isCompound = a === 0xd0 && b === 0xcf && c === 0x11 && d === 0xe0;
  return isCompound || (a === 0x09 && (b === 0x00 || b === 0x02 || b === 0x04 || b === 0x08) && d === 0x00);
}

/** **Errors** `encrypted` where the library asks for a password, else `unreadable`. */
function open(uri: string, password: string | undefined, read: () => LibraryWorkbook): LibraryWorkbook {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (/password|encrypt/i.test(reason)) {
      throw asksForPassword(uri, password);
    }
    throw new IbidError("unreadable", `${uri} could not be read as an Excel workbook (XLS): it is broken or cut off.`, {
      hint: "Check that it opens in a spreadsheet program, and save it as XLSX.",
      uri,
      cause: error,
    });
  }
}
