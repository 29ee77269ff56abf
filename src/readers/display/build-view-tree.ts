import type { Block, Section, SheetSpan } from "../../contracts/document.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { createDelimitedScanner } from "../../text/delimited-rows.ts";
import { readFrontMatter } from "../markdown/front-matter.ts";
import { inlineRuns, plainRun, syntaxRun } from "./inline-runs.ts";
import type { ViewBlock, ViewedDocument, ViewRow, ViewRun } from "./view-tree.ts";

/**
 * A document as blocks of runs: headings, paragraphs, items, tables and code, each with its place in the text.
 *
 * **Shape** every run is the text from its `start` to its `end`, and the runs of a block follow one another without gaps. Between blocks stands white space alone, so
 * that the blocks reproduce any slice of the text. With `start` and `end`, blocks that touch that stretch.
 * **Cost** linear in the text. The parser of Markdown is loaded for Markdown.
 *
 * @experimental
 */
export async function buildViewTree(
  document: ViewedDocument,
  span: { readonly start?: number | undefined; readonly end?: number | undefined } = {},
): Promise<readonly ViewBlock[]> {
  checkGiven("buildViewTree", "document", document, "object", {
    text: "text",
    mediaType: "text",
    root: "object",
    sourceMap: "object",
  });
  checkOptions("buildViewTree", span, { start: true, end: true });
  const { start = 0, end = document.text.length } = span;
  const blocks = await blocksOf(document);
  return blocks.filter((block) => block.start < end && block.end > start);
}

/** Media types whose lines are shown as they stand. */
const isCode =
  /^(?:application\/(?:json|x-?yaml|yaml|toml|xml|javascript|x-|sql|vnd\.ibid\.code)|text\/(?:x-|javascript|typescript|css|yaml|xml|toml))/u;
/** Exceptions: their canonical text is prose. */
const isProse =
  /^application\/x-(?:ipynb|pdf|tex|latex|subrip|mobi)|^text\/x-(?:rst|markdown|org|asciidoc|mediawiki|tex)/u;

async function blocksOf(document: ViewedDocument): Promise<readonly ViewBlock[]> {
  const { text, mediaType, metadata, sourceMap } = document;
  if (/^text\/(?:markdown|mdx|x-markdown|x-mdx)$/u.test(mediaType))
    return await markdownBlocks(text, mediaType.includes("mdx"));
  if (/^text\/(?:csv|tab-separated-values)/u.test(mediaType)) {
    const given = metadata?.["delimiter"];
    return delimitedBlocks(text, typeof given === "string" && given.length === 1 ? given : ",");
  }
  // XML whose structure is read has lines by anchors.
  const isShown = mediaType.endsWith("/xml") && sourceMap.lines === "anchors";
  if (isCode.test(mediaType) && !isProse.test(mediaType) && !isShown) return codeBlocks(text, 0, text.length);
  const headings = new Map<number, Section>();
  collectHeadings(document.root, headings);
  const sheets = sourceMap.sheets ?? [];
  const blocks: ViewBlock[] = [];
  let at = 0;
  for (const sheet of sheets) {
    blocks.push(...flowBlocks(text, at, sheet.start, headings), ...sheetBlocks(text, sheet, headings));
    at = sheet.end;
  }
  return [...blocks, ...flowBlocks(text, at, text.length, headings)];
}

function collectHeadings(section: Section, into: Map<number, Section>): void {
  if (section.level > 0 && section.contentStart > section.start) into.set(section.start, section);
  for (const child of section.children) collectHeadings(child, into);
}

/** Lines of one block at most: a browser lays out what is in sight alone. */
const linesOfBlock = 60;

