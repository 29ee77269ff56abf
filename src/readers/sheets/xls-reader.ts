import type { Reader } from "../../contracts/reader.ts";

/**
 * Excel workbooks of 1997 to 2003 and before (XLS), as `createXlsxReader` reads those of today, by the optional package `@e965/xlsx`.
 *
 * **Errors** `dependency-missing` without the package; `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`.
 * **Cost** the library's, which holds the whole workbook; then linear in cells. **Source** MS-XLS; ToolUp's sheets.
 *
 * @experimental
 */
export function createXlsReader(): Reader {
  return {
    name: "xls/1",
    accepts: (mediaType) => mediaType === "application/vnd.ms-excel",
    read: async (input) => (await import("./read-xls.ts")).readXls(input),
  };
}
