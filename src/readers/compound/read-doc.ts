import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { leftOutComments, oneLine } from "../office/clean-text.ts";
import { createEndMarkedWriter } from "../office/end-marked-writer.ts";
import { longestFieldCode, showEquation } from "../office/equation-field.ts";
import { otherwiseProtected, tooOld, unreadable, withoutText } from "../office/refusals.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { countLetters, createSetHeadings } from "../set-headings.ts";
import { openCompoundFile } from "./compound-file.ts";
import { nextLabel } from "../office/docx-numbering.ts";
import { readDocLists } from "./doc-lists.ts";
import { readFormValue } from "./doc-form.ts";
import { findRun, type Piece, readLetters, readParagraphs, readPieces, readStyles } from "./doc-properties.ts";
import { openOldCipher } from "./old-password.ts";
import { readSummary } from "./property-set.ts";

/** Signs that Word writes in place of what is no letter. **Source** MS-DOC, 2.4.1 and 2.8.25. */
const sign = {
  more: "\u0001",
  note: "\u0002",
  cell: "\u0007",
  line: "\u000b",
  page: "\u000c",
  paragraph: "\r",
  fieldStart: "\u0013",
  fieldMiddle: "\u0014",
  fieldEnd: "\u0015",
  hyphen: "\u001e",
  softHyphen: "\u001f",
} as const;

/** Lengths of the parts that the text of a file consists of, by their place in the header. **Source** MS-DOC, 2.5.4 (FibRgLw97). */
const parts = { body: 0x4c, footnotes: 0x50, headers: 0x54, macros: 0x58, comments: 0x5c, endnotes: 0x60, boxes: 0x64 };

