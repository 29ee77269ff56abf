import type { PdfRun } from "./pdf-runs.ts";

/** One line, of a page or of a column. */
export interface PdfLine {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  /** Baseline, downwards. */
  readonly y: number;
  /** Height of the letters in which most of it is set. */
  readonly size: number;
  readonly bold: boolean;
  readonly mono: boolean;
  readonly rtl: boolean;
  /** The runs that it is made of, in the order of its text. Absent for a text that has no place on the page. */
  readonly runs?: readonly PdfRun[];
}

/** A gap wider than this part of the letter height is a space; letters of small capitals stand .06 apart, words .25 and more. */
const spaceWidth = 0.15;

/** Baselines nearer than this part of the letter height are one line: superscripts rise by a third, lines stand a whole height apart. */
const sameLine = 0.45;

/**
 * Runs that stand on one baseline, from top to bottom; superscripts with the line they belong to.
 *
 * **Shape** within a row from left to right. **Cost** n log n.
 */
export function toRows(runs: readonly PdfRun[]): PdfRun[][] {
  const rows: { y: number; size: number; runs: PdfRun[] }[] = [];
  for (const run of runs.toSorted((one, other) => one.y - other.y || one.x - other.x)) {
    const row = rows.at(-1);
    if (row !== undefined && run.y - row.y < sameLine * Math.max(row.size, run.size)) {
      row.runs.push(run);
      // A superscript comes before the line that it belongs to.
      if (run.size > row.size) Object.assign(row, { y: run.y, size: run.size });
    } else {
      rows.push({ y: run.y, size: run.size, runs: [run] });
    }
  }
  return rows.map((row) => row.runs.toSorted((one, other) => one.x - other.x));
}

/**
 * Composes one row into a line, in the order in which its script is read.
 *
 * **Shape** at least one run; white space collapsed, a space where runs stand apart. **Cost** linear.
 * **Source** UAX #9, its rules for whole runs: on a line from right to left, neighbours from left to right keep their order.
 */
export function toLine(row: readonly PdfRun[]): PdfLine {
  const rtl = isRightToLeft(row);
  const parts: string[] = [];
  let before: PdfRun | undefined;
  const runs = rtl ? orderFromRight(row) : row;
  for (const run of runs) {
    if (before !== undefined && (isApart(before, run) || (rtl && swallowedSpace(before, run)))) parts.push(" ");
    parts.push(run.text);
    before = run;
  }
  const size = mainSize(row);
  const first = row.reduce((least, run) => (run.x < least.x ? run : least));
  const last = row.reduce((most, run) => (run.right > most.right ? run : most));
  const letters = row.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  return {
    // A mark above a letter belongs to it, wherever its producer set it.
    text: halveTwins(parts.join(""))
      .replace(/\s+(?=[\u064B-\u065F\u0670\s])/gu, "")
      // The dots that lead to a page number.
      .replace(/(?:\s?\.){5,}\s?(?=(?:\d+|[ivxlc]+)$)/gu, " … ")
      .trim(),
    x: first.x,
    right: last.right,
    y: row.find((run) => run.size === size)?.y ?? first.y,
    size,
    bold: letters.length > 0 && letters.every(({ bold }) => bold),
    mono: row.every(({ mono }) => mono),
    rtl,
    runs,
  };
}

/** A line whose every sign is drawn twice to look bold: `BBoolldd`. */
function halveTwins(text: string): string {
  if (!/^(?:\s|(?:(\S)\1)+(?=\s|$))+$/u.test(text) || !/(?:(\p{L})\1){3}/u.test(text)) return text;
  return text.replace(/(\S)\1/gu, "$1");
}

/** The largest size in which a part of the letters is set: small capitals begin with large ones, and one large letter is an ornament. */
function mainSize(row: readonly PdfRun[]): number {
  const all = row.reduce((sum, { text }) => sum + text.length, 0);
  let size = 0;
  let length = 0;
  for (const run of row.toSorted((one, other) => other.size - one.size)) {
    if (length >= all * 0.12) break;
    length += run.text.length;
    size = run.size;
  }
  return size;
}

function isRightToLeft(row: readonly PdfRun[]): boolean {
  let balance = 0;
  for (const { text, rtl } of row) balance += (rtl ? 1 : -1) * (text.match(/\p{L}/gu)?.length ?? 0);
  // A word in Latin script inside may be longer than what is around it; a run at the right end tells where the line begins.
  return balance > 0 || (row.at(-1)?.rtl === true && row.some(({ rtl }) => rtl) && balance > -40);
}

function orderFromRight(row: readonly PdfRun[]): PdfRun[] {
  const ordered: PdfRun[] = [];
  let ltr: PdfRun[] = [];
  const flush = (): void => {
    ordered.push(...ltr);
    ltr = [];
  };
  for (const run of row.toReversed()) {
    // Marks alone go with the line; digits and letters of the other direction with one another.
    if (run.rtl || !/[\p{L}\p{N}]/u.test(run.text)) {
      flush();
      ordered.push(run);
    } else ltr.unshift(run);
  }
  flush();
  return ordered;
}

/** PDF.js leaves out the space at the right end of a run from right to left. After a Latin word a word follows; before one, a prefix may touch it. */
function swallowedSpace(before: PdfRun, run: PdfRun): boolean {
  return !before.rtl && run.rtl && /[A-Za-z]$/u.test(before.text) && /^\p{L}/u.test(run.text);
}

/** Whether two runs on a line stand apart, in whichever direction the script runs. */
export function isApart(before: PdfRun, after: PdfRun): boolean {
  const gap = Math.max(after.x - before.right, before.x - after.right);
  return gap > spaceWidth * Math.max(before.size, after.size);
}

/** A row in the pieces between its wide gaps. **Units** a gap is wide from one letter height on. */
export function cutAtGaps(row: readonly PdfRun[]): PdfRun[][] {
  const pieces: PdfRun[][] = [];
  let right = -Infinity;
  for (const run of row) {
    const piece = pieces.at(-1);
    if (piece === undefined || run.x - right > run.size) pieces.push([run]);
    else piece.push(run);
    right = Math.max(right, run.right);
  }
  return pieces;
}
