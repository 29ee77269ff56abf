import type { PdfArea } from "./pdf-area.ts";
import type { PdfRule } from "./pdf-drawing.ts";
import { isSentenceEnd } from "./pdf-paragraphs.ts";
import {
  isLarger,
  isNumber,
  isSign,
  isTypewritten,
  merge,
  nearestColumn,
  type Row,
  writeGroups,
} from "./pdf-tables.ts";

/** A table among the rows of an area, and which of them it takes. */
export interface BandedTable {
  readonly from: number;
  /** Behind its last row. */
  readonly to: number;
  readonly table: PdfArea;
}

/** A table has at least this many rows, one of them of several lines. */
const minBands = 3;
/** Rows stand apart by one distance, within these parts of it; that below a header may differ more. */
const [leastSpace, mostSpace, leastBelowHeader, mostBelowHeader] = [0.9, 1.12, 0.75, 1.7];
/** Lines of a cell stand nearer than rows by the first factor, and no further apart than the second. **Units** letter heights. */
const [nearer, mostLeading] = [1.15, 1.6];
/** Lines of one cell stand as far apart as those of others, within this part. */
const sameLeading = 0.12;
/** Letters are larger from this factor on; nearer than this is one height, in letter heights. */
const [mostLarger, sameHeight] = [1.08, 0.3];
/** Longer cells are text in columns: the longest one, and the one in the middle. **Units** UTF-16 code units. */
const [longestCell, longestMiddle] = [500, 110];
/** Rows that are tried as the first one of a table. */
const mostStarts = 40;
const maxRows = 300;
/** Lines of prose are at least this long. **Units** UTF-16 code units. */
const proseLine = 18;

/**
 * The first table of an area whose rows are parted by equal spaces, and whose cells have several lines.
 *
 * The tallest cell fills its row. So the space between the last line of one row and the first line of the next is the same everywhere. Shorter cells may stand at the
 * top, in the middle or at the bottom.
 *
 * **Shape** `undefined` for none. **Cost** the rows, times those that may begin a table.
 */
export function findBanded(all: readonly Row[], rules: readonly PdfRule[]): BandedTable | undefined {
  let starts = 0;
  for (let from = 0; from + minBands < all.length && starts < mostStarts; from++) {
    if (all[from]!.pieces.length < 2 || isSign(all[from]!)) continue;
    starts++;
    const first = withLinesAbove(all, from);
    for (const space of spacesBelow(all, first)) {
      const bands = readBands(all, first, space);
      const columns = bands === undefined ? undefined : columnsOf(bands);
      if (bands === undefined || columns === undefined || !areCells(bands, columns)) continue;
      const to = first + bands.reduce((sum, { length }) => sum + length, 0);
      return { from: first, to, table: writeGroups(bands, columns, 0, rules) };
    }
  }
  return undefined;
}

/** A cell of the first row may begin above the others. */
function withLinesAbove(rows: readonly Row[], at: number): number {
  const [row, above] = [rows[at]!, rows[at - 1]];
  const isHalf = above !== undefined && row.y - above.y < row.size * 0.9 && above.pieces.length === 1;
  return isHalf ? at - 1 : at;
}

/** Distances below the first rows that may part rows of a table. */
function spacesBelow(rows: readonly Row[], from: number): number[] {
  const spaces: number[] = [];
  for (let at = from + 1; at < Math.min(rows.length, from + 6); at++) {
    const space = rows[at]!.y - rows[at - 1]!.y;
    if (spaces.every((other) => Math.abs(other - space) > other * 0.05)) spaces.push(space);
  }
  return spaces.toSorted((one, other) => other - one);
}

/** Rows of a table that are parted by one space: as many as leave the same strips free. */
function readBands(rows: readonly Row[], from: number, space: number): Row[][] | undefined {
  const bands: Row[][] = [[rows[from]!]];
  let taken = merge(rows[from]!.pieces, rows[from]!.size * 0.5);
  for (let at = from + 1; at < Math.min(rows.length, from + maxRows); at++) {
    const row = rows[at]!;
    const gap = row.y - rows[at - 1]!.y;
    const next = merge([...taken, ...row.pieces], row.size * 0.5);
    if (next.length < taken.length || isSign(row) || isTypewritten(row)) break;
    if (bands.length > 1 && isLarger(row, rows[at - 1])) break;
    const isBelowHeader = bands.length === 1;
    const parts =
      gap >= space * (isBelowHeader ? leastBelowHeader : leastSpace) &&
      gap <= space * (isBelowHeader ? mostBelowHeader : mostSpace);
    if (parts) bands.push([row]);
    else if (gap * nearer <= space && gap <= mostLeading * row.size) bands.at(-1)!.push(row);
    else break;
    taken = next;
  }
  // Text below may look like the beginning of another row.
  while (bands.length > 0 && piecesOf(bands.at(-1)!) < 2) bands.pop();
  return bands.length >= minBands && bands.some(({ length }) => length > 1) ? bands : undefined;
}

