import { apart, ownLine } from "./html-elements.ts";
import type { HtmlEvent, OpenEvent } from "./html-events.ts";
import { cleanText, collapseSpace } from "./text-writer.ts";

/** A text taken from a run of events, and where in the source it begins. */
export interface CollectedText {
  readonly text: string;
  readonly at: number;
  /** Whether everything was read. */
  readonly complete: boolean;
}

/**
 * The running text between an open event and its close: one line, white space collapsed, breaks as spaces and list items parted by `; `.
 *
 * **Shape** anchor marks (`#`, `¶`: links to `#…` without a letter or digit) are left out.
 * A text that grows beyond `enough` characters, white space included, is not read to its end. **Cost** linear in the events that are read.
 */
export function collectLine(
  events: readonly HtmlEvent[],
  open: number,
  close: number,
  enough = Infinity,
): CollectedText {
  const parts: string[] = [];
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
      } else if (event.tag === "li" && at !== -1) parts.push("; ");
      else if (breaks(event.tag)) parts.push(" ");
    } else if (event !== undefined && breaks(event.tag)) parts.push(" ");
  }
  // A mark between items stands right after what it parts.
  return {
    text: collapseSpace(parts.join(""))
      .replace(/ ;(?: ;)* /g, "; ")
      .trim(),
    at: Math.max(at, 0),
    complete: length <= enough,
  };
}

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
    } else if (event?.tag === "div" && !endsLine) add("\n");
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
  if (event.tag !== "a" || !event.attributes.has("href")) return false;
  for (let inner = index + 1; inner < event.close; inner++) {
    const within = events[inner];
    if (within?.type === "text" && /[\p{L}\p{N}]/u.test(within.text)) return false;
  }
  return true;
}

function breaks(tag: string): boolean {
  return tag === "br" || apart.has(tag) || ownLine.has(tag);
}
