import { edgesOf, type PdfArea } from "./pdf-area.ts";
import type { PdfRule } from "./pdf-drawing.ts";
import { findGrids, type PdfGrid } from "./pdf-grids.ts";
import { cutAtGaps, type PdfLine, toLine, toRows } from "./pdf-lines.ts";
import { isSentenceEnd } from "./pdf-paragraphs.ts";
import type { PdfRun } from "./pdf-runs.ts";
import { findBanded } from "./pdf-bands.ts";
import { cutAtColumns } from "./cut-at-columns.ts";
import { findShortColumns } from "./short-columns.ts";
import { cutRows, gridArea, readTables, tableSign, tableSigns } from "./pdf-tables.ts";

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
  if (runs.length > maxRuns) return readTables(cutRows(toRows(runs)), rules);
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
  const rows = toRows(runs);
  const cut = cutRows(rows);
  const banded = depth > 0 ? findBanded(cut, rules) : undefined;
  if (banded !== undefined) {
    const { from, to, table } = banded;
    const [above, below] = [rows.slice(0, from).flat(), rows.slice(to).flat()];
    return [...split(above, depth - 1, rules), table, ...split(below, depth - 1, rules)];
  }
  const gutter = depth > 0 ? findGutter(runs, rows) : undefined;
  if (gutter === undefined) {
    const short = depth > 0 ? findShortColumns(rows) : undefined;
    if (short === undefined) return readTables(cut, rules);
    const [above, below] = [rows.slice(0, short.from).flat(), rows.slice(short.to).flat()];
    return [above, ...short.columns, below].flatMap((part) => split(part, depth - 1, rules));
  }
  const { above, left, right, below, rtl } = gutter;
  const columns = rtl ? [right, left] : [left, right];
  return [above, ...columns, below].flatMap((part) => split(part, depth - 1, rules));
}

interface Gutter {
  readonly above: readonly PdfRun[];
  readonly left: readonly PdfRun[];
  readonly right: readonly PdfRun[];
  readonly below: readonly PdfRun[];
  /** Both sides with the rows around them that leave the strip free too. */
  readonly wide: readonly [readonly PdfRun[], readonly PdfRun[]];
  readonly rtl: boolean;
  readonly weight: number;
}