function piecesOf(band: readonly Row[]): number {
  return merge(
    band.flatMap(({ pieces }) => pieces),
    2,
  ).length;
}

function columnsOf(bands: readonly (readonly Row[])[]): ReturnType<typeof merge> {
  return merge(
    bands.flat().flatMap(({ pieces }) => pieces),
    2,
  );
}

interface Cell {
  first: string;
  last: string;
  top: number;
  bottom: number;
  length: number;
  lines: number;
  /** Lines that are numbers. */
  numbers: number;
}

/**
 * Whether bands are rows of cells: each has several, whose lines stand equally far apart. All stand at the top of their rows, in the middle, or at the bottom. None is
 * a text of its own, and no letters but a header's are larger than others.
 */
function areCells(bands: readonly (readonly Row[])[], columns: ReturnType<typeof merge>): boolean {
  const leadings: number[] = [];
  const sizes = bands.slice(1).flatMap((band) => band.map(({ size }) => size));
  if (Math.max(...sizes) > Math.min(...sizes) * mostLarger) return false;
  const all = bands.map((band) => {
    const cells: (Cell | undefined)[] = [];
    for (const { pieces, y } of band) {
      for (const { x, right, text } of pieces) {
        const column = nearestColumn(columns, x, right);
        const cell = (cells[column] ??= {
          first: text,
          last: text,
          top: y,
          bottom: y,
          length: 0,
          lines: 1,
          numbers: 0,
        });
        // Pieces on one line leave no distance.
        if (y > cell.bottom) {
          leadings.push(y - cell.bottom);
          cell.lines++;
        }
        if (isNumber(text)) cell.numbers++;
        [cell.bottom, cell.last] = [y, text];
        cell.length += text.length;
      }
    }
    return cells;
  });
  if (areSentences(all)) return false;
  const rows = all.map((cells) => cells.filter((cell) => cell !== undefined));
  // Where all cells have as many lines, or one lists numbers, bands are groups of rows.
  const tall = rows.map((cells) => Math.max(...cells.map(({ lines }) => lines)));
  const uneven = rows.filter((cells, at) => cells.some(({ lines }) => lines < tall[at]!)).length;
  if (uneven * 2 < tall.filter((lines) => lines > 1).length) return false;
  if (rows.some((cells) => cells.some(({ numbers }) => numbers > 1))) return false;
  const lengths = rows
    .flat()
    .map(({ length }) => length)
    .toSorted((one, other) => one - other);
  const usual = leadings.toSorted((one, other) => one - other)[leadings.length >> 1] ?? 0;
  return (
    leadings.length > 0 &&
    leadings.every((leading) => Math.abs(leading - usual) <= usual * sameLeading) &&
    rows.every(({ length }) => length >= 2) &&
    // Two columns of text have ends of lines in common by chance.
    (columns.length > 2 || bands.filter(({ length }) => length > 1).length >= 2) &&
    !bands.some((band) => band.some(({ pieces }) => pieces.some(({ text }) => startsList.test(text)))) &&
    rows.filter(({ length }) => length >= columns.length * 0.6).length >= rows.length * 0.7 &&
    lengths.at(-1)! <= longestCell &&
    lengths[lengths.length >> 1]! <= longestMiddle &&
    sides.some((isAt) => bands.every((band, at) => rows[at]!.every((cell) => isAt(cell, band[0]!, band.at(-1)!))))
  );
}

/** Whether most cells go on with the sentence of the cell above: lines of text in columns that share their distances. */
function areSentences(rows: readonly (readonly (Cell | undefined)[])[]): boolean {
  let [pairs, going] = [0, 0];
  for (const [at, row] of rows.entries()) {
    for (const [column, cell] of row.entries()) {
      const above = rows[at - 1]?.[column];
      if (cell === undefined || above === undefined) continue;
      pairs++;
      if (above.last.length >= proseLine && !isSentenceEnd(above.last) && /^\p{Ll}/u.test(cell.first)) going++;
    }
  }
  return going > pairs * 0.6;
}

const startsList = /^[•◦▪▫●○■□‣⁃∙·◆➢➤✓✔❖–—-]\s/u;

/** Where the cells of a table stand in their rows. */
const sides: readonly ((cell: Cell, first: Row, last: Row) => boolean)[] = [
  ({ top }, first) => top - first.y <= first.size * sameHeight,
  ({ bottom }, first, last) => last.y - bottom <= first.size * sameHeight,
  ({ top, bottom }, first, last) => Math.abs(top - first.y - (last.y - bottom)) <= first.size * sameHeight,
];
