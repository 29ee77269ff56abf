import { countHeaderRows } from "./count-header-rows.ts";
import type { PdfArea } from "./pdf-area.ts";
import type { PdfRule } from "./pdf-drawing.ts";
import { cellText, type PdfGrid } from "./pdf-grids.ts";
import { cutAtGaps, toLine, toRows } from "./pdf-lines.ts";
import type { PdfRun } from "./pdf-runs.ts";

/** A table has at least this many rows: two lines may stand in columns by chance. */
const minRows = 3;
/** Cells of more signs than this, in the middle, are not a table's. */
const longestCell = 40;
/** A page has no more; what goes on is another table. */
const maxRows = 300;
/** A row this many times as far below as the others begins another table. */
const tableGap = 2.5;
const nearGaps = 9;
/** A wrapped cell's next line stands nearer than this, in letter heights. */
const wrapGap = 1.35;

/** Beginning of a list item: a bullet, a number, a letter. */
export const listMarker =
  /^(?:[•◦▪▫●○■□‣⁃∙·◆➢➤✓✔❖–—*-]|\(?(?:\d{1,3}|[A-Za-z]|[ivxlcIVXLC]{1,5})[.)]|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,4}\.?)$/u;

interface Piece {
  readonly x: number;
  readonly right: number;
  readonly text: string;
}

interface Row {
  readonly runs: readonly PdfRun[];
  readonly pieces: readonly Piece[];
  readonly y: number;
  readonly size: number;
  readonly rtl: boolean;
}

/**
 * Rows of an area as areas of text and of tables. A table is at least three rows in a row whose pieces leave the same strips of the width free.
 *
 * **Shape** a table's lines are its rows as `| a | b |`, wrapped cells whole again, columns without a cell blank. **Cost** the rows, times the columns.
 */
export function readTables(rows: readonly (readonly PdfRun[])[], rules: readonly PdfRule[] = []): PdfArea[] {
  const all = cutAtColumns(rows).map(toRow);
  const areas: PdfArea[] = [];
  let flow: Row[] = [];
  const endFlow = (): void => {
    if (flow.length > 0) areas.push({ kind: "flow", lines: flow.map(({ runs }) => toLine(runs)) });
    flow = [];
  };
  for (let at = 0; at < all.length;) {
    const end = endOfTable(all, at);
    if (end === undefined) {
      flow.push(all[at]!);
      at++;
    } else {
      const body = all.slice(at, end);
      const header = flow.at(-1);
      const isHeader = header !== undefined && all[at - 1] === header && headsTable(header, body);
      if (isHeader) flow.pop();
      endFlow();
      areas.push(writeTable(isHeader ? [header, ...body] : body, isHeader ? body : undefined, rules));
      at = end;
    }
  }
  endFlow();
  return areas;
}

/** Signs that stand for tables drawn with lines, while a page is put in order. */
export const tableSigns = 0x10_f000;
export const tableSign = /[\u{10F000}-\u{10FFFD}]/gu;

/** A run begins a cell where so many rows near it have one. */
const minAligned = 2;
const nearRows = 4;

/**
 * Cuts rows also at narrow gaps, where wide ones of rows near them end at the same place. The longest cell of a column
 * nearly touches the next column.
 *
 * **Cost** the runs, times the rows near them.
 */
function cutAtColumns(rows: readonly (readonly PdfRun[])[]): (readonly PdfRun[])[][] {
  const cuts = rows.map((row) => cutAtGaps(row));
  const starts = cuts.map((pieces) => pieces.slice(1).map((piece) => piece[0]!.x));
  return cuts.map((pieces, at) => {
    const around = starts.slice(Math.max(0, at - nearRows), at + nearRows + 1);
    return pieces.flatMap((piece) => {
      const parts: PdfRun[][] = [];
      for (const run of piece) {
        const last = parts.at(-1);
        const gap = run.x - (last?.at(-1)?.right ?? run.x);
        const begins =
          gap > run.size * 0.3 &&
          around.filter((edges) => edges.some((edge) => Math.abs(edge - run.x) < 1.5)).length >= minAligned;
        if (last === undefined || begins) parts.push([run]);
        else last.push(run);
      }
      return parts;
    });
  });
}

