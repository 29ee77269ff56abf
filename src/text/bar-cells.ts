/** Cells of a row of a table, `| a | b |`. **Shape** without white space around them. A bar behind a backslash does not end one. */
export function readBarCells(row: string): readonly string[] {
  const inner = row.trim().replace(/^\|/u, "").replace(/\|$/u, "");
  return inner.split(/(?<!\\)\|/u).map((cell) => cell.trim());
}

/** Names of the columns of a table by its header rows, from the top down. A name over several columns is each one's: a blank cell beside it has a name below. */
export function nameBarColumns(lines: readonly string[]): readonly string[] {
  const rows = lines.map(readBarCells);
  const width = Math.max(...rows.map(({ length }) => length));
  return Array.from({ length: width }, (_, column) =>
    rows
      .map((cells, row) => {
        const isGrouped = (rows[row + 1]?.[column] ?? "") !== "";
        return cells[column] || (isGrouped ? (cells.slice(0, column).findLast((name) => name !== "") ?? "") : "");
      })
      .filter((name) => name !== "")
      .join(" "),
  );
}
