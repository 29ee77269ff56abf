/** A run of text as PDF.js hands it out; `transform` is the text matrix in points, origin at the bottom left. */
export interface PdfTextItem {
  readonly str: string;
  readonly dir: string;
  /** `[a, b, c, d, x, y]`. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly fontName: string;
  /** Whether its letters are set apart: gaps between its words are no edges of cells. */
  readonly spread?: true;
}

/** Where marked content begins and ends: what tagged files name their text by. */
export interface PdfMark {
  readonly type: string;
  readonly id?: string | null;
  readonly tag?: string;
}

/** Facts about a font beyond its metrics. */
export interface PdfFont {
  readonly bold: boolean;
  readonly mono: boolean;
  readonly vertical: boolean;
  /** Signs that stand for ligatures, where the font's glyphs are named and not mapped: `!` for `ffi`. */
  readonly ligatures?: ReadonlyMap<string, string>;
}

/** A run of text where its reader sees it: turned upright, from the top left, in points. */
export interface PdfRun {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  /** Baseline, downwards. */
  readonly y: number;
  /** Height of its letters. */
  readonly size: number;
  readonly bold: boolean;
  readonly mono: boolean;
  /** Whether all its signs have one width, though that says nothing here: the whole document is typewritten. */
  readonly even?: true;
  /** As of {@link PdfTextItem}. */
  readonly spread?: true;
  /** Whether it is written from the right. */
  readonly rtl: boolean;
  /** The marked content that it belongs to. */
  readonly mark?: string;
  /** Whether the file says that it is no part of the text: a page number, a running title. */
  readonly artifact?: boolean;
  /** The side that it is read from, where that is not the page's; see {@link PdfSide.angle}. */
  readonly angle?: number;
}

/** Runs that are read from the same side. */
export interface PdfSide {
  /** How far their text is turned. **Units** degrees, clockwise; -90 also for lines that run from top to bottom. */
  readonly angle: number;
  readonly runs: readonly PdfRun[];
}

const plainFont: PdfFont = { bold: false, mono: false, vertical: false };

/**
 * The runs of one page by the side from which they are read, the most text first. Text on a turned page stands upright; what stands on its side (a stamp in the
 * margin, a wide table) is turned by itself.
 *
 * **Shape** without white space alone, and without what was drawn twice to look bold. **Cost** linear.
 */
export function placeRuns(
  items: readonly (PdfTextItem | PdfMark)[],
  /** From the page's own coordinates to those of who looks at it: `viewport.transform`. */
  view: readonly number[],
  fonts: ReadonlyMap<string, PdfFont>,
): PdfSide[] {
  const sides = new Map<number, { runs: PdfRun[]; length: number; drawn: Map<string, PdfRun[]> }>();
  const byGlyph = fontsByGlyph(items);
  const marks: { id: string | undefined; artifact: boolean }[] = [];
  for (const item of items) {
    if (!("str" in item)) {
      if (item.type === "endMarkedContent") marks.pop();
      else
        marks.push({ id: item.id ?? marks.at(-1)?.id, artifact: item.tag === "Artifact" || !!marks.at(-1)?.artifact });
      continue;
    }
    const font = fonts.get(item.fontName) ?? plainFont;
    const text = cleanRun(byGlyph.has(item.fontName) ? readGlyphNumbers(item.str) : spell(item.str, font));
    if (text.trim() === "") continue;
    const [a, b, c, d, e, f] = multiply(view, item.transform);
    const angle = font.vertical ? 90 : roundAngle((Math.atan2(b, a) * 180) / Math.PI);
    const side = sides.get(angle) ?? { runs: [], length: 0, drawn: new Map<string, PdfRun[]>() };
    sides.set(angle, side);
    // Turned back by its own angle, so that it reads from left to right.
    const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
    const x = e * cos + f * sin;
    const y = f * cos - e * sin;
    const size = font.vertical ? Math.hypot(a, b) : item.height > 0 ? item.height : Math.hypot(c, d);
    const { bold, mono } = font;
    const run: PdfRun = {
      text,
      x,
      right: x + (font.vertical ? item.height : item.width),
      y,
      size,
      bold,
      mono,
      rtl: item.dir === "rtl",
      ...(item.spread === true ? { spread: true } : {}),
      ...(marks.at(-1)?.id === undefined ? {} : { mark: marks.at(-1)!.id! }),
      ...(marks.at(-1)?.artifact === true ? { artifact: true } : {}),
      ...(angle === 0 ? {} : { angle }),
    };
    // A whole line may be drawn before it is drawn again.
    const same = side.drawn.get(text) ?? [];
    if (same.slice(-maxDrawn).some((before) => isDrawnAgain(before, run))) continue;
    same.push(run);
    side.drawn.set(text, same);
    side.runs.push(run);
    side.length += text.length;
  }
  return [...sides]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([angle, { runs }]) => ({ angle, runs: joinLetters(runs) }));
}

