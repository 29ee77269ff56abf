import { utils, write, type WorkBook, type WorkSheet } from "@e965/xlsx";

/** A sheet of rows from A1 on. */
export function sheetOf(rows: readonly (readonly unknown[])[]): WorkSheet {
  return utils.aoa_to_sheet(rows.map((row) => [...row]));
}

/** A workbook as SheetJS writes it: `biff8` is Excel 97's, `biff5` Excel 95's, `biff2` a bare stream. */
export function makeXls(book: WorkBook, bookType: "biff8" | "biff5" | "biff2" | "xlsx" | "xlsb" = "biff8"): Uint8Array {
  return new Uint8Array(write(book, { type: "array", bookType }) as ArrayBuffer);
}
