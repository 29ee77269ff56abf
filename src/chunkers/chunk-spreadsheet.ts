import type { LengthFunction } from "../contracts/chunker.ts";
import type { SheetData } from "../contracts/sheet-data.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { formatRow } from "../text/format-row.ts";
import { heuristicTokens } from "../text/length.ts";
import { checkSizes } from "./check-sizes.ts";
import { packRows } from "./pack-rows.ts";
import type { ChunkingConfig } from "./token-chunker.ts";

/** Budget of a chunk of rows. **Source** ToolUp's tabular configuration: 512 tokens, no overlap. */
export const defaultMaxTokens = 512;

/**
 * Cuts a table into texts; each names its sheet, its rows and its columns:
 *
 * ```text
 * Sheet "Prices", rows 2–3 of 2
 * Columns: Product, Price
 * Product: Lamp | Price: 12
 * Product: Desk | Price: 90
 * ```
 *
 * **Shape** rows are counted as the sheet counts them, from 1 with the header; the total is the number of rows below the header. A missing cell is empty; a row
 * beyond the budget stands alone; no rows or no headers give no texts. The configuration's `maxTokens` is the budget, 512 by default: rows never overlap, and no minimum holds them back.
 * **Errors** `invalid-argument` for an impossible budget and options that `ChunkingConfig` lacks. **Cost** linear.
 * **Source** ToolUp `Chunking.chunkSpreadsheet sheet config counter`.
 *
 * @experimental
 */
export function chunkSpreadsheet(
  sheet: SheetData,
  config: ChunkingConfig = {},
  counter: LengthFunction = heuristicTokens,
): string[] {
  checkGiven("chunkSpreadsheet", "sheet", sheet, "object", { headers: "list", rows: "list" });
  const { sheetName, headers, rows } = sheet;
  checkOptions("chunkSpreadsheet", config, { maxTokens: true, overlapTokens: true, minTokens: true, dropShort: true });
  const { maxTokens = defaultMaxTokens } = config;
  checkSizes("chunkSpreadsheet", maxTokens, 0, counter, ["maxTokens", "overlapTokens"]);
  if (rows.length === 0 || headers.length === 0) return [];
  const written = rows.map(({ sourceIndex, values }) => ({ number: sourceIndex, text: formatRow(headers, values) }));
  const header = { sheetName, total: rows.length, lines: [columnsLine(headers)] };
  return Array.from(packRows(written, header, maxTokens, counter), ({ text }) => text);
}

/** The second line of every chunk. */
export function columnsLine(headers: readonly string[]): string {
  return `Columns: ${headers.join(", ")}`;
}
