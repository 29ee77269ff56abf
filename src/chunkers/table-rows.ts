import type { Block } from "../contracts/document.ts";
import { firstLineStart, lastLineStart } from "./boundaries.ts";

/** The first index whose row starts at or after a position. */
function rowAt(rowStarts: readonly number[], position: number): number {
  let low = 0;
  let high = rowStarts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rowStarts[middle]! >= position) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The last start of a row in (after, limit]. A row is a line, where the table does not say otherwise. */
export function lastRowStart(text: string, table: Block, after: number, limit: number): number | undefined {
  const { rowStarts } = table;
  if (rowStarts === undefined) return lastLineStart(text, after, limit);
  const row = rowStarts[rowAt(rowStarts, limit + 1) - 1];
  return row === undefined || row <= after ? undefined : row;
}

/** The first start of a row in [from, limit); `limit` is the table's end, or an earlier one. */
export function firstRowStart(text: string, table: Block, from: number, limit = table.end): number | undefined {
  const { rowStarts } = table;
  if (rowStarts === undefined) return firstLineStart(text, from, limit);
  const row = rowStarts[rowAt(rowStarts, from)];
  return row === undefined || row >= limit ? undefined : row;
}