function codeBlocks(text: string, start: number, end: number): ViewBlock[] {
  const blocks: ViewBlock[] = [];
  let [from, lines] = [start, 0];
  for (let at = start; at < end;) {
    const newline = text.indexOf("\n", at);
    const to = newline === -1 || newline >= end ? end : newline;
    lines += 1;
    const isLast = to + 1 >= end;
    if (isLast || lines >= linesOfBlock) {
      if (text.slice(from, to).trim() !== "")
        blocks.push({ kind: "code", start: from, end: to, runs: [plainRun(text, from, to)] });
      [from, lines] = [to + 1, 0];
    }
    at = to + 1;
  }
  return blocks;
}

function delimitedBlocks(text: string, delimiter: string): ViewBlock[] {
  const scanner = createDelimitedScanner(text, delimiter);
  const rows: ViewRow[] = [];
  for (let start = 0; start < text.length;) {
    const ends: number[] = [];
    const end = scanner.scan(start, (_, to) => ends.push(to));
    if (text.slice(start, end).trim() !== "")
      rows.push({
        start,
        end,
        ...(rows.length === 0 && { isHeader: true as const }),
        cells: cutCells(text, start, end, ends),
      });
    start = end + 1;
  }
  return tableBlocks(rows);
}

/** A row in cells that end where `ends` says; the signs between them are syntax. */
function cutCells(text: string, start: number, end: number, ends: readonly number[]): ViewRun[][] {
  const cells: ViewRun[][] = [];
  let at = start;
  for (const [index, given] of ends.entries()) {
    const to = index === ends.length - 1 ? end : Math.min(given, end);
    const cell: ViewRun[] = [];
    const isFirst = index === 0;
    // The delimiter stands before every cell but the first.
    const from = isFirst ? at : Math.min(at + 1, to);
    if (!isFirst && at < from) cell.push(syntaxRun(text, at, from));
    const isQuoted = text[from] === '"' && text[to - 1] === '"' && to - from > 1;
    if (isQuoted)
      cell.push(syntaxRun(text, from, from + 1), ...quotedRuns(text, from + 1, to - 1), syntaxRun(text, to - 1, to));
    else if (from < to) cell.push(plainRun(text, from, to));
    cells.push(cell);
    at = to;
  }
  if (cells.length === 0) cells.push([plainRun(text, start, end)]);
  return cells;
}

/** A doubled quotation mark stands for one. */
function quotedRuns(text: string, start: number, end: number): ViewRun[] {
  const runs: ViewRun[] = [];
  let at = start;
  for (let mark = text.indexOf('""', start); mark !== -1 && mark + 2 <= end; mark = text.indexOf('""', mark + 2)) {
    runs.push(plainRun(text, at, mark + 1), syntaxRun(text, mark + 1, mark + 2));
    at = mark + 2;
  }
  if (at < end) runs.push(plainRun(text, at, end));
  return runs;
}

/** Rows of one block at most. */
const rowsOfBlock = 200;

function tableBlocks(rows: readonly ViewRow[]): ViewBlock[] {
  const blocks: ViewBlock[] = [];
  for (let at = 0; at < rows.length; at += rowsOfBlock) {
    const own = rows.slice(at, at + rowsOfBlock);
    blocks.push({ kind: "table", start: own[0]!.start, end: own.at(-1)!.end, rows: own });
  }
  return blocks;
}

/** The lines of a sheet: a header line, then rows as `name: value | name: value`. */
function sheetBlocks(text: string, { start, end }: SheetSpan, headings: ReadonlyMap<number, Section>): ViewBlock[] {
  const blocks: ViewBlock[] = [];
  let rows: ViewRow[] = [];
  let names: readonly string[] = [];
  const flush = (): void => {
    blocks.push(...tableBlocks(rows));
    rows = [];
  };
  for (const [from, to] of linesOf(text, start, end)) {
    const section = headings.get(from);
    if (section !== undefined) {
      flush();
      blocks.push(headingBlock(text, from, Math.min(to, section.contentStart), section.level));
      continue;
    }
    if (from === to) flush();
    else if (!text.slice(from, to).includes(" | ") && rows.length === 0) blocks.push(flowBlock(text, from, to));
    else {
      const cells = cutAt(text, from, to, " | ");
      const isHeader = rows.length === 0;
      if (isHeader) names = cells.map((cell) => cell.map((run) => (run.syntax ? "" : run.text)).join(""));
      rows.push({
        start: from,
        end: to,
        ...(isHeader && { isHeader: true as const }),
        cells: isHeader ? cells : cells.map((cell) => hideName(text, cell, names)),
      });
    }
  }
  flush();
  return blocks;
}