/** Runs of the same words that are looked at; a table may repeat a cell on every line. */
const maxDrawn = 4;
/** So many letters apart on one line, and nothing else on it, are words set wide. */
const minWide = 5;

/** Words of letters set apart, as in `R E P O R T`, as words. **Cost** linear. */
function joinLetters(runs: readonly PdfRun[]): readonly PdfRun[] {
  const isWide = ({ text }: PdfRun): boolean => /^\s*\S(?: \S)+\s*$/u.test(text);
  if (!runs.some(isWide)) return runs;
  const lines = new Map<number, { letters: number; others: number }>();
  for (const run of runs) {
    const line = lines.get(Math.round(run.y)) ?? { letters: 0, others: 0 };
    lines.set(Math.round(run.y), line);
    const signs = run.text.replace(/\s/gu, "");
    if (isWide(run)) line.letters += signs.match(/\p{L}/gu)?.length ?? 0;
    else if (signs.length > 1) line.others += signs.length;
  }
  return runs.map((run) => {
    const { letters, others } = lines.get(Math.round(run.y))!;
    return isWide(run) && letters >= minWide && letters > others ? { ...run, text: run.text.replaceAll(" ", "") } : run;
  });
}

function spell(text: string, { ligatures }: PdfFont): string {
  return ligatures === undefined ? text : text.replace(/[^\s]/gu, (sign) => ligatures.get(sign) ?? sign);
}

/** The space's place among the glyphs of a TrueType font, and its code. **Source** Apple, TrueType Reference Manual, `post` table: the standard order. */
const spaceGlyph = 3;
const spaceCode = 32;

/**
 * Fonts without a Unicode map hand out the numbers of their glyphs for text. One that has glyph 3 as often as others have spaces keeps the standard order.
 */
function fontsByGlyph(items: readonly (PdfTextItem | PdfMark)[]): ReadonlySet<string> {
  const counts = new Map<string, { spaces: number; all: number }>();
  for (const item of items) {
    if (!("str" in item) || item.str.trim() === "") continue;
    const count = counts.get(item.fontName) ?? { spaces: 0, all: 0 };
    counts.set(item.fontName, count);
    count.all += item.str.length;
    count.spaces += item.str.split(String.fromCharCode(spaceGlyph)).length - 1;
  }
  const names = [...counts].filter(([, { spaces, all }]) => spaces >= all * 0.04 && spaces <= all * 0.4);
  return new Set(names.map(([name]) => name));
}

function readGlyphNumbers(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the numbers of glyphs begin where controls are
  return text.replace(/[\u0003-\u0061]/gu, (sign) => String.fromCharCode(sign.charCodeAt(0) - spaceGlyph + spaceCode));
}

/** Quarter turns exactly, whatever the scanner's skew; other angles (a watermark) to the nearest five degrees. */
function roundAngle(angle: number): number {
  const quarter = Math.round(angle / 90) * 90;
  const rounded = Math.abs(angle - quarter) <= 5 ? quarter : Math.round(angle / 5) * 5;
  return rounded === -180 ? 180 : rounded;
}

function isDrawnAgain(before: PdfRun, run: PdfRun): boolean {
  const near = run.size * 0.2;
  return before.text === run.text && Math.abs(before.x - run.x) < near && Math.abs(before.y - run.y) < near;
}

/** One affine map after another. **Source** ISO 32000-1, 8.3.4. */
function multiply(m: readonly number[], n: readonly number[]): [number, number, number, number, number, number] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = m;
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = n;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/**
 * Ligatures and presentation forms as letters, also signs of lines that run downwards. Controls, which fonts without a Unicode map hand out, and lone
 * surrogates are taken out.
 */
function cleanRun(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- these are the ones
      .replace(/[\u0000-\u0008\u000E-\u001F\u007F\u200B\uFEFF]/gu, "")
      .replace(/[\uFB00-\uFB4F\uFB50-\uFDFF\uFE10-\uFE19\uFE30-\uFE44\uFE47\uFE48\uFE70-\uFEFC]/gu, (sign) =>
        sign.normalize("NFKC"),
      )
      .replace(/[\uF076\uF0A7\uF0B7\uF0D8\uF0FC]/gu, (sign) => bullets[sign] ?? sign)
      .replace(/\s+/gu, " ")
      .toWellFormed()
  );
}

/** Bullets of lists as programs write them in fonts of signs. **Source** Unicode's mapping tables of the fonts Symbol and Wingdings. */
const bullets: Readonly<Record<string, string>> = {
  "\uF076": "❖",
  "\uF0A7": "▪",
  "\uF0B7": "•",
  "\uF0D8": "➢",
  "\uF0FC": "✓",
};
