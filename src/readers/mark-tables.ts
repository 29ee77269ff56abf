import type { Block, TableSpan } from "../contracts/document.ts";
import type { ReadResult } from "../contracts/reader.ts";
import { nameBarColumns } from "../text/bar-cells.ts";
import { delimiterRow } from "../text/find-blocks.ts";

/** A longer header is text rather than names. **Units** UTF-16 code units. **Source** our own choice. */
const longestHeader = 2048;

/**
 * Says where the tables of a reader's result stand whose rows are lines of cells between bars, and which of these lines name the columns.
 *
 * **Shape** a table of Markdown says it in its text, delimited text and sheets have a place of their own: none of them is here. Tables that the reader gave stay.
 * **Cost** linear in the blocks and the header rows.
 */
export function markTables<Result extends ReadResult>(result: Result): Result {
  const { text, blocks = [], sourceMap } = result;
  if (sourceMap.tables !== undefined) return result;
  const tables = blocks.flatMap((block) => toTable(text, block) ?? []);
  return tables.length === 0 ? result : { ...result, sourceMap: { ...sourceMap, tables } };
}

function toTable(text: string, block: Block): TableSpan | undefined {
  const { kind, start, end, bodyStart = start, delimiter, columns: ofSheet } = block;
  if (kind !== "table" || delimiter !== undefined || ofSheet !== undefined || text[start] !== "|") return undefined;
  const headerEnd = start + text.slice(start, bodyStart).trimEnd().length;
  const lines = text.slice(start, headerEnd).split("\n");
  if (lines.some((line) => delimiterRow.test(line))) return undefined;
  // A table of names alone says no more than its names: they are its rows.
  const isNamed = headerEnd > start && headerEnd - start <= longestHeader && text.slice(bodyStart, end).trim() !== "";
  return { start, end, ...(isNamed && { header: { start, end: headerEnd }, columns: nameBarColumns(lines) }) };
}
