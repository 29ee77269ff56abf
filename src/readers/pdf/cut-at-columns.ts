import { cutAtGaps } from "./pdf-lines.ts";
import type { PdfRun } from "./pdf-runs.ts";

/** Cells of more signs than this, in the middle, are not a table's. */
export const longestCell = 40;
/** A run begins a cell where so many rows near it have one. */
const minAligned = 2;
/** Words of a typewriter stand below one another by chance. */
export const nearRows = 8;
const nearMonoRows = 4;

/** Cells nearer than a letter height are found where pieces begin or end below one another, in a row and two of those beside it. */
const [besideRows, alignedRows] = [3, 2];
/** A gap beside which an edge tells, and one that others may tell of. **Units** letter heights. */
const [telling, narrow] = [0.45, 0.15];
/** Edges this near are one. **Units** points. */
const [sameStart, sameEdge] = [1.5, 0.8];

/** A run after a gap, with the end of what follows it without one. */
interface Begun {
  /** Where the stretch before it ends. */
  readonly left: number;
  readonly x: number;
  readonly right: number;
  /** Whether it and what stands before it may be cells. */
  readonly isCell: boolean;
  /** **Units** letter heights. */
  readonly gap: number;
}

/**
 * Cuts rows also at narrow gaps, where wide ones of rows near them end at the same place. So it does where pieces stand
 * in line with those of rows beside them. The longest cell of a column nearly touches the next column.
 *
 * **Cost** the runs, times the rows near them.
 */
export function cutAtColumns(rows: readonly (readonly PdfRun[])[]): (readonly PdfRun[])[][] {
  const cuts = rows.map((row) => cutAtGaps(row));
  const wide = cuts.map((pieces) => pieces.slice(1).map((piece) => piece[0]!.x));
  const isTyped = (run: PdfRun): boolean => run.mono || run.even === true;
  const begun = rows.map((row) => (row.some(isTyped) ? [] : findBegun(row)));
  return cuts.map((pieces, at) => {
    const near = isTyped(pieces[0]![0]!) ? nearMonoRows : nearRows;
    const around = wide.slice(Math.max(0, at - near), at + near + 1);
    const own = begun[at]!;
    const beside = begun.slice(Math.max(0, at - besideRows), at + besideRows + 1).filter((row) => row !== own);
    const nextTo = [begun[at - 1] ?? [], begun[at + 1] ?? []];
    /** Whether a row beside, and another, are in line with this one. */
    const areAligned = (isInLine: (row: readonly Begun[]) => boolean): boolean =>
      nextTo.some(isInLine) && beside.filter(isInLine).length >= alignedRows;
    const isWhole = own.length >= 2 && own.every(({ isCell }) => isCell) && areAligned((row) => standsInLine(own, row));
    const begins = (start: Begun): boolean => {
      const { x, gap, isCell } = start;
      const starts = around.filter((edges) => edges.some((edge) => Math.abs(edge - x) < sameStart)).length;
      if (gap > 0.3 && starts >= minAligned) return true;
      if (!isCell) return false;
      const isBelow = (other: Begun): boolean =>
        other.isCell && other.gap > telling && tells(start, other) && isAligned(start, other);
      return isWhole || areAligned((row) => row.some(isBelow));
    };
    const parting = new Map(own.map((start) => [start.x, start]));
    return pieces.flatMap((piece) => {
      const parts: PdfRun[][] = [];
      for (const run of piece) {
        const last = parts.at(-1);
        const gap = (run.x - (last?.at(-1)?.right ?? run.x)) / run.size;
        const start = parting.get(run.x) ?? { left: NaN, x: run.x, right: NaN, gap, isCell: false };
        if (last === undefined || (gap > narrow && begins(start))) parts.push([run]);
        else last.push(run);
      }
      return parts;
    });
  });
}

/** Whether two begin, or end, in line. */
function isAligned(one: Begun, other: Begun): boolean {
  return Math.abs(other.x - one.x) < sameEdge || Math.abs(other.right - one.right) < sameEdge;
}

/** Whether that they are in line tells of a column: below the same words, all words are. */
function tells(one: Begun, other: Begun): boolean {
  const isLeft = Math.abs(other.x - one.x) < sameEdge;
  return isLeft ? Math.abs(other.left - one.left) > sameEdge : Math.abs(other.x - one.x) > sameEdge;
}

/** Whether each piece of one row stands in line with its fellow in another. */
function standsInLine(one: readonly Begun[], other: readonly Begun[]): boolean {
  return (
    one.length === other.length &&
    one.every((start, at) => isAligned(start, other[at]!)) &&
    one.some((start, at) => tells(start, other[at]!))
  );
}

function findBegun(row: readonly PdfRun[]): Begun[] {
  const stretches: { x: number; right: number; gap: number; text: string }[] = [];
  for (const { x, right, size, text } of row) {
    const last = stretches.at(-1);
    const gap = (x - (last?.right ?? -Infinity)) / size;
    if (gap > narrow || last === undefined) stretches.push({ x, right, gap, text });
    else Object.assign(last, { right: Math.max(last.right, right), text: last.text + text });
  }
  const mayBeCell = ({ text }: { readonly text: string } = { text: "" }): boolean =>
    text.length <= longestCell && /[\p{L}\p{N}]/u.test(text) && !/(?:\.\s?){3}|[,;]$/u.test(text.trimEnd());
  return stretches.slice(1).map(({ x, right, gap, ...own }, at) => ({
    left: stretches[at]!.right,
    x,
    right,
    gap,
    isCell: mayBeCell(own) && mayBeCell(stretches[at]),
  }));
}