/** The gutter with most lines beside it. */
function findGutter(runs: readonly PdfRun[], rows: Rows): Gutter | undefined {
  if (rows.length < minLines) return undefined;
  const tabular = findTabularRows(rows);
  let best: Gutter | undefined;
  for (const { x, rtl } of findEdges(runs)) {
    for (const gutter of stretchesAt(rows, tabular, x, rtl)) {
      if ((best === undefined || gutter.weight > best.weight) && isColumns(gutter)) best = gutter;
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
  const sidesOf = (part: Rows): [PdfRun[], PdfRun[]] => [
    part.flatMap((row) => row.filter((run) => !isAfter(run))),
    part.flatMap((row) => row.filter(isAfter)),
  ];
  /** The rows around a stretch that no run crosses either: rows of a table may stand among them. */
  const widen = (first: number, end: number): [PdfRun[], PdfRun[]] => {
    let [from, to] = [first, end];
    const leads = (row: number, to: number): boolean => {
      const gap = Math.abs(rows[row]![0]!.y - rows[to]![0]!.y) / rows[to]![0]!.size;
      const isOneSided = rows[to]!.every(isAfter) || !rows[to]!.some(isAfter);
      return gap < (isOneSided ? 1.5 : 3) && !rows[to]!.some(crosses);
    };
    while (from > 0 && leads(from, from - 1)) from--;
    while (to < rows.length && leads(to - 1, to)) to++;
    return sidesOf(rows.slice(from, to));
  };
  for (let first = 0; first < rows.length; first++) {
    let end = first;
    while (end < rows.length && tabular[end] !== true && !rows[end]!.some(crosses)) end++;
    end = withoutTail(rows, first, withoutFoot(rows, first, end), isAfter);
    if (end - first < minLines) {
      first = Math.max(first, end);
      continue;
    }
    const [left, right] = sidesOf(rows.slice(first, end));
    // Text alone above or below both columns belongs to neither.
    const [leftRows, rightRows] = [toRows(left).length, toRows(right).length];
    // Lines elsewhere on the page may have given the edge.
    const atEdge = (rtl ? left : right).filter(
      (run) => Math.abs((rtl ? run.right : run.x) - x) <= edgeTolerance,
    ).length;
    if (leftRows >= minLines && rightRows >= minLines && atEdge >= minLines) {
      yield {
        above: rows.slice(0, first).flat(),
        left,
        right,
        wide: widen(first, end),
        below: rows.slice(end).flat(),
        rtl,
        weight: Math.min(leftRows, rightRows),
      };
    }
    first = end;
  }
}

/**
 * Where two columns of one width end before a heading that stands below both of them. A table across the page may
 * follow in the first alone.
 */
function withoutTail(rows: Rows, first: number, end: number, isAfter: (run: PdfRun) => boolean): number {
  const runs = rows.slice(first, end).flat();
  const after = runs.filter(isAfter);
  const before = runs.filter((run) => !isAfter(run));
  const [left, right] = [edgesOf(before), edgesOf(after)];
  const [one, other] = [left.right - left.x, right.right - right.x];
  if (Math.min(one, other) < Math.max(one, other) * 0.8) return end;
  let tail = end;
  while (tail > first && !rows[tail - 1]!.some(isAfter)) tail--;
  const size = Math.max(...after.map((run) => run.size));
  for (let row = Math.max(tail, first + 1); row < end; row++) {
    const [above, here] = [rows[row - 1]![0]!, rows[row]!];
    const isHeading = here.every((run) => run.size > size * 1.1 || run.bold);
    if (isHeading && here[0]!.y - above.y > here[0]!.size * 1.3) return row;
  }
  return end;
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
function isColumns({ left, right, wide }: Gutter): boolean {
  const [leftRows, rightRows] = besideOneAnother(toRows(left), toRows(right));
  if (leftRows.length < minLines || rightRows.length < minLines) return false;
  const [one, other] = besideOneAnother(toRows(wide[0]), toRows(wide[1]));
  const stated = compareSides(readSide(one), readSide(other));
  if (stated !== undefined) return stated === "columns";
  if (isProse(leftRows) && isProse(rightRows)) return true;
  // Two lists side by side, as on slides.
  if (isList(leftRows) && isList(rightRows)) return true;
  // Labels in the margin, cells of a table: they share their baselines with what stands beside them.
  const baselines = leftRows.map((row) => toLine(row));
  let at = 0;
  const shared = rightRows.filter((row) => {
    const { y, size } = toLine(row);
    const near = Math.min(size, baselines[at]?.size ?? size) * sameBaseline;
    while (at < baselines.length && baselines[at]!.y < y - near) at++;
    return at < baselines.length && baselines[at]!.y <= y + near;
  }).length;
  return shared < Math.min(leftRows.length, rightRows.length) * 0.5;
}

/**
 * A line of one side. It begins something of its own where the line above had room for its first word. A capital in a
 * list of short lines does too. It is `within` a sentence where a small letter begins it below a full line of prose.
 */
interface SideLine {
  readonly y: number;
  readonly size: number;
  readonly kind: "begins" | "within" | "unsure";
}

/** A line of the same paragraph stands nearer than this. **Units** letter heights. */
const nearLine = 1.8;
/** Lines of prose are at least this long. **Units** UTF-16 code units. */
const proseLine = 22;
/** Baselines this near are one. **Units** letter heights. */
const sameBaseline = 0.2;

function readSide(rows: Rows): SideLine[] {
  const lines = widestColumn(rows).map(toLine);
  const edges = edgesOf(lines);
  const beginsSmall = ({ text }: PdfLine): boolean => /^["'“‘«(]?[\p{Ll}\p{Lo}]/u.test(text);
  const isWrapped = lines.filter(beginsSmall).length >= lines.length * 0.2;
  return lines.map((line, at) => {
    const { y, size, text, x, right, rtl } = line;
    const before = lines[at - 1];
    const isNear = before !== undefined && y - before.y < nearLine * size && Math.abs(size - before.size) < size * 0.1;
    if (!isNear || isSentenceEnd(before.text)) return { y, size, kind: "begins" };
    const word = ((text.split(" ", 1)[0]!.length + 1) * (right - x)) / Math.max(1, text.length) + size * 0.5;
    if ((rtl ? before.x - edges.x : edges.right - before.right) >= word) return { y, size, kind: "begins" };
    const [isProse, isSmall] = [before.text.length >= proseLine, beginsSmall(line)];
    if (isProse && isSmall) return { y, size, kind: "within" };
    return { y, size, kind: isProse || isSmall || isWrapped ? "unsure" : "begins" };
  });
}

/** The rows of a side, or those of its column with most text where it has several. */
function widestColumn(rows: Rows): Rows {
  const pieces = cutAtColumns(rows).flatMap((row) =>
    row.map((runs) => ({ runs, x: runs[0]!.x, right: Math.max(...runs.map((run) => run.right)) })),
  );
  const columns: { right: number; length: number; pieces: (readonly PdfRun[])[] }[] = [];
  for (const { runs, x, right } of pieces.toSorted((one, other) => one.x - other.x)) {
    const last = columns.at(-1);
    if (last !== undefined && x < last.right)
      Object.assign(last, { right: Math.max(right, last.right), length: last.length + lengthOf(runs) });
    else columns.push({ right, length: lengthOf(runs), pieces: [] });
    columns.at(-1)!.pieces.push(runs);
  }
  const widest = columns.toSorted((one, other) => other.length - one.length)[0];
  return columns.length < 2 || widest === undefined ? rows : toRows(widest.pieces.flat());
}

/**
 * Whether two sides are columns or a table, by where their paragraphs begin.
 *
 * In a table the cells of a row begin together. In columns, such as a sidebar and its text, something begins beside the
 * middle of a sentence, at least twice. Four rows that begin together make a table, if cells of several lines are among
 * them and nothing begins alone.
 *
 * **Shape** `undefined` where the paragraphs tell neither. **Cost** linear.
 */
function compareSides(left: readonly SideLine[], right: readonly SideLine[]): "columns" | "table" | undefined {
  const [one, other] = [countCrossed(left, right), countCrossed(right, left)];
  const [crossed, long] = [one.crossed + other.crossed, one.long + other.long];
  if (crossed >= 2 && crossed >= long * 0.4) return "columns";
  if (crossed > 0 || long < 2) return undefined;
  let [together, alone] = [0, 0];
  let at = 0;
  for (const { y, size, kind } of left) {
    while (at < right.length && right[at]!.y < y - size * sameBaseline) if (right[at++]!.kind === "begins") alone++;
    const beside = right[at];
    const isBeside = beside !== undefined && beside.y <= y + size * sameBaseline;
    if (isBeside) at++;
    const begins = kind === "begins" || (isBeside && beside.kind === "begins");
    if (!begins) continue;
    if (isBeside && kind !== "within" && beside.kind !== "within") together++;
    else alone++;
  }
  return together > minLines && alone <= together * 0.2 ? "table" : undefined;
}

/**
 * Paragraphs of several lines, and those beside whose middle another side begins something. One line alone beside the
 * middle of a paragraph is a centred cell.
 */
function countCrossed(lines: readonly SideLine[], others: readonly SideLine[]): { crossed: number; long: number } {
  const starts = others.filter(({ kind }) => kind === "begins").map(({ y }) => y);
  let [crossed, long, at] = [0, 0, 0];
  for (let first = 0; first < lines.length;) {
    let end = first + 1;
    while (end < lines.length && lines[end]!.kind !== "begins") end++;
    const paragraph = lines.slice(first, end);
    const within = paragraph.filter(({ kind }) => kind === "within");
    first = end;
    if (within.length === 0) continue;
    long++;
    const [top, bottom, near] = [paragraph[0]!.y, paragraph.at(-1)!.y, paragraph[0]!.size * sameBaseline];
    while (at < starts.length && starts[at]! < top - near) at++;
    const beside: number[] = [];
    while (at < starts.length && starts[at]! <= bottom + near) beside.push(starts[at++]!);
    const isCentred =
      beside.length === 1 && paragraph.length > 2 && Math.abs(beside[0]! - (top + bottom) / 2) < near * 4;
    if (!isCentred && beside.some((y) => within.some((line) => Math.abs(line.y - y) <= near))) crossed++;
  }
  return { crossed, long };
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
function findTabularRows(rows: Rows): boolean[] {
  const cut = rows.map((row) => cutAtGaps(row));
  const looks = cut.map((pieces) => pieces.length >= 3 && pieces.every((piece) => lengthOf(piece) <= 30));
  const tabular = looks.map(() => false);
  for (let from = 0; from < looks.length;) {
    let to = from;
    while (looks[to] === true) to++;
    if (to - from >= 3 && !isRunningText(cut.slice(Math.max(0, from - 1), to))) tabular.fill(true, from, to);
    from = Math.max(to, from + 1);
  }
  return tabular;
}

/** Most lines of two columns go on with a sentence, nearly all where no column begins beside another's: narrow columns of a newspaper. */
function isRunningText(rows: readonly (readonly (readonly PdfRun[])[])[]): boolean {
  const columns: { x: number; before: PdfLine; lines: number; within: number }[] = [];
  let isCrossed = false;
  for (const row of rows) {
    let [begins, within] = [0, 0];
    for (const piece of row) {
      const line = toLine(piece);
      const column = columns.find(({ x }) => Math.abs(x - line.x) < edgeTolerance);
      if (column === undefined) {
        columns.push({ x: line.x, before: line, lines: 1, within: 0 });
        begins++;
        continue;
      }
      // Entries of an index end with numbers, and names are short.
      const { text } = column.before;
      const isWithin = text.length >= proseLength && /^\p{Ll}/u.test(line.text) && /\p{L}[,;)]?$/u.test(text);
      if (isWithin) within++;
      else begins++;
      column.lines++;
      column.within += isWithin ? 1 : 0;
      column.before = line;
    }
    isCrossed ||= within > 0 && begins > 0;
  }
  const least = isCrossed ? 0.6 : 0.8;
  return columns.filter(({ lines, within }) => lines > 4 && within >= (lines - 1) * least).length >= 2;
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
