import type { Block } from "../../contracts/document.ts";

import { collectLine } from "./collect-text.ts";
import { type CellShape, isFlowCell, isLayout } from "../flow-cell.ts";
import { apart, isHeading, ownLine } from "./html-elements.ts";
import type { HtmlEvent, OpenEvent } from "./html-events.ts";
import type { Break, Link, TextWriter } from "./text-writer.ts";

/** Writes the rows of one table. */
export interface TableWriter {
  /** Tables inside its cells, by the index of their open events: to be written after it. */
  readonly nested: readonly number[];
  /** Rows up to the event at `end` are in the table's head. */
  enterHead(end: number): void;
  /** Writes the row as a line; `false` when it holds more than text and must be read cell by cell. */
  writeRow(
    index: number,
    row: OpenEvent,
    writer: TextWriter,
    kind: Block["kind"],
    breakBefore: (strength: Break) => void,
    prefix: () => string,
  ): boolean;
}

/** Columns that blank cells of wide and tall cells may fill: a page cannot ask for more than it pays for. */
const maxBlankColumns = 64;

/**
 * Rows of a table as lines.
 *
 * A cell that spans columns or rows has its text in its first place and leaves the others blank. So columns stay in
 * line, and no word counts twice. Rows before the first one with a data cell are the header: rows in `thead`, or of
 * `th` alone.
 *
 * A table in a cell of a table of data is written after it, so that both stay whole. A table without a plain row of two cells with text is a frame
 * around its content, and is read cell by cell.
 *
 * **Cost** linear in the events of the table, without those of the tables in it.
 */
export function createTableWriter(events: readonly HtmlEvent[], index: number, table: OpenEvent): TableWriter {
  const hasNames = holdsTag(events, index, table, "th");
  const isFrame =
    /^(?:presentation|none)$/.test(table.attributes.get("role") ?? "") ||
    (!hasNames && isLayout(shapesOf(events, index, table)));
  const keepsWhole = !isFrame && hasPlainRow(events, index, table);
  const nested: number[] = [];
  /** For each column, how many further rows the cell above reaches into. */
  let reach: number[] = [];
  let headerRows = 0;
  let bodyBegan = false;
  let headEnd = -1;

  return {
    nested,
    enterHead(end) {
      headEnd = end;
    },
    writeRow(index, row, writer, kind, breakBefore, prefix) {
      if (isFrame || holdsFlow(events, index, row, keepsWhole, hasNames)) {
        reach = [];
        return false;
      }
      const cells: string[] = [];
      const links: Link[] = [];
      /** Where the cell begins in the line, after its mark. */
      let cellStart = 2;
      const nextReach: number[] = [];
      let at = -1;
      let dataCells = 0;
      const skipTaken = (): void => {
        while ((reach[cells.length] ?? 0) > 0 && cells.length < maxBlankColumns) {
          nextReach[cells.length] = (reach[cells.length] ?? 0) - 1;
          cells.push("");
          cellStart += 3;
        }
      };
      for (let inner = index + 1; inner < row.close; inner++) {
        const event = events[inner];
        if (event?.type !== "open") continue;
        if (event.dropped) {
          inner = event.close;
          continue;
        }
        if (event.tag !== "td" && event.tag !== "th") continue;
        listTables(events, inner, event.close, nested);
        skipTaken();
        if (event.tag === "td") dataCells++;
        const cell = collectLine(events, inner, event.close);
        if (at === -1 && cell.text !== "") at = cell.at;
        const rows = readSpan(event, "rowspan") - 1;
        if (rows > 0) nextReach[cells.length] = rows;
        cells.push(cell.text);
        for (const { start, end, url } of cell.links)
          links.push({ start: cellStart + start, end: cellStart + end, url });
        cellStart += cell.text.length + 3;
        for (let column = 1; column < readSpan(event, "colspan") && cells.length < maxBlankColumns; column++) {
          if (rows > 0) nextReach[cells.length] = rows;
          cells.push("");
          cellStart += 3;
        }
        inner = event.close;
      }
      skipTaken();
      reach = nextReach;
      const isHeader = index < headEnd || dataCells === 0;
      if (at === -1) return true;

      breakBefore(1);
      const before = writer.length;
      const written = writer.writeWhole(
        `| ${cells.join(" | ")} |`,
        kind === "paragraph" ? "table" : kind,
        [{ offset: 0, at }],
        prefix,
        links,
      );
      // A blank line or another kind of text in between began a new block, whose first row is no header.
      const continues = written.start - before <= 1;
      if (!continues && headerRows > 0) bodyBegan = true;
      if (kind === "paragraph") {
        if (isHeader && !bodyBegan) {
          headerRows++;
          writer.describeBlock({ bodyStart: written.end });
        } else if (!bodyBegan || !continues) {
          bodyBegan = true;
          writer.describeBlock({ bodyStart: written.start });
        }
      }
      breakBefore(1);
      return true;
    },
  };
}

