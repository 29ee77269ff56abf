import type { Block, SourceMap } from "../../contracts/document.ts";
import type { Heading } from "../build-sections.ts";

import {
  collectLine,
  collectPreformatted,
  findAddress,
  isAnchorMark,
  readAlternative,
  readFormula,
} from "./collect-text.ts";
import { contentsName, languageClass } from "./html-classes.ts";
import { apart, isHeading, ownLine } from "./html-elements.ts";
import type { HtmlEvent, OpenEvent } from "./html-events.ts";
import type { Region } from "./link-parts.ts";
import { createTableWriter, type TableWriter } from "./table-writer.ts";
import { createTextWriter, type Break, type Link } from "./text-writer.ts";

export interface RenderedHtml {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly headings: readonly Heading[];
  readonly anchors: NonNullable<SourceMap["anchors"]>;
  readonly links: readonly Link[];
}

/** Longest heading. Longer ones are paragraphs in large type, or a heading that was never closed. */
const maxHeadingLength = 300;
/** Longest source of a heading; more is too long, unless it is indentation. */
const maxHeadingSource = 5000;

interface List {
  /** Number of the next item; `undefined` in a list without numbers. */
  number: number | undefined;
  /** Marker at the item's beginning, until it is written. */
  marker: string;
}

/**
 * Renders the canonical text of a page: the visible text of the given regions.
 *
 * **Shape** blocks are separated by blank lines. Headings stand alone. List items stand on lines of their own with `- ` or their number, two spaces deeper per level.
 * Rows of tables are lines `| a | b |`. A table in a cell stands after the table around it. A row with headings or preformatted text is a frame
 * around them and is read cell by cell. Preformatted text is verbatim. Images give their alternative text, ruby its reading, in brackets.
 * **Cost** linear in the events.
 */
export function renderHtml(events: readonly HtmlEvent[], regions: readonly Region[], source: string): RenderedHtml {
  const writer = createTextWriter(source);
  const headings: Heading[] = [];
  const lists: List[] = [];
  const tables: TableWriter[] = [];
  let quotes = 0;
  let linkEnd = -1;
  /** Outermost tables of contents, in order. */
  const contents: { readonly start: number; readonly end: number }[] = [];
  let listing: { readonly start: number; readonly close: number } | undefined;

  const kind = (): Block["kind"] => (lists.length > 0 ? "list" : quotes > 0 ? "quote" : "paragraph");
  /** Inside a list nothing is set apart by blank lines: a list is one block. */
  const breakBefore = (strength: Break): void => writer.breakBefore(strength === 2 && lists.length > 0 ? 1 : strength);
  const listPrefix = (): string => {
    const list = lists[lists.length - 1];
    if (list === undefined) return "";
    const prefix = list.marker === "" ? "  ".repeat(lists.length) : `${"  ".repeat(lists.length - 1)}${list.marker}`;
    // Items around this one have begun with it.
    for (const each of lists) each.marker = "";
    return prefix;
  };

  const writeHeading = (index: number, event: OpenEvent): boolean => {
    const { text: title, at, complete, links } = collectLine(events, index, event.close, maxHeadingSource);
    if (!complete || title.length > maxHeadingLength) return false;
    if (title === "") return true;
    writer.breakBefore(2);
    const { start, end } = writer.writeWhole(title, "heading", [{ offset: 0, at }], undefined, links);
    for (const list of lists) list.marker = "";
    headings.push({ title, level: Number(event.tag.slice(1)), start, contentStart: end });
    writer.breakBefore(2);
    return true;
  };
  const writePreformatted = (index: number, event: OpenEvent): void => {
    const { text, places } = collectPreformatted(events, index, event.close);
    breakBefore(2);
    if (text === "") return;
    const outer = kind();
    writer.writeWhole(text, outer === "paragraph" ? "code" : outer, places, lists.length > 0 ? listPrefix : undefined);
    const language = outer === "paragraph" ? findLanguage(events, index, event) : undefined;
    if (language !== undefined) writer.describeBlock({ language });
    breakBefore(2);
  };

  /** Whether the element is done with, its content included. */
  const open = (index: number, event: OpenEvent): boolean => {
    const { tag, attributes } = event;
    if (event.dropped || isAnchorMark(events, index, event)) return true;
    if (tag === "br") {
      writer.breakLine();
      return true;
    }
    if (isHeading(tag) && writeHeading(index, event)) return true;
    if (listing === undefined && isContents(event)) listing = { start: writer.length, close: event.close };
    if (tag === "img") {
      writer.writeText(readAlternative(event), event.at, kind(), listPrefix);
      return true;
    }
    if (tag === "a") {
      const address = findAddress(event);
      if (address !== undefined && index > linkEnd) {
        linkEnd = event.close;
        writer.startLink(address);
      }
    } else if (tag === "rt") writer.writeText("(", event.at, kind(), listPrefix);
    if (tag === "math") {
      const formula = readFormula(events, index, event);
      if (formula === undefined) return false;
      writer.writeText(` ${formula} `, event.at, kind(), listPrefix);
      return true;
    }
    breakBefore(breakAround(tag));
    if (tag === "pre" || tag === "xmp" || tag === "listing") {
      writePreformatted(index, event);
      return true;
    }
    if (tag === "ul" || tag === "ol" || tag === "menu" || tag === "dir" || tag === "dl") {
      lists.push({ number: tag === "ol" ? readNumber(attributes.get("start"), 1) : undefined, marker: "" });
    } else if (tag === "li") {
      const list = lists[lists.length - 1];
      if (list === undefined) return false;
      list.marker = list.number === undefined ? "- " : `${list.number++}. `;
    } else if (tag === "dt") {
      const list = lists[lists.length - 1];
      if (list !== undefined) list.marker = "- ";
    } else if (tag === "blockquote") quotes++;
    else if (tag === "table") tables.push(createTableWriter(events, index, event));
    else if (tag === "thead") tables[tables.length - 1]?.enterHead(event.close);
    else if (tag === "tr")
      return tables[tables.length - 1]?.writeRow(index, event, writer, kind(), breakBefore, listPrefix) ?? false;
    return false;
  };
  const endContents = (): void => {
    if (listing !== undefined) contents.push({ start: listing.start, end: writer.length });
    listing = undefined;
  };
  const close = (index: number, tag: string, at: number): void => {
    if (index === linkEnd) writer.endLink();
    if (index === listing?.close) endContents();
    if (tag === "rt") writer.writeText(")", at, kind(), listPrefix);
    breakBefore(breakAround(tag));
    if (tag === "blockquote") quotes = Math.max(0, quotes - 1);
    else if (tag === "table") {
      for (const table of tables.pop()?.nested ?? []) {
        const event = events[table];
        if (event?.type === "open") render(table, event.close);
      }
    } else if (tag === "ul" || tag === "ol" || tag === "menu" || tag === "dir" || tag === "dl") {
      lists.pop();
      breakBefore(lists.length === 0 ? 2 : 1);
    }
  };

  /** Calls itself for tables in tables alone, whose depth the parser bounds. */
  const render = (start: number, end: number): void => {
    let at = 0;
    for (let index = start; index <= end; index++) {
      const event = events[index];
      if (event?.type === "open") {
        at = event.at;
        if (open(index, event)) index = event.close;
      } else if (event?.type === "close") close(index, event.tag, at);
      else if (event !== undefined) {
        at = event.at;
        writer.writeText(event.text, event.at, kind(), listPrefix);
      }
    }
  };

  for (const { start, end } of regions) {
    writer.breakBefore(2);
    render(start, end);
    // A region may end inside what it began in.
    writer.endLink();
    endContents();
    writer.breakBefore(2);
  }
  const { blocks, ...written } = writer.finish();
  return { ...written, blocks: markListed(blocks, contents), headings };
}

