import { countHeaderRows } from "./count-header-rows.ts";
import { joinCell } from "./join-words.ts";
import type { PdfArea } from "./pdf-area.ts";
import type { PdfRule } from "./pdf-drawing.ts";
import { cellText, type PdfGrid } from "./pdf-grids.ts";
import { type PdfLine, toLine, toRows } from "./pdf-lines.ts";
import { cutAtColumns, longestCell, nearRows } from "./cut-at-columns.ts";
import type { PdfRun } from "./pdf-runs.ts";

/** A table has at least this many rows: two lines may stand in columns by chance. */
const minRows = 3;
/** A page has no more; what goes on is another table. */
const maxRows = 300;
/** A row this many times as far below as the others begins another table. */
const tableGap = 2.5;
const nearGaps = 9;
/** Text stands further below code than this. **Units** letter heights. */
const codeGap = 1.7;
/** A wrapped cell's next line stands nearer than this, and in widely set tables than the second. **Units** letter heights. */
const [wrapGap, mostWrapGap] = [1.35, 1.8];
/** Rows stand this many times as far apart as the lines of a cell, where space parts them. */
const rowGap = 1.2;
/** Baselines nearer than this are one line. **Units** letter heights. */
const minLineGap = 0.8;
/** Columns that stand nearer are one; the second where cells of a row nearly touch. **Units** letter heights. */
const [columnGap, narrowGap] = [0.5, 0.2];

/** Beginning of a list item: a bullet, a number, a letter. */
export const listMarker =
  /^(?:[•◦▪▫●○■□‣⁃∙·◆➢➤✓✔❖–—*-]|\(?(?:\d{1,3}|[A-Za-z]|[ivxlcIVXLC]{1,5})[.)]|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,4}\.?)$/u;

interface Piece {
  readonly x: number;
  readonly right: number;
  readonly text: string;
  readonly runs?: readonly PdfRun[];
}

/** A line of an area, in the pieces between its wide gaps. */
export interface Row {
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
export function readTables(all: readonly Row[], rules: readonly PdfRule[] = []): PdfArea[] {
  const areas: PdfArea[] = [];
  let flow: Row[] = [];
  const endFlow = (): void => {
    if (flow.length > 0) areas.push({ kind: "flow", lines: flow.map(({ runs }) => toLine(runs)) });
    flow = [];
  };
  for (let at = 0; at < all.length;) {
    const end = endOfTable(all, at) ?? endOfPair(all, at, rules);
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

/** Rows of an area in the pieces that may be cells. **Cost** see {@link cutAtColumns}. */
export function cutRows(rows: readonly (readonly PdfRun[])[]): Row[] {
  return cutAtColumns(rows).map(toRow);
}

/** Signs that stand for tables drawn with lines, while a page is put in order. */
export const tableSigns = 0x10_f000;
export const tableSign = /[\u{10F000}-\u{10FFFD}]/gu;

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
    const { text, x, right, runs: own = [] } = toLine(cut);
    return { text, x, right, runs: own };
  });
  return { runs, pieces: cells, y, size, rtl };
}

