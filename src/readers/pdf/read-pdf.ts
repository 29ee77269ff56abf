import type {
  ExtractedTable,
  ExtractionInput,
  OcrProvider,
  PageText,
  TableExtractor,
} from "../../contracts/extraction.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections, type Heading } from "../build-sections.ts";
import { addCarried, type CarriedFile, type FoundFile } from "../add-carried.ts";
import { fileNameOf } from "../file-name.ts";
import { noTableExtractor } from "../no-table-extractor.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { IbidError } from "../../contracts/errors.ts";
import { joinBlocks } from "./join-blocks.ts";
import { joinTables } from "./join-tables.ts";
import { openPdf, type PdfDocument } from "./open-pdf.ts";
import type { PdfArea } from "./pdf-area.ts";
import { blankPages, lostText, notesOn, withoutText } from "./missing-text.ts";
import { findHeadings, findTitle } from "./pdf-headings.ts";
import { cutAtHeadings, readOutline } from "./pdf-outline.ts";
import { findParagraphs, findUsualGap, type PdfBlock } from "./pdf-paragraphs.ts";
import type { PdfFont, PdfRun } from "./pdf-runs.ts";
import { toBase64 } from "../../text/base64.ts";
import { packPlaces } from "./pack-places.ts";
import { placeLines } from "./place-line.ts";
import { type PdfText, writePdfText } from "./pdf-text.ts";
import { brokenPage, readPage, type ReadPage } from "./read-page.ts";
import { tableAreas, textAreas, unplaced } from "./extracted-areas.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import { findAreas } from "./find-areas.ts";
import { attachedName } from "./pdf-annotations.ts";
import { removeFurniture } from "./pdf-furniture.ts";
import { toLine } from "./pdf-lines.ts";
import { continueTable } from "./pdf-tables.ts";
import { readTagged } from "./pdf-tags.ts";
import { addRecognised, answerInTime, isWords, placesOf } from "./recognised-pages.ts";

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
      input.onPage?.(number, pdf.numPages);
    }
    const silent = pages.flatMap((page, index) =>
      page.isSilent && (!page.isBlank || page.hasLostText || broken.has(index + 1)) ? [index + 1] : [],
    );
    const isEmpty = pages.every(({ sides, comments }) => sides.length === 0 && comments.length === 0);
    const asked = isEmpty ? pages.map((_, index) => index + 1) : silent;
    const recognised = await recognisePages(input, ocr, asked);
    const attached = await attachedTo(pdf, pages);
    // The pages of a portfolio may only stand around the files in it.
    if (isEmpty && recognised.length === 0 && (attached.length === 0 || input.readPart === undefined)) {
      const [error] = broken.values();
      if (error !== undefined) throw error;
      if (hasLostText) throw lostText(uri, maps);
      throw silent.length === 0 ? blankPages(uri, pdf.numPages) : withoutText(uri, pdf.numPages, ocr);
    }
    const found = tables === noTableExtractor ? [] : await tables.extractTables(extractionOf(input));
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    const placed = recognised.filter(({ words }) => words !== undefined);
    const whole = addRecognised(pages, placed);
    const areas = addExtracted(
      await layOutPages(whole, () => throwIfAborted(signal, `Reading ${uri}`, { uri })),
      recognised.filter(({ words }) => words === undefined),
      found,
    );
    const { printed, ...written } = await write(pdf, uri, areas);
    // A part of another file has no pages that are shown.
    if ((input.depth ?? 0) === 0)
      written.places = toBase64(await packPlaces({ text: written.text, pages: whole, places: placeLines(printed) }));
    if (placed.length > 0) written.sourceMap = { ...written.sourceMap, recognised: placed.map(placesOf) };
    const result = {
      ...written,
      ...notesOn({
        pages,
        silent,
        broken,
        recognised,
        ocr,
        maps,
        isXfa: await isXfa(pdf),
      }),
    };
    return await addCarried(result, attached, input, "files attached to it");
  } finally {
    await pdf.loadingTask.destroy();
  }
}

/** Whether it is a form of XFA that pages only stand in for: most programs show a request to open it elsewhere. **Source** ISO 32000-1, 12.7.8. */
async function isXfa(pdf: PdfDocument): Promise<boolean> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const { IsXFAPresent: hasForm, IsAcroFormPresent: hasFields } = info as Readonly<Record<string, unknown>>;
  return hasForm === true && hasFields !== true;
}

/** The files that hang on the document, such as those of a portfolio or the data of an invoice, and on its pages. **Shape** none where the list is broken. */
async function attachedTo(pdf: PdfDocument, pages: readonly ReadPage[]): Promise<readonly CarriedFile[]> {
  const found: unknown = await pdf.getAttachments().catch(() => null);
  const whole = found instanceof Map ? [...(found as ReadonlyMap<unknown, unknown>)] : [];
  const files = [
    ...whole.map(([id, file]) => ({ name: attachedName(typeof file === "object" && file !== null ? file : {}), id })),
    ...pages.flatMap(({ attached }) => attached),
  ];
  // The list of the document and a mark on a page may name one file.
  const names = new Map(files.toReversed().map((file) => [file.name, file]));
  return files
    .filter((file) => names.get(file.name) === file)
    .map(({ name, id }) => ({ name, read: () => contentOf(pdf, id) }));
}

