import type { PdfLine } from "./pdf-lines.ts";

/** A part of a page that is read from its top to its bottom. */
export interface PdfArea {
  /** `flow` is text whose paragraphs are still to be found; of a `table` each line is a row. The other kinds are what the file says of itself: one block each. */
  readonly kind: "flow" | "table" | "heading" | "paragraph" | "list" | "code" | "quote";
  readonly lines: readonly PdfLine[];
  /** Level of a heading. */
  readonly level?: number;
  /** Number of header rows of a table. */
  readonly headerRows?: number;
  /** Text beside the body: footnotes, running titles, stamps. A sentence that continues after it stays whole. */
  readonly aside?: boolean;
  /** Edges of the whole area, for a part of it: they show where its lines could have ended. */
  readonly edges?: PdfEdges;
  /** Title of a heading in the words of the outline. */
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
