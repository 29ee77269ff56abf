import type { PdfLine } from "./pdf-lines.ts";

/** A part of a page that is read from its top to its bottom. */
export interface PdfArea {
  /** `flow` is text whose paragraphs are still to be found; of a `table` each line is a row. The other kinds are what the file says of itself: one block each. */
  readonly kind: "flow" | "table" | "heading" | "paragraph" | "list" | "code" | "quote";
  readonly lines: readonly PdfLine[];
  /** Of a heading. */
  readonly level?: number;
  /** Of a table: how many rows its header has. */
  readonly headerRows?: number;
  /** What stands beside the text: footnotes, running titles, stamps. A sentence that goes on after it is not torn. */
  readonly aside?: boolean;
  /** Of a part of an area: the edges of the whole, which say where its lines could have ended. */
  readonly edges?: PdfEdges;
  /** Of a heading that the outline words: how. */
  readonly title?: string;
}

/** The left and the right end of the lines of a column. */
export interface PdfEdges {
  readonly x: number;
  readonly right: number;
}

export function edgesOf(lines: readonly PdfLine[]): PdfEdges {
  let [x, right] = [Infinity, -Infinity];
  for (const line of lines) {
    x = Math.min(x, line.x);
    right = Math.max(right, line.right);
  }
  return { x, right };
}
