import type { LengthFunction } from "../contracts/chunker.ts";
import type { SheetData } from "../contracts/sheet-data.ts";
import { checkOptions } from "../text/check-options.ts";
import { formatRow } from "../text/format-row.ts";
import { heuristicTokens } from "../text/length.ts";
import { checkSizes } from "./check-sizes.ts";
import { packRows } from "./pack-rows.ts";

/** Sizes. Rows do not overlap. */
export interface SpreadsheetChunkerOptions {
  /** The limit of a chunk's text, its header included; a row that is larger by itself stands alone. Default 512. **Units** those of `length`. */
  readonly maxSize?: number;
  /** Default `heuristicTokens`; a tokenizer goes here, as a named function. */
  readonly length?: LengthFunction;
}

/** The settings of {@link SpreadsheetChunkerOptions}, checked. **Errors** `invalid-argument`. */
export function spreadsheetSettings(
  where: string,
  options: SpreadsheetChunkerOptions,
): Required<SpreadsheetChunkerOptions> {
  checkOptions(where, options, ["maxSize", "length"]);
  const { maxSize = 512, length = heuristicTokens } = options;
  checkSizes(where, maxSize, 0, length);
  return { maxSize, length };
}

/**
 * Cuts a table into texts that each say which rows of which sheet they are and what the columns are called:
 *
 * ```text
 * Sheet "Prices", rows 2–3 of 3
 * Columns: Product, Price
 * Product: Lamp | Price: 12
 * Product: Desk | Price: 90
 * ```
 *
 * **Shape** rows are counted as the sheet counts them, from 1 with the header; the total is the number of the last row. A missing cell is empty; a row
 * beyond the size stands alone; no rows or no headers give no texts. Rows do not overlap.
 * **Errors** `invalid-argument` for impossible sizes and unknown options. **Cost** linear. **Source** ToolUp `chunkSpreadsheet` (T30, T31, T34).
 */
export function chunkSpreadsheet(
  { sheetName, headers, rows }: SheetData,
  options: SpreadsheetChunkerOptions = {},
): string[] {
  const { maxSize, length } = spreadsheetSettings("chunkSpreadsheet", options);
  if (rows.length === 0 || headers.length === 0) return [];
  const total = rows.reduce((last, { sourceIndex }) => Math.max(last, sourceIndex), 0);
  const written = rows.map(({ sourceIndex, values }) => ({ number: sourceIndex, text: formatRow(headers, values) }));
  const header = { sheetName, total, lines: [columnsLine(headers)] };
  return Array.from(packRows(written, header, maxSize, length), ({ text }) => text);
}

/** The second line of every chunk. */
export function columnsLine(headers: readonly string[]): string {
  return `Columns: ${headers.join(", ")}`;
}
