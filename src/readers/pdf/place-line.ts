import type { PrintedLine } from "./pdf-text.ts";

/**
 * Places of a text on its pages, those of a PDF or of a picture: plain data, fit to be kept.
 *
 * @experimental
 */
export interface PdfGeometry {
  /** The canonical text, as the reader writes it. Places count in it. */
  readonly text: string;
  /** Sizes of the pages, in order. **Units** points; a picture is 595 wide. */
  readonly pages: readonly { readonly width: number; readonly height: number }[];
  /** In the order of the text. */
  readonly places: readonly PlacedText[];
}

/**
 * A stretch of text on one line of a page. Its box is that of its side, before the side is turned.
 *
 * @experimental
 */
export interface PlacedText {
  readonly start: number;
  readonly end: number;
  /** From 1. */
  readonly page: number;
  readonly x: number;
  readonly right: number;
  /** Baseline, downwards. */
  readonly y: number;
  /** Height of its letters. */
  readonly size: number;
  /** **Units** degrees, clockwise. Absent for upright text. */
  readonly angle?: number;
  readonly rtl?: true;
  /** Whether all its signs have one width. */
  readonly mono?: true;
}

/** Coordinates beyond this are no place on a page. **Units** points. */
const farthest = 1e6;

/** Places of printed lines, in the order of the text. */
export function placeLines(printed: readonly PrintedLine[]): readonly PlacedText[] {
  return printed.flatMap(placeLine).toSorted((one, other) => one.start - other.start);
}

/** Where the signs of a line stand in the text. A run whose signs are not there in its order gets no place: no mark is better than a wrong one. */
function placeLine({ start, line }: PrintedLine): readonly PlacedText[] {
  const placed: PlacedText[] = [];
  const taken = new Uint8Array(line.text.length);
  let cursor = 0;
  for (const run of line.runs ?? []) {
    const { x, right, y, size, angle = 0, rtl } = run;
    if (![x, right, y, size, angle].every((value) => Math.abs(value) <= farthest)) continue;
    const signs = matchSigns(run.text, line.text, cursor) ?? matchOnce(run.text, line.text, taken);
    if (signs === undefined) continue;
    cursor = Math.max(cursor, ...signs.slice(-4)) + 1;
    const mono = run.mono || run.even === true;
    const widths = measure(run.text, mono);
    for (let from = 0; from < signs.length;) {
      const first = signs[from]!;
      let to = from + 1;
      while (to < signs.length && signs[to] === first + to - from) to++;
      if (first !== -1) {
        taken.fill(1, first, first + to - from);
        const [left, end] = between(widths, x, right, from, to, rtl);
        placed.push({
          start: start + first,
          end: start + first + to - from,
          page: line.page + 1,
          x: round(left),
          right: round(end),
          y: round(y),
          size: round(size),
          ...(angle !== 0 && { angle }),
          ...(rtl && { rtl }),
          ...(mono && { mono }),
        });
      }
      from = to;
    }
  }
  return placed;
}

/** The left and the right end of some signs of a text that reaches from `x` to `right`. `widths` is that of its beginnings, as `measure` gives them. */
export function between(
  widths: Float64Array,
  x: number,
  right: number,
  from: number,
  to: number,
  rtl: boolean,
): readonly [number, number] {
  const whole = widths.at(-1)!;
  const unit = whole === 0 ? 0 : (right - x) / whole;
  const [before, after] = [unit * widths[from]!, unit * widths[to]!];
  return rtl ? [right - after, right - before] : [x + before, x + after];
}

export const round = (value: number): number => Math.round(value * 100) / 100;

/** For each sign of a run its index in the line, -1 for one that the line leaves out. **Shape** `undefined` where the signs do not follow one another. */
function matchSigns(run: string, line: string, cursor: number): readonly number[] | undefined {
  const signs: number[] = [];
  let at = cursor;
  for (let index = 0; index < run.length; index++) {
    const sign = run[index]!;
    if (sign === " ") {
      const isThere = line[at] === " " && at > cursor;
      signs.push(isThere ? at : -1);
      if (isThere) at++;
      continue;
    }
    const passed = sign === "|" ? " " : " |";
    while (at < line.length && passed.includes(line[at]!)) at++;
    // Dots that lead to a number are one sign in the line.
    if (line[at] === "…" && /\w/u.test(sign) && /\.\s?$/u.test(run.slice(Math.max(0, index - 2), index))) {
      at++;
      while (line[at] === " ") at++;
    }
    if (line[at] === sign) signs.push(at++);
    else if (
      sign === run[index - 1] ||
      // A hyphen at the end of a cell's line may be missing from its text.
      (/[-\u2010\u00AD]/u.test(sign) && index === run.trimEnd().length - 1) ||
      (sign === "." && (line[at] === "…" || line[at - 1] === "…" || line[at - 2] === "…"))
    )
      signs.push(-1);
    else return undefined;
  }
  return signs.some((index) => index !== -1) ? signs : undefined;
}

/** A longer line is searched by the order of its runs alone. **Units** UTF-16 code units. */
const longestSearched = 10_000;

/** Finds a run in a part of the line that no other run has. It must stand there once. The cells of a table come in an order of their own. */
function matchOnce(run: string, line: string, taken: Uint8Array): readonly number[] | undefined {
  const words = run.trim();
  if (words === "" || line.length > longestSearched) return undefined;
  let only = -1;
  for (let at = line.indexOf(words); at !== -1; at = line.indexOf(words, at + 1)) {
    if (taken.subarray(at, at + words.length).includes(1)) continue;
    if (only !== -1) return undefined;
    only = at;
  }
  if (only === -1) return undefined;
  const before = run.length - run.trimStart().length;
  return Array.from({ length: run.length }, (_, index) =>
    index < before || index >= before + words.length ? -1 : only + index - before,
  );
}

/** Usual widths of letters in fonts with serifs, in letter heights; a run's own width scales them. **Source** Adobe, metrics of Times-Roman. */
const widths: readonly (readonly [RegExp, number])[] = [
  [/[\u0300-\u036F\u064B-\u065F\u0670]/u, 0],
  [/[ijlt.,;:'|!/\\`’‘()[\]fI]/u, 0.3],
  [/[rsJ{}"“”-]/u, 0.38],
  [/[acezvxy?]/u, 0.45],
  [/[ bdghknopqu0-9$_*#]/u, 0.5],
  [/[mw]/u, 0.75],
  [/[PSFLEZTB]/u, 0.6],
  [/[MWQO@%—–…]/u, 0.85],
  [/\p{Lu}/u, 0.7],
  [/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u, 1],
];
const known = new Map<string, number>([[" ", 0.25]]);

/** The width of each beginning of a text, in letter heights: at 0 nothing, at last the whole. */
export function measure(text: string, isMono: boolean): Float64Array {
  const sums = new Float64Array(text.length + 1);
  let at = 0;
  let sum = 0;
  for (const sign of text) {
    let width = isMono ? sign.length : known.get(sign);
    if (width === undefined) {
      width = widths.find(([signs]) => signs.test(sign))?.[1] ?? 0.5;
      if (known.size < 10_000) known.set(sign, width);
    }
    // A place between the halves of a sign is one before it.
    for (let half = 1; half < sign.length; half++) sums[at + half] = isMono ? sum + half : sum;
    sum += width;
    at += sign.length;
    sums[at] = sum;
  }
  return sums;
}
