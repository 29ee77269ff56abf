import type { TextPiece } from "../office/graphic-text.ts";

/** Kind of a cell's value. An error such as `#N/A` is text. */
export type CellKind = "text" | "number" | "date" | "boolean";

/** A cell that holds something. */
export interface SheetCell {
  /** From 1. */
  readonly column: number;
  /** As a person reads it, on one line, never blank. */
  readonly text: string;
  readonly kind: CellKind;
}

/** A row with the cells in it that hold something, by column. */
export interface CellRow {
  /** From 1. */
  readonly row: number;
  readonly cells: readonly SheetCell[];
}

/** Cells that are shown as one. **Units** rows and columns from 1, both ends included. */
export interface MergedCells {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** A note or a comment at a cell. */
export interface SheetComment {
  /** From 1. */
  readonly row: number;
  readonly column: number;
  /** `""` for one that nobody signed. */
  readonly author: string;
  /** On one line, never blank. */
  readonly text: string;
}

/** A text that is drawn on a sheet, with the cell where it begins. */
export interface SheetText extends TextPiece {
  /** From 1. */
  readonly row: number;
  readonly column: number;
}

/** A sheet, as far as it holds something: rows without cells cost nothing. */
export interface Sheet {
  readonly name: string;
  /** Hidden until a reader of the workbook unhides it. */
  readonly hidden: boolean;
  /** By row; no row is empty. */
  readonly rows: readonly CellRow[];
  readonly merges: readonly MergedCells[];
  /** By row, then by column; a thread in its order. */
  readonly comments: readonly SheetComment[];
  /** In the order of the drawing. Absent where nothing is drawn. */
  readonly texts?: readonly SheetText[];
}
