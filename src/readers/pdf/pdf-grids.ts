import { joinCell } from "./join-words.ts";
import type { PdfRule } from "./pdf-drawing.ts";
import { cutAtGaps, toLine, toRows } from "./pdf-lines.ts";
import type { PdfRun } from "./pdf-runs.ts";

/** A table that is drawn with lines: runs by row and column. */
export interface PdfGrid {
  readonly rows: readonly (readonly (readonly PdfRun[])[])[];
  readonly runs: readonly PdfRun[];
  readonly x: number;
  readonly right: number;
  /** Whether its cells hold running text: then it lays out a page and is no table. */
  readonly isLayout: boolean;
}

/** Lines this near are one, and meet. **Units** points. */
const near = 3;
/** Lines this near meet; those of a table in a cell stand further from the lines around it. **Units** points. */
const meeting = 2;
/** Shorter lines are ornaments. **Units** points. */
const minLength = 6;
const maxLines = 1500;
const maxCells = 20_000;
/** A cell of more lines or signs than this is running text. */
const longestCell = { lines: 12, signs: 900 };

/**
 * Tables among drawn lines: level and upright ones that cross and leave at least two columns and two rows with text.
 *
 * A missing line between two cells makes them one. Baselines part the rows that no line parts.
 *
 * **Cost** level lines times upright ones, and runs times cells of one table.
 */
export function findGrids(rules: readonly PdfRule[], runs: readonly PdfRun[]): PdfGrid[] {
  const level = mergeRules(rules.filter(({ isUpright }) => !isUpright));
  const upright = mergeRules(rules.filter(({ isUpright }) => isUpright));
  if (level.length < 2 || upright.length < 1 || level.length > maxLines || upright.length > maxLines) return [];
  const taken = new Set<PdfRun>();
  return groupRules(level, upright).flatMap(([rows, columns]) => {
    const free = runs.filter((run) => !taken.has(run));
    const grid = readGrid(rows, columns, free);
    if (grid === undefined) return [];
    for (const run of grid.runs) taken.add(run);
    return [grid];
  });
}

/** Lines in one place that touch, as one. */
function mergeRules(rules: readonly PdfRule[]): PdfRule[] {
  const merged: { -readonly [K in keyof PdfRule]: PdfRule[K] }[] = [];
  const byPlace: PdfRule[][] = [];
  for (const rule of rules.toSorted((one, other) => one.at - other.at)) {
    const group = byPlace.at(-1);
    if (group !== undefined && rule.at - group.at(-1)!.at < 1.2) group.push(rule);
    else byPlace.push([rule]);
  }
  for (const group of byPlace) {
    const start = merged.length;
    for (const rule of group.toSorted((one, other) => one.from - other.from)) {
      const last = merged.length > start ? merged.at(-1) : undefined;
      if (last !== undefined && rule.from - last.to <= near) last.to = Math.max(last.to, rule.to);
      else merged.push({ ...rule });
    }
  }
  return merged.filter(({ from, to }) => to - from >= minLength);
}

/** Lines that hang together. */
function groupRules(level: readonly PdfRule[], upright: readonly PdfRule[]): [PdfRule[], PdfRule[]][] {
  const parents = Array.from({ length: level.length + upright.length }, (_, index) => index);
  const find = (index: number): number => {
    let at = index;
    while (parents[at] !== at) at = parents[at] = parents[parents[at]!]!;
    return at;
  };
  for (const [i, row] of level.entries()) {
    for (const [j, column] of upright.entries()) {
      const meets =
        column.at >= row.from - meeting &&
        column.at <= row.to + meeting &&
        row.at >= column.from - meeting &&
        row.at <= column.to + meeting;
      if (meets) parents[find(i)] = find(level.length + j);
    }
  }
  const groups = new Map<number, [PdfRule[], PdfRule[]]>();
  for (const [index, rule] of [...level, ...upright].entries()) {
    const group = groups.get(find(index)) ?? [[], []];
    groups.set(find(index), group);
    group[rule.isUpright ? 1 : 0].push(rule);
  }
  return [...groups.values()].filter(([rows, columns]) => rows.length >= 2 && columns.length >= 1);
}

/** Places of lines, with those where the others end. */
function edgesOf(own: readonly PdfRule[], across: readonly PdfRule[]): number[] {
  const places = [
    ...own.map(({ at }) => at),
    Math.min(...across.map(({ from }) => from)),
    Math.max(...across.map(({ to }) => to)),
  ].toSorted((one, other) => one - other);
  return places.filter((place, index) => index === 0 || place - places[index - 1]! > near);
}