/**
 * Whether a row holds a heading, preformatted text, or a table that cannot stand after this one. None of them fits on
 * one line of a table.
 */
function holdsFlow(
  events: readonly HtmlEvent[],
  index: number,
  row: OpenEvent,
  keepsWhole: boolean,
  hasNames: boolean,
): boolean {
  let shape = { length: 0, paragraphs: 0, hasHeading: false };
  for (let inner = index + 1; inner < row.close; inner++) {
    const event = events[inner];
    if (event?.type === "text") shape.length += event.text.trim().length;
    if (event?.type !== "open") continue;
    if (event.dropped) inner = event.close;
    else if (event.tag === "table") {
      if (!keepsWhole) return true;
      inner = event.close;
    } else if (isHeading(event.tag) || event.tag === "pre") return true;
    else if (event.tag === "td" || event.tag === "th") {
      if (isFlowCell(shape, hasNames)) return true;
      shape = { length: 0, paragraphs: 0, hasHeading: false };
    } else if (apart.has(event.tag) || ownLine.has(event.tag)) shape.paragraphs++;
  }
  return isFlowCell(shape, hasNames);
}

/** The cells of a table by row, of the first three: more rows are no layout. Tables in it are left out. */
function shapesOf(events: readonly HtmlEvent[], index: number, table: OpenEvent): readonly (readonly CellShape[])[] {
  const rows: CellShape[][] = [];
  let shape = { length: 0, paragraphs: 0, hasHeading: false };
  let isNew = true;
  for (let inner = index + 1; inner < table.close; inner++) {
    const event = events[inner];
    if (event?.type === "text") {
      const { length } = event.text.trim();
      if (length > 0 && isNew) shape.paragraphs++;
      if (length > 0) isNew = false;
      shape.length += length;
      continue;
    }
    if (event === undefined) continue;
    const { tag } = event;
    if (apart.has(tag) || ownLine.has(tag)) isNew = true;
    if (event.type === "close") continue;
    if (tag === "tr" && rows.push([]) > 2) break;
    if (tag === "td") {
      shape = { length: 0, paragraphs: 0, hasHeading: false };
      rows.at(-1)?.push(shape);
      isNew = true;
    } else if (isHeading(tag)) shape.hasHeading = true;
    if (event.dropped || tag === "table") inner = event.close;
  }
  return rows;
}

function holdsTag(events: readonly HtmlEvent[], index: number, table: OpenEvent, tag: string): boolean {
  for (let inner = index + 1; inner < table.close; inner++) {
    const event = events[inner];
    if (event?.type !== "open") continue;
    if (event.tag === tag) return true;
    if (event.tag === "table" || event.dropped) inner = event.close;
  }
  return false;
}

/** Whether a table has a row of two cells or more that hold text, and nothing else. */
function hasPlainRow(events: readonly HtmlEvent[], index: number, table: OpenEvent): boolean {
  let filled = 0;
  let isPlain = true;
  let cellHasText = false;
  for (let inner = index + 1; inner < table.close; inner++) {
    const event = events[inner];
    if (event?.type === "text") cellHasText ||= event.text.trim() !== "";
    else if (event?.type === "open") {
      if (event.tag === "tr") [filled, isPlain] = [0, true];
      else if (event.tag === "td" || event.tag === "th") cellHasText = false;
      else if (event.tag === "table" || isHeading(event.tag) || event.tag === "pre") isPlain = false;
      if (event.dropped || event.tag === "table") inner = event.close;
    } else if (event?.tag === "td" || event?.tag === "th") {
      if (cellHasText) filled++;
    } else if (event?.tag === "tr" && isPlain && filled >= 2) return true;
  }
  return false;
}

/** The outermost tables between two events. */
function listTables(events: readonly HtmlEvent[], open: number, close: number, found: number[]): void {
  for (let inner = open + 1; inner < close; inner++) {
    const event = events[inner];
    if (event?.type !== "open") continue;
    if (event.tag === "table" && !event.dropped) found.push(inner);
    if (event.tag === "table" || event.dropped) inner = event.close;
  }
}

function readSpan({ attributes }: OpenEvent, name: "colspan" | "rowspan"): number {
  const value = Number(attributes.get(name) ?? "1");
  return Number.isInteger(value) && value > 1 ? Math.min(value, 65_534) : 1;
}