/** Implements {@link createDocReader}. */
export async function readDoc(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes, password, signal } = input;
  const { maxTextLength } = limitsOf(input);
  if (bytes[0] === 0xdb && bytes[1] === 0xa5) throw tooOld(uri, "a document of Word 2 or older", "DOCX");
  const file = openCompoundFile(bytes, uri);
  const stored = file.stream("WordDocument");
  if (stored === undefined) throw unreadable(uri, "holds no Word document");
  if (stored.length < 0x200) throw unreadable(uri, "has a broken header");
  const stated = new DataView(stored.buffer);
  const flags = stated.getUint16(0x0a, true);
  const [mark, version] = [stated.getUint16(0, true), stated.getUint16(2, true)];
  if (mark === 0xa5dc || (version > 0 && version < 0xc1)) throw tooOld(uri, "a document of Word 6 or 95", "DOCX");
  if (mark !== 0xa5ec) throw unreadable(uri, "has a broken header");
  const storedTables = file.stream((flags & 0x0200) === 0 ? "0Table" : "1Table");
  if (storedTables === undefined) throw unreadable(uri, "lacks its tables");
  const { stream, tables } =
    (flags & 0x0100) === 0
      ? { stream: stored, tables: storedTables }
      : unlock(uri, password, stored, storedTables, (flags & 0x8000) !== 0);
  const header = new DataView(stream.buffer);
  const table = (index: number): Uint8Array => {
    const at = header.getUint32(0x9a + index * 8, true);
    return tables.subarray(at, at + header.getUint32(0x9e + index * 8, true));
  };
  const lengthOf = (part: keyof typeof parts): number => header.getUint32(parts[part], true);

  const text = createText(stream, readPieces(table(33), uri));
  const paragraphs = readParagraphs(stream, table(13));
  const letters = readLetters(stream, table(12));
  const hidden = letters.filter(({ facts }) => facts.isHidden);
  const styles = readStyles(table(1));
  const startOf = (index: number): number => header.getUint32(0x9a + index * 8, true);
  let lists: ReturnType<typeof readDocLists> | undefined;
  const document = composeDocument();
  const setHeadings = createSetHeadings();
  const writer = createEndMarkedWriter(document, setHeadings);

  const starts = startsOf(lengthOf);
  const notes = [
    ...split(text, starts.footnotes, lengthOf("footnotes"), hidden),
    ...split(text, starts.endnotes, lengthOf("endnotes"), hidden),
  ];
  let paragraph = "";
  let setting = { letters: 0, bold: 0, size: 0 };
  let own: (typeof letters)[number] | undefined;
  let counted = 0;
  const endRun = (): void => {
    countLetters(setting, paragraph.slice(counted), own?.facts ?? {});
    counted = paragraph.length;
  };
  let count = 0;
  const fields: OpenField[] = [];
  const data = file.stream("Data");
  for (const { char, fc } of text.between(starts.body, lengthOf("body"))) {
    if (++count % 100_000 === 0) throwIfAborted(signal, `Reading ${uri}`, { uri });
    const isEnd = char === sign.paragraph || char === sign.cell || char === sign.page;
    if (!isEnd) {
      if (own === undefined || fc < own.start || fc >= own.end) {
        endRun();
        own = findRun(letters, fc);
      }
      const field = fields.at(-1);
      if (char === sign.more && data !== undefined && own !== undefined && own.facts.data >= 0 && isForm(field))
        field.value = readFormValue(data, own.facts.data);
      if (own?.facts.isHidden !== true) paragraph += show(char, fields, () => writer.addNote(notes.shift() ?? ""));
      continue;
    }
    endRun();
    const facts = findRun(paragraphs, fc)?.facts;
    const depth = facts?.depth ?? 0;
    const style = styles[facts?.style ?? 0];
    if (facts?.isRowEnd === true) {
      writer.endRow(false, depth);
    } else {
      const level = facts?.outline ?? style?.level ?? 0;
      const listNumber = facts?.list ?? style?.list ?? 0;
      if (listNumber > 0) lists ??= readDocLists(tables, startOf(73), startOf(74));
      const list = lists?.[listNumber - 1];
      const isItem = list !== undefined && paragraph.trim() !== "";
      const said = isItem ? nextLabel(list, facts?.listLevel ?? style?.listLevel ?? 0).trim() : "";
      const label = level > 0 && said === "-" ? "" : said;
      if (setting.size === 0) setting.size = style?.size ?? 0;
      if (style?.isBold === true) setting.bold = setting.letters;
      writer.endParagraph({ text: paragraph, label, level, isTitle: style?.isTitle === true, setting }, depth);
      if (depth > 1 ? facts?.isInnerCellEnd === true : depth === 1 && char === sign.cell) writer.endCell(depth);
    }
    paragraph = "";
    setting = { letters: 0, bold: 0, size: 0 };
    counted = 0;
    if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, document.position);
  }
  writer.endParagraph({ text: paragraph, label: "", level: 0, isTitle: false }, 0);
  writer.finish();
  for (const note of notes) document.write(note);
  for (const box of split(text, starts.boxes, lengthOf("boxes"), hidden)) document.write(box);

  const facts = readSummary(file);
  const shown = writer.title || facts.title;
  const draft = setHeadings.applyTo(document.finish(shown));
  if (draft.text === "") throw withoutText(uri);
  const title = shown || draft.root.children.find(({ level }) => level === 1)?.title || fileNameOf(uri);
  const comments = split(text, starts.comments, lengthOf("comments"), hidden).length;
  return {
    ...draft,
    title,
    root: { ...draft.root, title },
    metadata: facts.metadata,
    ...(comments > 0 && { notes: leftOutComments(comments) }),
  };
}

/** **Units** bytes. **Source** MS-DOC, 2.2.6 (encryption) and 2.5.1 (Fib). */
const encryption = { blockSize: 512, plainHead: 0x44 } as const;

/** The streams of a document with a password. **Errors** `encrypted`, for the obfuscation of Word 95 too. */
function unlock(
  uri: string,
  password: string | undefined,
  stream: Uint8Array<ArrayBuffer>,
  tables: Uint8Array<ArrayBuffer>,
  isObfuscated: boolean,
): { readonly stream: Uint8Array<ArrayBuffer>; readonly tables: Uint8Array<ArrayBuffer> } {
  if (isObfuscated) throw otherwiseProtected(uri, "is obfuscated with a password, as Word 95 did it");
  const length = new DataView(stream.buffer).getUint32(0x0e, true);
  const cipher = openOldCipher(tables.subarray(0, length), uri, password);
  const plain = cipher.decrypt(stream, encryption.blockSize);
  plain.set(stream.subarray(0, encryption.plainHead));
  return { stream: plain, tables: cipher.decrypt(tables, encryption.blockSize) };
}

