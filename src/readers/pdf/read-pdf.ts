import type {
  ExtractedTable,
  ExtractionInput,
  OcrProvider,
  PageText,
  TableExtractor,
} from "../../contracts/extraction.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections, type Heading } from "../build-sections.ts";
import { fileNameOf } from "../file-name.ts";
import { noTableExtractor } from "../no-table-extractor.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { IbidError } from "../../contracts/errors.ts";
import { joinBlocks } from "./join-blocks.ts";
import { layOutPages } from "./lay-out-pages.ts";
import { openPdf, type PdfDocument } from "./open-pdf.ts";
import type { PdfArea } from "./pdf-area.ts";
import { lostText, notesOn, withoutText } from "./missing-text.ts";
import { findHeadings, findTitle } from "./pdf-headings.ts";
import { readInformation } from "./pdf-information.ts";
import { cutAtHeadings, readOutline } from "./pdf-outline.ts";
import { findParagraphs, findUsualGap, type PdfBlock } from "./pdf-paragraphs.ts";
import type { PdfFont } from "./pdf-runs.ts";
import { writePdfText } from "./pdf-text.ts";
import { brokenPage, readPage, type ReadPage } from "./read-page.ts";
import { textAreas, tableAreas } from "./extracted-areas.ts";

/** Implements `createPdfReader`; `maps` is the folder of character maps. */
export async function readPdf(
  input: ReadInput,
  ocr: OcrProvider | undefined,
  tables: TableExtractor,
  maps: string | undefined,
): Promise<ReadResult> {
  const { uri, signal } = input;
  const limits = limitsOf(input);
  const pdf = await openPdf(input, maps);
  try {
    if (pdf.numPages > limits.maxPages) throw overLimit(uri, "maxPages", limits.maxPages, pdf.numPages);
    const isTagged = (await pdf.getMarkInfo().catch(() => null))?.Marked === true;
    const fonts = new Map<string, PdfFont>();
    const pages: ReadPage[] = [];
    const broken = new Map<number, IbidError>();
    let length = 0;
    // Once a font could not be read, each page is looked at for it.
    let hasLostText = false;
    for (let number = 1; number <= pdf.numPages; number++) {
      throwIfAborted(signal, `Reading ${uri}`, { uri });
      const page: ReadPage = await readPage(pdf, number, uri, fonts, { isTagged, drawAll: hasLostText }, signal).catch(
        (error: unknown) => {
          if (!(error instanceof IbidError && error.code === "unreadable")) throw error;
          broken.set(number, error);
          return brokenPage;
        },
      );
      hasLostText ||= page.hasLostText;
      length += page.length;
      if (length > limits.maxTextLength) throw overLimit(uri, "maxTextLength", limits.maxTextLength);
      pages.push(page);
    }
    const silent = pages.flatMap((page, index) =>
      page.sides.length === 0 && (!page.isBlank || page.hasLostText || broken.has(index + 1)) ? [index + 1] : [],
    );
    const isEmpty = pages.every(({ sides }) => sides.length === 0);
    const asked = isEmpty ? pages.map((_, index) => index + 1) : silent;
    const recognised = await recognise(input, ocr, asked);
    if (isEmpty && recognised.length === 0) {
      const [error = hasLostText ? lostText(uri, maps) : withoutText(uri, pdf.numPages, ocr)] = broken.values();
      throw error;
    }
    const found = tables === noTableExtractor ? [] : await tables.extractTables(extractionOf(input));
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    const areas = addExtracted(
      await layOutPages(pages, () => throwIfAborted(signal, `Reading ${uri}`, { uri })),
      recognised,
      found,
    );
    return { ...(await write(pdf, uri, areas)), ...notesOn({ pages, silent, broken, recognised, ocr, maps }) };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function write(pdf: PdfDocument, uri: string, areas: readonly (readonly PdfArea[])[]): Promise<ReadResult> {
  const outline = await readOutline(pdf, areas);
  const usualGap = findUsualGap(areas.flat());
  const cut = outline.length === 0 ? areas : cutAtHeadings(areas, outline);
  const blocks: PdfBlock[] = cut.flatMap((list, page) => list.flatMap((area) => findParagraphs(area, page, usualGap)));
  const { text, blocks: written, headings, pages } = writePdfText(joinBlocks(findHeadings(blocks)), pdf.numPages);
  const { title, metadata } = await readInformation(pdf, text);
  const named = title || findTitle(blocks) || beginning(blocks, headings[0]) || fileNameOf(uri);
  return {
    text,
    title: named,
    root: buildSections(text, named, headings),
    sourceMap: { lines: "none", pages },
    blocks: written,
    metadata,
  };
}

/** The heading with which a text begins. */
function beginning(blocks: readonly PdfBlock[], heading: Heading | undefined): string {
  const first = blocks.find(({ aside }) => aside !== true);
  return first?.kind === "heading" && heading !== undefined ? heading.title : "";
}

function extractionOf({ uri, bytes, mediaType, password, signal }: ReadInput): ExtractionInput {
  return {
    uri,
    bytes: bytes.slice(),
    mediaType,
    ...(password === undefined ? {} : { password }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Text that a provider recognises on pages without text. **Shape** only requested pages with text. */
async function recognise(
  input: ReadInput,
  ocr: OcrProvider | undefined,
  pages: readonly number[],
): Promise<PageText[]> {
  if (ocr === undefined || pages.length === 0) return [];
  const request: ExtractionInput = { ...extractionOf(input), pages };
  if (!(await ocr.isScanned(request))) return [];
  const texts = await ocr.extractText(request);
  throwIfAborted(input.signal, `Reading ${input.uri}`, { uri: input.uri });
  return texts.filter(({ page, text }) => pages.includes(page) && text.trim() !== "");
}

function addExtracted(
  pages: readonly (readonly PdfArea[])[],
  texts: readonly PageText[],
  tables: readonly ExtractedTable[],
): PdfArea[][] {
  return pages.map((areas, index) => [
    ...areas,
    ...texts.filter(({ page }) => page === index + 1).flatMap(({ text }) => textAreas(text)),
    ...tables.filter(({ page }) => page === index + 1).flatMap(tableAreas),
  ]);
}
