import type { LengthFunction } from "../contracts/chunker.ts";

/** A row of a sheet, written out. */
export interface WrittenRow {
  /** Its number in the sheet, from 1. */
  readonly number: number;
  readonly text: string;
}

/** Text above the rows of each chunk. */
export interface RowsHeader {
  readonly sheetName: string;
  /** Rows of the table, its header apart. */
  readonly total: number;
  /** Names of the columns, and what else every chunk repeats. */
  readonly lines: readonly string[];
}

/** Rows that make a chunk, with its text. */
export interface RowGroup<T extends WrittenRow> {
  readonly rows: readonly T[];
  readonly text: string;
}

/**
 * As many rows at a time as fit under the header, lazily.
 *
 * **Shape** `first` are lines that stand before the rows of the first group only. A row that does not fit by itself is a group by itself.
 * **Cost** linear for lengths that grow with their text; a few calls of `length` per group more for others.
 * **Source** ToolUp `chunkSpreadsheet`.
 */
export function* packRows<T extends WrittenRow>(
  rows: Iterable<T>,
  { sheetName, total, lines }: RowsHeader,
  maxSize: number,
  length: LengthFunction,
  first: readonly string[] = [],
): Generator<RowGroup<T>, undefined> {
  let group: T[] = [];
  let extra = first;
  let bound = 0;
  const write = (next?: T): string => {
    const some = next === undefined ? group : [...group, next];
    const rowsSaid = `rows ${some[0]?.number ?? 0}–${some.at(-1)?.number ?? 0} of ${total}`;
    return [`Sheet "${sheetName}", ${rowsSaid}`, ...lines, ...extra, ...some.map(({ text }) => text)].join("\n");
  };
  for (const row of rows) {
    // The length is at most that of the parts, plus one for each seam; the number of the last row may grow by a digit.
    let grown = bound + length(row.text) + length("\n") + 2;
    if (group.length > 0 && grown > maxSize) grown = length(write(row));
    if (group.length > 0 && grown > maxSize) {
      yield { rows: group, text: write() };
      group = [];
      extra = [];
    }
    bound = group.length === 0 ? length(write(row)) : grown;
    group.push(row);
  }
  if (group.length > 0) yield { rows: group, text: write() };
  return undefined;
}
