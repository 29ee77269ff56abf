import type { Reader } from "../../contracts/reader.ts";

const mediaTypes: ReadonlySet<string> = new Set([
  "application/vnd.ms-excel",
  "application/vnd.ms-excel.sheet.binary.macroenabled.12",
]);

/**
 * Reads Excel workbooks of 2003 and before (XLS), and binary ones of today (XLSB), by the optional package `@e965/xlsx`. Their text is that of the same workbook as XLSX.
 *
 * **Errors** `dependency-missing` without the package; `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`.
 * **Cost** the library's, which holds the whole workbook; then linear in cells. **Source** MS-XLS; ToolUp's sheets.
 *
 * @experimental
 */
export function createXlsReader(): Reader {
  return {
    name: "xls/5",
    accepts: (mediaType) => mediaTypes.has(mediaType),
    read: async (input) => (await import("./read-xls.ts")).readXls(input),
  };
}
