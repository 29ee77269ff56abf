import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads Word files before 2007 (DOC), from Word 97 on: the canonical text is the printed text without headers and footers.
 *
 * Paragraphs in the styles of headings are headings in any language. Tables are rows of `| a | b |`, notes follow the paragraph that they belong to.
 *
 * **Shape** the title is the shown one, else from its properties, the first heading or the file name. Metadata `author`, `createdAt`, `modifiedAt` when stated.
 * Automatic numbers of lists are not in the file's text; their items begin with `-`.
 * **Errors** `encrypted`, `empty`, `unreadable` for Word 95 and older too, `too-large`, `aborted`. **Cost** linear; memory for the file twice.
 * **Source** MS-DOC; MS-CFB.
 */
export function createDocReader(): Reader {
  return {
    name: "doc/6",
    accepts: (mediaType) => mediaType === "application/msword",
    read: async (input) => (await import("./read-doc.ts")).readDoc(input),
  };
}
