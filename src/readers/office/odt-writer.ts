import type { Composition } from "../compose-document.ts";

import { type CellShape, isFlowCell, isLayout } from "../flow-cell.ts";
import { createSetHeadings, type SetHeadings } from "../set-headings.ts";
import { oneLine } from "./clean-text.ts";
import { type OdfObjects, readObject } from "./odf-objects.ts";
import { formatNumber } from "./number-label.ts";
import { type OdtInline, type OdtNote, paragraphsBelow, readOdtInline } from "./odt-inline.ts";
import { kindOfStyle, labelOfHeading, labelOfItem, listOfStyle, type OdtStyles, startOfList } from "./odt-styles.ts";
import { elementsOf, findAll, textOf, type XmlElement } from "./read-xml.ts";
import { type TableCell, writeTable } from "./table-text.ts";

/** Writes the body of an OpenDocument text, element by element. */
export interface OdtWriter {
  /** Text of the first paragraph in the style of titles. */
  readonly title: string;
  write(element: XmlElement): void;
  /** Writes what is still to come: code, endnotes. */
  finish(): void;
}

/** Elements that hold paragraphs and tables and mean nothing by themselves. */
const wrappers = new Set([
  "section",
  "text-box",
  "custom-shape",
  "rect",
  "list-header",
  "numbered-paragraph",
  "soft-page-break",
  "bibliography",
  "index-body",
  "index-title",
]);
/** Elements whose paragraphs lead to other places of the document. */
const listings = new Set(["table-of-content", "illustration-index", "table-index", "alphabetical-index"]);
/** A row or cell says how often it is repeated; sheets pasted into texts say so of thousands of blank ones. */
const maxRepeated = 64;

/**
 * The body of an OpenDocument text into a composition, as Word's is written.
 *
 * **Source** OASIS OpenDocument 1.3, part 3: 5 (paragraphs, lists), 9 (tables).
 */
