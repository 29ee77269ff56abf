import type { ReadResult } from "../../contracts/reader.ts";
import type { Composition } from "../compose-document.ts";

import { canName, type CellShape, isFlowCell, isLayout } from "../flow-cell.ts";
import { createSetHeadings, type SetHeadings, type Setting } from "../set-headings.ts";
import { cleanText, oneLine } from "./clean-text.ts";
import { createInlineReader, type NoteMark } from "./docx-inline.ts";
import type { DocxNumbering } from "./docx-numbering.ts";
import { type DocxStyles, type ParagraphStyle, readOutlineLevel } from "./docx-styles.ts";
import { type GraphicText, writeGraphic } from "./graphic-text.ts";
import { formatNumber } from "./number-label.ts";
import { type XmlElement, alternativesOf, elementsOf, findAll, findChild, isOn, textOf, valueOf } from "./read-xml.ts";
import { type TableCell, writeTable } from "./table-text.ts";

/** Parts of a document besides its body. */
export interface DocxParts {
  readonly styles: DocxStyles;
  readonly numbering: DocxNumbering;
  /** By kind and id: `footnote 2`. */
  readonly notes: ReadonlyMap<string, XmlElement>;
  /** Charts and diagrams by the id of their relationship. */
  readonly graphics: ReadonlyMap<string, GraphicText>;
  /** Documents in other formats that stand in this one, as their readers read them, by the id of their relationship. */
  readonly imports: ReadonlyMap<string, ReadResult>;
}

/** Writes the body of a document, element by element. */
export interface DocxWriter {
  /** Text of the first paragraph in the style of titles. */
  readonly title: string;
  write(element: XmlElement): void;
  /** Writes what is still to come: the last list, endnotes. */
  finish(): void;
}

interface ReadParagraph {
  readonly text: string;
  readonly style: ParagraphStyle;
  readonly label: string;
  readonly listLevel: number;
  /** Outline level; 0 for text. */
  readonly level: number;
  readonly notes: readonly NoteMark[];
  /** Writes what stands beside the text: boxes, graphics. */
  readonly after: readonly (() => void)[];
  readonly isContents: boolean;
  readonly setting: Setting;
}

interface ListItem {
  readonly level: number;
  readonly label: string;
  readonly text: string;
}

