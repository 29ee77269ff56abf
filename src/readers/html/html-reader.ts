import type { Reader } from "../../contracts/reader.ts";

/**
 * HTML pages: the canonical text is what a reader of the page sees of its main content.
 *
 * **Shape** sections from `h1` to `h6`; title from `<title>`, `og:title`, the first `h1` or the file name; metadata `language`, `description`, `author`,
 * `createdAt` and `modifiedAt` when the page states them; anchors to the lines of the source, and where links lead.
 * **Errors** `empty` for a page on which nothing is to be read; `binary`, `unreadable`, `too-large`.
 * **Cost** linear in the length of the source, whatever its nesting.
 * **Source** Embabel's HTML reader, Ballerina's `TextDataLoader`.
 */
export function createHtmlReader(): Reader {
  return {
    name: "html/2",
    accepts: (mediaType) => mediaType === "text/html" || mediaType === "application/xhtml+xml",
    read: async (input) => (await import("./read-html.ts")).readHtml(input),
  };
}
