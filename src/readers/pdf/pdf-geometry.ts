import type { Chosen } from "../../contracts/complete.ts";
import type { SourceMap } from "../../contracts/document.ts";
import type { OcrProvider } from "../../contracts/extraction.ts";
import type { ReadInput } from "../../contracts/reader.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { detectMediaType } from "../media-type.ts";
import { noTableExtractor } from "../no-table-extractor.ts";
import { findCharacterMaps } from "./character-maps.ts";
import { keepRejections } from "./keep-rejections.ts";
import { fromBase64 } from "../../text/base64.ts";
import { unpackPlaces } from "./pack-places.ts";
import { between, measure, type PdfGeometry, type PlacedText, round } from "./place-line.ts";

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
  const mediaType = detectMediaType(bytes, { name: uri });
  const again = replay(recognised);
  const { text, places } = await keepRejections(async () => {
    if (again !== undefined && mediaType.startsWith("image/"))
      return (await import("./read-picture.ts")).readPicture({ ...file, mediaType }, again);
    const { readPdf } = await import("./read-pdf.ts");
    return readPdf({ ...file, mediaType: "application/pdf" }, again, noTableExtractor, findCharacterMaps());
  });
  return (await unpackPlaces(fromBase64(places!), text))!;
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

/** The part of a line box above the baseline, and below it, in letter heights: ascent and descent of common fonts. */
const [ascent, descent] = [0.9, 0.22];

function boxOf(place: PlacedText, text: string, first: number, last: number): PageBox {
  const { start, end, x, right, y, size, rtl = false, mono = false, angle = 0 } = place;
  const widths = measure(text.slice(start, end), mono);
  const [left, stop] = between(widths, x, right, first - start, last - start, rtl);
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
