import type { PdfArea } from "./pdf-area.ts";
import type { PdfRule } from "./pdf-drawing.ts";
import { findGrids, type PdfGrid } from "./pdf-grids.ts";
import { cutAtGaps, type PdfLine, toLine, toRows } from "./pdf-lines.ts";
import type { PdfRun } from "./pdf-runs.ts";
import { gridArea, readTables, tableSign, tableSigns } from "./pdf-tables.ts";

/** Starts of lines within this distance are one edge. **Units** points. */
const edgeTolerance = 2;
/** Least width of a gutter between columns, in letter heights: more than any space between words. */
const minGutter = 0.75;
/** In a typewriter's letters, whose spaces stand below one another by chance. */
const minMonoGutter = 1.5;
/** A column has at least this many lines. */
const minLines = 3;
/** Lines of this many signs are prose; the cells of a table are shorter. */
const proseLength = 18;
/** Columns within columns: newspapers have two levels, forms more. */
const maxSplits = 24;
/** On a page of more runs than this nobody can tell columns; it is read line by line. */
const maxRuns = 8000;

/**
 * Finds the areas of a page in reading order, from the positions of its runs: columns one after the other, full-width text between them.
 *
 * A gutter is a strip that no run crosses, at the left edge of at least three lines (for right-to-left scripts, the right edge). It has lines on both sides
 * that are prose or stand on baselines of their own. Short pieces on common baselines form a table, which is read by rows.
 *
 * **Cost** the runs, times the edges that are tried, times the columns that are found.
 * **Source** the idea of recursive cuts along white space (Nagy and Seth 1984), with gutters in place of projections (Breuel 2002).
 */
export function findAreas(runs: readonly PdfRun[], rules: readonly PdfRule[] = []): PdfArea[] {
  if (runs.length > maxRuns) return readTables(toRows(runs), rules);
  const grids = rules.length === 0 ? [] : findGrids(rules, runs);
  if (grids.length === 0) return split(placeInitials(runs), maxSplits, rules);
  // A drawn table is one sign while the text around it is put in order.
  const inside = new Set(grids.flatMap((grid) => grid.runs));
  const stands = grids.map(({ runs: own, x, right }, index): PdfRun => {
    const first = own.reduce((top, run) => (run.y < top.y ? run : top));
    const { bold, mono } = first;
    return { text: signOf(index), x, right, y: first.y, size: first.size, bold, mono, rtl: false };
  });
  const areas = split(placeInitials([...runs.filter((run) => !inside.has(run)), ...stands]), maxSplits, rules);
  return areas.flatMap((area) => putBack(area, grids));
}

/** Stands for the table of an index. **Source** Unicode: a private character, which no text has. */
function signOf(index: number): string {
  return String.fromCodePoint(tableSigns + index);
}

/** Tables in the place of their signs. */
function putBack(area: PdfArea, grids: readonly PdfGrid[]): PdfArea[] {
  const parts: PdfArea[] = [];
  let lines: PdfLine[] = [];
  const flush = (): void => {
    if (lines.length > 0) parts.push({ ...area, lines });
    lines = [];
  };
  for (const line of area.lines) {
    const signs = line.text.match(tableSign) ?? [];
    const text = signs.length === 0 ? line.text : line.text.replace(tableSign, "").replace(/\s+/gu, " ").trim();
    if (text !== "") lines.push(signs.length === 0 ? line : { ...line, text });
    if (signs.length === 0) continue;
    flush();
    for (const sign of signs) {
      const grid = grids[(sign.codePointAt(0) ?? 0) - tableSigns];
      if (grid?.isLayout === true)
        for (const row of grid.rows) for (const cell of row) parts.push(...split(cell, maxSplits, []));
      else if (grid !== undefined) parts.push(gridArea(grid));
    }
  }
  flush();
  return parts;
}

function split(runs: readonly PdfRun[], depth: number, rules: readonly PdfRule[]): PdfArea[] {
  if (runs.length === 0) return [];
  const gutter = depth > 0 ? findGutter(runs) : undefined;
  if (gutter === undefined) return readTables(toRows(runs), rules);
  const { above, left, right, below, rtl } = gutter;
  const columns = rtl ? [right, left] : [left, right];
  return [above, ...columns, below].flatMap((part) => split(part, depth - 1, rules));
}

