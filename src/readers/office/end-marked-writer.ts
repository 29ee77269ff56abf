import type { Composition } from "../compose-document.ts";

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
}

/** Writes formats that mark the ends of paragraphs, cells and rows, and never their beginnings. */
export interface EndMarkedWriter {
  /** Text of the first paragraph in the style of titles. */
  readonly title: string;
  endParagraph(paragraph: EndedParagraph, isInTable: boolean): void;
  endCell(): void;
  endRow(isHeader: boolean): void;
  /** A note, to be written after the paragraph that it belongs to; returns its mark. */
  addNote(text: string): string;
  finish(): void;
}

/** **Shape** items of a list become one block, rows of a table another. A row ends a list, and a paragraph outside ends a table. */
export function createEndMarkedWriter(document: Composition): EndMarkedWriter {
  let title = "";
  let items: string[] = [];
  let cell: string[] = [];
  let cells: TableCell[] = [];
  let rows: TableCell[][] = [];
  let headers = 0;
  let notes: string[] = [];
  let noteCount = 0;

  const endItems = (): void => {
    document.write(items.join("\n"), { kind: "list" });
    items = [];
  };
  const endTable = (): void => {
    const { text, bodyStart } = writeTable(rows, headers === rows.length ? 0 : headers);
    document.write(text, { kind: "table", bodyStart });
    rows = [];
    headers = 0;
  };
  return {
    get title() {
      return title;
    },
    endParagraph({ text: given, label, level, isTitle }, isInTable) {
      const text = cleanText(given).trim();
      if (text === "") return;
      if (isInTable) {
        cell.push(label === "" ? text : `${label} ${text}`);
        return;
      }
      if (rows.length > 0) endTable();
      if (label !== "" && level === 0 && !isTitle) items.push(`${bulletOf(label)} ${text}`);
      else {
        endItems();
        if (isTitle && title === "") title = oneLine(text);
        if (level > 0 || isTitle) document.heading(label === "" ? text : `${label} ${text}`, level || 1);
        else document.write(text);
      }
      if (notes.length > 0) endItems();
      for (const note of notes) document.write(note);
      notes = [];
    },
    endCell() {
      cells.push({ text: cell.join(" ") });
      cell = [];
    },
    endRow(isHeader) {
      if (cells.length === 0) return;
      endItems();
      if (isHeader && headers === rows.length) headers++;
      rows.push(cells);
      cells = [];
    },
    addNote(given) {
      const text = oneLine(given);
      if (text === "") return "";
      const mark = `[^${++noteCount}]`;
      notes.push(`${mark}: ${text}`);
      return mark;
    },
    finish() {
      if (cell.length > 0) this.endCell();
      this.endRow(false);
      endItems();
      endTable();
      for (const note of notes) document.write(note);
      notes = [];
    },
  };
}

/** A sign of a font of signs is a bullet; numbers and letters stay. */
function bulletOf(label: string): string {
  return /[\p{L}\p{N}]/u.test(label) ? label : "-";
}