function readGrid(
  level: readonly PdfRule[],
  upright: readonly PdfRule[],
  runs: readonly PdfRun[],
): PdfGrid | undefined {
  const xs = edgesOf(upright, level);
  const ys = edgesOf(level, upright);
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  if (columns < 2 || rows < 1 || columns * rows > maxCells) return undefined;
  const placeOf = (edges: readonly number[], at: number): number => edges.findLastIndex((edge) => edge <= at);
  const inside = runs.filter((run) => {
    const [x, y] = [(run.x + run.right) / 2, run.y - run.size * 0.3];
    return x > xs[0]! && x < xs[columns]! && y > ys[0]! && y < ys[rows]!;
  });
  if (inside.length < 3) return undefined;

  // Cells without a line between them are one; its text stands in the first.
  const owners = Array.from({ length: rows * columns }, (_, index) => index);
  const find = (cell: number): number => {
    let at = cell;
    while (owners[at] !== at) at = owners[at] = owners[owners[at]!]!;
    return at;
  };
  const join = (one: number, other: number): void => {
    const [a, b] = [find(one), find(other)];
    owners[Math.max(a, b)] = Math.min(a, b);
  };
  const isDrawn = (rules: readonly PdfRule[], at: number, across: number): boolean =>
    rules.some((rule) => Math.abs(rule.at - at) <= near && rule.from - 1 <= across && rule.to + 1 >= across);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const cell = row * columns + column;
      const [x, y] = [(xs[column]! + xs[column + 1]!) / 2, (ys[row]! + ys[row + 1]!) / 2];
      if (column + 1 < columns && !isDrawn(upright, xs[column + 1]!, y)) join(cell, cell + 1);
      if (row + 1 < rows && !isDrawn(level, ys[row + 1]!, x)) join(cell, cell + columns);
    }
  }
  const cells: PdfRun[][][] = Array.from({ length: rows }, () => Array.from({ length: columns }, () => []));
  for (const run of inside) {
    const row = Math.min(rows - 1, placeOf(ys, run.y - run.size * 0.3));
    const owner = find(row * columns + Math.min(columns - 1, placeOf(xs, (run.x + run.right) / 2)));
    cells[Math.floor(owner / columns)]![owner % columns]!.push(run);
  }
  const filled = cells.map((row) => row.filter((cell) => cell.length > 0).length);
  const [used, texts] = [filled.filter((count) => count > 0).length, filled.reduce((sum, count) => sum + count, 0)];
  const parts = cells.flatMap((row) => {
    const [lines, bands] = [linesOf(row), bandsOf(row)];
    return lines.length > 1 ? lines : bands.length > 1 ? bands : [row];
  });
  if (rows <= mostOuterRows && cells.some(holdsTable)) {
    return { rows: cells, runs: inside, x: xs[0]!, right: xs[columns]!, isLayout: true };
  }
  // A frame, a picture with labels, a chart: no row of two cells.
  if (texts < 4 || Math.max(...filled) < 2 || (used < 2 && parts.length < 2) || texts < rows * columns * 0.1)
    return undefined;
  const isLayout = cells.some((row) =>
    row.some(
      (cell) =>
        cell.reduce((sum, { text }) => sum + text.length, 0) > longestCell.signs ||
        (parts.length === cells.length && toRows(cell).length > longestCell.lines),
    ),
  );
  return {
    rows: isLayout ? cells : parts,
    runs: inside,
    x: xs[0]!,
    right: xs[columns]!,
    isLayout,
  };
}

/** A table around other tables has no more rows. */
const mostOuterRows = 3;
/** A table inside a cell has at least this many rows. */
const minInnerRows = 3;

/** Whether a cell of a row holds a table of its own, and none beside it holds the names of that table's rows. */
function holdsTable(row: readonly (readonly PdfRun[])[]): boolean {
  const lines = row.filter((cell) => cell.length > 0).map((cell) => toRows(cell));
  const isTable = (cell: readonly (readonly PdfRun[])[]): boolean =>
    cell.filter((line) => cutAtGaps(line).length >= 2).length >= minInnerRows;
  if (!lines.some(isTable)) return false;
  const inner = lines.filter(isTable).flatMap((cell) => cell.map((line) => toLine(line)));
  return lines.every((cell) => {
    const shared = cell.filter((line) => inner.some(({ y, size }) => Math.abs(toLine(line).y - y) < size * 0.2));
    return isTable(cell) || shared.length < cell.length * 0.8;
  });
}

/** A row of cells cut at its baselines, where each of them has text in most columns, the first among them. */
function linesOf(row: readonly (readonly PdfRun[])[]): PdfRun[][][] {
  const columns = row.flatMap((cell, column) => (cell.length > 0 ? [column] : []));
  if (columns.length < 2) return [];
  const columnOf = new Map(row.flatMap((cell, column) => cell.map((run) => [run, column] as const)));
  const lines = toRows(row.flat()).map((runs) => {
    const cells: PdfRun[][] = row.map(() => []);
    for (const run of runs) cells[columnOf.get(run)!]!.push(run);
    return cells;
  });
  const full = lines.filter(
    (cells) => cells[columns[0]!]!.length > 0 && cells.filter((cell) => cell.length > 0).length >= columns.length * 0.7,
  );
  return lines.length >= 2 && full.length === lines.length ? lines : [];
}

/** Spaces between rows are equal within the first part, and wider than those between lines by the second. */
const [equalSpace, widerSpace] = [0.9, 1.2];
/** Less than three rows have no equal spaces. */
const minBands = 3;

/** A row of cells cut at equal spaces that are wider than those of its lines, where each part has text in several columns. */
function bandsOf(row: readonly (readonly PdfRun[])[]): PdfRun[][][] {
  const lines = toRows(row.flat());
  const gaps = lines.slice(1).map((line, at) => toLine(line).y - toLine(lines[at]!).y);
  const space = Math.max(...gaps);
  const parts = (gap: number): boolean => gap >= space * equalSpace;
  if (lines.length <= minBands || gaps.some((gap) => !parts(gap) && gap * widerSpace > space)) return [];
  const ends = gaps.flatMap((gap, at) => (parts(gap) ? [at + 1] : []));
  const columnOf = new Map(row.flatMap((cell, column) => cell.map((run) => [run, column] as const)));
  const bands = [0, ...ends].map((from, at) => {
    const cells: PdfRun[][] = row.map(() => []);
    for (const run of lines.slice(from, ends[at]).flat()) cells[columnOf.get(run)!]!.push(run);
    return cells;
  });
  const isTable = bands.every((cells) => cells.filter((cell) => cell.length > 0).length >= 2);
  return isTable && bands.length >= minBands && bands.length < lines.length ? bands : [];
}

/** The text of a cell on one line. */
export function cellText(runs: readonly PdfRun[]): string {
  return joinCell(toRows(runs).map((row) => toLine(row).text));
}
