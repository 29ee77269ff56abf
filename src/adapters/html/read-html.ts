import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../../documents/build-sections.ts";
import { fileNameOf } from "../../documents/file-name.ts";

import { decodeHtml } from "./decode-html.ts";
import { markVisible } from "./mark-visible.ts";
import { readPageFacts } from "./page-facts.ts";
import { parseHtml } from "./parse-html.ts";
import { renderHtml } from "./render-html.ts";

/** What {@link createHtmlReader} promises, with the parser that it loads when the first page is read. */
export function readHtml({ uri, bytes, mediaType, charset }: ReadInput): ReadResult {
  const source = decodeHtml(bytes, uri, charset);
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
