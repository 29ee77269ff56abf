import type { ReadInput } from "../../contracts/reader.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import type { CellKind, CellRow, MergedCells, Sheet, SheetCell, SheetComment } from "./workbook.ts";

/** Gathers what a sheet holds, in whatever order a file says it. */
export interface SheetBuilder {
  /** Adds a cell with a value; a blank text has none. A second cell in one place replaces the first. **Units** from 1. */
  addCell(row: number, column: number, text: string, kind: CellKind): void;
  /** Adds cells shown as one; a single cell adds nothing. */
  addMerge(merge: MergedCells): void;
  /** Adds a note or a comment at a cell; a blank one adds nothing. A name of its author before the text goes, as Excel writes it. **Units** from 1. */
  addComment(row: number, column: number, author: string, text: string): void;
  finish(): Sheet;
}

/**
 * Begins sheets of one workbook, which share its limits.
 *
 * **Errors** `too-large` beyond `maxCells` cells, merged cells and comments, `maxTextLength` of their texts, or `maxPages` sheets. **Cost** for cells that hold something, wherever they stand.
 */
export function createSheetBuilders({
  uri,
  limits,
}: Pick<ReadInput, "uri" | "limits">): (name: string, hidden: boolean) => SheetBuilder {
  const { maxCells, maxPages, maxTextLength } = limitsOf(limits === undefined ? {} : { limits });
  let sheets = 0;
  let held = 0;
  let written = 0;
  // Thousands of cells may share one long text of the file: what they write is counted before it is kept.
  const count = (text = ""): void => {
    held += 1;
    written += text.length;
    if (held > maxCells) throw overLimit(uri, "maxCells", maxCells);
    if (written > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength);
  };

  return (name, hidden) => {
    sheets += 1;
    if (sheets > maxPages) throw overLimit(uri, "maxPages", maxPages);
    const rows = new Map<number, SheetCell[]>();
    const merges: MergedCells[] = [];
    const comments: SheetComment[] = [];
    return {
      addCell(row, column, text, kind) {
        const line = cleanCell(text);
        if (line === "") return;
        count(line);
        const cell: SheetCell = { column, text: line, kind };
        const cells = rows.get(row);
        if (cells === undefined) rows.set(row, [cell]);
        else cells.push(cell);
      },
      addMerge(merge) {
        if (merge.lastRow <= merge.firstRow && merge.lastColumn <= merge.firstColumn) return;
        count();
        merges.push(merge);
      },
      addComment(row, column, author, text) {
        const name = cleanCell(author);
        const line = cleanCell(text);
        const said = name !== "" && line.startsWith(`${name}:`) ? line.slice(name.length + 1).trim() : line;
        if (said === "") return;
        count(said);
        comments.push({ row, column, author: name, text: said });
      },
      finish: () => ({
        name: cleanCell(name) || `Sheet ${sheets}`,
        hidden,
        rows: [...rows].sort(([a], [b]) => a - b).map(([row, cells]): CellRow => ({ row, cells: inOrder(cells) })),
        merges,
        comments: comments.toSorted((a, b) => a.row - b.row || a.column - b.column),
      }),
    };
  };
}

/** By column; files say them so but for hostile ones. */
function inOrder(cells: readonly SheetCell[]): readonly SheetCell[] {
  const isInOrder = cells.every(({ column }, i) => i === 0 || column > (cells[i - 1]?.column ?? 0));
  if (isInOrder) return cells;
  return [...new Map(cells.map((cell) => [cell.column, cell])).values()].sort((a, b) => a.column - b.column);
}

/** A cell's text on one line, without characters that nobody sees. */
function cleanCell(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- control characters are what is to be taken out
      .replace(/[\u0000-\u0008\u000E-\u001F\u007F\u00AD\u200B\u2060\uFEFF]/gu, "")
      .toWellFormed()
      .replace(/\s+/gu, " ")
      .trim()
  );
}
