import type { Reader } from "../../contracts/reader.ts";

/**
 * OpenDocument texts (ODT), also templates: the canonical text is what is printed, without headers and footers.
 *
 * Lists have their bullets and numbers; tables, notes, pictures and text boxes are written as in Word documents. What tracked changes deleted, comments and hidden
 * text are left out.
 *
 * **Shape** sections by outline level; title as the document shows it, else its properties, else the first heading or the file name; metadata `author`, `language`,
 * `createdAt`, `modifiedAt` when stated. No pages.
 * **Errors** `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`.
 * **Cost** linear; memory for what one paragraph, list or table unpacks to, and the text.
 * **Source** OASIS OpenDocument 1.3, part 3; Embabel's content readers.
 */
export function createOdtReader(): Reader {
  return {
    name: "odt/1",
    accepts: (mediaType) => /^application\/vnd\.oasis\.opendocument\.text(?:-template|-master)?$/.test(mediaType),
    read: async (input) => (await import("./read-odt.ts")).readOdt(input),
  };
}
