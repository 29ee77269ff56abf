import type { getDocumentProxy } from "unpdf";

import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../../documents/build-sections.ts";
import { maxTextLength, textTooLarge } from "../../documents/decode-source.ts";
import { fileNameOf } from "../../documents/file-name.ts";
import { throwIfAborted } from "../../text/abort.ts";

import { joinLines, type PdfLine, type PdfTextItem } from "./pdf-lines.ts";
import { readOutline } from "./pdf-outline.ts";
import { writePdfText } from "./pdf-text.ts";

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** More pages than this are several documents. */
const maxPages = 5000;

/**
 * PDF: the canonical text is the text layer, page by page in the order in which it was written.
 *
 * **Shape** pages in the source map, no lines; sections from the outline (bookmarks) where its titles are found in the text; title from the document information or
 * the file name; metadata `pageCount`, and `author`, `language`, `createdAt`, `modifiedAt` when stated. PDF.js is loaded at the first call.
 * **Errors** `encrypted` for a file that asks for a password, `empty` for one without a text layer (a scan), `too-large` beyond 5,000 pages, `unreadable` for a broken one:
 * never a part of the pages. `aborted` between two pages.
 * **Cost** about 10 to 20 ms per page; memory for one page and the text.
 * **Source** Embabel's content readers (E15), Ballerina's `TextDataLoader` (B52), Wesichain `PdfLoader` (W17).
 */
export function createPdfReader(): Reader {
  return {
    name: "pdf/1",
    accepts: (mediaType) => mediaType === "application/pdf" || mediaType === "application/x-pdf",
    read: readPdf,
  };
}

async function readPdf({ uri, bytes, signal }: ReadInput): Promise<ReadResult> {
  const pdf = await openPdf(bytes, uri);
  try {
    if (pdf.numPages > maxPages) {
      throw new IbidError("too-large", `${uri} has ${pdf.numPages} pages.`, {
        mend: `Split it into files of at most ${maxPages} pages.`,
        uri,
        details: { pages: pdf.numPages, max: maxPages },
      });
    }
    const pages: PdfLine[][] = [];
    let length = 0;
    for (let number = 1; number <= pdf.numPages; number++) {
      throwIfAborted(signal, `Reading ${uri}`, { uri });
      const lines = await readPage(pdf, number, uri);
      length += lines.reduce((sum, { text }) => sum + text.length + 1, 0);
      if (length > maxTextLength) throw textTooLarge(uri, length);
      pages.push(lines);
    }
    if (length === 0) throw withoutText(uri, pdf.numPages);
    const { text, blocks, headings, pages: pageStarts } = writePdfText(pages, await readOutline(pdf, pages));
    const { title, metadata } = await readInformation(pdf, uri);
    return {
      text,
      title,
      root: buildSections(text, title, headings),
      sourceMap: { lines: "none", pages: pageStarts },
      blocks,
      metadata,
    };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function openPdf(bytes: Uint8Array, uri: string): Promise<PdfDocument> {
  const { getDocumentProxy: open } = await import("unpdf");
  try {
    // PDF.js takes the bytes over, and they are the caller's: it gets a copy, which it wants plain and not as a Buffer. Level 0 keeps its warnings off the console.
    return await open(new Uint8Array(bytes), { verbosity: 0 });
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") {
      throw new IbidError("encrypted", `${uri} is protected by a password.`, {
        mend: "Give a copy that opens without a password.",
        uri,
        cause: error,
      });
    }
    throw unreadable(uri, "is not a PDF that can be opened", error);
  }
}

async function readPage(pdf: PdfDocument, number: number, uri: string): Promise<PdfLine[]> {
  try {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return joinLines(items.filter((item): item is typeof item & PdfTextItem => "str" in item));
  } catch (error) {
    throw unreadable(uri, `is broken on page ${number}`, error);
  }
}

async function readInformation(pdf: PdfDocument, uri: string): Promise<{ title: string; metadata: Metadata }> {
  const info = await pdf
    .getMetadata()
    .then(({ info }) => info as Readonly<Record<string, unknown>>)
    .catch((): Readonly<Record<string, unknown>> => ({}));
  const title = readString(info["Title"]).replace(/^Microsoft (?:Word|PowerPoint|Excel) - /, "");
  const author = readString(info["Author"]);
  const language = readString(info["Language"]);
  const createdAt = readDate(info["CreationDate"]);
  const modifiedAt = readDate(info["ModDate"]);
  return {
    title: title === "" || /^(?:untitled|\(?anonymous\)?)$/i.test(title) ? fileNameOf(uri) : title,
    metadata: {
      pageCount: pdf.numPages,
      ...(author === "" || /^\(?anonymous\)?$/i.test(author) ? {} : { author }),
      ...(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(language) ? { language } : {}),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(modifiedAt === undefined ? {} : { modifiedAt }),
    },
  };
}

function readString(value: unknown): string {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim().slice(0, 1000).toWellFormed() : "";
}

/** `2024-11-01T15:36:20+03:00` for `D:20241101153620+03'00'`. **Source** PDF 32000-1, 7.9.4. */
function readDate(value: unknown): string | undefined {
  const parts = /^D:(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:Z|([+-]\d{2})'?(\d{2}))?/.exec(readString(value));
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, zoneHour, zoneMinute] = parts;
  const zone = zoneHour === undefined ? "Z" : `${zoneHour}:${zoneMinute}`;
  const date = `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
  return Number.isNaN(Date.parse(date)) ? undefined : date;
}

function withoutText(uri: string, pages: number): IbidError {
  return new IbidError(
    "empty",
    `${uri} has no text layer on its ${pages === 1 ? "page" : `${pages} pages`}: it looks scanned.`,
    {
      mend: "Run text recognition (OCR) over it and give the result.",
      uri,
      details: { pages },
    },
  );
}

function unreadable(uri: string, what: string, cause: unknown): IbidError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new IbidError("unreadable", `${uri} ${what}: ${reason}`, {
    mend: "Check that it opens in a PDF viewer, and save it again from there.",
    uri,
    cause,
  });
}
