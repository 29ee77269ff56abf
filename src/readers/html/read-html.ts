import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../build-sections.ts";
import { fileNameOf } from "../file-name.ts";
import type { SourceMap } from "../../contracts/document.ts";
import type { Link } from "./text-writer.ts";
import { isHidden, markVisible } from "./mark-visible.ts";
import { parseHtml } from "./parse-html.ts";
import { renderHtml } from "./render-html.ts";
import { decodeSource } from "../text/decode-source.ts";
import { declaredCharset } from "../text/find-charset.ts";
import { collectLine } from "./collect-text.ts";
import type { HtmlEvent } from "./html-events.ts";
import type { Region } from "./link-parts.ts";
import type { Metadata } from "../../contracts/metadata.ts";

/** Implements {@link createHtmlReader}; loaded with its parser when the first page is read. */
export function readHtml({ uri, bytes, mediaType, charset }: ReadInput, closed = false): ReadResult {
  const source = decodeHtml(bytes, uri, charset);
  const refuse = (tag: string, at: number): never => {
    const line = source.slice(0, at).split("\n").length;
    throw new IbidError("unreadable", `The <${tag}> in line ${line} of ${uri} is not closed.`, {
      hint: 'Close it, or read the page as browsers do, with unclosed: "read".',
      uri,
    });
  };
  const events = parseHtml(source, mediaType === "application/xhtml+xml", closed ? refuse : undefined);
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

/**
 * Decodes a page: in the given encoding, else in the one that the page declares in its first 1,024 bytes, else in UTF-8.
 *
 * **Errors** `binary`, `unreadable`, `too-large`.
 * **Source** HTML standard, 13.2.3.2 (encoding sniffing): the sender's word before the page's own. Well-formed UTF-8 wins over both, since pages are
 * re-encoded more often than re-labelled.
 */
function decodeHtml(bytes: Uint8Array, uri: string, charset?: string): string {
  return decodeSource(bytes, uri, charset ?? declaredCharset(bytes));
}

/**
 * Adds the page's heading to the visible regions where it stands outside: many sites have it in a header above the article.
 *
 * The heading is the page's only `h1` and stands before the regions. The page's title begins with it, and the name of
 * the site may follow.
 */
function withTitleHeading(events: readonly HtmlEvent[], regions: readonly Region[], title: string): readonly Region[] {
  let heading: Region | undefined;
  for (const [index, event] of events.entries()) {
    if (event.type !== "open" || event.tag !== "h1") continue;
    if (heading !== undefined) return regions;
    heading = { start: index, end: event.close };
  }
  const first = regions[0];
  if (heading === undefined || first === undefined || heading.end >= first.start || isOutOfSight(events, heading))
    return regions;
  const { text } = collectLine(events, heading.start, heading.end, title.length * 2);
  return text !== "" && title.startsWith(text) ? [heading, ...regions] : regions;
}

/** Whether an element or one around it is hidden. Hidden parts inside are marked, because headers outside the content were not examined. */
function isOutOfSight(events: readonly HtmlEvent[], { start, end }: Region): boolean {
  for (const event of events.slice(start + 1, end)) if (event.type === "open") event.dropped = isHidden(event);
  return events.slice(0, start + 1).some((event) => event.type === "open" && event.close > start && isHidden(event));
}

/** Metadata that a page states. */
interface PageFacts {
  readonly title: string;
  readonly metadata: Metadata;
  /** Base of relative addresses on the page, when it states one. */
  readonly base: string | undefined;
}

const maxFactLength = 2000;

/** Names of `meta` elements, and the metadata that they become. Dates must be ISO 8601 to compare as strings. */
const factNames: Readonly<Record<string, "description" | "author" | "createdAt" | "modifiedAt" | "pageTitle">> = {
  description: "description",
  "og:description": "description",
  author: "author",
  "article:published_time": "createdAt",
  "article:modified_time": "modifiedAt",
  "og:title": "pageTitle",
};

/**
 * Title, language and the usual `meta` facts of a page.
 *
 * **Shape** the first of each kind wins; `description`, `author`, `language`, `createdAt` and `modifiedAt`, each only when stated.
 */
function readPageFacts(events: readonly HtmlEvent[]): PageFacts {
  const facts: Partial<
    Record<"description" | "author" | "createdAt" | "modifiedAt" | "pageTitle" | "language", string>
  > = {};
  let title = "";
  let base: string | undefined;
  for (const [index, event] of events.entries()) {
    if (event.type !== "open") continue;
    if (event.tag === "title" && title === "") title = collectLine(events, index, event.close).text;
    else if (event.tag === "base") base ??= event.attributes.get("href")?.trim();
    else if (event.tag === "html" && facts.language === undefined) {
      const language = (event.attributes.get("lang") ?? event.attributes.get("xml:lang") ?? "").trim();
      if (/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(language)) facts.language = language;
    } else if (event.tag === "meta") {
      const name = (event.attributes.get("name") ?? event.attributes.get("property") ?? "").toLowerCase();
      const fact = Object.hasOwn(factNames, name) ? factNames[name] : undefined;
      const value = (event.attributes.get("content") ?? "").trim().slice(0, maxFactLength).toWellFormed();
      if (fact === undefined || value === "" || facts[fact] !== undefined) continue;
      if (
        (fact === "createdAt" || fact === "modifiedAt") &&
        !/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(value)
      )
        continue;
      facts[fact] = value;
    }
  }
  const { pageTitle = "", ...metadata } = facts;
  return { title: title === "" ? pageTitle : title.slice(0, maxFactLength).toWellFormed(), metadata, base };
}
