import { IbidError } from "../../contracts/errors.ts";
import type { Reader } from "../../contracts/reader.ts";
import { checkOptions } from "../../runtime/check-options.ts";

/**
 * Options of {@link createHtmlReader}; everything has a default.
 *
 * @experimental
 */
export interface HtmlReaderOptions {
  /** Effect of a heading without an end tag. Default `"read"`, as browsers show it; `"error"` is Ballerina's. */
  readonly unclosed?: "read" | "error" | undefined;
}

/**
 * Reads HTML pages: the canonical text is the visible main content.
 *
 * **Shape** sections from `h1` to `h6`; title from `<title>`, `og:title`, the first `h1` or the file name. Metadata `language`, `description`, `author`,
 * `createdAt` and `modifiedAt` when the page states them. Anchors lead to lines of the source; links keep their addresses.
 * **Errors** `empty` for a page without visible text; `binary`, `unreadable`, `too-large`. With `unclosed: "error"`, `unreadable` for a heading without an end tag.
 * **Cost** linear in the length of the source, whatever its nesting.
 * **Source** Embabel's HTML reader, Ballerina's `TextDataLoader`.
 *
 * @experimental
 */
export function createHtmlReader(options: HtmlReaderOptions = {}): Reader {
  checkOptions("createHtmlReader", options, { unclosed: true });
  const { unclosed = "read" } = options;
  if (unclosed !== "read" && unclosed !== "error")
    throw new IbidError("invalid-argument", `createHtmlReader: unclosed cannot be "${String(unclosed)}".`, {
      hint: "Choose from read, error.",
    });
  return {
    name: unclosed === "read" ? "html/6" : "html/6 closed",
    accepts: (mediaType) => mediaType === "text/html" || mediaType === "application/xhtml+xml",
    read: async (input) => (await import("./read-html.ts")).readHtml(input, unclosed === "error"),
  };
}
