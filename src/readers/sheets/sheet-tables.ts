import { columnName } from "../../text/locate.ts";
import { nameColumn } from "../../text/format-row.ts";
import { headerSampleRows, judgeHeader, type JudgedCell } from "./header-row.ts";
import { findRegions, type Region } from "./sheet-regions.ts";
import type { CellRow, MergedCells, Sheet, SheetCell } from "./workbook.ts";

/** A table of a sheet: columns with names, and the rows below them. */
export interface SheetTable {
  readonly kind: "table";
  /** The columns that hold something, by their numbers in the sheet. */
  readonly columns: readonly number[];
  /** Label of each cell, in the order of `columns`: the header's name, else the column's letter. */
  readonly names: readonly string[];
  /** The first row and the number of rows that name the columns; absent where none does. */
  readonly header?: { readonly row: number; readonly count: number };
  readonly rows: readonly CellRow[];
}

/** Lines that stand by themselves: titles, notes, a single column of texts. */
export interface SheetLines {
  readonly kind: "lines";
  readonly rows: readonly CellRow[];
}

/**
 * Finds the content of a sheet in reading order: tables with the names of their columns, and lines outside tables.
 *
 * A line before a table that has one cell only is a title. A merged cell that spans rows is repeated in each of them; a header of several merged rows
 * becomes one (`2024 Q1`). A stretch after a single empty row, within the columns of the table above and without its own header, continues it.
 *
 * **Shape** every cell is in one of them. **Cost** linear in cells and merged cells.
 */
export function findTables(sheet: Sheet): (SheetTable | SheetLines)[] {
  const merges = new Map(sheet.merges.map((merge) => [placeKey(merge.firstRow, merge.firstColumn), merge]));
  const found: (SheetTable | SheetLines)[] = [];
  let before: SheetTable | undefined;
  for (const region of findRegions(sheet)) {
    const [title, body] = takeTitle(region);
    if (title.length > 0) found.push({ kind: "lines", rows: title });
    if (body.length === 0) continue;
    const [rows, footer] = takeFooter(body);
    const piece = readBody(rows, merges, title.length === 0 ? before : undefined);
    found.push(piece);
    if (footer.length > 0) found.push({ kind: "lines", rows: footer });
    if (piece.kind !== "table") continue;
    const isMore = piece.names === before?.names;
    before = isMore && before?.header !== undefined ? { ...piece, header: before.header } : piece;
  }
  return found;
}

/** Rows of one text each, before the first that has more. */
function takeTitle(region: Region): [title: Region, body: Region] {
  const wide = region.findIndex(({ cells }) => cells.length > 1 || cells[0]?.kind !== "text");
  const isTitled = wide > 0 && (region[wide]?.cells.length ?? 0) > 1;
  return isTitled ? [region.slice(0, wide), region.slice(wide)] : [[], region];
}

/** Rows of one text each, after the last that has more, under a table of at least three columns: remarks, sources. */
function takeFooter(body: Region): [rows: Region, footer: Region] {
  const [first] = body[0]?.cells ?? [];
  const widest = body.slice(0, headerSampleRows).reduce((most, { cells }) => Math.max(most, cells.length), 0);
  if (widest < 3) return [body, []];
  const isRemark = ({ cells: [cell, ...others] }: CellRow): boolean =>
    others.length === 0 && cell?.kind === "text" && cell.column === first?.column;
  const end = body.findLastIndex((row) => !isRemark(row)) + 1;
  return end > 0 && body.length - end <= maxFooter ? [body.slice(0, end), body.slice(end)] : [body, []];
}

/** More rows than this are rows of the table, mostly empty. */
const maxFooter = 5;

function readBody(
  body: Region,
  merges: ReadonlyMap<string, MergedCells>,
  before: SheetTable | undefined,
): SheetTable | SheetLines {
  const columns = columnsOf(body);
  const depth = headerDepth(body, merges);
  const rows = spreadDown(body, merges);
  const heads = rows.slice(0, depth);
  const rest = rows.slice(depth);
  const judge = (row: CellRow): JudgedCell[] => layOut(row.cells, columns);
  const score = depth > 1 ? 1 : judgeHeader(judge(heads[0] as CellRow), rest.slice(0, headerSampleRows).map(judge));
  if (before?.header !== undefined && score <= 0 && goesOn(before, body, columns)) {
    return { kind: "table", columns: before.columns, names: before.names, rows };
  }
  // A list of texts needs a sign that its first line is a name.
  const isList = columns.length === 1 && body.every(({ cells }) => cells[0]?.kind === "text");
  if (score < 0 || (columns.length === 1 && score <= 0)) {
    if (isList) return { kind: "lines", rows: body };
    return { kind: "table", columns, names: columns.map(columnName), rows };
  }
  return {
    kind: "table",
    columns,
    names: nameColumns(heads, columns, merges),
    header: { row: heads[0]?.row ?? 1, count: depth },
    rows: rest,
  };
}

