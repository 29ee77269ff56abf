import { oneLine } from "./clean-text.ts";

/** A cell of a table. */
export interface TableCell {
  readonly text: string;
  /** How many columns it takes. */
  readonly columns?: number;
}

/** A table as lines, and where in them its rows begin that are no header. */
export interface TableText {
  readonly text: string;
  readonly bodyStart: number;
}

/** Columns that one wide cell may fill: a file cannot ask for more than it pays for. */
const maxColumns = 64;

/**
 * Rows of a table as lines, `| a | b |`, each cell on one line.
 *
 * A cell that spans columns or rows has its text in its first place and leaves the others blank. So columns stay in
 * line, and no word counts twice. Rows without any text are left out.
 *
 * **Shape** `headerRows` counts among the rows that were given.
 */
export function writeTable(rows: readonly (readonly TableCell[])[], headerRows: number): TableText {
  const lines: string[] = [];
  let bodyStart = 0;
  for (const [index, row] of rows.entries()) {
    const cells = row.flatMap(({ text, columns = 1 }) => [
      oneLine(text),
      ...Array.from({ length: Math.min(Math.max(columns, 1), maxColumns) - 1 }, () => ""),
    ]);
    if (cells.every((cell) => cell === "")) continue;
    const line = `| ${cells.join(" | ")} |`;
    lines.push(line);
    if (index < headerRows) bodyStart += line.length + 1;
  }
  const text = lines.join("\n");
  return { text, bodyStart: Math.min(bodyStart, text.length) };
}