/** The name of a column, which its header says already. */
function hideName(text: string, cell: readonly ViewRun[], names: readonly string[]): readonly ViewRun[] {
  const last = cell.at(-1);
  if (last === undefined) return cell;
  const name = names.find((each) => each !== "" && last.text.startsWith(`${each}: `));
  if (name === undefined) return cell;
  const at = last.start + name.length + 2;
  return [
    ...cell.slice(0, -1),
    syntaxRun(text, last.start, at),
    ...(at < last.end ? [plainRun(text, at, last.end)] : []),
  ];
}

function cutAt(text: string, start: number, end: number, delimiter: string): ViewRun[][] {
  const cells: ViewRun[][] = [];
  for (let at = start; ;) {
    const found = text.indexOf(delimiter, at);
    const isLast = found === -1 || found + delimiter.length > end;
    const to = isLast ? end : found;
    const lead = cells.length === 0 ? [] : [syntaxRun(text, at - delimiter.length, at)];
    cells.push([...lead, ...(at < to ? [plainRun(text, at, to)] : [])]);
    if (isLast) return cells;
    at = found + delimiter.length;
  }
}

function* linesOf(text: string, start: number, end: number): Generator<readonly [number, number]> {
  for (let at = start; at < end;) {
    const newline = text.indexOf("\n", at);
    const to = newline === -1 || newline > end ? end : newline;
    yield [at, to];
    at = to + 1;
  }
}

const listItem = /^(\s*)(?:[-*•◦▪·–+]|\d{1,3}[.)]|\d{1,2}(?:\.\d{1,2}){1,4}\.?|[a-z][.)])\s+(?=\S)/u;

/** Text of readers that show what a page shows: a blank line parts blocks, a line of `| a | b |` is a row. */
function flowBlocks(text: string, start: number, end: number, headings: ReadonlyMap<number, Section>): ViewBlock[] {
  const blocks: ViewBlock[] = [];
  let open:
    | { readonly kind: "paragraph" | "item"; readonly start: number; end: number; readonly level?: number }
    | undefined;
  let rows: ViewRow[] = [];
  const flush = (): void => {
    if (open !== undefined) blocks.push(flowBlock(text, open.start, open.end, open.kind, open.level));
    open = undefined;
    blocks.push(...tableBlocks(rows));
    rows = [];
  };
  for (const [from, to] of linesOf(text, start, end)) {
    const section = headings.get(from);
    const line = text.slice(from, to);
    const item = listItem.exec(line);
    if (section !== undefined && section.contentStart <= to + 1) {
      flush();
      blocks.push(headingBlock(text, from, to, section.level));
    } else if (line.trim() === "") flush();
    else if (/^\|.*\|\s*$/u.test(line)) {
      if (open !== undefined) flush();
      rows.push(pipeRow(text, from, to, rows.length === 0, false));
    } else if (item !== null) {
      flush();
      open = { kind: "item", start: from, end: to, level: 1 + Math.min(5, item[1]!.length >> 1) };
    } else if (open !== undefined) open.end = to;
    else {
      flush();
      open = { kind: "paragraph", start: from, end: to };
    }
  }
  flush();
  return blocks;
}

function headingBlock(text: string, start: number, end: number, level: number): ViewBlock {
  return { kind: "heading", start, end, level: Math.min(6, Math.max(1, level)), runs: [plainRun(text, start, end)] };
}

