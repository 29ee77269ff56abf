import { cleanText, imageText } from "./clean-text.ts";
import type { TextPiece } from "./graphic-text.ts";
import { type OdfObjects, readObject } from "./odf-objects.ts";
import { countLetters, type Setting } from "../set-headings.ts";
import { hidesText, lettersOfStyle, type OdtStyles } from "./odt-styles.ts";
import { elementsOf, findAll, findChild, textOf, type XmlElement } from "./read-xml.ts";

/** The running text of a paragraph, and what hangs on it. */
export interface OdtInline {
  readonly text: string;
  readonly notes: readonly OdtNote[];
  /** Text boxes, to be read as paragraphs of their own. */
  readonly boxes: readonly XmlElement[];
  /** Charts, to be written after the paragraph. */
  readonly graphics: readonly TextPiece[];
  readonly setting: Setting;
}

export interface OdtNote {
  readonly isEndnote: boolean;
  /** `[^1]`, as the text has it. */
  readonly mark: string;
  readonly body: XmlElement | undefined;
}

/** Comments, readings of signs, what conditions hide. */
const silent = new Set(["annotation", "ruby-text", "tracked-changes", "hidden-text", "hidden-paragraph", "bookmark"]);
const maxSpaces = 1000;
/** The size of letters where no style states one. **Units** points. */
const standardSize = 12;

/**
 * Reads one paragraph: white space collapses as in the format, marks of notes stand where their signs do.
 *
 * **Source** OASIS OpenDocument 1.3, part 3, 6.1 (text), 6.3 (notes).
 */
export function readOdtInline(
  paragraph: XmlElement,
  styles: OdtStyles,
  objects: OdfObjects,
  nextMark: (isEndnote: boolean) => string,
): OdtInline {
  const parts: string[] = [];
  const notes: OdtNote[] = [];
  const boxes: XmlElement[] = [];
  const graphics: TextPiece[] = [];
  const setting = { letters: 0, bold: 0, size: 0 };
  let letters = { size: standardSize, ...lettersOfStyle(styles, paragraph.attributes.get("style-name") ?? "Standard") };
  const readNote = (note: XmlElement): void => {
    const isEndnote = note.attributes.get("note-class") === "endnote";
    const mark = nextMark(isEndnote);
    parts.push(mark);
    notes.push({ isEndnote, mark, body: findChild(note, "note-body") });
  };
  const readFrame = (frame: XmlElement): void => {
    const found = findAll(frame, "text-box");
    boxes.push(...found);
    const pieces = readObject(frame, objects);
    const [formula] = pieces;
    // A formula stands in its line, a chart by itself.
    if (pieces.length === 1 && formula?.block.kind === "paragraph") parts.push(formula.text);
    else graphics.push(...pieces);
    if (pieces.length > 0) return;
    const alternative = findChild(frame, "desc") ?? findChild(frame, "title");
    if (found.length === 0) parts.push(imageText(textOf(alternative)));
  };
  const readAll = (element: XmlElement): void => {
    for (const child of element.children) {
      if (typeof child === "string") {
        const text = child.replace(/[ \t\r\n]+/g, " ");
        parts.push(text);
        countLetters(setting, text, letters);
      } else if (child.name === "s") {
        parts.push(" ".repeat(Math.min(Math.max(Number(child.attributes.get("c") ?? "1") || 1, 1), maxSpaces)));
      } else if (child.name === "tab") parts.push("\t");
      else if (child.name === "line-break") parts.push("\n");
      else if (child.name === "note") readNote(child);
      else if (child.name === "fieldmark") parts.push(formValue(child));
      else if (child.name === "frame") readFrame(child);
      else if (child.name === "custom-shape" || child.name === "rect") boxes.push(child);
      else if (!silent.has(child.name) && !hidesText(styles, child.attributes.get("style-name"))) {
        const around = letters;
        letters = { ...around, ...lettersOfStyle(styles, child.attributes.get("style-name")) };
        readAll(child);
        letters = around;
      }
    }
  };
  if (!hidesText(styles, paragraph.attributes.get("style-name"))) readAll(paragraph);
  return { text: cleanText(parts.join("")), notes, boxes, graphics, setting };
}

/** Whether a box of a form is ticked, or the entry of a list that is chosen, as LibreOffice keeps fields of Word's forms. */
function formValue(field: XmlElement): string {
  const of = (name: string): readonly string[] =>
    elementsOf(field)
      .filter(({ attributes }) => attributes.get("name") === name)
      .map(({ attributes }) => attributes.get("value") ?? "");
  if (field.attributes.get("type")?.endsWith("FORMCHECKBOX") === true)
    return of("Checkbox_Checked")[0] === "true" ? "☒" : "☐";
  return of("Dropdown_ListEntry")[Number(of("Dropdown_Selected")[0] ?? 0)] ?? "";
}

/** Paragraphs below an element, in order, each as its own text. */
export function paragraphsBelow(element: XmlElement | undefined): XmlElement[] {
  return elementsOf(element).flatMap((child) => {
    if (child.name === "p" || child.name === "h") return [child];
    return silent.has(child.name) ? [] : paragraphsBelow(child);
  });
}

/** How many comments hang on an element. An annotation with an encoding is the source of a formula. */
export function countComments(element: XmlElement): number {
  return findAll(element, "annotation").filter(({ attributes }) => !attributes.has("encoding")).length;
}