/** Where the table that begins at a row ends, if one does. */
function endOfTable(rows: readonly Row[], start: number): number | undefined {
  if (rows[start]!.pieces.length < 2 || isSign(rows[start]!)) return undefined;
  const apart = columnGapOf(rows.slice(start, start + nearRows));
  let taken: readonly Piece[] = [];
  let end = start;
  let full = 0;
  let lastFull = start;
  for (; end < Math.min(rows.length, start + maxRows); end++) {
    const row = rows[end]!;
    const before = rows[end - 1];
    if (before !== undefined && end > start && (row.y - before.y > 4 * row.size || isSign(row))) break;
    if (full >= minRows && isFarBelow(rows, start, end)) break;
    // A heading between two tables, also below a single row.
    if ((full >= 2 || row.pieces.length === 1) && isLarger(row, before)) break;
    // Words of code may stand apart too. A table below them in other letters is another.
    if (
      before !== undefined &&
      end > start &&
      isTyped(before) &&
      !isTyped(row) &&
      row.y - before.y > codeGap * row.size
    )
      break;
    const next = merge([...taken, ...row.pieces], row.size * apart);
    // One that spans columns ends the table, or begins another; so does one with other columns below a line alone.
    const isOther = full >= minRows && before?.pieces.length === 1 && next.length < taken.length;
    const spans = row.pieces.length === 1 ? next.length < taken.length : next.length < taken.length * 0.5 || isOther;
    if (next.length < 2 || (full >= 2 && spans)) break;
    taken = next;
    if (row.pieces.length >= 2) {
      full++;
      lastFull = end;
    } else if (end - lastFull > 2 && !isWrapped(before!, row, taken, wrapGap)) break;
  }
  // Lines below the last full row go with it only while they look like its wrapped cells.
  if (taken.length < 2) return undefined;
  end = lastFull + 1;
  const gap = wrapGapOf(rows.slice(start, end));
  while (end < Math.min(rows.length, start + 2 * maxRows) && goesOn([rows[end - 1]!], rows[end]!, taken, gap)) end++;
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

/** Words or a year, where code and entries of a table of contents have numbers and signs. */
const isLabel = /^(?=.*(?:\p{L}|\d{4}))(?!.*(?:[{}…]|\.\s?\.))/u;
const isValue = ({ text }: Piece): boolean => !/[{}…]|\.\s?\./u.test(text);
/** Edges or middles of cells this near stand below one another; a row further below is not the other's. **Units** points, letter heights. */
const [aligned, pairGap] = [1.5, 3];

/**
 * Where a table of two rows ends. It has three cells and more below as many names, two below bold or underlined ones, or two where other rows have the
 * same columns. Other rows of pieces stand apart from it.
 *
 * **Shape** `undefined` where no such table begins.
 */
function endOfPair(rows: readonly Row[], at: number, rules: readonly PdfRule[]): number | undefined {
  const [before, names, cells, after] = [rows[at - 1], rows[at]!, rows[at + 1], rows[at + 2]];
  const count = names.pieces.length;
  if (cells === undefined || count < 2 || cells.pieces.length !== count || isSign(names) || isSign(cells))
    return undefined;
  const gap = cells.y - names.y;
  if (gap > pairGap * names.size || isTypewritten(names) || isTypewritten(cells)) return undefined;
  const isNear = (row: Row | undefined): boolean =>
    row !== undefined &&
    row.pieces.length > 1 &&
    Math.min(Math.abs(row.y - names.y), Math.abs(row.y - cells.y)) < gap * 2;
  if (isNear(before) || isNear(after)) return undefined;
  const isBelow = cells.pieces.every(({ x, right, text }, column) => {
    const name = names.pieces[column]!;
    const shift = Math.min(
      Math.abs(x - name.x),
      Math.abs(right - name.right),
      Math.abs(x + right - name.x - name.right) / 2,
    );
    return shift < aligned && Math.max(text.length, name.text.length) <= longestCell;
  });
  const isRuled = rules.some(
    (rule) =>
      !rule.isUpright &&
      rule.at > names.y &&
      rule.at < cells.y &&
      rule.from < names.pieces[0]!.right &&
      rule.to > names.pieces.at(-1)!.x,
  );
  const isHeaded = isRuled || (toLine(names.runs).bold && !toLine(cells.runs).bold);
  // Other rows of the same two columns stand elsewhere, such as below another heading.
  const isAligned = ({ pieces }: Row): boolean =>
    pieces.length === count &&
    pieces.every(({ x, right }, column) => {
      const name = names.pieces[column]!;
      return Math.min(Math.abs(x - name.x), Math.abs(right - name.right)) < 1;
    });
  const isRepeated = (): boolean =>
    [names, cells].every(({ pieces: [label, ...values] }) => isLabel.test(label!.text) && values.every(isValue)) &&
    isAligned(cells) &&
    rows.filter((row) => row !== names && row !== cells && isAligned(row)).length >= 2;
  return isBelow && (count > 2 || isHeaded || isRepeated()) ? at + 2 : undefined;
}

/** Whether a row stands further below the one before than the rows of its table stand apart, groups of rows included. */
function isFarBelow(rows: readonly Row[], start: number, at: number): boolean {
  const gaps = rows
    .slice(Math.max(start, at - nearGaps), at)
    .flatMap(({ y }, index, all) => (index === 0 ? [] : [y - all[index - 1]!.y]));
  const usual = gaps.toSorted((one, other) => one - other)[gaps.length >> 1] ?? Infinity;
  return rows[at]!.y - rows[at - 1]!.y > tableGap * usual;
}

/** Whether a row is in larger letters than the one before: a heading below a table. */
export function isLarger({ size }: Row, before: Row | undefined): boolean {
  return before !== undefined && size > before.size * 1.12;
}

/** Whether a row is in a typewriter's letters, as code is. */
function isTyped({ runs }: Row): boolean {
  return runs.every(({ mono }) => mono);
}

/** Whether a row holds a table that is drawn. */
export function isSign({ pieces }: Row): boolean {
  return pieces.some(({ text }) => text.search(tableSign) !== -1);
}

/** Whether the row above a table names its columns, though its words stand too near one another to be cells. */
function headsTable(header: Row, body: readonly Row[]): boolean {
  const [first] = body;
  if (first === undefined || isSign(header) || first.y - header.y > 2.6 * first.size) return false;
  if (isTyped(header) && !isTyped(first)) return false;
  const columns = columnsOf(body);
  const names = header.runs.length > 1 ? header.runs : header.pieces;
  const held = names.map(({ x, right }) => nearestColumn(columns, x, right));
  const text = header.pieces.map((piece) => piece.text).join(" ");
  return (
    new Set(held).size >= Math.max(2, columns.length * 0.6) &&
    held.every((column, index) => column >= (held[index - 1] ?? 0)) &&
    names.every((name) => name.text.length <= longestCell) &&
    text.length <= longestCell * columns.length &&
    !/[.:;,]$/u.test(text)
  );
}

function columnsOf(rows: readonly Row[]): Piece[] {
  return merge(
    rows.flatMap(({ pieces }) => pieces),
    Math.min(...rows.map(({ size }) => size)) * columnGapOf(rows),
  );
}

/** How near columns of some rows may stand: as near as cells of one row do. */
function columnGapOf(rows: readonly Row[]): number {
  const isNarrow = ({ pieces, size }: Row): boolean =>
    pieces.some(({ x }, at) => at > 0 && x - pieces[at - 1]!.right < size * columnGap);
  return rows.some(isNarrow) ? narrowGap : columnGap;
}

export function nearestColumn(columns: readonly Piece[], x: number, right: number): number {
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
function isWrapped(above: Row, row: Row, columns: readonly Piece[], gap: number): boolean {
  if (row.y - above.y > gap * Math.max(above.size, row.size)) return false;
  const first = row.rtl ? columns.at(-1) : columns[0];
  return first !== undefined && row.pieces.every(({ x, right }) => right < first.x || x > first.right);
}

/** How far apart the lines of one cell may stand in a table: as its nearest lines do, within bounds. **Units** letter heights. */
function wrapGapOf(rows: readonly Row[]): number {
  let least = Infinity;
  for (const [at, row] of rows.entries()) {
    const gap = (row.y - (rows[at - 1]?.y ?? -Infinity)) / row.size;
    if (gap > minLineGap) least = Math.min(least, gap);
  }
  return Math.min(mostWrapGap, Math.max(wrapGap, least * 1.08));
}

/**
 * Whether a line goes on with the cells of the row above it.
 *
 * Each of its pieces stands below text of its column and is no number. One piece outside the first column is enough.
 * Others go on where the line above had room for none of them. Besides, one begins with a small letter, or several stand
 * below a row of more columns.
 */
function goesOn(lines: readonly Row[], row: Row, columns: readonly Piece[], gap: number): boolean {
  const above = lines.at(-1)!;
  if (row.y - above.y > gap * Math.max(above.size, row.size)) return false;
  const upper = byColumn(above, columns);
  const own = byColumn(row, columns);
  if ([...own].some(([column, { text }]) => isNumber(text) || isNumber(upper.get(column)?.text ?? ""))) return false;
  if (own.size === 1 && isWrapped(above, row, columns, gap)) return true;
  if (isTypewritten(row)) return false;
  const isFull = [...own].every(([column, piece]) => hadNoRoom(upper.get(column), piece, columns[column]!, row.size));
  // A line alone in the first column may name a group of rows.
  const isPart = own.size > 1 && own.size < byColumn(lines[0]!, columns).size;
  return isFull && (isPart || [...own.values()].some(beginsSmall));
}

/** Lines of a typewriter fill their columns by chance: a word that stands apart looks like a cell. */
export function isTypewritten({ runs }: Row): boolean {
  return runs.every(({ mono, even }) => mono || even === true);
}

/** The pieces of a row by their columns, those of one column as one. */
function byColumn({ pieces }: Row, columns: readonly Piece[]): ReadonlyMap<number, Piece> {
  const found = new Map<number, Piece>();
  for (const { x, right, text } of pieces) {
    const column = nearestColumn(columns, x, right);
    const before = found.get(column);
    found.set(
      column,
      before === undefined ? { x, right, text } : { x: before.x, right, text: `${before.text} ${text}` },
    );
  }
  return found;
}

/** Whether the first word of a piece would not have fitted into the line above it in its column. */
function hadNoRoom(above: Piece | undefined, piece: Piece, column: Piece, size: number): boolean {
  const sign = (piece.right - piece.x) / Math.max(1, piece.text.length);
  const word = (piece.text.split(" ", 1)[0]!.length + 1) * sign;
  return (above?.text.length ?? 0) >= shortestFull && column.right - above!.right < word + size * 0.5;
}

/** A shorter piece fills its column by chance: it is a name. **Units** UTF-16 code units. */
const shortestFull = 14;

function beginsSmall({ text }: Piece): boolean {
  return /^["'“‘«(]?\p{Ll}/u.test(text);
}

/**
 * Lines of a table as its rows. Where space parts the rows, and the lines of a cell stand nearer, that space decides:
 * cells may be centred beside one another. Else {@link goesOn} does.
 */
function groupLines(rows: readonly Row[], columns: readonly Piece[]): Row[][] {
  const gap = wrapGapOf(rows);
  const groups: Row[][] = [];
  const bands = findBands(rows, columns);
  const areParted = bands.length >= minRows && bands.filter(({ length }) => length === 1).length * 2 >= bands.length;
  for (const band of bands) {
    if (isOneRow(band, columns) || (areParted && hangsTogether(band, columns))) {
      groups.push(band);
      continue;
    }
    for (const [at, row] of band.entries()) {
      const last = groups.at(-1);
      if (at > 0 && goesOn(last!, row, columns, gap)) last!.push(row);
      else groups.push([row]);
    }
  }
  return groups;
}

/** Lines between the spaces that part the rows of a table; all of them as one where no such space is found. */
function findBands(rows: readonly Row[], columns: readonly Piece[]): Row[][] {
  // The distance of lines in one cell: among the least between pieces of one column.
  const gaps: number[] = [];
  const last: (number | undefined)[] = [];
  for (const { pieces, y, size } of rows) {
    for (const { x, right } of pieces) {
      const column = nearestColumn(columns, x, right);
      const before = last[column];
      if (before !== undefined && y - before > minLineGap * size) gaps.push(y - before);
      last[column] = y;
    }
  }
  const line = gaps.toSorted((one, other) => one - other)[gaps.length >> 3] ?? Infinity;
  if (line > mostWrapGap * (rows[0]?.size ?? 0)) return rows.map((row) => [row]);
  const bands: Row[][] = [];
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    if (before === undefined || row.y - before.y > line * rowGap) bands.push([row]);
    else bands.at(-1)!.push(row);
  }
  return bands.length < minRows ? [[...rows]] : bands;
}

/** Whether lines that space parts from others are one row, whatever letters begin them: below its first line, only some of its cells go on. */
function hangsTogether([first, ...others]: readonly Row[], columns: readonly Piece[]): boolean {
  const cells = byColumn(first!, columns);
  return others.every((row) => {
    const own = [...byColumn(row, columns)];
    return (
      own.length < cells.size && !isTypewritten(row) && own.every(([at, { text }]) => cells.has(at) && !isNumber(text))
    );
  });
}

/** Whether lines that space parts from others are one row: words go on in each column of several lines, and small letters begin some. */
function isOneRow(band: readonly Row[], columns: readonly Piece[]): boolean {
  if (band.length < 2) return true;
  if (band.some(isTypewritten)) return false;
  const cells = columns.map((): Piece[] => []);
  for (const row of band) for (const [column, piece] of byColumn(row, columns)) cells[column]!.push(piece);
  const size = band[0]!.size;
  const goesOnIn = (cell: readonly Piece[], column: number): boolean =>
    cell.every((piece, at) => {
      if (isNumber(piece.text)) return cell.length === 1;
      return at === 0 || beginsSmall(piece) || hadNoRoom(cell[at - 1], piece, columns[column]!, size);
    });
  const lines = cells.flatMap((cell) => cell.slice(1));
  return cells.every(goesOnIn) && (lines.length === 0 || lines.some(beginsSmall));
}

export function isNumber(text: string): boolean {
  return /^[-+−–(]{0,2}(?:\p{Sc}|\p{Lu}{3})?\s?\d[\d.,:/'’\s-]*\)?\s?(?:%|‰|\p{Sc}|\p{L}{1,3}[²³]?)?$/u.test(
    text.trim(),
  );
}

/**
 * Areas of a page whose first lines go on with the table that ends the page before. They are too few for a table of
 * their own, but have pieces in its columns.
 *
 * **Shape** the areas unchanged where none does. **Cost** the rows of the table.
 */
export function continueTable(table: PdfArea | undefined, areas: readonly PdfArea[]): readonly PdfArea[] {
  const [first, ...others] = areas;
  if (table?.kind !== "table" || first?.kind !== "flow") return areas;
  const rowsOf = (lines: readonly PdfLine[]): Row[] =>
    cutAtColumns(lines.map(({ runs = [] }) => runs.toSorted((one, other) => one.x - other.x))).map(toRow);
  const columns = columnsOf(rowsOf(table.lines.flatMap((line) => toRows(line.runs ?? []).map(toLine))));
  const goesOn = ({ pieces, y, size }: Row, before: Row | undefined): boolean =>
    pieces.length >= Math.max(2, columns.length * 0.6) &&
    (before === undefined || y - before.y < 4 * size) &&
    pieces.every(
      ({ x, right }) => columns.filter((column) => x < column.right + 1 && right > column.x - 1).length === 1,
    );
  const rows = rowsOf(first.lines);
  let end = 0;
  while (end < rows.length && goesOn(rows[end]!, rows[end - 1])) end++;
  // One row alone, far above what follows, is a running title.
  const isApart = end === 1 && rows[1] !== undefined && rows[1].y - rows[0]!.y > tableGap * rows[0]!.size;
  if (end === 0 || isApart || columns.length < 2 || first.lines[0]!.size > table.lines.at(-1)!.size * 1.1) return areas;
  const rest = first.lines.slice(end);
  const lines = groupLines(rows.slice(0, end), columns).map((group) => writeLine(group, columns));
  return [
    { kind: "table", headerRows: 0, lines },
    ...(rest.length === 0 ? [] : [{ ...first, lines: rest }]),
    ...others,
  ];
}

/** Stretches that overlap or nearly touch, as one. */
export function merge(pieces: readonly Piece[], near: number): Piece[] {
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
  const head = named === undefined ? [] : [[rows[0]!]];
  return writeGroups([...head, ...groupLines(named ?? rows, columns)], columns, head.length, rules);
}

/** The first `named` groups are a header whose words do not stand in line with its columns. */
export function writeGroups(
  groups: readonly (readonly Row[])[],
  columns: readonly Piece[],
  named: number,
  rules: readonly PdfRule[],
): PdfArea {
  const lines = groups.map((group, at) => writeLine(group, columns, at < named));
  const cells = lines.map((line) => line.cells);
  const runsOf = groups.map((group) => group.flatMap(({ runs }) => runs));
  return { kind: "table", headerRows: countHeaderRows(runsOf, cells, rules), lines };
}

/** The lines of a row as one, with the texts of its cells in the order of the columns. */
function writeLine(
  group: readonly Row[],
  columns: readonly Piece[],
  byRun = false,
): PdfLine & { readonly cells: readonly string[] } {
  const [first] = group;
  const held = columns.map((): Piece[] => []);
  for (const { runs, pieces } of group)
    for (const piece of byRun && runs.length > 1 ? runs : pieces)
      held[nearestColumn(columns, piece.x, piece.right)]!.push(piece);
  const cells = held.map((pieces) => joinCell(pieces.map(({ text }) => text.trim())));
  // In the order of the text, so that each finds its place in it.
  const ordered = held.flatMap((pieces) => pieces.flatMap((piece) => piece.runs ?? []));
  const runs = group.flatMap((row) => row.runs);
  return {
    ...toLine(first!.runs),
    text: writeRow(first!.rtl ? cells.toReversed() : cells),
    runs: first!.rtl || ordered.length < runs.length ? runs : ordered,
    cells,
  };
}

export function writeRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