/** The elements that hold paragraphs and tables and mean nothing by themselves. */
const wrappers = new Set(["sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "txbxContent"]);

/**
 * Word's body into a composition: headings, lists, tables, notes after what they belong to.
 *
 * **Source** ISO/IEC 29500-1, 17.2 to 17.4, 17.11.
 */
export function createDocxWriter(
  document: Composition,
  parts: DocxParts,
  setHeadings: SetHeadings = createSetHeadings(),
): DocxWriter {
  const { styles, numbering } = parts;
  const marks = new Map<string, string>();
  const counted = { footnote: 0, endnote: 0 };
  const nextMark = (kind: NoteMark["kind"], id: string): string => {
    const key = `${kind} ${id}`;
    const known = marks.get(key);
    if (known !== undefined) return known;
    const mark = `[^${formatNumber(++counted[kind], kind === "footnote" ? "decimal" : "lowerRoman")}]`;
    marks.set(key, mark);
    return mark;
  };
  const readInline = createInlineReader(styles, nextMark);
  const readNoteInline = createInlineReader(styles, nextMark);

  let title = "";
  let items: ListItem[] = [];
  let code: string[] = [];
  /** The text of paragraphs whose end was deleted, and large initials: it goes on in the next one. */
  let carried = "";
  const footnotes: NoteMark[] = [];
  const endnotes: NoteMark[] = [];
  const written = new Set<string>();
  /** Boxes and graphics that stand in a table, to be written after it. */
  let afterTable: (() => void)[] | undefined;

  const keepNotes = (notes: readonly NoteMark[]): void => {
    for (const note of notes) (note.kind === "footnote" ? footnotes : endnotes).push(note);
  };
  const writeNote = ({ kind, id, mark }: NoteMark): void => {
    const key = `${kind} ${id}`;
    const body = parts.notes.get(key);
    if (body === undefined || written.has(key)) return;
    written.add(key);
    const lines = findAll(body, "p").map((paragraph) => {
      const { text, notes } = readNoteInline(paragraph);
      keepNotes(notes);
      return cleanText(text);
    });
    const text = lines.join("\n").trim();
    if (text !== "") document.write(`${mark}: ${text}`);
  };
  /** Writes all that wait, also those that come while the others are written. */
  const writeNotes = (waiting: NoteMark[]): void => {
    for (let index = 0; index < waiting.length; index++) {
      const note = waiting[index];
      if (note !== undefined) writeNote(note);
    }
    waiting.length = 0;
  };
  /** Ends the list or the code that is being written; what hangs on it follows. */
  const settle = (): void => {
    const top = Math.min(...items.map(({ level }) => level));
    const lines = items.map(({ level, label, text }) => {
      const indent = "  ".repeat(level - top);
      return `${indent}${label}${text.replaceAll("\n", `\n${indent}  `)}`;
    });
    items = [];
    document.write(lines.join("\n"), { kind: "list" });
    document.write(code.join("\n"), { kind: "code" });
    code = [];
    if (afterTable !== undefined) return;
    writeNotes(footnotes);
  };
  /** The label that Word puts before a paragraph, and its level in its list. */
  const labelOf = (
    properties: XmlElement | undefined,
    styleId: string | undefined,
    style: ParagraphStyle,
  ): { label: string; level: number } => {
    const said = findChild(properties, "listPr");
    if (said !== undefined) {
      // Word 2003 writes the label itself. One of a font of signs is a bullet.
      const label = valueOf(said, "t") ?? "";
      const level = Math.min(Math.max(Number(valueOf(said, "ilvl")) || 0, 0), 8);
      return { label: /[\p{L}\p{N}]/u.test(label) ? `${label.trim()} ` : "- ", level };
    }
    const own = findChild(properties, "numPr");
    const numId = valueOf(own, "numId") ?? style.numId;
    if (numId === undefined || numId === "0") return { label: "", level: 0 };
    const stated = valueOf(own, "ilvl");
    const level =
      stated === undefined
        ? (numbering.levelOfStyle(numId, styleId ?? "") ?? style.listLevel ?? 0)
        : Math.min(Math.max(Number(stated) || 0, 0), 8);
    return { label: numbering.nextLabel(numId, level), level };
  };
  /** A paragraph, with what must come after it; blank when it goes on in the next one. */
  const readParagraph = (paragraph: XmlElement): ReadParagraph => {
    const properties = findChild(paragraph, "pPr");
    const styleId = valueOf(properties, "pStyle");
    const style = styles.paragraph(styleId);
    const inline = readInline(paragraph);
    const { notes } = inline;
    const after = [
      ...inline.boxes.map((box) => () => elementsOf(box).forEach(write)),
      ...inline.graphics.map((id) => () => {
        const graphic = parts.graphics.get(id);
        for (const { text, block } of graphic === undefined ? [] : writeGraphic(graphic)) document.write(text, block);
      }),
    ];
    const text = carried + (style.isHidden ? "" : inline.text);
    carried = "";
    const markProperties = findChild(properties, "rPr");
    // A large initial is a paragraph in a frame, and begins the next one.
    const isInitial = /^(?:drop|margin)$/u.test(valueOf(properties, "framePr", "dropCap") ?? "");
    if (
      isInitial ||
      findChild(markProperties, "del") !== undefined ||
      findChild(markProperties, "moveFrom") !== undefined
    ) {
      carried = text;
      const { setting } = inline;
      return { text: "", style, label: "", listLevel: 0, level: 0, notes, after, isContents: false, setting };
    }
    const { label, level: listLevel } = labelOf(properties, styleId, style);
    const level = readOutlineLevel(properties) ?? style.level ?? 0;
    const isContents = inline.isContents || style.isContents === true;
    return { text: cleanText(text), style, label, listLevel, level, notes, after, isContents, setting: inline.setting };
  };
  const writeParagraph = (paragraph: XmlElement): void => {
    const { text, style, label, listLevel, level, notes, after, isContents, setting } = readParagraph(paragraph);
    if (text.trim() === "") {
      // A blank line within code is code.
      if (style.kind === "code" && code.length > 0) code.push("");
      keepNotes(notes);
    } else if (level > 0) {
      settle();
      if (style.isTitle && title === "") title = oneLine(text);
      document.heading(label + text, level);
      keepNotes(notes);
      settle();
    } else if (label !== "") {
      if (code.length > 0) settle();
      items.push({ level: listLevel, label, text: text.trim() });
      keepNotes(notes);
    } else if (style.kind === "code") {
      if (items.length > 0) settle();
      code.push(text);
      keepNotes(notes);
    } else {
      settle();
      if (style.kind === "paragraph" && !isContents) setHeadings.add(document.position, text, setting);
      document.write(text, { kind: style.kind, ...(isContents && { role: "contents" as const }) });
      keepNotes(notes);
      settle();
    }
    if (after.length === 0) return;
    if (afterTable !== undefined) afterTable.push(...after);
    else {
      settle();
      for (const writeAfter of after) writeAfter();
    }
  };
  /** A cell's paragraphs on one line; items of its lists keep their labels. */
  const readCell = (cell: XmlElement): string =>
    paragraphsOf(cell)
      .map((paragraph) => {
        const { text, label, notes, after } = readParagraph(paragraph);
        keepNotes(notes);
        afterTable?.push(...after);
        return text.trim() === "" ? "" : label + text;
      })
      .join(" ");
  const shapeOf = (cell: XmlElement): CellShape => {
    const paragraphs = paragraphsOf(cell).map((paragraph) => {
      const properties = findChild(paragraph, "pPr");
      const level = readOutlineLevel(properties) ?? styles.paragraph(valueOf(properties, "pStyle")).level ?? 0;
      return { length: findAll(paragraph, "t").reduce((sum, text) => sum + textOf(text).length, 0), level };
    });
    const written = paragraphs.filter(({ length }) => length > 0);
    return {
      length: written.reduce((sum, { length }) => sum + length, 0),
      paragraphs: written.length,
      hasHeading: written.some(({ level }) => level > 0),
    };
  };
  const writeTableElement = (table: XmlElement): void => {
    const rows = rowsOf(table).filter(
      (row) => !isOn(findChild(row, "trPr"), "hidden") && findChild(row, "trPr", "del") === undefined,
    );
    const [only] = rows;
    const cells = only === undefined ? [] : cellsOf(only);
    // One cell is a frame around text, not a table.
    if (rows.length === 1 && cells.length === 1) return elementsOf(cells[0]).forEach(write);
    const outer = afterTable;
    const held: (() => void)[] = outer ?? [];
    const properties = findChild(table, "tblPr");
    let pending: TableCell[][] = [];
    let headers = countHeaders(rows, properties);
    const hasNames = headers > 0 && canName(cellsOf(rows[0]!).map(shapeOf));
    const isFrame = !hasNames && rows.length <= 2 && isLayout(rows.map((row) => cellsOf(row).map(shapeOf)));
    settle();
    afterTable = held;
    const writePending = (): void => {
      const { text, bodyStart } = writeTable(pending, headers);
      document.write(text, { kind: "table", bodyStart });
      pending = [];
      headers = 0;
    };
    for (const row of rows) {
      const own = cellsOf(row);
      if (isFrame || own.some((cell) => findAll(cell, "tbl").length > 0 || isFlowCell(shapeOf(cell), hasNames))) {
        writePending();
        for (const cell of own) elementsOf(cell).forEach(write);
        settle();
      } else pending.push(readRow(row, own, readCell));
    }
    writePending();
    afterTable = outer;
    if (outer !== undefined) return;
    settle();
    for (const writeAfter of held) writeAfter();
  };
  const write = (element: XmlElement): void => {
    if (element.name === "p" || element.name === "oMathPara" || element.name === "oMath") {
      writeParagraph(element.name === "p" ? element : { name: "p", attributes: new Map(), children: [element] });
    } else if (element.name === "tbl") writeTableElement(element);
    else if (element.name === "AlternateContent") elementsOf(alternativesOf(element)[0]).forEach(write);
    else if (element.name === "altChunk") {
      const found = parts.imports.get(element.attributes.get("r:id") ?? "");
      settle();
      if (found !== undefined) document.include(found, 0);
    } else if (wrappers.has(element.name)) elementsOf(element).forEach(write);
  };

  return {
    get title() {
      return title;
    },
    write,
    finish() {
      settle();
      document.write(cleanText(carried));
      writeNotes(endnotes);
      settle();
    },
  };
}

/** Rows, also those inside content controls. */
function rowsOf(table: XmlElement): XmlElement[] {
  return elementsOf(table).flatMap((child) =>
    child.name === "tr" ? [child] : wrappers.has(child.name) ? rowsOf(child) : [],
  );
}

function cellsOf(row: XmlElement): XmlElement[] {
  return elementsOf(row).flatMap((child) =>
    child.name === "tc" ? [child] : wrappers.has(child.name) ? cellsOf(child) : [],
  );
}

function paragraphsOf(cell: XmlElement): XmlElement[] {
  return elementsOf(cell).flatMap((child) => {
    if (child.name === "p") return [child];
    return wrappers.has(child.name) ? paragraphsOf(child) : [];
  });
}

function readRow(row: XmlElement, cells: readonly XmlElement[], readCell: (cell: XmlElement) => string): TableCell[] {
  const rowProperties = findChild(row, "trPr");
  const read: TableCell[] = cells.map((cell) => {
    const properties = findChild(cell, "tcPr");
    const columns = Number(valueOf(properties, "gridSpan") ?? "1") || 1;
    const merge = findChild(properties, "vMerge") ?? findChild(properties, "hMerge");
    const continues = merge !== undefined && merge.attributes.get("val") !== "restart";
    return { text: continues ? "" : readCell(cell), columns };
  });
  const before = Number(valueOf(rowProperties, "gridBefore") ?? "0") || 0;
  return before > 0 ? [{ text: "", columns: before }, ...read] : read;
}

/**
 * Rows that the table repeats on every page; else the first one, when the table says that it is set apart.
 *
 * **Source** ISO/IEC 29500-1, 17.4.78 and 17.4.55 (bit 0x20 of a table's look).
 */
function countHeaders(rows: readonly XmlElement[], properties: XmlElement | undefined): number {
  let headers = 0;
  while (headers < rows.length && isOn(findChild(rows[headers], "trPr"), "tblHeader")) headers++;
  if (headers > 0 || rows.length < 2) return headers === rows.length ? 0 : headers;
  const look = findChild(properties, "tblLook")?.attributes;
  const first = look?.get("firstRow");
  const bits = Number.parseInt(look?.get("val") ?? "0", 16);
  return (first === undefined ? (bits & 0x20) !== 0 : /^(?:1|true|on)$/.test(first)) ? 1 : 0;
}
