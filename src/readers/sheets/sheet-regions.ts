import type { CellRow, MergedCells, Sheet, SheetCell } from "./workbook.ts";

/** Cells that stand together: no empty row runs through them. */
export type Region = readonly CellRow[];

/** How often a stretch is cut across and then down again. Sheets that people lay out need two or three. */
const maxCuts = 8;

/**
 * Finds the tables and notes of a sheet by its empty rows and columns, from top to bottom and from left to right.
 *
 * **Shape** every cell is in one region. An empty column separates stretches of different rows, or with the same names. A single
 * column beside a table, within its rows, belongs to the table (a remark). So do columns of the same rows, whose empty column is a visual gap.
 * **Cost** linear in cells and merged cells, times {@link maxCuts}. **Source** the recursive XY-cut (Nagy and Seth, 1984).
 */
export function findRegions({ rows, merges }: Pick<Sheet, "rows" | "merges">): Region[] {
  const regions: Region[] = [];
  const cut = (stretch: Region, depth: number): void => {
    for (const band of cutAcross(stretch)) {
      const columns = depth < maxCuts ? cutDown(band, merges) : [band];
      if (columns.length === 1) regions.push(band);
      else for (const column of columns) cut(column, depth + 1);
    }
  };
  cut(rows, 0);
  return regions;
}

/** Stretches between empty rows. */
function cutAcross(rows: Region): Region[] {
  const bands: CellRow[][] = [];
  let last = -1;
  for (const row of rows) {
    if (row.row !== last + 1) bands.push([]);
    bands.at(-1)?.push(row);
    last = row.row;
  }
  return bands;
}

interface Strip {
  readonly first: number;
  last: number;
}

/** Stretches between empty columns, joined where they belong together. */
function cutDown(band: Region, merges: readonly MergedCells[]): Region[] {
  const strips = findStrips(band, merges);
  if (strips.length < 2) return [band];
  const parts = takeColumns(band, strips);
  const isWide = (part: Region): boolean => part.some(({ cells }) => cells.length > 1);
  const wide = parts.filter(isWide);
  if (wide.length === 0) return [band];
  const [model] = wide as [Region];
  if (wide.every((part) => isOfSameRows(part, model)) && !sayTheSame(wide)) {
    return parts.every((part) => isWide(part) || isWithin(part, model)) ? [band] : [...parts].sort(byPlace);
  }
  const tables = wide.map((table) => ({ table, remarks: [] as Region[] }));
  const alone: Region[] = [];
  for (const part of parts) {
    if (isWide(part)) continue;
    const host = tables.find(({ table }) => isWithin(part, table));
    if (host === undefined) alone.push(part);
    else host.remarks.push(part);
  }
  if (alone.length === 0 && tables.length === 1) return [band];
  return [...tables.map(({ table, remarks }) => joinColumns([table, ...remarks])), ...alone].sort(byPlace);
}

/** Runs of columns that hold something, or that a merged cell covers. */
function findStrips(band: Region, merges: readonly MergedCells[]): Strip[] {
  const [top, bottom] = rowsOf(band);
  const taken = new Map<number, number>();
  for (const { cells } of band) for (const { column } of cells) if (!taken.has(column)) taken.set(column, column);
  for (const { firstRow, lastRow, firstColumn, lastColumn } of merges) {
    if (firstRow > bottom || lastRow < top || !taken.has(firstColumn)) continue;
    // A title that is centred over everything says nothing of what stands below it.
    if (firstRow === top && band[0]?.cells.length === 1) continue;
    taken.set(firstColumn, Math.max(taken.get(firstColumn) ?? 0, lastColumn));
  }
  const strips: Strip[] = [];
  for (const [first, last] of [...taken].sort(([a], [b]) => a - b)) {
    const open = strips.at(-1);
    if (open !== undefined && first <= open.last + 1) open.last = Math.max(open.last, last);
    else strips.push({ first, last });
  }
  return strips;
}

/** The cells of each strip. */
function takeColumns(band: Region, strips: readonly Strip[]): Region[] {
  const parts = strips.map((): CellRow[] => []);
  for (const { row, cells } of band) {
    let index = 0;
    let inside: SheetCell[] = [];
    for (const cell of cells) {
      while (cell.column > (strips[index]?.last ?? Infinity)) {
        if (inside.length > 0) parts[index]?.push({ row, cells: inside });
        inside = [];
        index += 1;
      }
      inside.push(cell);
    }
    if (inside.length > 0) parts[index]?.push({ row, cells: inside });
  }
  return parts;
}

function joinColumns(parts: readonly Region[]): Region {
  if (parts.length === 1) return parts[0] as Region;
  const rows = new Map<number, SheetCell[]>();
  for (const { row, cells } of parts.flat()) {
    const known = rows.get(row);
    if (known === undefined) rows.set(row, [...cells]);
    else known.push(...cells);
  }
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([row, cells]) => ({ row, cells: cells.sort((a, b) => a.column - b.column) }));
}

function rowsOf(region: Region): readonly [first: number, last: number] {
  return [region[0]?.row ?? 0, region.at(-1)?.row ?? 0];
}

function isOfSameRows(a: Region, b: Region): boolean {
  const [first, last] = rowsOf(a);
  const [top, bottom] = rowsOf(b);
  return first === top && last === bottom;
}

function isWithin(part: Region, table: Region): boolean {
  const [first, last] = rowsOf(part);
  const [top, bottom] = rowsOf(table);
  return first >= top && last <= bottom;
}

/** Whether two stretches begin with a name that both have: then each has a header of its own. */
function sayTheSame(parts: readonly Region[]): boolean {
  const seen = new Set<string>();
  for (const part of parts) {
    const names = new Set((part[0]?.cells ?? []).map(({ text }) => text));
    for (const name of names) if (seen.has(name)) return true;
    for (const name of names) seen.add(name);
  }
  return false;
}

function byPlace(a: Region, b: Region): number {
  return rowsOf(a)[0] - rowsOf(b)[0] || (a[0]?.cells[0]?.column ?? 0) - (b[0]?.cells[0]?.column ?? 0);
}
