import type { Reader } from "../../contracts/reader.ts";

/** What Word's documents, templates and their kin with macros are called. */
const mediaTypes: ReadonlySet<string> = new Set([
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
  "application/vnd.ms-word.document.macroenabled.12",
  "application/vnd.ms-word.template.macroenabled.12",
]);

/**
 * Word documents (DOCX), also strict ones, templates and those with macros: the canonical text is what is printed, without headers and footers.
 *
 * Automatic numbers stand before headings and list items as Word shows them. A note follows its paragraph, marked `[^1]`; endnotes stand at the end, marked `[^i]`.
 * Tables are rows of `| a | b |`; a row with a table in it is read cell by cell. Formulas are on one line, pictures give their alternative text, charts their figures.
 * Insertions under tracked changes are read; deletions, comments, hidden text and the codes of fields are not.
 *
 * **Shape** sections by outline level, whatever the language of the style names; title as the document shows it, else its properties, else the first heading or
 * the file name; metadata `author`, `language`, `createdAt`, `modifiedAt` when stated. No pages: where they break is for whoever prints it.
 * **Errors** `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`.
 * **Cost** linear; memory for what one paragraph or table unpacks to, and the text.
 * **Source** ISO/IEC 29500-1 (Office Open XML, WordprocessingML); Embabel's content readers, Ballerina's `TextDataLoader`.
 */
export function createDocxReader(): Reader {
  return {
    name: "docx/1",
    accepts: (mediaType) => mediaTypes.has(mediaType),
    read: async (input) => (await import("./read-docx.ts")).readDocx(input),
  };
}
