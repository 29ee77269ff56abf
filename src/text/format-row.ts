import { checkGiven } from "../runtime/check-options.ts";

/** Between the cells of a row that is written out. */
const separator = " | ";

/**
 * A row with the name of its column before each cell, so that it can be understood without its table: `A: 1 | B: 2`.
 *
 * **Shape** a missing cell is empty; cells beyond the last name stand without one. **Source** ToolUp `formatRow`.
 *
 * @experimental
 */
export function formatRow(headers: readonly string[], values: readonly string[]): string {
  checkGiven("formatRow", "headers", headers, "list");
  checkGiven("formatRow", "values", values, "list");
  const count = Math.max(headers.length, values.length);
  return Array.from({ length: count }, (_, i) => formatCell(headers[i], values[i] ?? "")).join(separator);
}

/**
 * {@link formatRow} for a very wide table, where names of columns without a cell would drown the few that have one: those are left out.
 */
export function formatFilledCells(headers: readonly string[], values: readonly string[]): string {
  const cells: string[] = [];
  for (const [i, value] of values.entries()) if (value !== "") cells.push(formatCell(headers[i], value));
  return cells.join(separator);
}

/** Reads a row that {@link formatRow} or {@link formatFilledCells} wrote. **Shape** a cell without a name has `""`. A name with a colon ends at its first. */
export function readWrittenRow(line: string): {
  readonly cells: readonly string[];
  readonly columns: readonly string[];
} {
  const cells: string[] = [];
  const columns: string[] = [];
  for (const cell of line.split(separator)) {
    const at = cell.indexOf(": ");
    const named = at > 0 ? at : cell.endsWith(":") ? cell.length - 1 : -1;
    columns.push(named < 0 ? "" : cell.slice(0, named));
    cells.push(cell.slice(named < 0 ? 0 : named + 1).trim());
  }
  return { cells, columns };
}

/** The names of columns, as the line above their rows. */
export function formatHeaderLine(headers: readonly string[]): string {
  return headers.join(separator);
}

function formatCell(header: string | undefined, value: string): string {
  return header === undefined ? value : `${header}: ${value}`;
}

/** Longest names of columns, before each row, for empty cells to be named too: the size of a spreadsheet chunk (512 tokens of four characters). */
const maxNamesLength = 2048;

/** Whether rows of a table name their empty cells; very wide tables do not. */
export function namesEmptyCells(headers: readonly string[]): boolean {
  let length = 0;
  for (const header of headers) {
    length += header.length + separator.length;
    if (length > maxNamesLength) return false;
  }
  return true;
}

/** Longest name of a column before a cell. **Source** Microsoft's limits of Excel: 255 characters in a table's column header. */
const maxNameLength = 255;

/** Name of a column before each cell: one line, cut where it is too long; the column's letter without a name. */
export function nameColumn(header: string, letter: string): string {
  const name = header.replace(/\s+/gu, " ").trim();
  if (name === "") return letter;
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength - 1).toWellFormed()}…`;
}
