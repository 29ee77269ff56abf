import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads OpenDocument spreadsheets (ODS) and templates as `createXlsxReader` reads Excel's: a section for each sheet, a line for each row. Texts that are drawn on it follow.
 *
 * **Shape** cells as they are shown, dates as ISO 8601; metadata `sheets`, and `author`, `createdAt`, `modifiedAt` when stated.
 * **Errors** `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`. **Cost** linear; memory for one row beyond the cells.
 * **Source** OASIS OpenDocument 1.3, part 3, 9 (tables) and 19.385 (values).
 */
export function createOdsReader(): Reader {
  return {
    name: "ods/5",
    accepts: (mediaType) =>
      /^application\/vnd\.oasis\.opendocument\.spreadsheet(?:-template|-flat-xml)?$/.test(mediaType),
    read: async (input) => (await import("./read-ods.ts")).readOds(input),
  };
}
