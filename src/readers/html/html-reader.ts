import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads HTML pages: the canonical text is the visible main content.
 *
 * **Shape** sections from `h1` to `h6`; title from `<title>`, `og:title`, the first `h1` or the file name. Metadata `language`, `description`, `author`,
 * `createdAt` and `modifiedAt` when the page states them. Anchors lead to lines of the source; links keep their addresses.
 * **Errors** `empty` for a page without visible text; `binary`, `unreadable`, `too-large`.
 * **Cost** linear in the length of the source, whatever its nesting.
 * **Source** Embabel's HTML reader, Ballerina's `TextDataLoader`.
 *
 * @experimental
 */
export function createHtmlReader(): Reader {
  return {
    name: "html/5",
    accepts: (mediaType) => mediaType === "text/html" || mediaType === "application/xhtml+xml",
    read: async (input) => (await import("./read-html.ts")).readHtml(input),
  };
}