interface Gutter {
  readonly above: readonly PdfRun[];
  readonly left: readonly PdfRun[];
  readonly right: readonly PdfRun[];
  readonly below: readonly PdfRun[];
  readonly rtl: boolean;
  readonly weight: number;
}

/** The gutter with most lines beside it. */
function findGutter(runs: readonly PdfRun[]): Gutter | undefined {
  const rows = toRows(runs);
  if (rows.length < minLines) return undefined;
  const tabular = findTabularRows(rows);
  let best: Gutter | undefined;
  for (const { x, rtl } of findEdges(runs)) {
    for (const gutter of stretchesAt(rows, tabular, x, rtl)) {
      if ((best === undefined || gutter.weight > best.weight) && isColumns(gutter.left, gutter.right)) best = gutter;
    }
  }
  return best;
}

/** Where at least three lines begin, the most frequent first. */
function findEdges(runs: readonly PdfRun[]): { x: number; rtl: boolean }[] {
  const edges: { x: number; rtl: boolean; count: number }[] = [];
  for (const rtl of [false, true]) {
    const starts = runs.filter((run) => run.rtl === rtl).map((run) => (rtl ? run.right : run.x));
    let from = 0;
    const sorted = starts.toSorted((a, b) => a - b);
    for (let at = 1; at <= sorted.length; at++) {
      if (at < sorted.length && sorted[at]! - sorted[from]! <= edgeTolerance) continue;
      if (at - from >= minLines) edges.push({ x: rtl ? sorted[at - 1]! : sorted[from]!, rtl, count: at - from });
      from = at;
    }
  }
  return edges.toSorted((a, b) => b.count - a.count).slice(0, 24);
}

/** The stretches of rows that no run crosses at `x`, with text on both sides. */
function* stretchesAt(
  rows: readonly (readonly PdfRun[])[],
  tabular: readonly boolean[],
  x: number,
  rtl: boolean,
): Generator<Gutter> {
  const isAfter = (run: PdfRun): boolean => (rtl ? run.x >= x : run.x >= x - 0.5);
  const crosses = (run: PdfRun): boolean => {
    const gutter = run.size * (run.mono ? minMonoGutter : minGutter);
    return rtl ? run.x < x + gutter && run.right > x + 0.5 : run.x < x - 0.5 && run.right > x - gutter;
  };
  for (let first = 0; first < rows.length; first++) {
    let end = first;
    while (end < rows.length && tabular[end] !== true && !rows[end]!.some(crosses)) end++;
    end = withoutFoot(rows, first, end);
    if (end - first < minLines) {
      first = Math.max(first, end);
      continue;
    }
    const left: PdfRun[] = [];
    const right: PdfRun[] = [];
    for (const row of rows.slice(first, end)) for (const run of row) (isAfter(run) ? right : left).push(run);
    // Text alone above or below both columns belongs to neither.
    const [leftRows, rightRows] = [toRows(left).length, toRows(right).length];
    if (leftRows >= minLines && rightRows >= minLines) {
      yield {
        above: rows.slice(0, first).flat(),
        left,
        right,
        below: rows.slice(end).flat(),
        rtl,
        weight: Math.min(leftRows, rightRows),
      };
    }
    first = end;
  }
}

/** Where the columns end before a line or two that stand far below all of them: a footer, a date. */
function withoutFoot(rows: readonly (readonly PdfRun[])[], first: number, end: number): number {
  for (const foot of [1, 2]) {
    const [above, below] = [rows[end - foot - 1]?.[0], rows[end - foot]?.[0]];
    if (end - foot <= first || above === undefined || below === undefined) continue;
    if (below.y - above.y > 5 * Math.max(above.size, below.size)) return end - foot;
  }
  return end;
}

