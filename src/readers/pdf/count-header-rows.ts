import type { PdfRule } from "./pdf-drawing.ts";
import { toLine } from "./pdf-lines.ts";
import type { PdfRun } from "./pdf-runs.ts";

/** More rows name no columns. */
const mostRows = 3;
/** A longer cell is no name of a column. **Units** UTF-16 code units. */
const longestName = 60;
/** A line below a header is drawn over this part of the table's width. */
const ruledPart = 0.6;
/** This part of a column's cells are numbers where the column is one of numbers. */
const numberPart = 0.8;

/**
 * How many of a table's first rows name its columns; 0 where that is not sure.
 *
 * **Shape** bold rows above a body that is not bold are sure. So are rows with the only line of the table below them, and a row of words above a column of numbers.
 * A last row may be bold or stand below a line: it is the sum. Output of programs, in a typewriter's letters, has no header.
 * **Cost** the rows, times the lines.
 */
export function countHeaderRows(
  rows: readonly (readonly PdfRun[])[],
  cells: readonly (readonly string[])[],
  rules: readonly PdfRule[] = [],
): number {
  const lines = rows.map(toLine);
  if (lines.length < 2 || lines.every(({ mono }) => mono) || listsPages(cells)) return 0;
  const isName = (row: number): boolean => cells[row]!.every(({ length }) => length <= longestName);
  const isFull = (row: number): boolean => cells[row]!.filter((cell) => cell !== "").length >= 2;
  const isHeader = (count: number): boolean => {
    const named = [...lines.keys()].slice(0, count);
    return count > 0 && count <= mostRows && count < lines.length && named.every(isName) && named.some(isFull);
  };
  const bold = lines.findIndex((line) => !line.bold);
  if (isHeader(bold) && !lines.slice(bold, -1).some((line, at) => line.bold && isFull(bold + at))) return bold;
  const ruled = findRuledRows(rows, rules);
  if (ruled.length === 1 && isHeader(ruled[0]!)) return ruled[0]!;
  return isHeader(1) && namesNumbers(cells) ? 1 : 0;
}

/** Whether each row ends with a number, in rising order, and the first begins with that of a section: a table of contents. */
function listsPages(cells: readonly (readonly string[])[]): boolean {
  const pages = cells.map((row) => Number(/^\d{1,4}$/u.exec(row.at(-1)!)?.[0] ?? Number.NaN));
  return (
    /^(?:\d{1,3}|[A-Z])(?:\.\d+)*\.?\s/u.test(cells[0]![0]!) &&
    pages.every((page, row) => page >= (pages[row - 1] ?? 0))
  );
}

/** The rows, but the first and the last, above which a line is drawn. */
function findRuledRows(rows: readonly (readonly PdfRun[])[], rules: readonly PdfRule[]): readonly number[] {
  const runs = rows.flat();
  const [left, right] = [Math.min(...runs.map(({ x }) => x)), Math.max(...runs.map((run) => run.right))];
  const baselineOf = (row: readonly PdfRun[]): number => Math.min(...row.map(({ y }) => y));
  return rows.slice(1, -1).flatMap((row, at) => {
    const [above, below] = [baselineOf(rows[at]!), baselineOf(row) - (row[0]?.size ?? 0) * 0.5];
    const drawn = rules
      .filter((rule) => !rule.isUpright && rule.at > above && rule.at < below)
      .reduce((sum, rule) => sum + Math.max(0, Math.min(rule.to, right) - Math.max(rule.from, left)), 0);
    return drawn >= (right - left) * ruledPart ? [at + 1] : [];
  });
}

/** Whether the first row names all columns, but perhaps the first one, and none by a number, and some column below is one of numbers. */
function namesNumbers([names = [], ...body]: readonly (readonly string[])[]): boolean {
  if (names.some((name, column) => (column > 0 && name === "") || beginsWithNumber.test(name))) return false;
  return names.some((name, column) => {
    const filled = body.map((row) => row[column]!).filter((cell) => cell !== "");
    return (
      name !== "" && filled.length >= 2 && filled.filter((cell) => number.test(cell)).length >= body.length * numberPart
    );
  });
}

const beginsWithNumber = /^[-+(]?\p{Sc}?\d/u;
/** A number with its sign, unit or currency. */
const number = /^[-+−–(]{0,2}(?:\p{Sc}|\p{Lu}{3})?\s?\d[\d.,'’\s]*\)?\s?(?:%|‰|\p{Sc}|\p{L}{1,4}[²³]?)?$/u;
