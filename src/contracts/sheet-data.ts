/**
 * A table as a sheet has it: names of columns, and rows that know where they stand.
 *
 * **Source** ToolUp `SheetData`.
 *
 * @experimental
 */
export interface SheetData {
  readonly sheetName: string;
  readonly headers: readonly string[];
  readonly rows: readonly SheetRow[];
}

/**
 * A row of {@link SheetData}.
 *
 * @experimental
 */
export interface SheetRow {
  /** The row's number in its sheet, from 1: under a header in row 1, the first is 2. */
  readonly sourceIndex: number;
  /** In the order of the headers. A cell that is missing is empty. */
  readonly values: readonly string[];
}