function flowBlock(
  text: string,
  start: number,
  end: number,
  kind: "paragraph" | "item" = "paragraph",
  level?: number,
): ViewBlock {
  return { kind, start, end, isHard: true, ...(level !== undefined && { level }), runs: [plainRun(text, start, end)] };
}

/** `| a | b |` in cells; the pipes are syntax. */
function pipeRow(text: string, start: number, end: number, isHeader: boolean, isMarkdown: boolean): ViewRow {
  const cells: ViewRun[][] = [];
  const pipes = [...text.slice(start, end).matchAll(/(?<!\\)\|/gu)].map(({ index }) => start + index);
  const lead = pipes[0] !== undefined && text.slice(start, pipes[0]).trim() === "" ? pipes.shift()! + 1 : start;
  let at = start;
  let from = lead;
  const bounds =
    pipes.at(-1) !== undefined && text.slice(pipes.at(-1)! + 1, end).trim() === "" ? pipes : [...pipes, end];
  for (const [index, to] of bounds.entries()) {
    const [first, last] = [from + spaceAfter(text, from, to), to - spaceBefore(text, from, to)];
    const cell: ViewRun[] = [];
    if (first >= last) cell.push(...(at < to ? [syntaxRun(text, at, to)] : []));
    else {
      if (at < first) cell.push(syntaxRun(text, at, first));
      cell.push(...(isMarkdown ? inlineRuns(text, first, last) : [plainRun(text, first, last)]));
      if (last < to) cell.push(syntaxRun(text, last, to));
    }
    at = to;
    from = Math.min(to + 1, end);
    if (index === bounds.length - 1 && at < end) cell.push(syntaxRun(text, at, end));
    cells.push(cell);
  }
  return { start, end, ...(isHeader && { isHeader: true as const }), cells };
}

const spaceAfter = (text: string, from: number, to: number): number => /^\s*/u.exec(text.slice(from, to))![0].length;
const spaceBefore = (text: string, from: number, to: number): number => {
  const slice = text.slice(from, to);
  return slice.length - slice.trimEnd().length;
};

async function markdownBlocks(text: string, isMdx: boolean): Promise<ViewBlock[]> {
  const { parseBlocks } = await import("../markdown/parse-blocks.ts");
  const front = readFrontMatter(text);
  const blocks: ViewBlock[] = [];
  if (front !== undefined)
    blocks.push({
      kind: "markup",
      start: 0,
      end: front.blockEnd,
      isHard: true,
      runs: [plainRun(text, 0, front.blockEnd)],
    });
  for (const block of parseBlocks(text, front?.end ?? 0, isMdx).blocks) blocks.push(...markdownBlock(text, block));
  return blocks;
}

