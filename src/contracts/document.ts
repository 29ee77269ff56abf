import type { PageText } from "./extraction.ts";
import type { Metadata } from "./metadata.ts";

/**
 * Author and form of a text in the knowledge base.
 *
 * **Source** ToolUp `ChunkOrigin`.
 */
export type Origin = "user-content" | "narrative" | "note" | "synthetic";

/**
 * A text with a name, a section tree and a map back to its source.
 *
 * `text` is *canonical*: every `start` and `end` counts in it. For text, Markdown, MDX and code it is
 * the decoded source itself (BOM removed, newlines `\n`). For HTML and PDF it is the text that a page shows.
 *
 * **Units** all positions are UTF-16 code units into `text`, half open.
 * **Source** Ballerina `TextDocument` joined with Embabel's `NavigableDocument`.
 */
export interface TextDocument {
  readonly type: "text";
  /** Hash of (scope, uri), unless the caller gave one. */
  readonly id: string;
  /** Where it came from: a `/`-separated path, a normalised URL, or a name of the caller's own. */
  readonly uri: string;
  readonly title: string;
  /** IANA media type of the source, such as `text/markdown`. */
  readonly mediaType: string;
  /** Language as a BCP 47 tag such as `en`. Default: `metadata.language`, else detected from the words. */
  readonly language?: string;
  readonly text: string;
  readonly metadata: Metadata;
  readonly origin: Origin;
  /** The root of the section tree: level 0, spanning the whole text. */
  readonly root: Section;
  /** Where pages begin and how lines map back; see {@link SourceMap}. */
  readonly sourceMap: SourceMap;
  /**
   * Parts of the text, in order and without overlap; gaps between blocks hold white space only.
   * Chunkers use them to keep table rows and code lines whole. Absent when unknown; not stored.
   */
  readonly blocks?: readonly Block[];
}

/**
 * A document that is not text. It travels whole to a model that understands it, and a knowledge base keeps it whole.
 *
 * **Source** Ballerina's image, audio, file and binary documents.
 */
export interface MediaDocument {
  readonly type: "image" | "audio" | "file" | "binary";
  /** The bytes, an address, or a file that the provider keeps under an id. See `createImageDocument` for addresses that are strings. */
  readonly content: Uint8Array | URL | { readonly fileId: string };
  readonly mediaType?: string;
  readonly metadata: Metadata;
}

/** Any piece of information that can be ingested or inserted into a prompt. */
export type Document = TextDocument | MediaDocument;

/**
 * One part of a document under one heading, with the parts below it.
 *
 * **Shape** siblings are ordered and do not overlap; children lie inside their parent. `start` is the first character
 * of the heading (of the text, for the root); `end` is the `start` of the next section.
 * A section with children is Embabel's *container*; one without is its *leaf*.
 */
export interface Section {
  /** Unique within the document and stable while headings above it do not move: `"0"` the root, `"0.2.1"` its second child's first. */
  readonly id: string;
  /** The heading as a reader sees it, without markup; `""` for a root without a title. */
  readonly title: string;
  /** 0 for the root, 1 to 6 for headings. Levels may jump (`h1` then `h3`). */
  readonly level: number;
  readonly start: number;
  readonly end: number;
  /** Where the section's own text begins: just after its heading. */
  readonly contentStart: number;
  readonly children: readonly Section[];
}

/**
 * A typed stretch of a document's text.
 *
 * @experimental
 */
export interface Block {
  readonly kind: "front-matter" | "heading" | "paragraph" | "list" | "table" | "code" | "quote" | "html" | "rule";
  readonly start: number;
  readonly end: number;
  /** Start of a table's rows, after header and delimiter; for fenced code, the first character after the opening fence. */
  readonly bodyStart?: number;
  /** Start of each row, header rows left out, for a table whose rows are not lines. */
  readonly rowStarts?: readonly number[];
  /** Column names of a sheet. */
  readonly columns?: readonly string[];
  /** Cell delimiter of delimited text such as CSV. Cells may be quoted. */
  readonly delimiter?: string;
  /** Language that a code fence names. */
  readonly language?: string;
  /** `"contents"` for a table of contents or a part of one, where the format says so. */
  readonly role?: "contents";
}

/**
 * A stretch that describes its document or lists its parts: front matter, a table of contents. An answer never rests on it alone.
 *
 * @experimental
 */
export interface TextMark {
  readonly kind: "front-matter" | "contents";
  readonly start: number;
  readonly end: number;
}

/**
 * The table of a delimited text, such as CSV: its rows follow from `start` to the end of the text.
 *
 * @experimental
 */
export interface DelimitedTable {
  readonly start: number;
  /** Character between the cells of a row. */
  readonly delimiter: string;
  /** The row with the names of the columns; absent where there is none. */
  readonly header?: { readonly start: number; readonly end: number };
}

