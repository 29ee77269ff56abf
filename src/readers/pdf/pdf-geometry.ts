import type { Chosen } from "../../contracts/complete.ts";
import type { SourceMap } from "../../contracts/document.ts";
import type { OcrProvider } from "../../contracts/extraction.ts";
import type { ReadInput } from "../../contracts/reader.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { detectMediaType } from "../media-type.ts";
import { noTableExtractor } from "../no-table-extractor.ts";
import { findCharacterMaps } from "./character-maps.ts";
import { keepRejections } from "./keep-rejections.ts";
import type { PdfRun } from "./pdf-runs.ts";
import type { PrintedLine } from "./pdf-text.ts";

/**
 * A rectangle on a page.
 *
 * **Units** points (1/72 inch) from the top left corner of the page as it is shown, its own turn included.
 * @experimental
 */
export interface PageBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A page with the boxes of a span of text on it.
 *
 * @experimental
 */
export interface MarkedPage {
  /** From 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PageBox[];
}

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

/**
 * Reads a PDF, or a picture with its recognised words, for the places of its text.
 *
 * `recognised` are the words of scanned pages and pictures, from the document's source map. A run of the file keeps its place. Within a run, the usual widths of letters share its width out.
 *
 * **Errors** as the PDF reader; so a picture without `recognised` is `unreadable`. **Cost** as reading the file; some hundred bytes of memory for each line.
 *
 * @experimental
 */
export async function readPdfGeometry(
  input: Pick<ReadInput, "uri" | "bytes"> &
    Chosen<Pick<ReadInput, "password" | "limits" | "signal"> & Pick<SourceMap, "recognised">>,
): Promise<PdfGeometry> {
  const names = { uri: true, bytes: true, password: true, limits: true, signal: true, recognised: true } as const;
  checkGiven("readPdfGeometry", "input", input, "object");
  checkOptions("readPdfGeometry", input, names);
  const { recognised, uri, bytes, password, limits, signal } = input;
  const file = {
    uri,
    bytes,
    ...(password !== undefined && { password }),
    ...(limits && { limits }),
    ...(signal && { signal }),
  };
  let places: PlacedText[] = [];
  let pages: PdfGeometry["pages"] = [];
  const keep = (printed: readonly PrintedLine[], sizes: PdfGeometry["pages"]): void => {
    places = printed.flatMap(placeLine);
    pages = sizes.map(({ width, height }) => ({ width: round(width), height: round(height) }));
  };
  const mediaType = detectMediaType(bytes, { name: uri });
  const again = replay(recognised);
  const readAgain = async (): Promise<{ readonly text: string }> => {
    if (again !== undefined && mediaType.startsWith("image/"))
      return (await import("./read-picture.ts")).readPicture({ ...file, mediaType }, again, keep);
    const { readPdf } = await import("./read-pdf.ts");
    return readPdf({ ...file, mediaType: "application/pdf" }, again, noTableExtractor, findCharacterMaps(), keep);
  };
  const { text } = await keepRejections(readAgain);
  return { text, pages, places: places.toSorted((one, other) => one.start - other.start) };
}

/** A provider that recognises what was recognised when the document was read. */
function replay(recognised: SourceMap["recognised"]): OcrProvider | undefined {
  return recognised && { name: "recorded", isScanned: () => true, extractText: () => Promise.resolve(recognised) };
}

/**
 * The pages on which a span of the text stands, each with the boxes that cover it.
 *
 * **Shape** pages in order; a page without a box is left out. Text that no page shows, such as an annotator's comment, has no box.
 * **Cost** linear in the lines of the document.
 *
 * @experimental
 */
export function locateOnPages(geometry: PdfGeometry, start: number, end: number): readonly MarkedPage[] {
  checkGiven("locateOnPages", "geometry", geometry, "object", { places: "items" });
  const pages = new Map<number, PageBox[]>();
  for (const place of geometry.places) {
    if (place.start >= end) break;
    if (place.end <= start) continue;
    const boxes = pages.get(place.page) ?? [];
    pages.set(place.page, boxes);
    addBox(boxes, boxOf(place, geometry.text, Math.max(start, place.start), Math.min(end, place.end)));
  }
  return [...pages]
    .toSorted(([one], [other]) => one - other)
    .map(([page, boxes]) => ({ number: page, ...geometry.pages[page - 1]!, boxes }));
}

/** Where the signs of a line stand in the text. A run whose signs are not there in its order gets no place: no mark is better than a wrong one. */
function placeLine({ start, line }: PrintedLine): readonly PlacedText[] {
  const placed: PlacedText[] = [];
  let cursor = 0;
  for (const run of line.runs ?? []) {
    const signs = matchSigns(run.text, line.text, cursor) ?? matchOnce(run.text, line.text, placed, start);
    if (signs === undefined) continue;
    cursor = Math.max(cursor, ...signs.slice(-4)) + 1;
    for (let from = 0; from < signs.length;) {
      const first = signs[from]!;
      let to = from + 1;
      while (to < signs.length && signs[to] === first + to - from) to++;
      if (first !== -1)
        placed.push({
          start: start + first,
          end: start + first + to - from,
          page: line.page + 1,
          ...partOf(run, from, to),
        });
      from = to;
    }
  }
  return placed;
}

/** The place of some signs of a run. */
function partOf(run: PdfRun, from: number, to: number): Omit<PlacedText, "start" | "end" | "page"> {
  const { text, x, right, y, size, angle, rtl } = run;
  const mono = run.mono || run.even === true;
  const [left, end] = between(text, x, right, from, to, rtl, mono);
  return {
    x: round(left),
    right: round(end),
    y: round(y),
    size: round(size),
    ...(angle === undefined ? {} : { angle }),
    ...(rtl ? { rtl } : {}),
    ...(mono ? { mono } : {}),
  };
}

/** The left and the right end of some signs of a text that reaches from `x` to `right`. */
function between(
  text: string,
  x: number,
  right: number,
  from: number,
  to: number,
  rtl: boolean,
  mono: boolean,
): readonly [number, number] {
  const whole = widthOf(text, mono);
  const unit = whole === 0 ? 0 : (right - x) / whole;
  const before = unit * widthOf(text.slice(0, from), mono);
  const after = unit * widthOf(text.slice(0, to), mono);
  return rtl ? [right - after, right - before] : [x + before, x + after];
}

const round = (value: number): number => Math.round(value * 100) / 100;

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

/** Finds a run in a part of the line that no other run has. It must stand there once. The cells of a table come in an order of their own. */
function matchOnce(
  run: string,
  line: string,
  placed: readonly PlacedText[],
  start: number,
): readonly number[] | undefined {
  const words = run.trim();
  const free = (at: number): boolean =>
    placed.every((each) => each.end - start <= at || each.start - start >= at + words.length);
  const found: number[] = [];
  for (let at = line.indexOf(words); at !== -1; at = line.indexOf(words, at + 1)) if (free(at)) found.push(at);
  const [only] = found;
  if (only === undefined || found.length > 1) return undefined;
  const before = run.length - run.trimStart().length;
  return Array.from({ length: run.length }, (_, index) =>
    index < before || index >= before + words.length ? -1 : only + index - before,
  );
}

/** The part of a line box above the baseline, and below it, in letter heights: ascent and descent of common fonts. */
const [ascent, descent] = [0.9, 0.22];

function boxOf(place: PlacedText, text: string, first: number, last: number): PageBox {
  const { start, end, x, right, y, size, rtl = false, mono = false, angle = 0 } = place;
  const [left, stop] = between(text.slice(start, end), x, right, first - start, last - start, rtl, mono);
  const [top, bottom] = [y - ascent * size, y + descent * size];
  return turn({ x: left, y: top, width: stop - left, height: bottom - top }, angle);
}

/** A box of a turned side, where the page shows it. */
function turn({ x, y, width, height }: PageBox, angle: number): PageBox {
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ].map(([a, b]) => [a! * cos - b! * sin, a! * sin + b! * cos] as const);
  const [left, top] = [Math.min(...corners.map(([a]) => a)), Math.min(...corners.map(([, b]) => b))];
  return {
    x: round(left),
    y: round(top),
    width: round(Math.max(...corners.map(([a]) => a)) - left),
    height: round(Math.max(...corners.map(([, b]) => b)) - top),
  };
}

