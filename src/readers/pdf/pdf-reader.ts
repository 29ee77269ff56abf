import type { OcrProvider, TableExtractor } from "../../contracts/extraction.ts";
import type { Reader } from "../../contracts/reader.ts";
import { noTableExtractor } from "../no-table-extractor.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { findCharacterMaps } from "./character-maps.ts";
import { keepRejections } from "./keep-rejections.ts";

/**
 * Options of a PDF reader.
 *
 * @experimental
 */
export interface PdfReaderOptions {
  /** Recognises the text of pages that are pictures. Default: none; such pages are refused or named in `notes`. */
  readonly ocr?: OcrProvider | undefined;
  /** Finds tables that the text does not show. Default: none; tables whose columns stand in line are found anyway. */
  readonly tables?: TableExtractor | undefined;
}

/**
 * Reads PDF: the canonical text is the visible text of the pages, in reading order.
 *
 * A tagged file declares its order and structure. In others, columns, paragraphs, tables and headings follow from the positions of the text.
 * Lines of a paragraph are joined, hyphenated words too, also across columns and pages. Running titles stand once. Page numbers
 * are only in the source map. Values of forms stand in their fields; a box is `[x]` or `[ ]`, an annotator's words are `[Note: …]` or `[Comment by …: …]`.
 *
 * **Shape** pages in the source map, no lines. Sections come from the outline (bookmarks) where its titles are found in the text, else from the tags, else from letter size
 * and weight. The title is the stated one where the first pages hold its words. Else it is the largest text of the first page, the first heading, or the file name. Metadata: `pageCount`, and `author`, `language`, `createdAt`, `modifiedAt` when stated.
 * Files that are attached to it come after its pages, under their names, as their own readers read them.
 * `notes` names pages that have no text layer, and broken ones, which are left out when others read. PDF.js is loaded at the first call.
 * East Asian text whose character map is only named is read with the maps of `pdfjs-dist`, when that is installed.
 * **Errors** `encrypted` for a missing or wrong password; `empty` for a file without a text layer (a scan) when there is no text recognition;
 * `too-large` beyond the limits; `unreadable` for a broken file, or one without a readable page. `aborted` between two pages.
 * **Cost** 10 to 40 ms per page; memory for the runs of all pages, about fifty times their text.
 * **Source** Embabel's content readers, Ballerina's `TextDataLoader`, Wesichain `PdfLoader`, ToolUp's extraction points.
 *
 * @experimental
 */
export function createPdfReader(options: PdfReaderOptions = {}): Reader {
  checkOptions("createPdfReader", options, { ocr: true, tables: true });
  const { ocr, tables = noTableExtractor } = options;
  const maps = findCharacterMaps();
  const settings = [
    maps && "cmaps",
    ocr && `ocr:${ocr.name}`,
    tables === noTableExtractor ? undefined : `tables:${tables.name}`,
  ];
  return {
    name: ["pdf/10", ...settings.filter((part) => part !== undefined)].join("+"),
    accepts: (mediaType) => mediaType === "application/pdf" || mediaType === "application/x-pdf",
    read: async (input) => {
      const { readPdf } = await import("./read-pdf.ts");
      return keepRejections(() => readPdf(input, ocr, tables, maps));
    },
  };
}