function markdownBlock(text: string, block: Block): ViewBlock[] {
  const { kind, start, end, bodyStart } = block;
  switch (kind) {
    case "heading": {
      const [, open = "", close = ""] =
        /^(\s*#{1,6}[ \t]*)?[^]*?((?:[ \t]+#+[ \t]*|\n[ \t]*[=-]+[ \t]*)?)$/u.exec(text.slice(start, end)) ?? [];
      const level = open.trim().length || (close.includes("-") ? 2 : 1);
      const runs = [
        ...(open === "" ? [] : [syntaxRun(text, start, start + open.length)]),
        ...inlineRuns(text, start + open.length, end - close.length),
        ...(close === "" ? [] : [syntaxRun(text, end - close.length, end)]),
      ];
      return [{ kind, start, end, level, runs }];
    }
    case "table": {
      const rows = [...linesOf(text, start, end)].map(([from, to], index): ViewRow => {
        const row = pipeRow(text, from, to, index === 0, true);
        return index === 1 && to < (bodyStart ?? 0) + 1 ? { ...row, isSyntax: true } : row;
      });
      return tableBlocks(rows);
    }
    case "code": {
      const first = bodyStart ?? start;
      const close = first === start ? undefined : /\n[ \t]*(?:`{3,}|~{3,})[ \t]*$/u.exec(text.slice(first - 1, end));
      const last = close === null || close === undefined ? end : Math.max(first, first - 1 + close.index);
      const runs = [
        ...(start < first ? [syntaxRun(text, start, first)] : []),
        ...(first < last ? [plainRun(text, first, last)] : []),
        ...(last < end ? [syntaxRun(text, last, end)] : []),
      ];
      return [{ kind: "code", start, end, isHard: true, runs }];
    }
    case "list":
      return listBlocks(text, start, end);
    case "html":
    case "front-matter":
      return [{ kind: "markup", start, end, isHard: true, runs: [plainRun(text, start, end)] }];
    case "rule":
      return [{ kind: "rule", start, end, runs: [syntaxRun(text, start, end)] }];
    case "quote": {
      const runs: ViewRun[] = [];
      for (const [from, to] of linesOf(text, start, end)) {
        const sign = from + (/^\s*(?:>[ \t]?)*/u.exec(text.slice(from, to))?.[0].length ?? 0);
        if (from < sign) runs.push(syntaxRun(text, from, sign));
        runs.push(...inlineRuns(text, sign, to));
        if (to < end) runs.push(plainRun(text, to, to + 1));
      }
      return [{ kind, start, end, isHard: true, runs }];
    }
    default:
      return [{ kind: "paragraph", start, end, runs: inlineRuns(text, start, end) }];
  }
}

/** The items of a list, at any depth, one after the other; code fenced within an item is a block of its own. */
function listBlocks(text: string, start: number, end: number): ViewBlock[] {
  const blocks: ViewBlock[] = [];
  let open: { readonly start: number; end: number; readonly content: number; readonly level: number } | undefined;
  let fence: { readonly start: number; readonly sign: string } | undefined;
  let level = 1;
  const flush = (): void => {
    if (open === undefined) return;
    const { start: from, end: to, content } = open;
    blocks.push({
      kind: "item",
      start: from,
      end: to,
      level: open.level,
      runs: [plainRun(text, from, content), ...inlineRuns(text, content, to)],
    });
    open = undefined;
  };
  for (const [from, to] of linesOf(text, start, end)) {
    const line = text.slice(from, to);
    const sign = /^\s*(?:[-*+]\s+)?(`{3,}|~{3,})/u.exec(line)?.[1];
    if (fence !== undefined) {
      if (sign?.startsWith(fence.sign) !== true && to < end) continue;
      blocks.push(...codeInItem(text, fence.start, to));
      fence = undefined;
      continue;
    }
    if (sign !== undefined) {
      flush();
      fence = { start: from, sign };
      if (to >= end) blocks.push(...codeInItem(text, from, to));
      continue;
    }
    const item = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/u.exec(line);
    if (item !== null) {
      flush();
      const indent = item[1]!.replaceAll("\t", "    ").length;
      level = 1 + Math.min(6, indent >> 1);
      open = { start: from, end: to, content: from + item[0].length, level };
    } else if (line.trim() === "") flush();
    else if (open !== undefined) open = { ...open, end: to };
    else open = { start: from, end: to, content: from + (line.length - line.trimStart().length), level };
  }
  flush();
  return blocks;
}

function codeInItem(text: string, start: number, end: number): ViewBlock[] {
  const newline = text.indexOf("\n", start);
  const first = newline === -1 || newline >= end ? end : newline + 1;
  const last = Math.max(first, text.lastIndexOf("\n", end - 1));
  const runs = [
    syntaxRun(text, start, first),
    ...(first < last ? [plainRun(text, first, last)] : []),
    ...(last < end ? [syntaxRun(text, last, end)] : []),
  ];
  return [{ kind: "code", start, end, isHard: true, runs: runs.filter((run) => run.start < run.end) }];
}