/** Neighbours on one line are one box. */
function addBox(boxes: PageBox[], box: PageBox): void {
  const last = boxes.at(-1);
  const isSameLine =
    last !== undefined &&
    Math.abs(last.y + last.height - box.y - box.height) < box.height * 0.35 &&
    Math.abs(last.height - box.height) < box.height * 0.5;
  const gap = last === undefined ? Infinity : Math.max(box.x - last.x - last.width, last.x - box.x - box.width);
  if (!isSameLine || gap > box.height * 0.7) {
    boxes.push(box);
    return;
  }
  const [x, y] = [Math.min(last.x, box.x), Math.min(last.y, box.y)];
  boxes[boxes.length - 1] = {
    x,
    y,
    width: Math.round((Math.max(last.x + last.width, box.x + box.width) - x) * 100) / 100,
    height: Math.round((Math.max(last.y + last.height, box.y + box.height) - y) * 100) / 100,
  };
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

function widthOf(text: string, isMono: boolean): number {
  if (isMono) return text.length;
  let sum = 0;
  for (const sign of text) {
    let width = known.get(sign);
    if (width === undefined) {
      width = widths.find(([signs]) => signs.test(sign))?.[1] ?? 0.5;
      if (known.size < 10_000) known.set(sign, width);
    }
    sum += width;
  }
  return sum;
}
