import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads OpenDocument texts (ODT) and templates: the canonical text is the printed text without headers and footers.
 *
 * Lists have their bullets and numbers; tables, notes, pictures and text boxes are written as in Word documents. Tracked deletions, comments and hidden
 * text are left out.
 *
 * **Shape** sections by outline level. The title is the shown one, else from its properties, the first heading or the file name. Metadata `author`, `language`,
 * `createdAt`, `modifiedAt` when stated. No pages.
 * **Errors** `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`.
 * **Cost** linear; memory for one unpacked paragraph, list or table, and the text.
 * **Source** OASIS OpenDocument 1.3, part 3; Embabel's content readers.
 */
export function createOdtReader(): Reader {
  return {
    name: "odt/9",
    accepts: (mediaType) =>
      /^application\/vnd\.oasis\.opendocument\.text(?:-template|-master|-flat-xml)?$/.test(mediaType),
    read: async (input) => (await import("./read-odt.ts")).readOdt(input),
  };
}