/** Bytes of an attached file; `undefined` where it is broken. */
async function contentOf(pdf: PdfDocument, id: unknown): Promise<FoundFile | undefined> {
  const { getAttachmentContent } = pdf as { readonly getAttachmentContent?: (id: unknown) => Promise<unknown> };
  const content: unknown = await getAttachmentContent?.call(pdf, id).catch(() => undefined);
  return content instanceof Uint8Array ? { bytes: content } : undefined;
}

async function write(
  pdf: PdfDocument,
  uri: string,
  areas: readonly (readonly PdfArea[])[],
): Promise<{ -readonly [Key in keyof ReadResult]: ReadResult[Key] } & Pick<PdfText, "printed">> {
  const outline = await readOutline(pdf, areas);
  const usualGap = findUsualGap(areas.flat());
  const cut = outline.length === 0 ? areas : cutAtHeadings(areas, outline);
  const blocks: PdfBlock[] = cut.flatMap((list, page) => list.flatMap((area) => findParagraphs(area, page, usualGap)));
  const laidOut = findHeadings(blocks);
  const {
    text,
    blocks: written,
    headings,
    pages,
    printed,
  } = writePdfText(joinBlocks(joinTables(laidOut)), pdf.numPages);
  const { title, metadata } = await readInformation(pdf, text);
  const shown = findTitle(blocks);
  const named =
    chooseTitle(title, shown, text.slice(0, pages[2]?.start)) || beginning(laidOut, headings[0]) || fileNameOf(uri);
  return {
    text,
    title: named,
    root: buildSections(text, named, headings),
    sourceMap: { lines: "none", pages },
    blocks: written,
    metadata,
    printed,
  };
}

/**
 * The stated title where the first pages hold most of its words, else the shown one. Files made from one another keep
 * the title of the first.
 */
