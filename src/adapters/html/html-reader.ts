import { IbidError } from "../../contracts/errors.ts";
import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../../documents/build-sections.ts";
import { fileNameOf } from "../../documents/file-name.ts";

import { decodeHtml } from "./decode-html.ts";
import { markVisible } from "./mark-visible.ts";
import { readPageFacts } from "./page-facts.ts";
import { parseHtml } from "./parse-html.ts";
import { renderHtml } from "./render-html.ts";

/**
 * HTML pages: the canonical text is what a reader of the page sees of its main content.
 *
 * **Shape** sections from `h1` to `h6`; title from `<title>`, `og:title`, the first `h1` or the file name; metadata `language`, `description`, `author`,
 * `createdAt` and `modifiedAt` when the page states them; anchors to the lines of the source.
 * **Errors** `empty` for a page on which nothing is to be read; `binary`, `unreadable`, `too-large`.
 * **Cost** linear in the length of the source, whatever its nesting.
 * **Source** Embabel's HTML reader (E15), Ballerina's `TextDataLoader` (B52).
 */
export function createHtmlReader(): Reader {
  return {
    name: "html/1",
    accepts: (mediaType) => mediaType === "text/html" || mediaType === "application/xhtml+xml",
    read: async (input) => readHtml(input),
  };
}

function readHtml({ uri, bytes, mediaType }: ReadInput): ReadResult {
  const source = decodeHtml(bytes, uri);
  const events = parseHtml(source, mediaType === "application/xhtml+xml");
  const facts = readPageFacts(events);
  const { text, blocks, headings, anchors } = renderHtml(events, markVisible(events), source);
  if (text === "") {
    throw new IbidError("empty", `${uri} shows no text.`, {
      mend: "If a script writes the page in the browser, save it from there and give the saved file.",
      uri,
    });
  }
  const title = facts.title || headings.find((heading) => heading.level === 1)?.title || fileNameOf(uri);
  return {
    text,
    title,
    root: buildSections(text, title, headings),
    sourceMap: { lines: "anchors", anchors },
    blocks,
    metadata: facts.metadata,
  };
}