function toRow(pieces: readonly (readonly PdfRun[])[]): Row {
  const runs = pieces.flat();
  const { y, size, rtl } = toLine(runs);
  let cuts = [...pieces];
  // The gap after a bullet or a number is wide, and no column.
  const [first, second] = rtl ? [cuts.at(-1), cuts.at(-2)] : cuts;
  if (first !== undefined && second !== undefined && listMarker.test(toLine(first).text)) {
    const joined = rtl ? [...second, ...first] : [...first, ...second];
    cuts = rtl ? [...cuts.slice(0, -2), joined] : [joined, ...cuts.slice(2)];
  }
  const cells = cuts.map((cut) => {
    const { text, x, right } = toLine(cut);
    return { text, x, right };
  });
  return { runs, pieces: cells, y, size, rtl };
}

/** Where the table that begins at a row ends, if one does. */
function endOfTable(rows: readonly Row[], start: number): number | undefined {
  if (rows[start]!.pieces.length < 2 || isSign(rows[start]!)) return undefined;
  let taken: readonly Piece[] = [];
  let end = start;
  let full = 0;
  let lastFull = start;
  for (; end < Math.min(rows.length, start + maxRows); end++) {
    const row = rows[end]!;
    const before = rows[end - 1];
    if (before !== undefined && end > start && (row.y - before.y > 4 * row.size || isSign(row))) break;
    if (full >= minRows && isFarBelow(rows, start, end)) break;
    const next = merge([...taken, ...row.pieces], row.size * 0.5);
    // One that spans columns ends the table, or begins another.
    const spans = row.pieces.length === 1 ? next.length < taken.length : next.length < taken.length * 0.5;
    if (next.length < 2 || (full >= 2 && spans)) break;
    taken = next;
    if (row.pieces.length >= 2) {
      full++;
      lastFull = end;
    } else if (end - lastFull > 2 && !isWrapped(before!, row, taken)) break;
  }
  // Lines below the last full row go with it only while they look like its wrapped cells.
  end = lastFull + 1;
  while (end < Math.min(rows.length, start + 2 * maxRows) && isWrapped(rows[end - 1]!, rows[end]!, taken)) end++;
  if (full < minRows || full < (end - start) * 0.4) return undefined;
  const columns = merge(
    rows.slice(start, end).flatMap(({ pieces }) => pieces),
    2,
  );
  if (columns.length < 2) return undefined;
  const lengths = rows.slice(start, end).flatMap(({ pieces }) => pieces.map(({ text }) => text.length));
  const middle = lengths.toSorted((a, b) => a - b)[lengths.length >> 1] ?? 0;
  return middle <= longestCell ? end : undefined;
}

/** Whether a row stands further below the one before than the rows of its table stand apart, groups of rows included. */
function isFarBelow(rows: readonly Row[], start: number, at: number): boolean {
  const gaps = rows
    .slice(Math.max(start, at - nearGaps), at)
    .flatMap(({ y }, index, all) => (index === 0 ? [] : [y - all[index - 1]!.y]));
  const usual = gaps.toSorted((one, other) => one - other)[gaps.length >> 1] ?? Infinity;
  return rows[at]!.y - rows[at - 1]!.y > tableGap * usual;
}

/** Whether a row holds a table that is drawn. */
function isSign({ pieces }: Row): boolean {
  return pieces.some(({ text }) => text.search(tableSign) !== -1);
}

/** Whether the row above a table names its columns, though its words stand too near one another to be cells. */
function headsTable(header: Row, body: readonly Row[]): boolean {
  const [first] = body;
  if (first === undefined || isSign(header) || first.y - header.y > 2.6 * first.size) return false;
  const columns = columnsOf(body);
  const names = header.runs.length > 1 ? header.runs : header.pieces;
  const held = names.map(({ x, right }) => nearestColumn(columns, x, right));
  const text = header.pieces.map((piece) => piece.text).join(" ");
  return (
    new Set(held).size >= Math.max(2, columns.length * 0.6) &&
    held.every((column, index) => column >= (held[index - 1] ?? 0)) &&
    text.length <= longestCell * columns.length &&
    !/[.:;,]$/u.test(text)
  );
}

