import type { Reader } from "../../contracts/reader.ts";

/** A document of Word 2003 in XML. */
const inOneFile = "application/vnd.ms-wordml";
/** Media types of Word's documents, templates and their variants with macros. */
const mediaTypes: ReadonlySet<string> = new Set([
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
  "application/vnd.ms-word.document.macroenabled.12",
  "application/vnd.ms-word.template.macroenabled.12",
  inOneFile,
]);

/**
 * Reads Word documents (DOCX), strict ones, templates, macros and those in one XML file included. The canonical text is the printed text without headers and footers.
 *
 * Automatic numbers stand before headings and list items as Word shows them. A note follows its paragraph, marked `[^1]`; endnotes stand at the end, marked `[^i]`.
 * Tables are rows of `| a | b |`; a row with a table in it is read cell by cell. Formulas are on one line, pictures give their alternative text, charts their figures.
 * Insertions under tracked changes are read; deletions, comments, hidden text and the codes of fields are not.
 *
 * **Shape** sections by outline level, whatever the language of the style names; where no style states one, by short lines that are bold or larger. The title is the shown one, else from its properties, the first heading or
 * the file name. Metadata `author`, `language`, `createdAt`, `modifiedAt` when stated. No pages: the printer decides where they break.
 * **Errors** `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`.
 * **Cost** linear; memory for one unpacked paragraph or table, and the text.
 * **Source** ISO/IEC 29500-1 (Office Open XML, WordprocessingML); Embabel's content readers, Ballerina's `TextDataLoader`.
 */
export function createDocxReader(): Reader {
  return {
    name: "docx/8",
    accepts: (mediaType) => mediaTypes.has(mediaType),
    read: async (input) =>
      input.mediaType === inOneFile
        ? (await import("./read-word-xml.ts")).readWordXml(input)
        : (await import("./read-docx.ts")).readDocx(input),
  };
}