/** Whether two sides of a strip are columns of text, and not of a table. */
function isColumns(left: readonly PdfRun[], right: readonly PdfRun[]): boolean {
  const [leftRows, rightRows] = besideOneAnother(toRows(left), toRows(right));
  if (leftRows.length < minLines || rightRows.length < minLines) return false;
  if (isProse(leftRows) && isProse(rightRows)) return true;
  // Two lists side by side, as on slides.
  if (isList(leftRows) && isList(rightRows)) return true;
  // Labels in the margin, cells of a table: they share their baselines with what stands beside them.
  const near = (rightRows[0]?.[0]?.size ?? 10) * 0.2;
  const baselines = leftRows.map((row) => toLine(row).y);
  let at = 0;
  const shared = rightRows.filter((row) => {
    const { y } = toLine(row);
    while (at < baselines.length && baselines[at]! < y - near) at++;
    return at < baselines.length && baselines[at]! <= y + near;
  }).length;
  return shared < Math.min(leftRows.length, rightRows.length) * 0.5;
}

type Rows = readonly (readonly PdfRun[])[];

/** The rows of each side that stand beside any of the other: what one column holds above or below tells nothing of both. */
function besideOneAnother(left: Rows, right: Rows): [Rows, Rows] {
  const edgeOf = (rows: Rows, at: number): number => rows.at(at)?.[0]?.y ?? 0;
  const top = Math.max(edgeOf(left, 0), edgeOf(right, 0));
  const bottom = Math.min(edgeOf(left, -1), edgeOf(right, -1));
  const isBeside = ([run]: readonly PdfRun[]): boolean =>
    run !== undefined && run.y > top - run.size && run.y < bottom + run.size;
  return [left.filter(isBeside), right.filter(isBeside)];
}

/** Whether at least half of the lines begin with a bullet. */
function isList(rows: readonly (readonly PdfRun[])[]): boolean {
  return rows.filter((row) => /^[•◦▪▫●○■□‣⁃∙·◆➢➤✓✔❖–—-]/u.test(toLine(row).text)).length >= rows.length / 2;
}

/** Whether most lines are long pieces without a wide gap in them. */
function isProse(rows: readonly (readonly PdfRun[])[]): boolean {
  const lengths = rows.flatMap((row) => cutAtGaps(row).map(lengthOf)).toSorted((a, b) => a - b);
  return (lengths[lengths.length >> 1] ?? 0) >= proseLength;
}

/** Rows of a table that runs over the whole width: three and more short pieces, at least three times in a row. */
function findTabularRows(rows: readonly (readonly PdfRun[])[]): boolean[] {
  const looks = rows.map((row) => {
    const pieces = cutAtGaps(row);
    return pieces.length >= 3 && pieces.every((piece) => lengthOf(piece) <= 30);
  });
  return looks.map(
    (is, at) =>
      is &&
      ((looks[at - 1] === true && looks[at - 2] === true) ||
        (looks[at - 1] === true && looks[at + 1] === true) ||
        (looks[at + 1] === true && looks[at + 2] === true)),
  );
}

/** **Units** signs; a sign of a square script counts as two. */
function lengthOf(piece: readonly PdfRun[]): number {
  return piece.reduce(
    (sum, { text }) => sum + text.length + (text.match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu)?.length ?? 0),
    0,
  );
}

/** An initial is at least this many times as large as the text beside it. */
const minRise = 1.8;

/**
 * Large initials put into the line that they begin: set over two lines and more, they stand on the baseline of the last.
 *
 * **Cost** linear, and once more for each letter that stands alone.
 */
function placeInitials(runs: readonly PdfRun[]): readonly PdfRun[] {
  const singles = runs.filter(({ text }) => /^["“«„]?\p{Lu}$/u.test(text.trim()));
  if (singles.length === 0 || singles.length > 50) return runs;
  const placed = new Map<PdfRun, PdfRun>();
  for (const initial of singles) {
    const beside = runs.filter(
      (run) =>
        run.size * minRise <= initial.size &&
        run.x >= initial.right - 1 &&
        run.x < initial.right + initial.size * 0.5 &&
        run.y <= initial.y + 1 &&
        run.y > initial.y - initial.size,
    );
    const top = beside.toSorted((one, other) => one.y - other.y || one.x - other.x)[0];
    const below = beside.some((run) => top !== undefined && run.y - top.y > top.size * 0.8);
    if (top === undefined || !below) continue;
    placed.set(initial, { ...initial, y: top.y, size: top.size, right: top.x });
  }
  return placed.size === 0 ? runs : runs.map((run) => placed.get(run) ?? run);
}
