import { readBarCells } from "../../text/bar-cells.ts";
import type { PdfBlock, PdfBlockLine } from "./pdf-paragraphs.ts";

/** Left edges this near are one. **Units** points. */
const sameEdge = 4;

/**
 * Joins a table that goes on at the top of the next page. A header that is printed again there is left out, as a running title is.
 *
 * **Shape** both parts have as many columns and one left edge. The second has the header of the first, or none. Only text beside the body stands between them,
 * and follows the table.
 * **Cost** linear in the blocks, and in the cells of the rows at the edges of pages.
 */
export function joinTables(blocks: readonly PdfBlock[]): PdfBlock[] {
  const joined: PdfBlock[] = [];
  /** Index of the last block of the body. */
  let last = -1;
  for (const block of blocks) {
    const before = joined[last];
    const rest = before === undefined ? undefined : restOfTable(before, block);
    if (rest !== undefined) joined[last] = { ...before!, lines: [...before!.lines, ...rest] };
    else {
      joined.push(block);
      if (block.aside !== true) last = joined.length - 1;
    }
  }
  return joined;
}

/** The rows that a block adds to the table before it; `undefined` where it is another table, or none. */
function restOfTable(table: PdfBlock, block: PdfBlock): readonly PdfBlockLine[] | undefined {
  if (table.kind !== "table" || block.kind !== "table" || block.aside === true) return undefined;
  const [above, first] = [table.lines.at(-1)!, block.lines[0]!];
  if (block.page !== above.page + 1 || columnsOf(above) !== columnsOf(first)) return undefined;
  if (Math.abs(leftOf(table) - leftOf(block)) > sameEdge) return undefined;
  const [header, again] = [headerOf(table), headerOf(block)];
  return again === "" ? block.lines : again === header ? block.lines.slice(block.headerRows) : undefined;
}

function columnsOf({ text }: PdfBlockLine): number {
  return readBarCells(text).length;
}

function leftOf({ lines }: PdfBlock): number {
  return Math.min(...lines.map(({ x }) => x));
}

function headerOf({ lines, headerRows = 0 }: PdfBlock): string {
  return lines
    .slice(0, headerRows)
    .map(({ text }) => text)
    .join("\n");
}
