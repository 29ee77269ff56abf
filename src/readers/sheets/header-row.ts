import type { CellKind } from "./workbook.ts";

/** A cell as far as it tells a header from a row; `undefined` where there is none. */
export type JudgedCell = { readonly text: string; readonly kind: CellKind } | undefined;

/** How many rows under the first are looked at. */
export const headerSampleRows = 50;

/**
 * Judges whether the first row of a table names its columns: above 0 it does, below 0 it does not, at 0 it is undecided.
 *
 * Texts above numbers or dates are names, and so are years above other numbers. A row with a number above numbers, or
 * with a text that comes again below it, is a row of data.
 *
 * **Shape** cells by column, the same columns in each row. **Cost** linear in the first {@link headerSampleRows} rows.
 */
export function judgeHeader(first: readonly JudgedCell[], rows: readonly (readonly JudgedCell[])[]): number {
  const filled = first.filter((cell) => cell !== undefined).length;
  if (filled * 2 < first.length) return -1;
  const body = rows.slice(0, headerSampleRows).filter((row) => !isSameRow(first, row));
  if (body.length === 0) return first.every((cell) => cell === undefined || cell.kind === "text") ? 0 : -1;
  const numbers = first.filter((cell) => cell?.kind === "number");
  const hasYears = numbers.length > 0 && numbers.every(isYear);
  let score = 0;
  for (const [column, name] of first.entries()) {
    const cells = body.map((row) => row[column]).filter((cell) => cell !== undefined);
    if (name !== undefined && cells.length > 0) score += judgeColumn(name, cells, hasYears);
  }
  return score;
}

function judgeColumn(
  name: NonNullable<JudgedCell>,
  cells: readonly NonNullable<JudgedCell>[],
  hasYears: boolean,
): number {
  const common = commonKind(cells);
  if (name.kind === "text") {
    if (common !== "text") return common === undefined ? 0 : 1;
    const said = name.text.toLowerCase();
    if (cells.some(({ text }) => text.toLowerCase() === said)) return -2;
    const digits = cells.filter(({ text }) => /\p{Nd}/u.test(text)).length;
    if (digits * 10 < cells.length * 9) return 0;
    return /\p{Nd}/u.test(name.text) ? -0.5 : 1;
  }
  if (common !== name.kind) return 0;
  return hasYears && !cells.every(isYear) ? 1 : -2;
}

/** The kind of at least three in five; `undefined` when they are mixed. */
function commonKind(cells: readonly NonNullable<JudgedCell>[]): CellKind | undefined {
  const counts = new Map<CellKind, number>();
  for (const { kind } of cells) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, count] of counts) if (count * 5 >= cells.length * 3) return kind;
  return undefined;
}

function isYear(cell: JudgedCell): boolean {
  return cell?.kind === "number" && /^(?:19|20)\d\d$/.test(cell.text);
}

/** Long tables repeat their header on every page. */
function isSameRow(first: readonly JudgedCell[], row: readonly JudgedCell[]): boolean {
  return first.every((cell, i) => cell?.text === row[i]?.text);
}
