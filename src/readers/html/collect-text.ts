import { apart, ownLine } from "./html-elements.ts";
import type { HtmlEvent, OpenEvent } from "./html-events.ts";
import { cleanText, collapseSpace, type Link } from "./text-writer.ts";

/** A text taken from a run of events, and where in the source it begins. */
export interface CollectedText {
  readonly text: string;
  readonly at: number;
  /** Whether everything was read. */
  readonly complete: boolean;
  /** The links in it, by the position of their text in it. */
  readonly links: readonly Link[];
}

/**
 * The running text between an open event and its close: one line, white space collapsed, breaks as spaces and list items parted by `; `.
 *
 * **Shape** anchor marks (`#`, `¶`: links to `#…` without a letter or digit) and tables are left out. Images give their alternative text, ruby its
 * reading, in brackets.
 * A text that grows beyond `enough` characters, white space included, is not read to its end. **Cost** linear in the events that are read.
 */
export function collectLine(
  events: readonly HtmlEvent[],
  open: number,
  close: number,
  enough = Infinity,
  withLinks = true,
): CollectedText {
  const parts: string[] = [];
  const found: { readonly text: string; readonly url: string }[] = [];
  let linkEnd = -1;
  let at = -1;
  let length = 0;
  for (let index = open + 1; index < close && length <= enough; index++) {
    const event = events[index];
    if (event?.type === "text") {
      if (at === -1 && event.text.trim() !== "") at = event.at;
      parts.push(event.text);
      length += event.text.length;
    } else if (event?.type === "open") {
      if (event.dropped || isAnchorMark(events, index, event)) index = event.close;
      else if (event.tag === "math") {
        const formula = readFormula(events, index, event);
        if (formula === undefined) continue;
        if (at === -1) at = event.at;
        parts.push(` ${formula} `);
        index = event.close;
      } else if (event.tag === "table") {
        index = event.close;
        parts.push(" ");
      } else if (event.tag === "img") {
        const alternative = readAlternative(event);
        if (alternative.trim() !== "" && at === -1) at = event.at;
        parts.push(alternative);
        length += alternative.length;
      } else if (event.tag === "rt") {
        parts.push("(");
      } else if (event.tag === "a" && withLinks && index > linkEnd) {
        const url = findAddress(event);
        linkEnd = event.close;
        if (url !== undefined)
          found.push({ text: collectLine(events, index, event.close, maxLinkText, false).text, url });
      } else if (event.tag === "li" && at !== -1) parts.push("; ");
      else if (breaks(event.tag)) parts.push(" ");
    } else if (event?.tag === "rt") parts.push(")");
    else if (event !== undefined && breaks(event.tag)) parts.push(" ");
  }
  // A mark between items stands right after what it parts.
  const text = collapseSpace(parts.join(""))
    .replace(/ ;(?: ;)* /g, "; ")
    .trim();
  return { text, at: Math.max(at, 0), complete: length <= enough, links: placeLinks(text, found) };
}

/** Longest text of a link; a longer one is a clickable part of the page. */
const maxLinkText = 2000;

/** Texts of links follow one another as the links do. */
function placeLinks(text: string, found: readonly { readonly text: string; readonly url: string }[]): Link[] {
  const links: Link[] = [];
  let from = 0;
  for (const { text: label, url } of found) {
    const start = label === "" ? -1 : text.indexOf(label, from);
    if (start === -1) continue;
    from = start + label.length;
    links.push({ start, end: from, url });
  }
  return links;
}

/** Where a link leads; `undefined` for places on the page itself. */
export function findAddress({ attributes }: OpenEvent): string | undefined {
  const address = attributes.get("href")?.trim() ?? "";
  return address === "" || address.startsWith("#") || address.length > maxAddressLength
    ? undefined
    : address.toWellFormed();
}

const maxAddressLength = 2048;

/** Alternative text of an image: words stand apart, a sign such as an emoji is a letter like others. Names of files are left out. */
export function readAlternative({ attributes }: OpenEvent): string {
  const alternative = collapseSpace(attributes.get("alt") ?? "").trim();
  if (/\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i.test(alternative) || alternative.length > maxAlternativeLength)
    return "";
  return /[\p{L}\p{N}]/u.test(alternative) ? ` ${alternative} ` : alternative;
}

const maxAlternativeLength = 1000;

/**
 * The preformatted text between an open event and its close, without the newline that opens it and white space that ends it.
 *
 * **Shape** `places` has one entry for each line whose origin is known.
 */
export function collectPreformatted(
  events: readonly HtmlEvent[],
  open: number,
  close: number,
): { text: string; places: { offset: number; at: number }[] } {
  const parts: string[] = [];
  const places: { offset: number; at: number }[] = [];
  let length = 0;
  let endsLine = true;
  const add = (text: string): void => {
    if (text === "") return;
    parts.push(text);
    length += text.length;
    endsLine = text.endsWith("\n");
  };
  for (let index = open + 1; index < close; index++) {
    const event = events[index];
    if (event?.type === "text") {
      for (let from = 0; from < event.text.length;) {
        const newline = event.text.indexOf("\n", from);
        const to = newline === -1 ? event.text.length : newline + 1;
        if (endsLine) places.push({ offset: length, at: event.at + from });
        add(cleanText(event.text.slice(from, to)));
        from = to;
      }
    } else if (event?.type === "open") {
      if (event.dropped) index = event.close;
      else if (event.tag === "br") add("\n");
    } else if (event !== undefined && ownLine.has(event.tag) && !endsLine) add("\n");
  }
  const all = parts.join("");
  const leading = /^(?:[ \t]*\n)+/.exec(all)?.[0].length ?? 0;
  const text = all.slice(leading).trimEnd();
  return {
    text,
    places: places
      .map(({ offset, at }) => ({ offset: offset - leading, at }))
      .filter(({ offset }) => offset >= 0 && offset < text.length),
  };
}

/**
 * A formula as its author wrote it: `alttext`, else a TeX annotation, else `undefined` for one that must be read as it is drawn.
 *
 * MathML draws a formula from single signs; next to an annotation that would say everything twice.
 */
export function readFormula(
  events: readonly HtmlEvent[],
  index: number,
  { attributes, close }: OpenEvent,
): string | undefined {
  const alternative = attributes.get("alttext")?.trim();
  if (alternative !== undefined && alternative !== "") return collapseSpace(alternative).trim();
  for (let inner = index + 1; inner < close; inner++) {
    const event = events[inner];
    if (
      event?.type !== "open" ||
      event.tag !== "annotation" ||
      event.attributes.get("encoding") !== "application/x-tex"
    )
      continue;
    const { text } = collectLine(events, inner, event.close);
    if (text !== "") return text;
  }
  return undefined;
}

/** A link to a place on the page whose text has no letter or digit: the mark beside a heading. */
export function isAnchorMark(events: readonly HtmlEvent[], index: number, event: OpenEvent): boolean {
  if (event.tag !== "a" || event.attributes.get("href")?.startsWith("#") !== true) return false;
  for (let inner = index + 1; inner < event.close; inner++) {
    const within = events[inner];
    if (within?.type === "text" && /[\p{L}\p{N}]/u.test(within.text)) return false;
    if (within?.type === "open" && within.tag === "img" && readAlternative(within) !== "") return false;
  }
  return true;
}

function breaks(tag: string): boolean {
  return tag === "br" || apart.has(tag) || ownLine.has(tag);
}