function columnsOf(rows: readonly Row[]): Piece[] {
  return merge(
    rows.flatMap(({ pieces }) => pieces),
    Math.min(...rows.map(({ size }) => size)) * 0.5,
  );
}

function nearestColumn(columns: readonly Piece[], x: number, right: number): number {
  const middle = (x + right) / 2;
  let best = 0;
  let least = Infinity;
  for (const [index, column] of columns.entries()) {
    const distance = Math.max(column.x - middle, middle - column.right, 0);
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

/** Whether a line holds what did not fit into the cells above it: close below, and nothing in the column that names the row. */
function isWrapped(above: Row, row: Row, columns: readonly Piece[]): boolean {
  if (row.y - above.y > wrapGap * Math.max(above.size, row.size)) return false;
  const first = row.rtl ? columns.at(-1) : columns[0];
  return first !== undefined && row.pieces.every(({ x, right }) => right < first.x || x > first.right);
}

/** Stretches that overlap or nearly touch, as one. */
function merge(pieces: readonly Piece[], near: number): Piece[] {
  const merged: { x: number; right: number; text: string }[] = [];
  for (const { x, right } of pieces.toSorted((one, other) => one.x - other.x)) {
    const last = merged.at(-1);
    if (last !== undefined && x - last.right < near) last.right = Math.max(last.right, right);
    else merged.push({ x, right, text: "" });
  }
  return merged;
}

/** A drawn table as an area. */
export function gridArea({ rows }: PdfGrid): PdfArea {
  const filled = rows.filter((row) => row.some((cell) => cell.length > 0));
  const cells = filled.map((row) => row.map(cellText));
  const rtl = toLine(filled.flat(2)).rtl;
  const lines = filled.map((row, index) => ({
    ...toLine(row.flat()),
    text: writeRow(rtl ? cells[index]!.toReversed() : cells[index]!),
    runs: (rtl ? row.toReversed() : row).flatMap((cell) => toRows(cell).flatMap((own) => toLine(own).runs ?? [])),
  }));
  const rowsOf = filled.map((row) => row.flat());
  return { kind: "table", headerRows: countHeaderRows(rowsOf, cells), lines };
}

/** `named` are the rows below a header whose words do not stand in line with its columns. */
function writeTable(rows: readonly Row[], named: readonly Row[] | undefined, rules: readonly PdfRule[]): PdfArea {
  const columns = columnsOf(named ?? rows);
  const cells: string[][] = [];
  let above: Row | undefined;
  const kept: Row[] = [];
  const runsOf: PdfRun[][] = [];
  for (const row of rows) {
    const isName = named !== undefined && row === rows[0];
    const pieces: readonly Piece[] = isName && row.runs.length > 1 ? row.runs : row.pieces;
    const held = pieces.map(({ x, right }) => nearestColumn(columns, x, right));
    const line = columns.map((_, column) =>
      pieces
        .filter((__, index) => held[index] === column)
        .map(({ text }) => text.trim())
        .join(" "),
    );
    const last = cells.at(-1);
    if (last !== undefined && above !== undefined && isWrapped(above, row, columns)) {
      for (const [column, text] of line.entries()) if (text !== "") last[column] = `${last[column]} ${text}`.trim();
      runsOf.at(-1)!.push(...row.runs);
    } else {
      cells.push(line);
      kept.push(row);
      runsOf.push([...row.runs]);
    }
    above = row;
  }
  return {
    kind: "table",
    headerRows: countHeaderRows(runsOf, cells, rules),
    lines: kept.map(({ runs, rtl }, index) => ({
      ...toLine(runs),
      text: writeRow(rtl ? cells[index]!.toReversed() : cells[index]!),
      runs: runsOf[index]!,
    })),
  };
}

export function writeRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
