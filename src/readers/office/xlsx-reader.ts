import type { Reader } from "../../contracts/reader.ts";

/** Media types of Excel's workbooks, templates and their variants with macros. */
const mediaTypes: ReadonlySet<string> = new Set([
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
  "application/vnd.ms-excel.sheet.macroenabled.12",
  "application/vnd.ms-excel.template.macroenabled.12",
]);

/** A workbook in one XML file. No type is registered; Apache Tika calls it so. */
const inOneFile = "application/vnd.ms-spreadsheetml";

/**
 * Reads Excel workbooks (XLSX), strict ones, templates and macros included: a section for each sheet in tab order, a line for each row.
 *
 * Cells are read as they are shown: dates as ISO 8601, percentages, currencies and fixed decimals by their format, formulas by their stored result. A row of a table
 * says the name of each column; see `composeWorkbook`. Text boxes, diagrams and titles of charts stand below the cells.
 * Workbooks in one XML file (Excel 2002 and 2003) are read in the same way, by their cells and comments. Hidden sheets are read and noted; charts and pictures are noted.
 *
 * **Shape** metadata `sheets`, and `author`, `createdAt`, `modifiedAt` when stated; places by sheet and cells. A sheet costs as many cells as it holds, not as it declares.
 * **Errors** `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`.
 * **Cost** linear; memory for one unpacked sheet, its texts and one row at a time beyond the cells themselves.
 * **Source** ISO/IEC 29500-1 (Office Open XML, SpreadsheetML); Microsoft's XML Spreadsheet reference; ToolUp's sheets.
 *
 * @experimental
 */
export function createXlsxReader(): Reader {
  return {
    name: "xlsx/4",
    accepts: (mediaType) => mediaTypes.has(mediaType) || mediaType === inOneFile,
    read: async (input) =>
      input.mediaType === inOneFile
        ? (await import("./read-xml-workbook.ts")).readXmlWorkbook(input)
        : (await import("./read-xlsx.ts")).readXlsx(input),
  };
}