export function createOdtWriter(
  document: Composition,
  styles: OdtStyles,
  objects: OdfObjects,
  setHeadings: SetHeadings = createSetHeadings(),
): OdtWriter {
  let title = "";
  let code: string[] = [];
  let isContents = false;
  const counted = { footnote: 0, endnote: 0 };
  let endnotes: OdtNote[] = [];
  /** The last counters of lists, for those that go on counting. */
  const counters = new Map<string, number[]>();
  const headings = new Map<string, number[]>();
  const countersOf = (list: string): number[] => {
    const own = headings.get(list) ?? [];
    headings.set(list, own);
    return own;
  };
  const nextMark = (isEndnote: boolean): string =>
    `[^${isEndnote ? formatNumber(++counted.endnote, "lowerRoman") : String(++counted.footnote)}]`;
  const read = (paragraph: XmlElement): OdtInline => readOdtInline(paragraph, styles, objects, nextMark);

  const settle = (): void => {
    document.write(code.join("\n"), { kind: "code" });
    code = [];
  };
  const writeNote = ({ mark, body }: OdtNote): void => {
    const paragraphs = paragraphsBelow(body).map(read);
    const text = paragraphs
      .map((paragraph) => paragraph.text)
      .join("\n")
      .trim();
    if (text !== "") document.write(`${mark}: ${text}`);
    for (const inner of paragraphs) writeHanging(inner);
  };
  const writeHanging = ({ notes, boxes, graphics }: Omit<OdtInline, "text" | "setting">): void => {
    for (const { text, block } of graphics) document.write(text, block);
    for (const note of notes) {
      if (note.isEndnote) endnotes.push(note);
      else writeNote(note);
    }
    for (const box of boxes) elementsOf(box).forEach(write);
  };
  /** `number` is that of the item in which a heading stands. */
  const writeParagraph = (paragraph: XmlElement, number = ""): void => {
    const inline = read(paragraph);
    const kind = kindOfStyle(styles, paragraph.attributes.get("style-name"));
    const level = paragraph.name === "h" ? Number(paragraph.attributes.get("outline-level") ?? "1") || 1 : 0;
    if (level === 0 && kind === "code") {
      code.push(inline.text);
      if (inline.notes.length + inline.boxes.length + inline.graphics.length === 0) return;
      settle();
    } else {
      settle();
      if (kind === "title" && title === "") title = oneLine(inline.text);
      const isCounted = level > 0 && number === "" && inline.text.trim() !== "";
      const label = isCounted ? labelOfHeading(styles, paragraph, level, countersOf) : number;
      if (level > 0 || kind === "title") document.heading(`${label}${inline.text}`, level || 1);
      else {
        if (kind === "paragraph" && !isContents) setHeadings.add(document.position, inline.text, inline.setting);
        document.write(inline.text, {
          kind: kind === "quote" ? "quote" : "paragraph",
          ...(isContents && { role: "contents" as const }),
        });
      }
    }
    writeHanging(inline);
  };
  /** Items as lines; headings and tables in a list end it. */
  const writeList = (list: XmlElement): void => {
    settle();
    let lines: string[] = [];
    let hanging: OdtInline[] = [];
    const end = (): void => {
      document.write(lines.join("\n"), { kind: "list" });
      const waiting = hanging;
      lines = [];
      hanging = [];
      for (const inline of waiting) writeHanging(inline);
    };
    const readList = (element: XmlElement, outer: readonly number[], inherited: string | undefined): void => {
      const stated = element.attributes.get("style-name") ?? inherited;
      const [first] = paragraphsBelow(element);
      const style = stated ?? listOfStyle(styles, first?.attributes.get("style-name"));
      const key = `${style ?? ""} ${outer.length}`;
      const goesOn = element.attributes.get("continue-numbering") === "true" || element.attributes.has("continue-list");
      let value = (goesOn ? counters.get(key)?.at(-1) : undefined) ?? startOfList(styles, style, outer.length) - 1;
      for (const item of elementsOf(element)) {
        if (item.name !== "list-item" && item.name !== "list-header") continue;
        value = Number(item.attributes.get("start-value")) || value + (item.name === "list-item" ? 1 : 0);
        const own = [...outer, value];
        counters.set(key, own);
        let label = item.name === "list-item" ? labelOfItem(styles, style, own) : "";
        for (const child of elementsOf(item)) {
          if (child.name === "list") readList(child, own, style);
          else if (child.name === "p") {
            const inline = read(child);
            const indent = "  ".repeat(outer.length);
            if (inline.text.trim() !== "") {
              lines.push(
                `${indent}${label === "" ? "  " : label}${inline.text.trim().replaceAll("\n", `\n${indent}  `)}`,
              );
              label = "";
            }
            hanging.push(inline);
          } else {
            end();
            if (child.name === "h") {
              writeParagraph(child, label === "- " ? "" : label);
              label = "";
            } else write(child);
          }
        }
      }
    };
    readList(list, [], undefined);
    end();
  };
  const writeTableElement = (table: XmlElement): void => {
    settle();
    const headerRows = findAll(table, "table-header-rows").flatMap(rowsOf);
    const rows = rowsOf(table);
    const cellsOf = (row: XmlElement): XmlElement[] =>
      elementsOf(row).filter(({ name }) => name === "table-cell" || name === "covered-table-cell");
    const isOne = rows.length === 1 && cellsOf(rows[0]!).length === 1;
    const hasNames = headerRows.length > 0;
    const isFrame = isOne || (!hasNames && rows.length <= 2 && isLayout(rows.map((row) => cellsOf(row).map(shapeOf))));
    const hanging: OdtInline[] = [];
    let pending: TableCell[][] = [];
    let headers = 0;
    const end = (): void => {
      const { text, bodyStart } = writeTable(pending, headers);
      document.write(text, { kind: "table", bodyStart });
      pending = [];
      headers = 0;
    };
    for (const row of rows) {
      const cells = cellsOf(row);
      if (isFrame || cells.some((cell) => findAll(cell, "table").length > 0 || isFlowCell(shapeOf(cell), hasNames))) {
        end();
        for (const cell of cells) elementsOf(cell).forEach(write);
        continue;
      }
      const line = cells.flatMap((cell): TableCell[] => {
        const inlines = cell.name === "table-cell" ? paragraphsBelow(cell).map(read) : [];
        hanging.push(...inlines);
        const text = inlines.map((inline) => inline.text).join(" ");
        const repeated = Number(cell.attributes.get("number-columns-repeated") ?? "1") || 1;
        return Array.from({ length: Math.min(Math.max(repeated, 1), maxRepeated) }, () => ({ text }));
      });
      if (headerRows.includes(row)) headers++;
      pending.push(line);
    }
    end();
    for (const inline of hanging) writeHanging(inline);
  };
  const write = (element: XmlElement): void => {
    if (element.name === "p" || element.name === "h") writeParagraph(element);
    else if (element.name === "list") writeList(element);
    else if (element.name === "table") writeTableElement(element);
    else if (element.name === "frame")
      writeHanging({ notes: [], boxes: findAll(element, "text-box"), graphics: readObject(element, objects) });
    else if (wrappers.has(element.name)) elementsOf(element).forEach(write);
    else if (listings.has(element.name)) {
      isContents = true;
      elementsOf(element).forEach(write);
      isContents = false;
    }
  };

  return {
    get title() {
      return title;
    },
    write,
    finish() {
      settle();
      const waiting = endnotes;
      endnotes = [];
      waiting.forEach(writeNote);
    },
  };
}

function shapeOf(cell: XmlElement): CellShape {
  const paragraphs = paragraphsBelow(cell).map((paragraph) => ({
    name: paragraph.name,
    text: textOf(paragraph).trim(),
  }));
  const written = paragraphs.filter(({ text }) => text !== "");
  return {
    length: written.reduce((sum, { text }) => sum + text.length, 0),
    paragraphs: written.length,
    hasHeading: written.some(({ name }) => name === "h"),
  };
}

function rowsOf(element: XmlElement): XmlElement[] {
  return elementsOf(element).flatMap((child) => {
    if (child.name === "table-row") return [child];
    return /^table-(?:header-rows|rows|row-group)$/.test(child.name) ? rowsOf(child) : [];
  });
}
