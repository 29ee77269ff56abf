import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads EPUB books: chapters in the order of the spine, each by the reader of HTML, those outside the linear order last.
 *
 * The table of contents gives a chapter's depth, and its heading where the chapter has none.
 *
 * **Shape** each chapter is a part of the source map with lines of its own. The title comes from the package, else from
 * the first heading or the file name. Metadata are `author`, `language`, `description`, `createdAt` and `modifiedAt`
 * where stated. A chapter that is missing or that no reader accepts is named in `notes`.
 * **Errors** `encrypted` for a book under digital rights management, `empty`, `unreadable`, `too-large`, `aborted`; `unsupported-media` when called without
 * readers for its parts.
 * **Cost** the sum over its chapters; memory for one of them and the text.
 * **Source** W3C EPUB 3.3, with OPF 2.0.1 and NCX for books of EPUB 2; Embabel's content readers.
 */
export function createEpubReader(): Reader {
  return {
    name: "epub/4",
    accepts: (mediaType) => mediaType === "application/epub+zip",
    read: async (input) => (await import("./read-epub.ts")).readEpub(input),
  };
}
