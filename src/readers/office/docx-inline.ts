import { imageText } from "./clean-text.ts";
import { countLetters, type Setting } from "../set-headings.ts";
import { type DocxStyles, type LetterSetting, readLetters } from "./docx-styles.ts";
import { readMath } from "./math-text.ts";
import { alternativesOf, elementsOf, findAll, findChild, isOn, textOf, valueOf, type XmlElement } from "./read-xml.ts";

/** A note that a text points to. */
export interface NoteMark {
  readonly kind: "footnote" | "endnote";
  readonly id: string;
  /** Mark in the text: `[^1]`, or a sign of the author's. */
  readonly mark: string;
}

/** The running text of a paragraph, and what hangs on it. */
export interface InlineText {
  /** As it is written, not cleaned yet: it may go on in the next paragraph. */
  readonly text: string;
  readonly notes: readonly NoteMark[];
  /** Contents of text boxes, to be read as paragraphs of their own. */
  readonly boxes: readonly XmlElement[];
  /** Ids of charts and diagrams. */
  readonly graphics: readonly string[];
  /** Whether its text is the result of a field that makes a table of contents. */
  readonly isContents: boolean;
  readonly setting: Setting;
}

/** Properties and what was deleted, moved away or is a program's own. Comments are only pointed to from here. */
const silent = new Set([
  "pPr",
  "rPr",
  "sdtPr",
  "sdtEndPr",
  "del",
  "moveFrom",
  "delText",
  "instrText",
  "delInstrText",
  "rt",
  "annotationRef",
  "footnoteRef",
  "endnoteRef",
]);

/**
 * Reads paragraphs of one story (the body, a note) in order.
 *
 * Tracked insertions are read and deletions are not; a field gives its result, not its code; hidden text is left out.
 *
 * **Source** ISO/IEC 29500-1, 17.3.3 (run content), 17.13.5 (revisions), 17.16 (fields).
 */
export function createInlineReader(
  styles: DocxStyles,
  nextMark: (kind: NoteMark["kind"], id: string) => string,
): (paragraph: XmlElement) => InlineText {
  /** Fields that are open, outermost first: a field may run over many paragraphs. One of a form shows its value where it has no result. */
  const fields: { state: "code" | "result"; code: string; value: string }[] = [];

  return (paragraph) => {
    const parts: string[] = [];
    const notes: NoteMark[] = [];
    const [boxes, graphics]: [XmlElement[], string[]] = [[], []];
    let isContents = false;
    const usual = { size: standardSize, ...styles.setting(valueOf(findChild(paragraph, "pPr"), "pStyle")) };
    let letters: LetterSetting = usual;
    const setting = { letters: 0, bold: 0, size: 0 };
    const write = (text: string): void => {
      if (fields.some(({ state }) => state === "code")) return;
      parts.push(text);
      if (text !== "") for (const field of fields) field.value = "";
      countLetters(setting, text, letters);
      if (text.trim() !== "" && fields.some(({ code }) => contentsField.test(code))) isContents = true;
    };
    const readField = (mark: XmlElement): void => {
      const [type, field] = [mark.attributes.get("fldCharType"), fields.at(-1)];
      if (type === "begin") fields.push({ state: "code", code: "", value: formValue(findChild(mark, "ffData")) });
      else if (type === "separate" && field !== undefined) field.state = "result";
      else if (type === "end") write(fields.pop()?.value ?? "");
    };
    const readCode = (code: XmlElement): void => {
      const field = fields.at(-1);
      if (field?.state === "code" && field.code.length < longestCode) field.code += textOf(code);
    };
    const readNote = (element: XmlElement, kind: NoteMark["kind"], run: XmlElement): void => {
      const id = element.attributes.get("id") ?? "";
      const isOwn = /^(?:1|true|on)$/.test(element.attributes.get("customMarkFollows") ?? "");
      const own = isOwn ? textOf(findChild(run, "t")).trim() : "";
      const mark = own === "" ? nextMark(kind, id) : own;
      if (own === "") write(mark);
      notes.push({ kind, id, mark });
    };
    /** Whether anything came of it. */
    const readDrawing = (drawing: XmlElement): boolean => {
      const before = boxes.length;
      boxes.push(...findAll(drawing, "txbxContent"));
      const found = findAll(drawing, "chart", "relIds").map(
        ({ attributes }) => attributes.get("r:id") ?? attributes.get("r:dm") ?? "",
      );
      graphics.push(...found);
      const alternative = boxes.length > before ? "" : imageText(alternativeText(drawing));
      write(alternative);
      return alternative !== "" || boxes.length > before || found.length > 0;
    };
    const readRun = (run: XmlElement): void => {
      const properties = findChild(run, "rPr");
      const style = valueOf(properties, "rStyle");
      const isHidden =
        findChild(properties, "vanish") === undefined
          ? style !== undefined && styles.hidesText(style)
          : isOn(properties, "vanish");
      letters = { ...usual, ...(style !== undefined && styles.setting(style)), ...readLetters(properties) };
      for (const child of elementsOf(run)) {
        // A field goes on though its code is hidden.
        if (child.name === "fldChar") readField(child);
        else if (child.name === "instrText") readCode(child);
        else if (!isHidden) readInRun(child, run);
      }
    };
    const readInRun = (child: XmlElement, run: XmlElement): boolean => {
      switch (child.name) {
        case "t":
          write(textOf(child));
          return true;
        case "tab":
        case "ptab":
          write("\t");
          return true;
        case "br":
        case "cr":
          write("\n");
          return true;
        case "noBreakHyphen":
          write("-");
          return true;
        case "sym":
          write(readSymbol(child.attributes.get("font") ?? "", child.attributes.get("char") ?? ""));
          return true;
        case "footnoteReference":
        case "endnoteReference":
          readNote(child, child.name === "footnoteReference" ? "footnote" : "endnote", run);
          return true;
        case "drawing":
        case "pict":
        case "object":
          return readDrawing(child);
        case "AlternateContent":
          return alternativesOf(child).some((branch) =>
            elementsOf(branch)
              .map((each) => readInRun(each, run))
              .includes(true),
          );
        case "ruby":
          readAll(findChild(child, "rubyBase"));
          return true;
        default:
          return false;
      }
    };
    const readAll = (element: XmlElement | undefined): void => {
      for (const child of elementsOf(element)) {
        if (silent.has(child.name)) continue;
        if (child.name === "r") readRun(child);
        else if (child.name === "oMath" || child.name === "oMathPara") write(readMath(child));
        else if (child.name === "AlternateContent") readAll(alternativesOf(child)[0]);
        else if (child.name === "fldSimple") {
          fields.push({ state: "result", code: child.attributes.get("instr") ?? "", value: "" });
          readAll(child);
          fields.pop();
        } else readAll(child);
      }
    };
    readAll(paragraph);
    return { text: parts.join(""), notes, boxes, graphics, isContents, setting };
  };
}

