import type { Metadata } from "./metadata.ts";

/**
 * Who brought a text into the knowledge base, and in what form.
 *
 * **Source** ToolUp `ChunkOrigin`.
 */
export type Origin = "user-content" | "narrative" | "note" | "synthetic";

/**
 * A text with a name, a tree and a map back to where it came from.
 *
 * `text` is *canonical*: what every `start` and `end` in the system counts in. For text, Markdown, MDX and code it is
 * the decoded source itself (BOM removed, newlines `\n`); for HTML and PDF it is the text that a reader of the page sees.
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
  /** What it is written in, as a BCP 47 language such as `en`. Default: what its metadata say (`language`), else what its words show. */
  readonly language?: string;
  readonly text: string;
  readonly metadata: Metadata;
  readonly origin: Origin;
  /** The root of the section tree: level 0, spanning the whole text. */
  readonly root: Section;
  /** Where pages begin and how lines map back; see {@link SourceMap}. */
  readonly sourceMap: SourceMap;
  /**
   * What the text is made of, in order and without overlap; gaps between blocks hold white space only.
   * Chunkers use it so as not to cut a table row or a code line. Absent when nobody knows; not stored.
   */
  readonly blocks?: readonly Block[];
}

/**
 * A document that is not text: it can be carried whole to a model that understands it, never cut or searched.
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
 * **Shape** siblings are ordered and do not overlap; children lie inside their parent; `start` is the first character
 * of the heading itself (of the text, for the root), `end` the `start` of what follows.
 * A section with children is Embabel's *container*, one without is its *leaf*.
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

/** What a stretch of a document's text is. */
export interface Block {
  readonly kind: "front-matter" | "heading" | "paragraph" | "list" | "table" | "code" | "quote" | "html" | "rule";
  readonly start: number;
  readonly end: number;
  /** Of a table: where its rows begin, after header and delimiter; of fenced code: after the opening fence. */
  readonly bodyStart?: number;
  /** Of a table whose rows are not lines: where each row begins, header rows left out. */
  readonly rowStarts?: readonly number[];
  /** Of a sheet: the names of its columns. */
  readonly columns?: readonly string[];
  /** Of delimited text, such as CSV: what stands between the cells of a row, which may be quoted. */
  readonly delimiter?: string;
  /** Of code: the language its fence names. */
  readonly language?: string;
}

/**
 * How a position in the canonical text leads back to the source.
 *
 * **Shape** plain data, small, serialisable. Both lists ascend by `start`.
 */
export interface SourceMap {
  /** Pages in the sense of the format, numbered from 1. Absent for formats without pages. */
  readonly pages?: readonly { readonly number: number; readonly start: number }[];
  /** Slides of a presentation, numbered from 1 in the order in which they are shown. */
  readonly slides?: readonly { readonly number: number; readonly start: number }[];
  /** Sheets of a workbook, in its order and without overlap. */
  readonly sheets?: readonly SheetSpan[];
  /** What the file carries inside and has a place of its own: attachments, chapters. In order and without overlap. */
  readonly parts?: readonly PartSpan[];
  /** Texts that lead elsewhere, in order and apart: of formats whose canonical text does not show the address. */
  readonly links?: readonly { readonly start: number; readonly end: number; readonly url: string }[];
  /**
   * How lines of the source are found: `"text"` when lines of the canonical text are lines of the source, `"anchors"`
   * when `anchors` tells, `"none"` when the source has no lines.
   */
  readonly lines: "text" | "anchors" | "none";
  /** From `start` on (until the next anchor), the text stems from this line of the source, numbered from 1. */
  readonly anchors?: readonly { readonly start: number; readonly line: number }[];
}

/** Where in the text a sheet stands, and which of its rows each line is. */
export interface SheetSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** From `start` on, each line of the text is the next row of the sheet (from 1), until the next of these; `columns` where they hold fewer than the sheet. */
  readonly rows: readonly {
    readonly start: number;
    readonly row: number;
    readonly columns?: readonly [first: number, last: number];
  }[];
  /** The first and the last column that hold something, from 1. */
  readonly columns: readonly [first: number, last: number];
}

/** Where in the text a part of a file stands. */
export interface PartSpan {
  /** As the file calls it: `notes.txt`, `chapter1.xhtml`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The part's own map; its positions count from `start`. */
  readonly sourceMap: SourceMap;
}

/** What of a {@link Place} a chunk and a hit carry with them: where it starts, in the terms of its format. */
export interface PlaceLabels {
  /** From 1. Absent for formats without pages. */
  readonly page?: number;
  /** Line of the source, from 1. Absent for formats without lines. Within a part: of the part. */
  readonly line?: number;
  /** From 1, as shown. */
  readonly slide?: number;
  readonly sheet?: string;
  /** The rows that it covers, over all columns of the sheet, as spreadsheets write it: `A2:D9`. */
  readonly cells?: string;
  /** The attachment or chapter, with those around it: `mail.eml/notes.txt`. */
  readonly part?: string;
}

/** A position, said in the terms that a person uses to find it. */
export interface Place extends PlaceLabels {
  /** Titles of the sections around it, outermost first; the root is left out. */
  readonly headings: readonly string[];
  readonly sectionId: string;
  /** Whether that section has sections below it, and is not the root. */
  readonly isInContainer?: true;
}
