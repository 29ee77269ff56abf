/** Facts about a cell of a table that decide how it is read. */
export interface CellShape {
  /** **Units** UTF-16 code units. */
  readonly length: number;
  /** Paragraphs and items with text. */
  readonly paragraphs: number;
  readonly hasHeading: boolean;
}

/** Lengths from which on a cell is running text: with several paragraphs, in one, and in a table whose columns have names. */
const longest = { inParagraphs: 600, inOne: 1500, named: 4000 };

/**
 * Whether a cell holds running text, so that its table lays out a page: such rows are read cell by cell.
 *
 * **Source** our own choice: a paragraph of 1,500 characters is more than two chunks hold.
 */
export function isFlowCell({ length, paragraphs, hasHeading }: CellShape, hasNames: boolean): boolean {
  if (hasNames) return length > longest.named;
  return hasHeading || length > longest.inOne || (paragraphs >= 2 && length > longest.inParagraphs);
}