/**
 * The value of a field of a form that is no text: a box that is ticked or not, or the entry that is chosen. **Shape** `""` for others.
 *
 * **Source** ISO/IEC 29500-1, 17.16.7 (checkBox), 17.16.9 (ddList).
 */
function formValue(form: XmlElement | undefined): string {
  const box = findChild(form, "checkBox");
  if (box !== undefined)
    return isOn(box, "checked") || (!findChild(box, "checked") && isOn(box, "default")) ? "☒" : "☐";
  const list = findChild(form, "ddList");
  const chosen = Number(valueOf(list, "result") ?? valueOf(list, "default") ?? 0);
  const entries = elementsOf(list).filter(({ name }) => name === "listEntry");
  return entries[chosen]?.attributes.get("val") ?? "";
}

/** The size of letters where nothing states one. **Units** points. **Source** ISO/IEC 29500-1, 17.3.2.38. */
const standardSize = 10;

/** The code of a field that lists headings, captions or entries with their pages. **Source** ISO/IEC 29500-1, 17.16.5.68 and 17.16.5.32. */
const contentsField = /^\s*(?:TOC|INDEX)(?:\s|$)/iu;
/** Longest code of a field that is kept. **Units** UTF-16 code units. */
const longestCode = 200;

/** The author's alternative text of a picture. A `name` is the program's. */
function alternativeText(drawing: XmlElement): string | undefined {
  const [properties] = findAll(drawing, "docPr");
  const stated = properties?.attributes.get("descr") || properties?.attributes.get("title");
  const grouped = findAll(drawing, "cNvPr").map(({ attributes }) => attributes.get("descr") ?? "");
  return (
    stated ||
    grouped.filter((text) => text !== "").join("; ") ||
    findAll(drawing, "shape", "rect", "roundrect", "oval")[0]?.attributes.get("alt")
  );
}

/**
 * Characters of the fonts Symbol and Wingdings, which Word writes by their number in the font.
 *
 * **Source** Adobe's Symbol encoding vector (PDF 32000-1, annex D.5); for Wingdings, the signs that lists, forms and arrows use.
 */
const symbol = new Map<number, string>([
  ...sequence(0x41, "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"),
  ...sequence(0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"),
  ...sequence(0xa2, "′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…"),
  ...sequence(0xc0, "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈"),
  [0xe5, "∑"],
  [0xf1, "〉"],
  [0xf2, "∫"],
  [0x22, "∀"],
  [0x24, "∃"],
  [0x27, "∋"],
  [0x40, "≅"],
  [0x5e, "⊥"],
  [0x7e, "∼"],
]);
const wingdings = new Map<number, string>([
  [0x4a, "☺"],
  [0x6c, "●"],
  [0x6e, "■"],
  [0x6f, "□"],
  [0xa7, "▪"],
  [0xa8, "☐"],
  [0xd8, "➢"],
  [0xdf, "←"],
  [0xe0, "→"],
  [0xe1, "↑"],
  [0xe2, "↓"],
  [0xf0, "⇨"],
  [0xfb, "✗"],
  [0xfc, "✓"],
  [0xfd, "☒"],
  [0xfe, "☑"],
]);

function sequence(from: number, signs: string): (readonly [number, string])[] {
  return Array.from(signs, (sign, index) => [from + index, sign] as const);
}

/** The character that a font shows for a number in hexadecimal digits; `""` for a sign that stands for nothing written. */
function readSymbol(font: string, digits: string): string {
  const code = Number.parseInt(digits, 16);
  if (!(code > 0 && code < 0xfffe)) return "";
  // Fonts of signs have their characters in a private area, from F000 on.
  const isPrivate = code >= 0xf000 && code <= 0xf0ff;
  const index = isPrivate ? code - 0xf000 : code;
  if (/^symbol$/i.test(font)) return symbol.get(index) ?? (index < 0x80 ? String.fromCharCode(index) : "");
  if (/^wingdings/i.test(font)) return wingdings.get(index) ?? "";
  return isPrivate || (code >= 0xd800 && code <= 0xf8ff) ? "" : String.fromCharCode(code);
}
