import { edgesOf } from "./pdf-area.ts";
import { cutAtGaps, toLine, toRows } from "./pdf-lines.ts";
import { isSentenceEnd } from "./pdf-paragraphs.ts";
import type { PdfRun } from "./pdf-runs.ts";

/** Rows that are columns of few lines, from one row to before another. */
export interface ShortColumns {
  readonly from: number;
  readonly to: number;
  /** From left to right. */
  readonly columns: readonly (readonly PdfRun[])[];
}

/** Lines of the same block stand nearer than this. **Units** letter heights. */
const nearLine = 1.6;
/** Columns of more lines are found by their edges. */
const mostLines = 4;
/** Headings of columns stand nearer than this above them. **Units** letter heights. */
const nearNames = 3;
/** A line that goes on is at least this long. **Units** UTF-16 code units. */
const proseLine = 18;
/** Lines of one column begin this near one another. **Units** points. */
const sameEdge = 2;
/** Least width between two columns. **Units** letter heights. */
const leastGap = 0.75;

/**
 * Finds paragraphs of two to four lines that stand side by side, apart from what is above and below them. In each of them a sentence goes on in
 * the next line. A row of a table begins anew at each line, or has cells of one line.
 *
 * **Cost** linear in the rows.
 */
export function findShortColumns(rows: readonly (readonly PdfRun[])[]): ShortColumns | undefined {
  for (let from = 0; from < rows.length;) {
    let to = from + 1;
    while (to < rows.length && isNear(rows[to - 1]!, rows[to]!)) to++;
    const columns = to - from >= 2 && to - from <= mostLines ? columnsOf(rows.slice(from, to)) : undefined;
    if (columns !== undefined) {
      const names = namesOf(rows[from - 1], rows[from]!, columns);
      if (names === undefined) return { from, to, columns };
      return { from: from - 1, to, columns: columns.map((column, at) => [...names[at]!, ...column]) };
    }
    from = to;
  }
  return undefined;
}

/** Pieces of the row above the columns, one at the beginning of each: their headings. */
function namesOf(
  above: readonly PdfRun[] | undefined,
  [below]: readonly PdfRun[],
  columns: readonly (readonly PdfRun[])[],
): readonly (readonly PdfRun[])[] | undefined {
  const pieces = above === undefined ? [] : cutAtGaps(above);
  if (below === undefined || pieces.length !== columns.length) return undefined;
  const isAbove = below.y - pieces[0]![0]!.y < nearNames * below.size;
  const areAligned = pieces.every((piece, at) => Math.abs(edgesOf(piece).x - edgesOf(columns[at]!).x) < sameEdge);
  return isAbove && areAligned ? pieces : undefined;
}

function isNear([above]: readonly PdfRun[], [below]: readonly PdfRun[]): boolean {
  return above !== undefined && below !== undefined && below.y - above.y < Math.min(above.size, below.size) * nearLine;
}

function columnsOf(rows: readonly (readonly PdfRun[])[]): readonly (readonly PdfRun[])[] | undefined {
  const edges = cutAtGaps(rows[0]!).map((piece) => edgesOf(piece));
  if (edges.length < 2 || edges.length > 4 || rows.some((row) => row.some(({ rtl }) => rtl))) return undefined;
  const columns = edges.map((): PdfRun[] => []);
  for (const run of rows.flat()) {
    const at = edges.findLastIndex(({ x }) => run.x > x - sameEdge);
    if (at === -1) return undefined;
    columns[at]!.push(run);
  }
  const isFree = columns.every((column, at) => {
    const next = edges[at + 1];
    return next === undefined || edgesOf(column).right < next.x - leastGap * column[0]!.size;
  });
  return isFree && columns.every((column) => goesOn(column)) ? columns : undefined;
}

/** Whether the lines of a column, two and more, begin below one another, and each but the first goes on with a sentence. */
function goesOn(column: readonly PdfRun[]): boolean {
  const lines = toRows(column).map(toLine);
  const [first] = lines;
  return (
    lines.length >= 2 &&
    lines.every(({ x }) => Math.abs(x - first!.x) < sameEdge) &&
    lines.slice(1).some(({ text }, at) => isWithin(lines[at]!.text, text)) &&
    lines.slice(1).every(({ text }, at) => isWithin(lines[at]!.text, text) || isSentenceEnd(lines[at]!.text))
  );
}

function isWithin(before: string, text: string): boolean {
  return before.length >= proseLine && !isSentenceEnd(before) && /^["'“‘«(]?\p{Ll}/u.test(text);
}
