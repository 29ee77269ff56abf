import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../build-sections.ts";
import { fileNameOf } from "../file-name.ts";

import type { SourceMap } from "../../contracts/document.ts";
import type { Link } from "./text-writer.ts";
import { decodeHtml } from "./decode-html.ts";
import { markVisible } from "./mark-visible.ts";
import { readPageFacts } from "./page-facts.ts";
import { parseHtml } from "./parse-html.ts";
import { renderHtml } from "./render-html.ts";
import { withTitleHeading } from "./title-heading.ts";

/** Implements {@link createHtmlReader}; loaded with its parser when the first page is read. */
export function readHtml({ uri, bytes, mediaType, charset }: ReadInput): ReadResult {
  const source = decodeHtml(bytes, uri, charset);
  const events = parseHtml(source, mediaType === "application/xhtml+xml");
  const facts = readPageFacts(events);
  const { text, blocks, headings, anchors, links } = renderHtml(
    events,
    withTitleHeading(events, markVisible(events), facts.title),
    source,
  );
  if (text === "") {
    throw new IbidError("empty", `${uri} shows no text.`, {
      hint: "If a script writes the page in the browser, save it from there and give the saved file.",
      uri,
    });
  }
  const title = facts.title || headings.find((heading) => heading.level === 1)?.title || fileNameOf(uri);
  return {
    text,
    title,
    root: buildSections(text, title, headings),
    sourceMap: { lines: "anchors", anchors, ...resolveLinks(links, facts.base ?? uri, uri) },
    blocks,
    metadata: facts.metadata,
    ...(links.length > maxLinks
      ? { notes: [`Of its ${links.length} links the first ${maxLinks} are kept; the text of all of them is.`] }
      : {}),
  };
}

/** As many links of a page are kept. */
const maxLinks = 5000;

/** Addresses as a browser would go to them, where the page's own is known; else as they are written. */
function resolveLinks(links: readonly Link[], base: string, uri: string): Pick<SourceMap, "links"> {
  if (links.length === 0) return {};
  // A path of Windows looks like an address, too.
  const page = /^https?:/i.test(uri) && URL.canParse(uri) ? uri : undefined;
  const from = /^https?:/i.test(page ?? base) && URL.canParse(base, page) ? new URL(base, page).href : undefined;
  const resolve = (url: string): string => (URL.canParse(url, from) ? new URL(url, from).href : url);
  return { links: links.slice(0, maxLinks).map(({ start, end, url }) => ({ start, end, url: resolve(url) })) };
}
