import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads Jupyter notebooks: the canonical text is Markdown source, code and its output, cell by cell.
 *
 * **Shape** headings of Markdown cells make the sections; code cells are code blocks in the kernel's language, outputs code blocks without one. Each cell is a part,
 * `cell 3`, and its output another, `cell 3 output`, with lines of their own. Metadata `programmingLanguage` and `author`.
 * A cell's output is cut at 10,000 characters, and the text says so. Images and other content that is not text are counted in `notes`.
 * **Errors** `unreadable` for a file that is no notebook, `too-large` beyond `maxParts` cells, `empty` without a word.
 * **Cost** linear in the file.
 * **Source** nbformat 4, and 3 with its worksheets; Embabel's content readers.
 *
 * @experimental
 */
export function createNotebookReader(): Reader {
  return {
    name: "notebook/1",
    accepts: (mediaType) => mediaType === "application/x-ipynb+json",
    read: async (input) => (await import("./read-notebook.ts")).readNotebook(input),
  };
}