/** Gives the blocks within one of some stretches their role. **Cost** linear: both are in order. */
function markListed(blocks: readonly Block[], stretches: readonly { start: number; end: number }[]): readonly Block[] {
  if (stretches.length === 0) return blocks;
  let at = 0;
  return blocks.map((block) => {
    while ((stretches[at]?.end ?? Infinity) <= block.start) at++;
    const { start = Infinity, end = 0 } = stretches[at] ?? {};
    return start <= block.start && block.end <= end ? { ...block, role: "contents" as const } : block;
  });
}

/** Navigation that stayed in the text, and parts that say that they are a table of contents. **Source** DPUB-ARIA 1.1, `doc-toc`. */
function isContents({ tag, attributes }: OpenEvent): boolean {
  if (tag === "nav" || /^(?:doc-toc|directory|navigation)$/.test(attributes.get("role") ?? "")) return true;
  return contentsName.test(`${attributes.get("class") ?? ""} ${attributes.get("id") ?? ""}`);
}

function breakAround(tag: string): Break {
  if (apart.has(tag) || isHeading(tag)) return 2;
  return ownLine.has(tag) ? 1 : 0;
}

function readNumber(value: string | undefined, fallback: number): number {
  return value !== undefined && /^\s*[+-]?\d{1,9}\s*$/.test(value) ? Number(value) : fallback;
}

/** On the element itself, on what surrounds it closely, or on the `code` in it. */
function findLanguage(events: readonly HtmlEvent[], index: number, pre: OpenEvent): string | undefined {
  const candidates: OpenEvent[] = [pre];
  for (let near = index + 1; near < Math.min(pre.close, index + 4); near++) addOpen(candidates, events[near], index);
  for (let near = index - 1; near >= Math.max(0, index - 4); near--) addOpen(candidates, events[near], index);
  for (const { attributes } of candidates) {
    const language = languageClass.exec(attributes.get("class") ?? "")?.[1];
    if (language !== undefined && !/^(?:none|text|default|plain|plaintext)$/.test(language)) return language;
  }
  return undefined;
}

/** Elements before the text count only while they are still open around it. */
function addOpen(candidates: OpenEvent[], event: HtmlEvent | undefined, index: number): void {
  if (event?.type === "open" && event.close > index) candidates.push(event);
}
