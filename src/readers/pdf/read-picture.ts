import { IbidError } from "../../contracts/errors.ts";
import type { ExtractionInput, OcrProvider } from "../../contracts/extraction.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../build-sections.ts";
import { fileNameOf } from "../file-name.ts";
import { readPictureFacts } from "../picture-facts.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { joinBlocks } from "./join-blocks.ts";
import { findHeadings, findTitle } from "./pdf-headings.ts";
import { findParagraphs, findUsualGap } from "./pdf-paragraphs.ts";
import { type PictureSize, pictureSizes } from "../ocr/picture-sizes.ts";
import { toBase64 } from "../../text/base64.ts";
import { packPlaces } from "./pack-places.ts";
import { placeLines } from "./place-line.ts";
import { writePdfText } from "./pdf-text.ts";
import { layOutPages, recognise } from "./read-pdf.ts";
import { doubtful } from "./missing-text.ts";
import { addRecognised, placesOf } from "./recognised-pages.ts";
import { brokenPage } from "./read-page.ts";
import { textAreas } from "./extracted-areas.ts";

/** A page of a picture is as wide as a sheet of A4, and as high as its pixels make it. **Units** points. */
const sheet = { width: 595, height: 842 };

/** Implements `createImageReader`: a picture is a scanned page without a PDF around it. */
export async function readPicture(input: ReadInput, ocr: OcrProvider): Promise<ReadResult> {
  const { uri } = input;
  const { maxTextLength, maxPages } = limitsOf(input);
  const sizes = pictureSizes(input.bytes);
  if (sizes.length > maxPages) throw overLimit(uri, "maxPages", maxPages, sizes.length);
  const request: ExtractionInput = {
    uri,
    bytes: input.bytes,
    mediaType: input.mediaType,
    ...(input.signal && { signal: input.signal }),
  };
  const recognised = await recognise(input, ocr, request);
  const last = Math.max(0, ...recognised.map(({ page }) => page));
  const length = recognised.reduce((sum, { text }) => sum + text.length, 0);
  if (length > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, length);
  if (last === 0) {
    throw new IbidError("empty", `${uri} is a picture, and ${ocr.name} recognised no text in it.`, {
      hint: "Check that its writing is sharp and upright, and that the provider knows its language.",
      uri,
      details: { mediaType: input.mediaType },
    });
  }
  const blank = Array.from({ length: last }, (_, index) => ({ ...brokenPage, ...sheetOf(sizes[index]) }));
  const placed = recognised.filter(({ words }) => words !== undefined);
  const areas = (await layOutPages(addRecognised(blank, placed))).map((own, index) => [
    ...own,
    ...recognised
      .filter(({ page, words }) => page === index + 1 && words === undefined)
      .flatMap(({ text }) => textAreas(text)),
  ]);
  const usualGap = findUsualGap(areas.flat());
  const blocks = areas.flatMap((list, page) => list.flatMap((area) => findParagraphs(area, page, usualGap)));
  const written = writePdfText(joinBlocks(findHeadings(blocks)), last);
  const { title: stated, ...facts } = readPictureFacts(input.bytes);
  const title = (typeof stated === "string" ? stated : "") || findTitle(blocks) || fileNameOf(uri);
  return {
    text: written.text,
    title,
    root: buildSections(written.text, title, written.headings),
    sourceMap: { lines: "none", pages: written.pages, ...(placed.length > 0 && { recognised: placed.map(placesOf) }) },
    blocks: written.blocks,
    ...((input.depth ?? 0) === 0 && {
      places: toBase64(await packPlaces({ text: written.text, pages: blank, places: placeLines(written.printed) })),
    }),
    metadata: { ...facts, ...(last > 1 && { pageCount: last }) },
    notes: [`Its text was recognised by ${ocr.name}.`, ...doubtful(recognised)],
  };
}

function sheetOf(size: PictureSize | undefined): PictureSize {
  return size === undefined ? sheet : { width: sheet.width, height: (sheet.width * size.height) / size.width };
}
