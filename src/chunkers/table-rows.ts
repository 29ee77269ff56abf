import type { Block } from "../contracts/document.ts";
import { firstLineStart, lastLineStart } from "./boundaries.ts";

/** Index of the first of ascending places at or after a position. **Cost** O(log places). */
export function indexFrom(places: readonly number[], position: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! >= position) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The last start of a row in (after, limit]. A row is a line, where the table does not say otherwise. */
export function lastRowStart(text: string, table: Block, after: number, limit: number): number | undefined {
  const { rowStarts } = table;
  if (rowStarts === undefined) return lastLineStart(text, after, limit);
  const row = rowStarts[indexFrom(rowStarts, limit + 1) - 1];
  return row === undefined || row <= after ? undefined : row;
}

/** The first start of a row in [from, limit); `limit` is the table's end, or an earlier one. */
export function firstRowStart(text: string, table: Block, from: number, limit = table.end): number | undefined {
  const { rowStarts } = table;
  if (rowStarts === undefined) return firstLineStart(text, from, limit);
  const row = rowStarts[indexFrom(rowStarts, from)];
  return row === undefined || row >= limit ? undefined : row;
}
