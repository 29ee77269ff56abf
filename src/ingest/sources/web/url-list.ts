import { checkGiven } from "../../../runtime/check-options.ts";

/**
 * The addresses of a text, one a line; blank lines and lines that begin with `#` say nothing.
 *
 * **Shape** in order, as they are written: what is no address is refused by the source that fetches, with its own result.
 * **Source** the text form of a sitemap (sitemaps.org, "Text file").
 *
 * @experimental
 */
export function parseUrlList(text: string): readonly string[] {
  checkGiven("parseUrlList", "text", text, "text");
  return text
    .replace(/^\uFEFF/u, "")
    .split(/\r\n|\r|\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
