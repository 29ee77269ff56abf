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

/**
 * Whether a table lays out a page by the shape of its rows.
 *
 * **Shape** one row, or two with a long cell. No row has single paragraphs alone in two cells or more.
 * **Source** our own choice: columns of data have a row that is plain, the one with their names if no other.
 */
export function isLayout(rows: readonly (readonly CellShape[])[]): boolean {
  const isPlain = (row: readonly CellShape[]): boolean => {
    const filled = row.filter(({ paragraphs }) => paragraphs > 0);
    return filled.length >= 2 && filled.every(({ paragraphs }) => paragraphs === 1);
  };
  const isText = ({ length, paragraphs }: CellShape): boolean =>
    paragraphs >= 2 && (rows.length === 1 || length > longestName);
  return rows.length <= 2 && !rows.some(isPlain) && rows.flat().some(isText);
}

/** Whether the cells of a row are short enough to be names of columns. */
export function canName(row: readonly CellShape[]): boolean {
  return row.every(({ length, paragraphs, hasHeading }) => !hasHeading && paragraphs <= 2 && length <= longestName);
}

/** A cell of two paragraphs and no more characters may be a name, or an address. **Units** UTF-16 code units. */
const longestName = 300;
