import { checkGiven, checkText } from "../runtime/check-options.ts";
import type {
  Place,
  PlaceLabels,
  Section,
  SheetSpan,
  SourceMap,
  TextDocument,
  TimeSpan,
} from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";

/** The parts of a document that a location needs. */
export type LocatableDocument = Pick<TextDocument, "text" | "root" | "sourceMap">;

/** Says where `[start, end)` is; `end` defaults to `start`. */
export type Locator = (start: number, end?: number) => Place;

/**
 * Locates a stretch of a document: pages, cells, line, slide, time and part.
 * Headings are those of the innermost section around it.
 *
 * **Shape** a place before the first page or anchor has no page or line. At the boundary of two sections an empty stretch is in the later.
 * **Units** UTF-16 code units. **Errors** `invalid-argument` for a stretch outside the text. **Cost** linear; for many, use {@link createLocator}.
 *
 * @experimental
 */
export function locate(document: LocatableDocument, start: number, end?: number): Place {
  return createLocator(document)(start, end);
}

/**
 * {@link locate} for many places in one document. **Cost** linear once, then logarithmic in pages and siblings; memory for a number every 2,048 characters.
 *
 * @experimental
 */
export function createLocator(document: LocatableDocument): Locator {
  checkGiven("createLocator", "document", document, "object", { text: "text", root: "object" });
  const { text } = document;
  /** Newlines before each stretch of the text, as far as anybody has asked: chunks ask from front to back, in slices. */
  const counted: number[] = [0];
  /** Lines of the canonical text that begin at or before a position. */
  const linesUntil = (position: number): number => {
    const stretch = Math.floor(position / linesCountedEvery);
    for (let known = counted.length; known <= stretch; known++) {
      const end = known * linesCountedEvery;
      counted.push(counted[known - 1]! + countNewlines(text, end - linesCountedEvery, end));
    }
    return counted[stretch]! + countNewlines(text, stretch * linesCountedEvery, position) + 1;
  };

  const locateAt = createLocatorBy(document, ({ number, from, to }) => number + linesUntil(to) - linesUntil(from));
  return (start, end = start) => {
    if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= text.length)) {
      throw new IbidError(
        "invalid-argument",
        `There is no place ${start} to ${end} in a text of ${text.length} characters.`,
        {
          hint: "Give whole numbers with 0 <= start <= end <= text.length.",
          details: { start, end, length: text.length },
        },
      );
    }
    return locateAt(start, end);
  };
}

