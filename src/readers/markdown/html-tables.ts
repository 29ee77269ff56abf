import type { Block } from "../../contracts/document.ts";
import { markVisible } from "../html/mark-visible.ts";
import { parseHtml } from "../html/parse-html.ts";
import { renderHtml } from "../html/render-html.ts";

/** A Markdown text whose HTML tables are written as tables of Markdown. */
export interface WithTables {
  readonly text: string;
  /** Where each line of the text stems from in the source. */
  readonly anchors: readonly { readonly start: number; readonly line: number }[];
}

/** A longer table stays as it is written. **Units** UTF-16 code units. */
const longestTable = 500_000;

/**
 * Writes tables of HTML, as programs export them into Markdown, with bars between their cells.
 *
 * **Shape** `undefined` where there are none. A table that lays out a page, or that is not closed, stays HTML. **Cost** linear.
 * **Source** GFM, 4.10 (tables).
 */
export function writeHtmlTables(source: string, blocks: readonly Block[]): WithTables | undefined {
  const parts: { readonly text: string; readonly line: number; readonly isTable: boolean }[] = [];
  let from = 0;
  let line = 1;
  const add = (text: string, to: number, isTable: boolean): void => {
    parts.push({ text, line, isTable });
    line += countLines(source.slice(from, to));
    from = to;
  };
  for (const { kind, start, end } of blocks) {
    if (kind !== "html" || end <= from || /^<(?:pre|script|style|textarea|!--)/iu.test(source.slice(start, start + 9)))
      continue;
    for (const { index } of source.slice(start, end).matchAll(/<table[\s>]/giu)) {
      const at = start + index;
      const close = at < from ? undefined : endOfTable(source, at);
      const table = close === undefined ? undefined : renderTable(source.slice(at, close));
      if (table === undefined) continue;
      add(source.slice(from, at), at, false);
      add(`\n\n${table}\n\n`, close!, true);
    }
  }
  if (parts.length === 0) return undefined;
  add(source.slice(from), source.length, false);
  const anchors: { start: number; line: number }[] = [];
  let text = "";
  for (const part of parts) {
    anchors.push({ start: text.length, line: part.line });
    for (const { index } of part.isTable ? [] : part.text.matchAll(/\n/gu))
      anchors.push({ start: text.length + index + 1, line: anchors.at(-1)!.line + 1 });
    text += part.text;
  }
  return { text, anchors: anchors.filter(({ start }, at) => start !== anchors[at + 1]?.start) };
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

/** Behind the tag that closes the table that begins at `start`. */
function endOfTable(source: string, start: number): number | undefined {
  let depth = 0;
  for (const { 0: tag, 1: slash, index } of source
    .slice(start, start + longestTable)
    .matchAll(/<(\/?)table(?:\s[^<>]*)?>/giu)) {
    depth += slash === "/" ? -1 : 1;
    if (depth === 0) return start + index + tag.length;
  }
  return undefined;
}

/** Stands for a bar within a cell. **Source** Unicode: a private character, which no text has. */
const bar = "\u{10FFFD}";

/** The table with bars; `undefined` where it is read as anything but one table. */
function renderTable(html: string): string | undefined {
  const barless = html.replaceAll("|", bar);
  const events = parseHtml(barless, false);
  const { text, blocks } = renderHtml(events, markVisible(events), barless);
  const [table, ...others] = blocks.filter(({ start, end }) => end > start);
  if (table?.kind !== "table" || others.length > 0 || text.includes("\n\n")) return undefined;
  const lines = text.trim().split("\n");
  if (!lines.every((line) => line.startsWith("|") && line.endsWith("|"))) return undefined;
  const columns = lines[0]!.split("|").length - 2;
  return [lines[0], `|${" --- |".repeat(columns)}`, ...lines.slice(1)].join("\n").replaceAll(bar, "\\|");
}
