import type { Composition } from "../compose-document.ts";
import { type CellShape, isFlowCell, isLayout } from "../flow-cell.ts";

import type { SetHeadings, Setting } from "../set-headings.ts";
import { cleanText, oneLine } from "./clean-text.ts";
import { type TableCell, writeTable } from "./table-text.ts";

/** A paragraph, as it is when its end is reached. */
export interface EndedParagraph {
  readonly text: string;
  /** Number or bullet before it; `""` for none. */
  readonly label: string;
  /** Level of a heading; 0 for text. */
  readonly level: number;
  readonly isTitle: boolean;
  readonly setting?: Setting;
}

/**
 * Writes formats that mark the ends of paragraphs, cells and rows, and never their beginnings.
 *
 * **Units** `depth` counts the tables that something lies in: 0 outside of tables, 2 in a table in a cell.
 */
export interface EndMarkedWriter {
  /** Text of the first paragraph in the style of titles. */
  readonly title: string;
  endParagraph(paragraph: EndedParagraph, depth: number): void;
  endCell(depth: number): void;
  endRow(isHeader: boolean, depth: number): void;
  /** A note, to be written after the paragraph that it belongs to; returns its mark. */
  addNote(text: string): string;
  finish(): void;
}

interface Row {
  readonly cells: readonly (readonly CellPiece[])[];
  readonly isHeader: boolean;
}

/** A paragraph of a cell, or a table in it. */
type CellPiece = EndedParagraph | readonly Row[];

/** A table as far as it has come. */
interface OpenTable {
  cell: CellPiece[];
  cells: CellPiece[][];
  rows: Row[];
}

/** Tables within tables; nobody writes thirty. */
const maxDepth = 32;

/**
 * **Shape** items of a list become one block, rows of a table another. A row ends a list. A paragraph outside ends a table, also a blank one. A table of one cell, and rows whose
 * cells hold running text or tables, are read cell by cell, as in Word documents of today.
 */
export function createEndMarkedWriter(document: Composition, setHeadings: SetHeadings): EndMarkedWriter {
  let title = "";
  let items: string[] = [];
  /** From the outermost table to the innermost. */
  const open: OpenTable[] = [];
  let notes: string[] = [];
  let noteCount = 0;

  const endItems = (): void => {
    document.write(items.join("\n"), { kind: "list" });
    items = [];
  };
  const write = ({ text, label, level, isTitle, setting }: EndedParagraph): void => {
    if (label !== "" && level === 0 && !isTitle) {
      items.push(`${bulletOf(label)} ${text}`);
      return;
    }
    endItems();
    if (isTitle && title === "") title = oneLine(text);
    if (level > 0 || isTitle) document.heading(label === "" ? text : `${label} ${text}`, level || 1);
    else {
      if (setting !== undefined) setHeadings.add(document.position, text, setting);
      document.write(text);
    }
  };
  const writePiece = (piece: CellPiece): void => {
    if ("text" in piece) write(piece);
    else writeRows(piece);
  };
  const writeRows = (rows: readonly Row[]): void => {
    endItems();
    const hasNames = rows[0]?.isHeader === true && rows.some(({ isHeader }) => !isHeader);
    const isOne = rows.length === 1 && rows[0]?.cells.length === 1;
    const isFrame = isOne || (!hasNames && isLayout(rows.map(({ cells }) => cells.map(shapeOf))));
    let pending: Row[] = [];
    const flush = (): void => {
      const body = pending.findIndex(({ isHeader }) => !isHeader);
      const { text, bodyStart } = writeTable(
        pending.map(({ cells }) => cells.map(cellOf)),
        Math.max(0, body),
      );
      document.write(text, { kind: "table", bodyStart });
      pending = [];
    };
    for (const row of rows) {
      if (!isFrame && !row.cells.some((cell) => isFlow(cell, hasNames))) {
        pending.push(row);
        continue;
      }
      flush();
      row.cells.flat().forEach(writePiece);
      endItems();
    }
    flush();
  };
  const endCell = (table: OpenTable): void => {
    table.cells.push(table.cell);
    table.cell = [];
  };
  const endRow = (table: OpenTable, isHeader: boolean): void => {
    if (table.cells.length === 0) return;
    table.rows.push({ cells: table.cells, isHeader: isHeader && table.rows.every((row) => row.isHeader) });
    table.cells = [];
  };
  /** Ends the tables below a depth: each belongs to the cell around it. */
  const endTables = (depth: number): void => {
    while (open.length > depth) {
      const table = open.pop()!;
      if (table.cell.length > 0) endCell(table);
      endRow(table, false);
      const around = open.at(-1);
      if (around === undefined) writeRows(table.rows);
      else if (table.rows.length > 0) around.cell.push(table.rows);
    }
  };
  const tableAt = (given: number): OpenTable => {
    const depth = Math.min(Math.max(1, given), maxDepth);
    endTables(depth);
    while (open.length < depth) open.push({ cell: [], cells: [], rows: [] });
    return open.at(-1)!;
  };
  return {
    get title() {
      return title;
    },
    endParagraph({ text: given, ...paragraph }, depth) {
      const text = cleanText(given).trim();
      if (text === "") {
        if (depth === 0) endTables(0);
        return;
      }
      if (depth > 0) {
        tableAt(depth).cell.push({ ...paragraph, text });
        return;
      }
      endTables(0);
      write({ ...paragraph, text });
      if (notes.length > 0) endItems();
      for (const note of notes) document.write(note);
      notes = [];
    },
    endCell: (depth) => endCell(tableAt(depth)),
    endRow: (isHeader, depth) => endRow(tableAt(depth), isHeader),
    addNote(given) {
      const text = oneLine(given);
      if (text === "") return "";
      const mark = `[^${++noteCount}]`;
      notes.push(`${mark}: ${text}`);
      return mark;
    },
    finish() {
      endTables(0);
      endItems();
      for (const note of notes) document.write(note);
      notes = [];
    },
  };
}

function cellOf(cell: readonly CellPiece[]): TableCell {
  const paragraphs = cell.filter((piece): piece is EndedParagraph => "text" in piece);
  return { text: paragraphs.map(({ text, label }) => (label === "" ? text : `${label} ${text}`)).join(" ") };
}

function shapeOf(cell: readonly CellPiece[]): CellShape {
  const paragraphs = cell.filter((piece): piece is EndedParagraph => "text" in piece);
  return {
    length: paragraphs.reduce((sum, { text }) => sum + text.length, 0),
    paragraphs: paragraphs.length,
    hasHeading: paragraphs.some(({ level }) => level > 0),
  };
}

function isFlow(cell: readonly CellPiece[], hasNames: boolean): boolean {
  return cell.some((piece) => !("text" in piece)) || isFlowCell(shapeOf(cell), hasNames);
}

/** A sign of a font of signs is a bullet; numbers and letters stay. */
function bulletOf(label: string): string {
  return /[\p{L}\p{N}]/u.test(label) ? label : "-";
}
