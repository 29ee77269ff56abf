import type { TextDocument } from "../../contracts/document.ts";

/**
 * A stretch of text in one style.
 *
 * **Shape** `text` is the document's own text from `start` to `end`. A renderer hides `syntax`, and writes `shown` in place of `text` where it is given.
 * @experimental
 */
export interface ViewRun {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Signs of markup, such as `**`: part of the text, and nothing that a reader wants to see. */
  readonly syntax?: true;
  /** The sign that an entity such as `&amp;` stands for. */
  readonly shown?: string;
  readonly styles?: readonly ViewStyle[];
}

/**
 * The look of a {@link ViewRun}.
 *
 * @experimental
 */
export type ViewStyle = "strong" | "emphasis" | "strike" | "code" | "link";

/**
 * A row of a table.
 *
 * @experimental
 */
export interface ViewRow {
  readonly start: number;
  readonly end: number;
  readonly isHeader?: true;
  /** A row of signs alone, such as the line below the header of a Markdown table. */
  readonly isSyntax?: true;
  /** **Shape** the runs of all cells, one after the other, are the row's text without gaps. */
  readonly cells: readonly (readonly ViewRun[])[];
}

/**
 * A part of a document as it is shown.
 *
 * **Shape** a `table` has `rows`, every other kind `runs`; they follow one another without gaps from `start` to `end`.
 * @experimental
 */
export interface ViewBlock {
  readonly kind: "heading" | "paragraph" | "item" | "table" | "code" | "quote" | "markup" | "rule";
  readonly start: number;
  readonly end: number;
  /** Level of a heading, 1 to 6; depth of an item, from 1. */
  readonly level?: number;
  readonly runs?: readonly ViewRun[];
  readonly rows?: readonly ViewRow[];
  /** Whether a line break in its text is one on the page. */
  readonly isHard?: true;
}

/**
 * The document that {@link buildViewTree} shows.
 *
 * @experimental
 */
export type ViewedDocument = Pick<TextDocument, "text" | "mediaType" | "root" | "sourceMap"> &
  Partial<Pick<TextDocument, "metadata">>;
