import type { Block, SheetSpan } from "../../contracts/document.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { formatFilledCells, formatHeaderLine, formatRow, namesEmptyCells } from "../../text/format-row.ts";
import { columnName } from "../../text/locate.ts";
import { buildSections, type Heading } from "../build-sections.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { findTables, type SheetLines, type SheetTable } from "./sheet-tables.ts";
import type { CellRow, Sheet, SheetComment } from "./workbook.ts";

/** Metadata of a workbook. */
export interface WorkbookFacts {
  readonly title?: string | undefined;
  readonly metadata?: Metadata;
  readonly notes?: readonly string[];
}

/**
 * Composes a document from sheets: a section for each, a line for each row.
 *
 * A row of a table names each of its columns (`Name: Ada | Age: 36`), so that it can be read, found and cited by itself. The header stands above the rows
 * once more, as a line of names. Cells outside tables are lines of their own. A blank line separates tables of a sheet.
 * Texts that are drawn on a sheet stand below its cells. Notes and comments stand below them, each with the cell that it is about.
 *
 * **Shape** one table block per table, with `columns`, `bodyStart` and `rowStarts`; a span per sheet tells rows and columns. Hidden sheets are read and
 * noted; empty ones are noted.
 * **Errors** `empty` when no cell holds anything; `too-large` beyond `maxTextLength`, before the text is put together.
 * **Cost** linear in cells. **Source** ToolUp's row format.
 */
export function composeWorkbook(
  { uri, limits, signal }: Pick<ReadInput, "uri" | "limits" | "signal">,
  sheets: readonly Sheet[],
  { title = fileNameOf(uri), metadata = {}, notes = [] }: WorkbookFacts = {},
): ReadResult {
  const { maxTextLength } = limitsOf(limits === undefined ? {} : { limits });
  const said = [...notes];
  const pieces: string[] = [];
  const headings: Heading[] = [];
  const blocks: Block[] = [];
  const spans: SheetSpan[] = [];
  let length = 0;
  const write = (text: string): number => {
    const start = length;
    length += text.length;
    if (length > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength);
    pieces.push(text);
    return start;
  };

  for (const sheet of sheets) {
    const { name, hidden, rows, comments, texts = [] } = sheet;
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    if (rows.length === 0 && comments.length === 0 && texts.length === 0) {
      said.push(`The sheet "${name}" is empty.`);
      continue;
    }
    if (hidden) said.push(`The sheet "${name}" is hidden in the workbook; it was read like the others.`);
    if (length > 0) write("\n\n");
    const start = write(name);
    headings.push({ title: name, level: 1, start, contentStart: length });
    blocks.push({ kind: "heading", start, end: length });
    const places: { start: number; row: number; columns: readonly [number, number] }[] = [];
    for (const piece of findTables(sheet)) {
      write("\n\n");
      blocks.push(piece.kind === "table" ? writeTable(piece, write, places) : writeLines(piece, write, places));
    }
    for (const { row, column, text, block } of texts) {
      write("\n\n");
      const begin = write(text);
      // All its lines are at one cell.
      let at = begin;
      for (const line of text.split("\n")) {
        places.push({ start: at, row, columns: [column, column] });
        at += line.length + 1;
      }
      const bodyStart = block.bodyStart === undefined ? {} : { bodyStart: begin + block.bodyStart };
      blocks.push({ kind: block.kind, start: begin, end: length, ...bodyStart });
    }
    for (const comment of comments) {
      write("\n\n");
      blocks.push(writeComment(comment, write, places));
    }
    spans.push({ name, start, end: length, rows: places, columns: extentOf(places) });
  }
  if (length === 0) {
    throw new IbidError("empty", `${uri} has no cell with a value.`, {
      hint: "Give a workbook with values in its cells.",
      uri,
      details: { sheets: sheets.length },
    });
  }
  const text = pieces.join("");
  return {
    text,
    title,
    root: buildSections(text, title, headings),
    sourceMap: { lines: "none", sheets: spans },
    blocks,
    metadata: { ...metadata, sheets: sheets.map(({ name }) => name) },
    ...(said.length === 0 ? {} : { notes: said }),
  };
}

type Write = (text: string) => number;
type Places = { start: number; row: number; columns: readonly [number, number] }[];

function extentOf(places: Places): [first: number, last: number] {
  const extent: [number, number] = [Infinity, 1];
  for (const { columns } of places) {
    extent[0] = Math.min(extent[0], columns[0]);
    extent[1] = Math.max(extent[1], columns[1]);
  }
  return extent;
}

function writeTable({ columns, names, header, rows }: SheetTable, write: Write, places: Places): Block {
  const extent = [columns[0] ?? 1, columns.at(-1) ?? 1] as const;
  const indexes = new Map(columns.map((column, index) => [column, index]));
  const isFull = namesEmptyCells(names);
  const rowStarts: number[] = [];
  let start: number | undefined;
  let end = 0;
  const writeLine = (line: string, row: number, before: number | undefined): number => {
    if (start !== undefined) write("\n");
    const at = write(line);
    if (before === undefined || row !== before + 1) places.push({ start: at, row, columns: extent });
    start ??= at;
    end = at + line.length;
    return at;
  };
  let before: number | undefined;
  if (header !== undefined) {
    writeLine(formatHeaderLine(names), header.row, undefined);
    // A header of several rows is one line: the next line is not the next row.
    before = header.count === 1 ? header.row : undefined;
  }
  for (const row of rows) {
    const line = isFull ? fullLine(row, names, indexes) : filledLine(row, names, indexes);
    rowStarts.push(writeLine(line, row.row, before));
    before = row.row;
  }
  return {
    kind: "table",
    start: start ?? 0,
    end,
    bodyStart: rowStarts[0] ?? end,
    rowStarts,
    columns: names,
  };
}

function fullLine({ cells }: CellRow, names: readonly string[], indexes: ReadonlyMap<number, number>): string {
  const values = Array.from(names, () => "");
  for (const { column, text } of cells) values[indexes.get(column) ?? 0] = text;
  return formatRow(names, values);
}

function filledLine({ cells }: CellRow, names: readonly string[], indexes: ReadonlyMap<number, number>): string {
  const labels = cells.map(({ column }) => names[indexes.get(column) ?? 0] ?? "");
  return formatFilledCells(
    labels,
    cells.map(({ text }) => text),
  );
}

function writeComment({ row, column, author, text }: SheetComment, write: Write, places: Places): Block {
  const by = author === "" ? "" : ` by ${author}`;
  const line = `[Comment${by} at ${columnName(column)}${row}: ${text}]`;
  const start = write(line);
  places.push({ start, row, columns: [column, column] });
  return { kind: "paragraph", start, end: start + line.length };
}

function writeLines({ rows }: SheetLines, write: Write, places: Places): Block {
  let start: number | undefined;
  let end = 0;
  let before: number | undefined;
  for (const { row, cells } of rows) {
    if (start !== undefined) write("\n");
    const line = formatHeaderLine(cells.map(({ text }) => text));
    const at = write(line);
    const extent = [cells[0]?.column ?? 1, cells.at(-1)?.column ?? 1] as const;
    const last = places.at(-1);
    const isSame = last?.columns[0] === extent[0] && last.columns[1] === extent[1];
    if (before !== row - 1 || !isSame) places.push({ start: at, row, columns: extent });
    before = row;
    start ??= at;
    end = at + line.length;
  }
  return { kind: rows.length === 1 ? "paragraph" : "list", start: start ?? 0, end };
}