/**
 * A table whose rows are lines of cells between bars, `| a | b |`, and whose text does not say by itself which of them name the columns.
 *
 * @experimental
 */
export interface TableSpan {
  readonly start: number;
  readonly end: number;
  /** The rows with the names of the columns; absent where there are none. */
  readonly header?: { readonly start: number; readonly end: number };
  /** These names, one a column, `""` for a column without one. */
  readonly columns?: readonly string[];
}

/**
 * How a position in the canonical text leads back to the source.
 *
 * **Shape** plain data, small, serialisable. Both lists ascend by `start`.
 *
 * @experimental
 */
export interface SourceMap {
  /** Pages in the sense of the format, numbered from 1. Absent for formats without pages. */
  readonly pages?: readonly { readonly number: number; readonly start: number }[];
  /** Words of pages that were recognised, with their places on the page: what geometry is made of again. */
  readonly recognised?: readonly PageText[];
  /** Slides of a presentation, numbered from 1 in the order in which they are shown. */
  readonly slides?: readonly { readonly number: number; readonly start: number }[];
  /** Cues of a recording, in the order of the text. The words after `start` are said from `from` to `to`. **Units** seconds. */
  readonly times?: readonly { readonly start: number; readonly from: number; readonly to: number }[];
  /** Sheets of a workbook, in its order and without overlap. */
  readonly sheets?: readonly SheetSpan[];
  /** Embedded files with a place of their own (attachments, chapters), in order and without overlap. */
  readonly parts?: readonly PartSpan[];
  /** Texts that lead elsewhere, in order and apart: of formats whose canonical text does not show the address. */
  readonly links?: readonly { readonly start: number; readonly end: number; readonly url: string }[];
  /** Front matter and tables of contents, in order and apart; absent where there are none. */
  readonly marks?: readonly TextMark[];
  /** The table that a delimited text is. Absent for other formats. */
  readonly delimited?: DelimitedTable;
  /** Tables of a page, a text document, a slide or a book, in order and apart. Absent where there are none, and for Markdown, which marks its headers. */
  readonly tables?: readonly TableSpan[];
  /**
   * How a position maps to a line of the source: `"text"` counts lines of the canonical text, `"anchors"` looks in `anchors`.
   * `"none"` stands for a source without lines.
   */
  readonly lines: "text" | "anchors" | "none";
  /** From `start` on (until the next anchor), the text stems from this line of the source, numbered from 1. */
  readonly anchors?: readonly { readonly start: number; readonly line: number }[];
}

/**
 * Where in the text a sheet stands, and which of its rows each line is.
 *
 * @experimental
 */
export interface SheetSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Row numbers, from 1: from `start` on, each line of the text is the next row, until the next entry. `columns` stands where a row holds fewer than the sheet. */
  readonly rows: readonly {
    readonly start: number;
    readonly row: number;
    readonly columns?: readonly [first: number, last: number];
  }[];
  /** The first and the last column that hold something, from 1. */
  readonly columns: readonly [first: number, last: number];
}

/**
 * Where in the text a part of a file stands.
 *
 * @experimental
 */
export interface PartSpan {
  /** As the file calls it: `notes.txt`, `chapter1.xhtml`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The part's own map; its positions count from `start`. */
  readonly sourceMap: SourceMap;
}

/**
 * A stretch of a recording.
 *
 * **Units** seconds from its beginning.
 * @experimental
 */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Labels of a {@link Place} that a chunk and a hit carry: where they start, in the terms of their format.
 *
 * @experimental
 */
export interface PlaceLabels {
  /** From 1. Absent for formats without pages. */
  readonly page?: number | undefined;
  /** Page on which it ends, where that is a later one. */
  readonly lastPage?: number | undefined;
  /** Line of the source, from 1. Absent for formats without lines. Within a part: of the part. */
  readonly line?: number | undefined;
  /** From 1, as shown. */
  readonly slide?: number | undefined;
  /** When it is said, in subtitles and in transcripts of recordings. */
  readonly time?: TimeSpan | undefined;
  readonly sheet?: string | undefined;
  /** The rows that it covers, over all columns of the sheet, as spreadsheets write it: `A2:D9`. */
  readonly cells?: string | undefined;
  /** The attachment or chapter, with those around it: `mail.eml/notes.txt`. */
  readonly part?: string | undefined;
}

/**
 * A position, said in the terms that a person uses to find it.
 *
 * @experimental
 */
export interface Place extends PlaceLabels {
  /** Titles of the sections around it, outermost first; the root is left out. */
  readonly headings: readonly string[];
  readonly sectionId: string;
  /** Whether that section has sections below it, and is not the root. */
  readonly isInContainer?: true;
}
