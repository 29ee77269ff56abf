import type { Reader } from "../../contracts/reader.ts";

/**
 * Jupyter notebooks: the canonical text is what a reader of one sees, cell by cell: Markdown as its source, code, and what the code wrote.
 *
 * **Shape** headings of Markdown cells make the sections; code cells are code blocks in the kernel's language, outputs code blocks without one. Each cell is a part,
 * `cell 3`, and its output another, `cell 3 output`, with lines of their own. Metadata `programmingLanguage` and `author`.
 * Of a cell's output at most 10,000 characters are kept, and the text says so; images and other things that are not text are counted in `notes`.
 * **Errors** `unreadable` for what is no notebook, `too-large` beyond `maxParts` cells, `empty` without a word.
 * **Cost** linear in the file.
 * **Source** nbformat 4, and 3 with its worksheets; Embabel's content readers.
 */
export function createNotebookReader(): Reader {
  return {
    name: "notebook/1",
    accepts: (mediaType) => mediaType === "application/x-ipynb+json",
    read: async (input) => (await import("./read-notebook.ts")).readNotebook(input),
  };
}