/** Text as it lies in pieces, by its positions. */
interface PiecedText {
  /** Each sign with the byte that it stands at. */
  between(start: number, length: number): Generator<{ readonly char: string; readonly fc: number }>;
}

function createText(stream: Uint8Array, pieces: readonly Piece[]): PiecedText {
  const wide = new TextDecoder("utf-16le");
  const narrow = new TextDecoder("windows-1252");
  return {
    *between(start, length) {
      const end = start + length;
      for (const { cp, length: own, fc, width } of pieces) {
        const from = Math.max(start, cp);
        const to = Math.min(end, cp + own);
        if (from >= to) continue;
        const at = fc + (from - cp) * width;
        const decoded = (width === 1 ? narrow : wide).decode(stream.subarray(at, fc + (to - cp) * width));
        for (let index = 0; index < decoded.length; index++) yield { char: decoded[index]!, fc: at + index * width };
      }
    },
  };
}

/** Where each part of the text begins: they stand one after another. */
function startsOf(lengthOf: (part: keyof typeof parts) => number): Record<keyof typeof parts, number> {
  let at = 0;
  const starts: Partial<Record<keyof typeof parts, number>> = {};
  for (const part of Object.keys(parts) as (keyof typeof parts)[]) {
    starts[part] = at;
    at += lengthOf(part);
  }
  return starts as Record<keyof typeof parts, number>;
}

/** A field that has begun. Its code is not shown; what follows the code is. */
interface OpenField {
  code: string;
  isShown: boolean;
  /** Shown where nothing follows the code: of a box or a list of a form. */
  value: string;
}

/** Whether a field is a box or a list of a form, whose code is being read. */
function isForm(field: OpenField | undefined): field is OpenField {
  return field?.isShown === false && /^\s*FORM(?:CHECKBOX|DROPDOWN)/u.test(field.code);
}

/** The text that a sign shows. `fields` are those that are open, from the outermost on. */
function show(char: string, fields: OpenField[], addNote: () => string): string {
  const field = fields.at(-1);
  switch (char) {
    case sign.fieldStart:
      fields.push({ code: "", isShown: false, value: "" });
      return "";
    case sign.fieldMiddle:
    case sign.fieldEnd: {
      const code = field?.isShown === false ? field.code : "";
      if (field !== undefined) field.isShown = true;
      const isShown = fields.every((open) => open.isShown);
      if (char === sign.fieldEnd) fields.pop();
      const value = char === sign.fieldEnd ? (field?.value ?? "") : "";
      return isShown ? showEquation(code) + value : "";
    }
    case sign.note:
      return addNote();
    case sign.line:
      return "\n";
    case sign.hyphen:
      return "\u2011";
    case sign.softHyphen:
      return "";
    default:
      // Signs that stand for pictures and references show nothing.
      if (char < " " && char !== "\t") return "";
      if (field?.isShown === false && field.code.length < longestFieldCode) field.code += char;
      if (!fields.every(({ isShown }) => isShown)) return "";
      if (field !== undefined) field.value = "";
      return char;
  }
}

/** Paragraphs of another part, each in one line. A note begins with the sign that stands for its number. */
function split(text: PiecedText, start: number, length: number, hidden: Parameters<typeof findRun>[0]): string[] {
  let whole = "";
  const fields: OpenField[] = [];
  for (const { char, fc } of text.between(start, length)) {
    if (char === sign.paragraph) whole += "\n";
    else if (char === sign.note) whole += "\u0002";
    else if (findRun(hidden, fc) === undefined) whole += show(char, fields, () => "");
  }
  const pieces = whole.includes("\u0002") ? whole.split("\u0002") : whole.split("\n");
  return pieces.map(oneLine).filter((piece) => piece !== "");
}