/** A question about lines: the line or row at `to`, where the one at `from` is `number` and each newline between them begins the next. */
export interface LineQuestion {
  readonly kind: "line" | "row";
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

/** {@link createLocator} with lines that are counted elsewhere, for stretches that are known to be in the text. */
export function createLocatorBy(
  { root, sourceMap }: Omit<LocatableDocument, "text">,
  lineAt: (question: LineQuestion) => number,
): Locator {
  return (start, end = start) => {
    const headings: string[] = [];
    let section: Section = root;
    for (;;) {
      const { children } = section;
      const child = children[lastAtOrBefore(children.length, (i) => children[i]!.start, start)];
      if (child === undefined || end > child.end || start > child.end) break;
      headings.push(child.title);
      section = child;
    }
    return {
      ...labelPlace(sourceMap, 0, start, end, lineAt),
      headings,
      sectionId: section.id,
      ...(section !== root && section.children.length > 0 && { isInContainer: true as const }),
    };
  };
}

/** Labels of `[start, end)` in a map; the map's own positions count from `origin`. */
function labelPlace(
  map: SourceMap,
  origin: number,
  start: number,
  end: number,
  lineAt: (question: LineQuestion) => number,
): PlaceLabels {
  const at = start - origin;
  const part = spanAt(map.parts, at);
  if (part !== undefined) {
    const inner = labelPlace(part.sourceMap, origin + part.start, start, Math.min(end, origin + part.end), lineAt);
    return { ...inner, part: inner.part === undefined ? part.name : `${part.name}/${inner.part}` };
  }
  const page = lastStarted(map.pages, at)?.number;
  const endPage = end > start ? lastStarted(map.pages, end - 1 - origin)?.number : undefined;
  const lastPage = page !== undefined && endPage !== page ? endPage : undefined;
  const slide = lastStarted(map.slides, at)?.number;
  const line =
    map.lines === "text"
      ? lineAt({ kind: "line", number: 1, from: origin, to: start })
      : map.lines === "anchors"
        ? lastStarted(map.anchors, at)?.line
        : undefined;
  const time = nameTime(map.times, at, end - origin);
  const sheet = spanAt(map.sheets, at);
  const cells = sheet && nameCells(sheet, origin, at, Math.min(end - origin, sheet.end), lineAt);
  return {
    ...(page === undefined ? {} : { page }),
    ...(lastPage === undefined ? {} : { lastPage }),
    ...(line === undefined ? {} : { line }),
    ...(slide === undefined ? {} : { slide }),
    ...(time === undefined ? {} : { time }),
    ...(sheet === undefined ? {} : { sheet: sheet.name }),
    ...(cells === undefined ? {} : { cells }),
  };
}

/** From the first to the last moment of the cues that a stretch touches; `undefined` before the first of them. */
function nameTime(times: SourceMap["times"], start: number, end: number): TimeSpan | undefined {
  if (times === undefined) return undefined;
  const first = lastAtOrBefore(times.length, (i) => times[i]!.start, start);
  if (first === -1) return undefined;
  let { from, to } = times[first]!;
  for (let i = first + 1; i < times.length && times[i]!.start < end; i++) {
    from = Math.min(from, times[i]!.from);
    to = Math.max(to, times[i]!.to);
  }
  return { start: from, end: to };
}

/** `A2:D9` for the rows that a stretch of a sheet covers; `undefined` before its first row. */
function nameCells(
  { rows, columns }: SheetSpan,
  origin: number,
  start: number,
  end: number,
  lineAt: (question: LineQuestion) => number,
): string | undefined {
  const last = Math.max(start, end - 1);
  let low: readonly [column: number, row: number] | undefined;
  let high: readonly [column: number, row: number] | undefined;
  const startOf = (index: number): number => rows[index]!.start;
  for (let index = Math.max(0, lastAtOrBefore(rows.length, startOf, start)); index < rows.length; index++) {
    const known = rows[index]!;
    if (known.start > last) break;
    const next = rows[index + 1]?.start ?? Infinity;
    const rowAt = (position: number): number =>
      lineAt({ kind: "row", number: known.row, from: origin + known.start, to: origin + position });
    const [from, to] = [rowAt(Math.max(start, known.start)), rowAt(Math.min(last, next - 1))];
    const [left, right] = known.columns ?? columns;
    low = low === undefined ? [left, from] : [Math.min(low[0], left), Math.min(low[1], from)];
    high = high === undefined ? [right, to] : [Math.max(high[0], right), Math.max(high[1], to)];
  }
  if (low === undefined || high === undefined) return undefined;
  const [first, final] = [low, high].map(([column, row]) => `${columnName(column)}${row}`);
  return first === final ? first : `${first}:${final}`;
}

/** `A` for 1, `Z` for 26, `AA` for 27: digits to base 26 without a zero. */
export function columnName(column: number): string {
  let name = "";
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

function lastStarted<T extends { readonly start: number }>(list: readonly T[] | undefined, at: number): T | undefined {
  return list?.[lastAtOrBefore(list.length, (i) => list[i]!.start, at)];
}

function spanAt<T extends { readonly start: number; readonly end: number }>(
  list: readonly T[] | undefined,
  at: number,
): T | undefined {
  const span = lastStarted(list, at);
  return span !== undefined && at < span.end ? span : undefined;
}

/** The index of the last of `length` ascending starts that is not beyond `position`, or -1. */
function lastAtOrBefore(length: number, startOf: (index: number) => number, position: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (startOf(middle) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A place for each line would be four times as long as a text of short lines. **Units** UTF-16 code units. */
const linesCountedEvery = 2048;

/** Counts in the stretch alone: a search without a match would run to the end of the text. */
function countNewlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === 0x0a) count++;
  return count;
}

/**
 * Words of a document that lead elsewhere.
 *
 * @experimental
 */
export interface DocumentLink {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Absolute where the page says what it is relative to. */
  readonly url: string;
}

/**
 * Returns the links that touch `[start, end)` of a document, in order, such as those of a hit.
 *
 * **Shape** covers formats whose canonical text does not show the address, such as HTML; in Markdown it stands in the text itself. Default: the whole document.
 * **Units** UTF-16 code units. **Cost** linear in the document's links.
 *
 * @experimental
 */
export function linksIn(document: Pick<TextDocument, "text" | "sourceMap">, start = 0, end?: number): DocumentLink[] {
  checkGiven("linksIn", "the document", document, "object");
  const { text, sourceMap } = document;
  checkText("linksIn", "the document's text", text);
  checkGiven("linksIn", "the document's sourceMap", sourceMap, "object");
  const last = end ?? text.length;
  return (sourceMap.links ?? [])
    .filter((link) => link.start < last && link.end > start)
    .map((link) => ({ start: link.start, end: link.end, text: text.slice(link.start, link.end), url: link.url }));
}
