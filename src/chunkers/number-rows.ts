import type { Block, SheetSpan, TextDocument } from "../contracts/document.ts";
import { trimEndAt } from "./white-space.ts";

/** A row of a table, where it stands, and which row of its sheet it is. */
export interface NumberedRow {
  readonly start: number;
  readonly end: number;
  /** From 1. */
  readonly number: number;
}

/** Row numbers of a table in a document's sheets. */
export interface SheetRows {
  readonly sheetName: string;
  readonly numbered: readonly NumberedRow[];
}

/**
 * Counts the rows of tables as their sheets do: by the map of a workbook. Delimited text is one sheet named after its document, where every row and every
 * empty line counts.
 *
 * **Cost** linear in rows.
 */
export function createRowCounter(document: TextDocument): (table: Block) => SheetRows {
  const { text, title, sourceMap } = document;
  return (table) => {
    const sheet = sourceMap.sheets?.[lastStarted(sourceMap.sheets, table.start)];
    if (sheet === undefined || table.start >= sheet.end)
      return { sheetName: title, numbered: numberLines(text, table) };
    return { sheetName: sheet.name, numbered: numberByMap(text, table, sheet) };
  };
}

function numberLines(text: string, { start, end, bodyStart = start, rowStarts = [] }: Block): NumberedRow[] {
  // A first line that tells the delimiter is no row.
  const origin = /^sep=.\n/u.test(text) ? text.indexOf("\n") + 1 : 0;
  let number = 1 + countLines(text, origin, start);
  return rowStarts.map((rowStart, i) => {
    if (i > 0 || bodyStart > start) number += linesBefore(text, rowStart);
    return { start: rowStart, end: trimEndAt(text, rowStart, rowStarts[i + 1] ?? end), number };
  });
}

/** Each line is the next row, until the map says another. */
function numberByMap(text: string, { end, rowStarts = [] }: Block, { rows }: SheetSpan): NumberedRow[] {
  let index = lastStarted(rows, rowStarts[0] ?? end);
  let number = 0;
  return rowStarts.map((rowStart, i) => {
    const next = rows[index + 1];
    if (i === 0) {
      const known = rows[index];
      number = known === undefined ? 1 : known.row + countLines(text, known.start, rowStart);
    } else if (next !== undefined && next.start <= rowStart) {
      index += 1;
      number = next.row;
    } else {
      number += 1;
    }
    return { start: rowStart, end: (rowStarts[i + 1] ?? end + 1) - 1, number };
  });
}

/** Line breaks in the white space before a row: one, and one for each empty line. */
function linesBefore(text: string, position: number): number {
  return countLines(text, trimEndAt(text, 0, position), position);
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The index of the last that begins at or before `position`; -1 when there is none. */
function lastStarted(list: readonly { readonly start: number }[], position: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.start ?? Infinity) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
