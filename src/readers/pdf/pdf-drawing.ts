import type { PdfRun } from "./pdf-runs.ts";

/** A straight line that a page draws. **Units** points, as its reader sees the page, from the top left. */
export interface PdfRule {
  readonly isUpright: boolean;
  /** Its place: x of an upright one, y of a level one. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** A piece of text as it was drawn: it begins a cell, a word or a line. */
export interface PdfStroke {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
  /** Height of its letters. */
  readonly size: number;
}

/** Lines and strokes of a page. */
export interface PdfDrawing {
  readonly rules: readonly PdfRule[];
  readonly strokes: readonly PdfStroke[];
}

export const noDrawing: PdfDrawing = { rules: [], strokes: [] };

/** Operators of PDF.js, as it counts them. */
const op = {
  save: 10,
  restore: 11,
  transform: 12,
  beginText: 31,
  charSpacing: 33,
  wordSpacing: 34,
  scale: 35,
  leading: 36,
  font: 37,
  move: 40,
  leadingMove: 41,
  matrix: 42,
  nextLine: 43,
  show: 44,
  beginForm: 74,
  endForm: 75,
  path: 91,
} as const;
/** Operators that end a path and draw it: stroke 20 to closing fill and stroke 27. */
const [firstPaint, lastPaint, fill, eoFill] = [20, 27, 22, 23];
/** A filled box thinner than this is a line. **Units** points. */
const thin = 3;
/** A page of more lines draws a picture. */
const maxRules = 6000;

interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

type Matrix = readonly [number, number, number, number, number, number];
const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** One affine map after another. **Source** ISO 32000-1, 8.3.4. */
function multiply(m: Matrix, n: Matrix): Matrix {
  const [a, b, c, d, e, f] = m;
  const [g, h, i, j, k, l] = n;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function toMatrix(given: unknown): Matrix {
  const list = given as ArrayLike<number> | undefined;
  return list === undefined || list === null || list.length < 6
    ? identity
    : [list[0]!, list[1]!, list[2]!, list[3]!, list[4]!, list[5]!];
}

interface TextState {
  matrix: Matrix;
  line: Matrix;
  leading: number;
  size: number;
  charSpacing: number;
  wordSpacing: number;
  scale: number;
}

/** Functions that {@link followOperators} calls: with each path that is painted, and with each string that is shown. */
interface Followed {
  readonly onPath?: (args: readonly unknown[], current: Matrix) => void;
  /** `whole` is where its first glyph stands; the state's matrix is moved past the string that is handed in. */
  readonly onShow: (glyphs: readonly unknown[], whole: Matrix, text: TextState) => void;
}

/**
 * Follows the operators of a page: where its paths and its strings are drawn.
 *
 * **Cost** linear in the operators. **Source** ISO 32000-1, 8.5 (paths) and 9.4 (text objects).
 */
function followOperators(
  { fnArray, argsArray }: Operators,
  view: readonly number[],
  { onPath, onShow }: Followed,
): void {
  const saved: { current: Matrix; text: TextState }[] = [];
  let current = toMatrix(view);
  let text: TextState = {
    matrix: identity,
    line: identity,
    leading: 0,
    size: 1,
    charSpacing: 0,
    wordSpacing: 0,
    scale: 1,
  };
  const moveLine = (x: number, y: number): void => {
    text.line = multiply(text.line, [1, 0, 0, 1, x, y]);
    text.matrix = text.line;
  };
  for (const [index, code] of fnArray.entries()) {
    const args = (argsArray[index] ?? []) as readonly unknown[];
    const number = Number(args[0]);
    if (code === op.save || code === op.beginForm) saved.push({ current, text: { ...text } });
    if (code === op.transform) current = multiply(current, toMatrix(args));
    else if (code === op.beginForm && args[0] !== null && args[0] !== undefined)
      current = multiply(current, toMatrix(args[0]));
    else if (code === op.restore || code === op.endForm) {
      const before = saved.pop();
      if (before !== undefined) ({ current, text } = before);
    } else if (code === op.path) onPath?.(args, current);
    else if (code === op.beginText) text = { ...text, matrix: identity, line: identity };
    else if (code === op.charSpacing) text.charSpacing = number;
    else if (code === op.wordSpacing) text.wordSpacing = number;
    else if (code === op.scale) text.scale = number > 10 ? number / 100 : number;
    else if (code === op.leading) text.leading = Math.abs(number);
    else if (code === op.font) text.size = Number(args[1]) || 1;
    else if (code === op.matrix) text.line = text.matrix = toMatrix(args.length >= 6 ? args : args[0]);
    else if (code === op.move) moveLine(number, Number(args[1]));
    else if (code === op.leadingMove) {
      text.leading = Math.abs(Number(args[1]));
      moveLine(number, Number(args[1]));
    } else if (code === op.nextLine) moveLine(0, -text.leading);
    else if (code === op.show && Array.isArray(args[0]))
      onShow(args[0] as readonly unknown[], multiply(current, text.matrix), text);
  }
}

/** The width of a glyph or of a gap between two. **Units** as the text matrix. */
function advanceOf(glyph: unknown, { size, scale, charSpacing, wordSpacing }: TextState): number {
  if (typeof glyph === "number") return -(glyph / 1000) * size * scale;
  if (typeof glyph !== "object" || glyph === null) return 0;
  const { width, isSpace } = glyph as { width?: number; isSpace?: boolean };
  return (((width ?? 0) / 1000) * size + charSpacing + (isSpace === true ? wordSpacing : 0)) * scale;
}

/**
 * Straight lines of a page, and where pieces of its text begin.
 *
 * **Shape** boxes count as four lines; curves, slanted lines and clipping paths as none.
 */
export function readDrawing(
  operators: Operators,
  /** From the page's own coordinates to those of who looks at it: `viewport.transform`. */
  view: readonly number[],
): PdfDrawing {
  const rules: PdfRule[] = [];
  const strokes: PdfStroke[] = [];
  followOperators(operators, view, {
    onPath: (args, current) => {
      if (rules.length <= maxRules) addPath(args, current, rules);
    },
    onShow: (glyphs, whole, text) => {
      addStrokes(glyphs, whole, text, strokes);
    },
  });
  return rules.length > maxRules ? { rules: [], strokes } : { rules, strokes };
}

/** Strings further apart than this are no words of one line. **Units** thousandths of the letter height. */
const farApart = 2600;

/**
 * Glyphs of a page with the gaps between them. Strings that go on beside one another on a line are one piece.
 *
 * **Units** gaps as PDF writes them: negative thousandths of the letter height. **Cost** linear.
 */
export function readPieces(operators: Operators): readonly (readonly unknown[])[] {
  const pieces: unknown[][] = [];
  let end: { readonly whole: Matrix; readonly size: number } | undefined;
  followOperators(operators, identity, {
    onShow: (glyphs, whole, text) => {
      const unit = Math.hypot(whole[0], whole[1]) * Math.abs(text.size * text.scale);
      const gap = end === undefined || end.size !== text.size ? undefined : gapAfter(end.whole, whole, unit);
      // The space behind each sign counts as a gap that is written between them.
      const spacing = (text.charSpacing / text.size) * 1000;
      const drawn = spacing === 0 ? glyphs : glyphs.flatMap((glyph) => (isSign(glyph) ? [glyph, -spacing] : [glyph]));
      if (gap === undefined || gap > farApart || gap < -spaceBack) pieces.push(Array.from(drawn));
      else pieces.at(-1)!.push(-gap, ...drawn);
      const length = glyphs.reduce<number>((sum, glyph) => sum + advanceOf(glyph, text), 0);
      text.matrix = multiply(text.matrix, [1, 0, 0, 1, length, 0]);
      end = { whole: multiply(whole, [1, 0, 0, 1, length, 0]), size: text.size };
    },
  });
  return pieces;
}

const isSign = (glyph: unknown): boolean => typeof glyph === "object" && glyph !== null;

/** Kerned letters reach so far into one another. **Units** thousandths of the letter height. */
const spaceBack = 300;

/** How far one string begins after another ends, in thousandths of `unit`; `undefined` on another line or in another direction. */
function gapAfter(end: Matrix, start: Matrix, unit: number): number | undefined {
  if (unit === 0 || end.slice(0, 4).some((part, at) => Math.abs(part - start[at]!) > 1e-4)) return undefined;
  const [x, y] = [(start[4] - end[4]) / unit, (start[5] - end[5]) / unit];
  const length = Math.hypot(start[0], start[1]);
  const [cos, sin] = [start[0] / length, start[1] / length];
  return Math.abs(y * cos - x * sin) > 0.05 ? undefined : (x * cos + y * sin) * 1000;
}

/** **Shape** `args` are the painting operator, the path as codes with their numbers, and its bounds. */
function addPath(args: readonly unknown[], current: Matrix, rules: PdfRule[]): void {
  const paint = Number(args[0]);
  if (!(paint >= firstPaint && paint <= lastPaint)) return;
  const path = (args[1] as readonly (ArrayLike<number> | null | undefined)[] | undefined)?.[0];
  if (path === null || path === undefined || path.length > 40_000) return;
  const isFilled = paint === fill || paint === eoFill;
  /** Corners of the part of the path that is being drawn. */
  let corners: [number, number][] = [];
  let before: readonly (readonly [number, number])[] = [];
  const flush = (): void => {
    if (corners.length < 2) return void (corners = []);
    // A box within a box, filled between them, is a frame.
    const isFrame = paint === eoFill && isWithin(before, corners);
    addShape(corners, isFilled && !isFrame, rules);
    before = corners;
    corners = [];
  };
  for (let at = 0; at < path.length;) {
    const code = path[at]!;
    if (code === 0 || code === 1) {
      if (code === 0) flush();
      const [a, b, c, d, e, f] = current;
      const [x, y] = [path[at + 1]!, path[at + 2]!];
      corners.push([a * x + c * y + e, b * x + d * y + f]);
      at += 3;
    } else if (code === 4) {
      if (corners.length > 0) corners.push(corners[0]!);
      flush();
      at += 1;
    } else {
      // A curve is no line; what follows it begins anew.
      flush();
      at += code === 2 ? 7 : code === 3 ? 5 : path.length;
    }
  }
  flush();
}

/** Whether two shapes are boxes, one within the other, thinly apart on all sides. */
function isWithin(one: readonly (readonly [number, number])[], other: readonly (readonly [number, number])[]): boolean {
  if (Math.min(one.length, other.length) < 4) return false;
  return [0, 1].every((axis) =>
    [Math.min, Math.max].every((end) => {
      const apart = end(...one.map((corner) => corner[axis]!)) - end(...other.map((corner) => corner[axis]!));
      return Math.abs(apart) > 0 && Math.abs(apart) < thin;
    }),
  );
}

function addShape(corners: readonly (readonly [number, number])[], isFilled: boolean, rules: PdfRule[]): void {
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (bottom - top < thin && right - left >= thin)
    rules.push({ isUpright: false, at: (top + bottom) / 2, from: left, to: right });
  else if (right - left < thin && bottom - top >= thin)
    rules.push({ isUpright: true, at: (left + right) / 2, from: top, to: bottom });
  else if (!isFilled) {
    for (const [index, [x, y]] of corners.entries()) {
      const [toX, toY] = corners[index + 1] ?? [x, y];
      if (Math.abs(toY - y) < 0.5 && Math.abs(toX - x) >= thin)
        rules.push({ isUpright: false, at: y, from: Math.min(x, toX), to: Math.max(x, toX) });
      else if (Math.abs(toX - x) < 0.5 && Math.abs(toY - y) >= thin)
        rules.push({ isUpright: true, at: x, from: Math.min(y, toY), to: Math.max(y, toY) });
    }
  }
}

/** A gap of more than this between two glyphs begins another stroke. **Units** letter heights. */
const wideGap = 0.45;

function addStrokes(glyphs: readonly unknown[], whole: Matrix, text: TextState, strokes: PdfStroke[]): void {
  const unit = Math.hypot(whole[0], whole[1]);
  // Only text that stands upright.
  const isLevel = unit > 0 && Math.abs(whole[1]) < 0.05 * unit && whole[0] > 0;
  let x = 0;
  let begun: { at: number; text: string; end: number } | undefined;
  const flush = (): void => {
    if (isLevel && begun !== undefined && begun.text.trim() !== "")
      strokes.push({
        text: begun.text,
        x: whole[4] + begun.at * whole[0],
        right: whole[4] + begun.end * whole[0],
        y: whole[5],
        size: unit * Math.abs(text.size),
      });
    begun = undefined;
  };
  for (const glyph of glyphs) {
    const advance = advanceOf(glyph, text);
    if (typeof glyph === "object" && glyph !== null) {
      const sign = (glyph as { unicode?: string }).unicode ?? "";
      if (sign.trim() !== "") {
        if (begun !== undefined && x - begun.end > wideGap * Math.abs(text.size)) flush();
        begun ??= { at: x, text: "", end: x };
        begun.text += sign;
        begun.end = x + advance;
      } else if (begun !== undefined) begun.text += " ";
    }
    x += advance;
  }
  flush();
  text.matrix = multiply(text.matrix, [1, 0, 0, 1, x, 0]);
}

/** Whether two lines have as many strokes, three and more, each of which begins or ends where its fellow does. */
function isInLine(one: readonly PdfStroke[], other: readonly PdfStroke[]): boolean {
  return (
    one.length >= 3 &&
    one.length === other.length &&
    one.every(({ x, right }, at) => Math.min(Math.abs(other[at]!.x - x), Math.abs(other[at]!.right - right)) < 0.5)
  );
}

/** Whether two strokes may be cells: dots that lead to a number, and a list of numbers, are none. */
function mayBeCells(one: PdfStroke, other: PdfStroke): boolean {
  return /[\p{L}\p{N}]/u.test(one.text) && /[\p{L}\p{N}]/u.test(other.text) && !/[,;]\s*$/u.test(one.text);
}

/** A gap of more than this is cut where strokes of two lines near it begin at the same place. **Units** letter heights. */
const leastGap = 0.12;
/** **Units** letter heights. */
const nearLines = 5;

/**
 * Cuts runs where a stroke begins after a gap or an upright line: PDF.js joins cells that stand near one another.
 *
 * **Cost** the runs and strokes, sorted.
 */
export function cutAtStrokes(runs: readonly PdfRun[], { strokes, rules }: PdfDrawing): readonly PdfRun[] {
  if (strokes.length === 0) return runs;
  const upright = rules.filter(({ isUpright }) => isUpright);
  const isParted = ({ y, size }: PdfRun, from: number, to: number): boolean =>
    upright.some((rule) => rule.at > from - 1 && rule.at < to + 1 && rule.from < y && rule.to > y - size);
  const byLine = new Map<number, PdfStroke[]>();
  for (const stroke of strokes) {
    const key = Math.round(stroke.y);
    const list = byLine.get(key);
    if (list === undefined) byLine.set(key, [stroke]);
    else list.push(stroke);
  }
  for (const list of byLine.values()) list.sort((one, other) => one.x - other.x);
  const isAligned = (stroke: PdfStroke, key: number): boolean => {
    const { x, y, size } = stroke;
    const own = byLine.get(key) ?? [];
    const lines = new Set<number>();
    for (let line = Math.floor(y - nearLines * size); line <= y + nearLines * size; line++) {
      const others = byLine.get(line);
      if (others === undefined || Math.abs(others[0]!.y - y) < size * 0.5) continue;
      const isBegun = others.some(
        (other, at) => at > 0 && Math.abs(other.x - x) < 0.5 && other.x - others[at - 1]!.right > wideGap * other.size,
      );
      if (isBegun || isInLine(own, others)) lines.add(line);
    }
    return lines.size >= 2;
  };
  return runs.flatMap((run) => {
    if (run.rtl || run.spread === true || !run.text.includes(" ")) return [run];
    const key = Math.round(run.y);
    const beside = [key - 1, key, key + 1]
      .flatMap((line) => byLine.get(line) ?? [])
      .filter(({ x, y }) => Math.abs(y - run.y) < 1.5 && x > run.x - 1 && x < run.right)
      .toSorted((one, other) => one.x - other.x);
    const parts: PdfRun[] = [];
    let from = 0;
    let left = run.x;
    for (const [index, stroke] of beside.entries()) {
      const before = beside[index - 1];
      if (before === undefined) continue;
      const gap = (stroke.x - before.right) / run.size;
      if (
        gap < wideGap &&
        !isParted(run, before.right, stroke.x) &&
        !(gap > leastGap && mayBeCells(before, stroke) && isAligned(stroke, Math.round(stroke.y)))
      )
        continue;
      const word = stroke.text.trim().split(/\s/u, 1)[0] ?? "";
      const at = run.text.indexOf(` ${word}`, from);
      if (word === "" || at <= from) continue;
      parts.push({ ...run, text: run.text.slice(from, at), x: left, right: before.right });
      from = at + 1;
      left = stroke.x;
    }
    return parts.length === 0 ? [run] : [...parts, { ...run, text: run.text.slice(from), x: left }];
  });
}