/** Whether a stretch is more of the table above it, after one empty row. */
function goesOn(before: SheetTable, body: Region, columns: readonly number[]): boolean {
  const last = before.rows.at(-1)?.row;
  const known = new Set(before.columns);
  return last !== undefined && body[0]?.row === last + 2 && columns.every((column) => known.has(column));
}

function columnsOf(region: Region): number[] {
  const columns = new Set<number>();
  for (const { cells } of region) for (const { column } of cells) columns.add(column);
  return [...columns].sort((a, b) => a - b);
}

/** Cells by the index of their column. */
function layOut(cells: readonly SheetCell[], columns: readonly number[]): (SheetCell | undefined)[] {
  const byColumn = new Map(cells.map((cell) => [cell.column, cell]));
  return columns.map((column) => byColumn.get(column));
}

/** Rows of the header, where merged cells say that there are several: at most four. */
function headerDepth(body: Region, merges: ReadonlyMap<string, MergedCells>): number {
  const [first] = body;
  if (first === undefined) return 1;
  let isGrouped = false;
  let depth = 1;
  for (const { column, kind } of first.cells) {
    const merge = merges.get(placeKey(first.row, column));
    if (merge === undefined) continue;
    if (kind !== "text") return 1;
    if (merge.lastColumn > merge.firstColumn) isGrouped = true;
    depth = Math.max(depth, merge.lastRow - merge.firstRow + 1);
  }
  if (!isGrouped) return 1;
  const groups = Math.max(2, depth);
  const below = body.slice(1, groups);
  const isNames = below.length === groups - 1 && below.every(({ cells }) => cells.every(({ kind }) => kind === "text"));
  return groups <= 4 && body.length > groups && isNames ? groups : 1;
}

/** The names of columns, out of one row or several: a merged cell names all columns below it. */
function nameColumns(
  heads: readonly CellRow[],
  columns: readonly number[],
  merges: ReadonlyMap<string, MergedCells>,
): string[] {
  const names = columns.map((): string[] => []);
  const indexes = new Map(columns.map((column, index) => [column, index]));
  for (const [index, { row, cells }] of heads.entries()) {
    const isLast = index === heads.length - 1;
    for (const { column, text } of cells) {
      const last = isLast ? column : (merges.get(placeKey(row, column))?.lastColumn ?? column);
      for (let at = indexes.get(column) ?? columns.length; (columns[at] ?? Infinity) <= last; at += 1) {
        const said = names[at];
        if (said !== undefined && said.at(-1) !== text) said.push(text);
      }
    }
  }
  return columns.map((column, at) => nameColumn(names[at]?.join(" ") ?? "", columnName(column)));
}

/** How many merged cells are said again in a row: labels of groups are few, and a sheet may declare many. */
const maxSpread = 16;

/** A merged cell is said in each of its rows that hold something: each row can be read without those above it. */
function spreadDown(body: Region, merges: ReadonlyMap<string, MergedCells>): Region {
  if (merges.size === 0) return body;
  const open = new Map<number, { readonly cell: SheetCell; readonly until: number }>();
  const rows: CellRow[] = [];
  for (const { row, cells } of body) {
    const spread = new Map<number, SheetCell>();
    for (const [column, { cell, until }] of open) {
      if (row > until) open.delete(column);
      else spread.set(column, cell);
    }
    for (const cell of cells) {
      spread.set(cell.column, cell);
      const merge = merges.get(placeKey(row, cell.column));
      if (merge !== undefined && merge.lastRow > row && open.size < maxSpread)
        open.set(cell.column, { cell, until: merge.lastRow });
    }
    const isSame = spread.size === cells.length;
    rows.push(isSame ? { row, cells } : { row, cells: [...spread.values()].sort((a, b) => a.column - b.column) });
  }
  return rows;
}

function placeKey(row: number, column: number): string {
  return `${row}:${column}`;
}