function chooseTitle(stated: string, shown: string, beginning: string): string {
  if (stated === "" || shown === "") return stated || shown;
  const words = stated.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const there = new Set(beginning.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const isThere = words.filter((word) => there.has(word)).length >= words.length / 2;
  if (!isThere) return shown;
  // A shown title that says more than a general one: "Annual Report 2024" and "Annual Report".
  return shown.length < 120 && shown.toLowerCase().startsWith(stated.toLowerCase()) ? shown : stated;
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
async function recognisePages(
  input: ReadInput,
  ocr: OcrProvider | undefined,
  pages: readonly number[],
): Promise<PageText[]> {
  if (ocr === undefined || pages.length === 0) return [];
  const texts = await recognise(input, ocr, { ...extractionOf(input), pages });
  return texts.filter(({ page }) => pages.includes(page));
}

/** A provider's answer, checked. **Shape** only pages with text. **Errors** `timeout`, `invalid-response`, `aborted`. */
export async function recognise(input: ReadInput, ocr: OcrProvider, request: ExtractionInput): Promise<PageText[]> {
  if (!(await ocr.isScanned(request))) return [];
  const texts = await answerInTime(ocr, request, limitsOf(input).timeoutMs);
  throwIfAborted(input.signal, `Reading ${input.uri}`, { uri: input.uri });
  if (!isPageTexts(texts)) {
    throw new IbidError("invalid-response", `${ocr.name} gave something else than a list of pages for ${input.uri}.`, {
      hint: "Give each page as { page, text }: a whole number from 1, and a string. Words are { text, x, y, width, height, line }, with numbers.",
      uri: input.uri,
    });
  }
  return texts.filter(({ text }) => text.trim() !== "");
}

function isPageTexts(given: unknown): given is readonly PageText[] {
  if (!Array.isArray(given)) return false;
  return given.every((one: Partial<PageText> | null) => {
    return (
      typeof one === "object" &&
      one !== null &&
      Number.isInteger(one.page) &&
      typeof one.text === "string" &&
      (one.confidence === undefined || typeof one.confidence === "number") &&
      (one.words === undefined || isWords(one.words))
    );
  });
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

/** Metadata of a PDF; `title` is `""` when it has no useful one. **Source** ISO 32000-1, 14.3.3. */
async function readInformation(pdf: PdfDocument, text: string): Promise<{ title: string; metadata: Metadata }> {
  const info = await pdf
    .getMetadata()
    .then(({ info }) => info as Readonly<Record<string, unknown>>)
    .catch((): Readonly<Record<string, unknown>> => ({}));
  const title = readString(info["Title"]).replace(
    /^(?:Microsoft (?:Word|PowerPoint|Excel|Publisher|Visio) - |\[|\()+|[\])]+$/g,
    "",
  );
  const author = readString(info["Author"]);
  const language = readString(info["Language"]);
  const createdAt = readDate(info["CreationDate"]);
  const modifiedAt = readDate(info["ModDate"]);
  return {
    title: isBoilerplate(title) ? "" : title,
    metadata: {
      pageCount: pdf.numPages,
      ...(author === "" || /^\(?anonymous\)?$/i.test(author) ? {} : { author }),
      ...(isLanguageOf(language, text) ? { language } : {}),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(modifiedAt === undefined ? {} : { modifiedAt }),
    },
  };
}

/** Whether a stated title is a program's or a file's name, a number or a path, and no person's title. */
function isBoilerplate(title: string): boolean {
  const name =
    /^(?:untitled|anonymous|unknown|no title|title|blank(?: page)?|cover|print|layout|template|form|scan(?:ned)?(?: document)?|microsoft \w+|powerpoint[ -]pr[ae]sentation|pr[ae]sentaci[oó]n de powerpoint|new document|unbenannt|ohne titel|sans titre|sin t[ií]tulo|senza titolo|(?:document|dokument|presentation|slide|book|page|image|img|scan|layout|sheet|tabelle|untitled)[\s_-]*\d*)$/i;
  const file = /(?:^|[\\/])\S+\.(?:docx?|pptx?|xlsx?|odt|odp|ods|rtf|indd|tex|dvi|pdf|ps|qxd|pub|html?|fm|ai|cdr)$/i;
  return (
    name.test(title) ||
    file.test(title) ||
    /^[a-z]:\\|^file:|^https?:/i.test(title) ||
    (title.match(/\p{L}/gu)?.length ?? 0) < 3 ||
    /^[0-9a-f-]{16,}$/i.test(title)
  );
}

/** Programs write their own language into every file; what is mostly in another script is not in it. */
function isLanguageOf(language: string, text: string): boolean {
  if (!/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(language)) return false;
  if (!/^(?:en|de|fr|es|it|pt|nl|sv|da|nb|no|fi|pl|cs|tr)\b/i.test(language)) return true;
  const sample = text.slice(0, 20_000);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return letters === 0 || (sample.match(/\p{sc=Latin}/gu)?.length ?? 0) >= letters / 2;
}

function readString(value: unknown): string {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim().slice(0, 1000).toWellFormed() : "";
}

/** `2024-11-01T15:36:20+03:00` for `D:20241101153620+03'00'`. **Source** ISO 32000-1, 7.9.4. */
function readDate(value: unknown): string | undefined {
  const parts = /^D:(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:Z|([+-]\d{2})'?(\d{2}))?/.exec(readString(value));
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, zoneHour, zoneMinute] = parts;
  const zone = zoneHour === undefined ? "Z" : `${zoneHour}:${zoneMinute}`;
  const date = `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
  return Number.isNaN(Date.parse(date)) ? undefined : date;
}

/** **Units** milliseconds. */
const longestTurnMs = 50;

/**
 * Finds the areas of all pages in reading order: by valid tags, else by position. Text in another direction comes last.
 *
 * **Errors** errors of `check`, which runs between pages. **Cost** as {@link findAreas}, for each page.
 */
export async function layOutPages(pages: readonly ReadPage[], check: () => void = () => {}): Promise<PdfArea[][]> {
  const upright = pages.map(({ sides, height }) => ({
    runs: sides[0]?.angle === 0 ? sides[0].runs : [],
    height,
  }));
  const bare = removeFurniture(isTypewritten(upright.map(({ runs }) => runs)) ? upright.map(asPlain) : upright);
  const laidOut: PdfArea[][] = [];
  let since = performance.now();
  for (const [page, { sides, tree, comments, rules }] of pages.entries()) {
    if (performance.now() - since > longestTurnMs) {
      // A file of many crowded pages leaves others their turn, and can be stopped.
      await new Promise((resolve) => void setImmediate(resolve));
      check();
      since = performance.now();
    }
    const { header = [], footer = [], runs = [] } = bare[page] ?? {};
    const main = sides[0]?.angle === 0 ? runs : (sides[0]?.runs ?? []);
    const last = laidOut.at(-1)?.findLast(({ aside }) => aside !== true);
    const text = readTagged(tree, main) ?? continueTable(last, findAreas(main, sides[0]?.angle === 0 ? rules : []));
    const others = sides.slice(1).flatMap((side) => findAreas(side.runs).map((area) => ({ ...area, aside: true })));
    laidOut.push([...header.map(asideOf), ...text, ...others, ...footer.map(asideOf), ...comments.map(commentArea)]);
  }
  return laidOut;
}

function commentArea(comment: string): PdfArea {
  return { kind: "quote", aside: true, lines: [unplaced(comment)] };
}

/** Whether most of a text is in a typewriter's letters: then they do not mean code. */
function isTypewritten(pages: readonly (readonly PdfRun[])[]): boolean {
  let mono = 0;
  let all = 0;
  for (const runs of pages) {
    for (const run of runs) {
      all += run.text.length;
      if (run.mono) mono += run.text.length;
    }
  }
  return mono > all / 2;
}

function asPlain<T extends { readonly runs: readonly PdfRun[] }>(page: T): T {
  return { ...page, runs: page.runs.map((run) => (run.mono ? { ...run, mono: false, even: true as const } : run)) };
}

function asideOf(row: readonly PdfRun[]): PdfArea {
  return { kind: "flow", aside: true, lines: [toLine(row)] };
}
