import type { Place } from "../../contracts/document.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { SourceMap } from "../../contracts/document.ts";
import type { DocumentView, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { MarkedPage } from "../../readers/pdf/pdf-geometry.ts";
import type { PdfGeometry } from "../../readers/pdf/place-line.ts";
import type { ViewBlock } from "../../readers/display/view-tree.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { locate } from "../../text/locate.ts";

/**
 * Options of {@link showDocument}.
 */
export interface ShowOptions {
  /** Scope of the document, when several hold the uri. */
  readonly scope?: Scope | undefined;
  /** Only blocks that touch the text from here. Default 0. */
  readonly start?: number | undefined;
  /** Default: the end of the text. */
  readonly end?: number | undefined;
  /** Also the blocks this far before and behind the stretch; the place is that of the stretch. Default 0. **Units** UTF-16 code units. */
  readonly around?: number | undefined;
  /** The document as it was at this time. Default: the present. */
  readonly asOf?: string | undefined;
}

/**
 * A document as it is shown: its blocks, and the place of the stretch that was asked for.
 */
export interface ShownDocument {
  /** Without its text, which the blocks hold. */
  readonly document: Omit<DocumentView, "text" | "start" | "end">;
  /** Where the first block begins. */
  readonly start: number;
  readonly end: number;
  readonly blocks: readonly ViewBlock[];
  readonly place: Place;
}

/**
 * Shows a document, or the blocks of it around a stretch: headings, paragraphs, tables and code, as runs of its own text.
 *
 * **Shape** `undefined` for a document that is not there or may not be read. **Errors** as `kb.document`. **Cost** reads the whole text.
 */
export async function showDocument(
  kb: KnowledgeBase,
  uri: string,
  options: ShowOptions = {},
): Promise<ShownDocument | undefined> {
  checkOptions("showDocument", options, { scope: true, start: true, end: true, around: true, asOf: true });
  const { scope, asOf } = options;
  const document = await kb.document(uri, {
    ...(scope !== undefined && { scope }),
    ...(asOf !== undefined && { asOf }),
  });
  if (document === undefined) return undefined;
  const { buildViewTree } = await import("../../readers/display/build-view-tree.ts");
  const { text, start: _start, end: _end, ...facts } = document;
  const from = Math.min(Math.max(0, options.start ?? 0), text.length);
  const to = Math.min(Math.max(from, options.end ?? text.length), text.length);
  const around = options.around ?? 0;
  if (!Number.isInteger(around) || around < 0)
    throw new IbidError(
      "invalid-argument",
      `showDocument: around is ${String(around)}; it must be an integer from 0.`,
      {
        hint: "Leave it out, or give a number of characters.",
      },
    );
  const blocks = await buildViewTree(document, {
    start: Math.max(0, from - around),
    end: Math.max(Math.min(to + around, text.length), from + 1),
  });
  return {
    document: facts,
    start: blocks[0]?.start ?? from,
    end: blocks.at(-1)?.end ?? to,
    blocks,
    place: locate(document, from, to),
  };
}

/**
 * The pages of a PDF or of a recognised picture on which a stretch of its document stands, with the boxes that cover it.
 *
 * `original` are the bytes that the document was read from. **Errors** `unsupported` when another version of the reader wrote the document's text: its places do not
 * hold, and no mark is better than a wrong one. Otherwise as the reader. **Cost** reads the file.
 */
export async function readPlacesOnPages(
  document: Pick<DocumentView, "uri" | "text"> & { readonly sourceMap?: SourceMap },
  original: Uint8Array,
): Promise<PdfGeometry> {
  const { readPdfGeometry } = await import("../../readers/pdf/pdf-geometry.ts");
  const recognised = document.sourceMap?.recognised;
  const geometry = await readPdfGeometry({ uri: document.uri, bytes: original, ...(recognised && { recognised }) });
  checkPlaces(geometry, document);
  return geometry;
}

/** Places as ingestion keeps them. */
export const packPlacesOnPages = async (geometry: PdfGeometry): Promise<Uint8Array> =>
  (await import("../../readers/pdf/pack-places.ts")).packPlaces(geometry);

/** Kept places. **Shape** `undefined` where they are of another text, of another version, or broken. */
export const unpackPlacesOnPages = async (bytes: Uint8Array, text: string): Promise<PdfGeometry | undefined> =>
  (await import("../../readers/pdf/pack-places.ts")).unpackPlaces(bytes, text);

/** **Errors** `unsupported` for places of another text than the document's. */
export function checkPlaces(geometry: PdfGeometry, { uri, text }: Pick<DocumentView, "uri" | "text">): void {
  // Files that hang on a document come after its pages, and no page shows them.
  if (text === geometry.text || text.startsWith(`${geometry.text}\n\n`)) return;
  throw new IbidError(
    "unsupported",
    `The text of ${uri} was written by another version of the reader, so its places on the pages are unknown.`,
    {
      uri,
      hint: "Ingest the file again; then its places are marked.",
    },
  );
}

/** The boxes of a stretch; see `locateOnPages`. */
export async function findOnPages(geometry: PdfGeometry, start: number, end: number): Promise<readonly MarkedPage[]> {
  const { locateOnPages } = await import("../../readers/pdf/pdf-geometry.ts");
  return locateOnPages(geometry, start, end);
}
