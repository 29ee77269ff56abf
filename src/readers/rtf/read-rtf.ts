import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { type Composition, composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { leftOutComments, oneLine } from "../office/clean-text.ts";
import { createEndMarkedWriter } from "../office/end-marked-writer.ts";
import { longestFieldCode, showEquation } from "../office/equation-field.ts";
import { unreadable, withoutText } from "../office/refusals.ts";
import { limitsOf, overLimit } from "../read-limits.ts";

import { countLetters, createSetHeadings } from "../set-headings.ts";
import { readRtfTokens } from "./rtf-tokens.ts";

/** Properties that a group inherits and its end takes back. */
interface State {
  /** Destination: the body, text to collect for another use, or nothing at all. */
  into:
    | "body"
    | "skip"
    | "fonts"
    | "styles"
    | "title"
    | "author"
    | "created"
    | "label"
    | "note"
    | "code"
    | "form"
    | "entry";
  font: number;
  isHidden: boolean;
  /** Struck out while changes were recorded. */
  isDeleted: boolean;
  isInTable: boolean;
  /** Tables that the paragraph lies in, where it is in any. */
  depth: number;
  style: number;
  outline: number | undefined;
  isBold: boolean;
  /** **Units** points. */
  size: number;
  /** Bytes after `\u` that stand for the same sign. */
  fallback: number;
}

/** Properties at the beginning of a file. */
const plainState: State = {
  into: "body",
  font: -1,
  isHidden: false,
  isDeleted: false,
  isInTable: false,
  depth: 1,
  style: 0,
  outline: undefined,
  isBold: false,
  size: 12,
  fallback: 1,
};

/** Destinations without text of the document. Those after `\*` that are not known are left out by themselves. */
const skipped = new Set(
  "colortbl pict header headerl headerr headerf footer footerl footerr footerf object objdata datafield themedata colorschememapping datastore latentstyles listtable listoverridetable rsidtbl generator xmlnstbl filetbl revtbl mmathPr wgrffmtfilter operator manager company category keywords comment doccomm hlinkbase buptim revtim printim version vern edmins nofpages nofwords nofchars nofcharsws id subject userprops pgdsctbl annotation atnid atnauthor atndate atnref atnicn atrfstart atrfend bkmkstart bkmkend nonshppict sp sn sv shpinst listname fchars lchars ftnsep ftnsepc aftnsep aftnsepc ftncn aftncn pntext nonesttables".split(
    " ",
  ),
);
/** Destinations after `\*` whose text is the document's. */
const readAfterStar = new Set([
  "shptxt",
  "shprslt",
  "listtext",
  "footnote",
  "ud",
  "nesttableprops",
  "fldinst",
  "formfield",
  "ffl",
]);
/** Signs that control words stand for. */
const signs: Readonly<Record<string, string>> = {
  tab: "\t",
  line: "\n",
  "~": " ",
  _: "-",
  emdash: "—",
  endash: "–",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
  "\\": "\\",
  "{": "{",
  "}": "}",
};
/** Character sets of fonts by their number. **Source** RTF 1.9.1, font table: `\fcharset`. */
const charsets: Readonly<Record<number, string>> = {
  0: "windows-1252",
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};
/** Groups within groups; nobody writes hundreds. */
const maxDepth = 2000;
const codePages: Readonly<Record<number, string>> = {
  437: "ibm866",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  65001: "utf-8",
};

/** Implements {@link createRtfReader}. */
export async function readRtf(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes, signal } = input;
  const { maxTextLength } = limitsOf(input);
  if (!/^\s*\{\\rt/u.test(String.fromCharCode(...bytes.subarray(0, 64))))
    throw unreadable(uri, "is named as rich text (RTF), but does not begin as one");
  const document = composeDocument();
  const setHeadings = createSetHeadings();
  const writer = createEndMarkedWriter(document, setHeadings);
  const fonts = new Map<number, string>();
  const styles = new Map<number, string>();
  const facts: RtfFacts = { title: "", author: "", created: new Map(), comments: 0 };
  let page = "windows-1252";
  let state: State = { ...plainState };
  const stack: State[] = [];
  let [paragraph, label] = ["", ""];
  let setting = { letters: 0, bold: 0, size: 0 };
  let [note, code] = ["", ""];
  const form = createFormField();
  let [fontName, styleName] = [-1, ""];
  let [isHeaderRow, isStar, isNew] = [false, false, false];
  let [swallow, tokens] = [0, 0];

  const add = (text: string): void => {
    if (state.isDeleted || (state.isHidden && state.into === "body")) return;
    if (state.into === "body") {
      if (text !== "") form.settle();
      paragraph += text;
      countLetters(setting, text, state);
    } else if (state.into === "code") code += code.length < longestFieldCode ? text : "";
    else if (state.into === "label") label += text;
    else if (state.into === "note") note += text;
    else if (state.into === "title") facts.title += text;
    else if (state.into === "author") facts.author += text;
    else if (state.into === "styles") styleName += text;
    else if (state.into === "entry") form.addEntry(text);
  };
  const decode = createFontDecoder(fonts);
  const endParagraph = (depth = state.isInTable ? state.depth : 0): void => {
    const name = styles.get(state.style) ?? "";
    const level = state.outline ?? Number(/^heading ?(\d)/iu.exec(name)?.[1] ?? "0");
    const isTitle = /^title$/iu.test(name);
    writer.endParagraph({ text: paragraph, label: oneLine(label), level, isTitle, setting }, depth);
    paragraph = label = "";
    setting = { letters: 0, bold: 0, size: 0 };
    if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, document.position);
  };
  for (const token of readRtfTokens(bytes)) {
    if (++tokens % 100_000 === 0) throwIfAborted(signal, `Reading ${uri}`, { uri });
    if (token.kind === "open") {
      if (stack.length > maxDepth) throw unreadable(uri, `has groups nested more than ${maxDepth} deep`);
      stack.push({ ...state });
      // Styles of characters have no number of a paragraph's.
      if (state.into === "styles") [state.style, styleName] = [-1, ""];
      [isNew, isStar, swallow] = [true, false, 0];
      continue;
    }
    if (token.kind === "close") {
      if (state.into === "styles" && styleName !== "") {
        if (state.style >= 0) styles.set(state.style, styleName.replace(/;.*$/su, "").trim());
        styleName = "";
      }
      const before = stack.pop();
      if (before === undefined) break;
      if (state.into === "note" && before.into !== "note") {
        paragraph += writer.addNote(note);
        note = "";
      }
      if (state.into === "code" && before.into !== "code") {
        if (before.into === "body") paragraph += showEquation(code);
        code = "";
      }
      state = before;
      if (stack.length < form.depth) add(form.finish());
      isNew = false;
      continue;
    }
    if (token.kind === "bytes") {
      isNew = false;
      if (state.into === "skip" || state.into === "fonts") continue;
      const rest = swallow > 0 ? token.bytes.subarray(swallow) : token.bytes;
      swallow = Math.max(0, swallow - token.bytes.length);
      if (rest.length > 0) add(decode(rest, state.font, page));
      continue;
    }
    const { name, value } = token;
    if (name === "*") {
      isStar = true;
      continue;
    }
    if (isNew && name === "annotation") facts.comments++;
    if (isNew && isStar && !readAfterStar.has(name) && state.into !== "styles") state.into = "skip";
    [isNew, isStar] = [false, false];
    if (state.into === "skip") continue;
    const into = destinationOf(name, state.into);
    if (form.takes(name, value, state.into, stack.length)) continue;
    if (into !== undefined) state.into = into;
    else if (setFormat(state, name, value) || name === "info" || name === "fldrslt") continue;
    else if (state.into === "created") facts.created.set(name, value ?? 0);
    else if (name === "ansicpg") page = codePages[value ?? 0] ?? `windows-${value}`;
    else if (name === "mac") page = "macintosh";
    else if (name === "f") {
      if (state.into === "fonts") fontName = value ?? 0;
      else state.font = value ?? 0;
    } else if (name === "fcharset") setCharset(fonts, fontName, value ?? 0);
    else if (name === "u") {
      add(String.fromCharCode((value ?? 0) & 0xffff));
      swallow = state.fallback;
    } else if (name === "trhdr") isHeaderRow = true;
    else if (name === "trowd") isHeaderRow = false;
    else if (state.into === "note" && name === "par") note += " ";
    else if (state.into !== "body") {
      if (Object.hasOwn(signs, name)) add(signs[name]!);
    } else if (name === "par" || name === "sect" || name === "page") endParagraph();
    else if (name === "cell" || name === "nestcell") {
      const depth = name === "cell" ? 1 : Math.max(2, state.depth);
      endParagraph(depth);
      writer.endCell(depth);
    } else if (name === "row") writer.endRow(isHeaderRow, 1);
    else if (name === "nestrow") writer.endRow(false, Math.max(2, state.depth));
    else if (Object.hasOwn(signs, name)) add(signs[name]!);
  }
  endParagraph();
  writer.finish();
  return resultOf(uri, (title) => setHeadings.applyTo(document.finish(title)), writer.title, facts);
}

interface RtfFacts {
  title: string;
  author: string;
  comments: number;
  /** Year, month and day as the file names them. */
  readonly created: Map<string, number>;
}

function resultOf(
  uri: string,
  finish: (title: string) => ReturnType<Composition["finish"]>,
  shownTitle: string,
  facts: RtfFacts,
): ReadResult {
  const stated = shownTitle || oneLine(facts.title);
  const draft = finish(stated);
  if (draft.text === "") throw withoutText(uri);
  const title = stated || draft.root.children.find(({ level }) => level === 1)?.title || fileNameOf(uri);
  const author = oneLine(facts.author);
  const createdAt = dateOf(facts.created);
  return {
    ...draft,
    title,
    root: { ...draft.root, title },
    ...(facts.comments > 0 && { notes: leftOutComments(facts.comments) }),
    metadata: { ...(author === "" ? {} : { author }), ...(createdAt === undefined ? {} : { createdAt }) },
  };
}

/**
 * Follows a field of a form that is no text: whether its box is ticked, and which entry of its list is chosen.
 *
 * **Source** RTF 1.9.1, form fields: `\\fftype` 1 is a box, 2 a list; `\\ffres` is the result, 25 for none; `\\ffdefres` stands in its place.
 */
function createFormField(): {
  readonly depth: number;
  /** Whether a control word says something of the field alone. */
  takes(name: string, value: number | undefined, into: State["into"], depth: number): boolean;
  addEntry(text: string): void;
  settle(): void;
  finish(): string;
} {
  let depth = 0;
  let facts = new Map<string, number>();
  let entries: string[] = [];
  return {
    get depth() {
      return depth;
    },
    takes(name, value, into, at) {
      if (name === "field" && into === "body") [depth, facts, entries] = [at, new Map<string, number>(), []];
      else if (name === "ffl") entries.push("");
      else if (into === "form") facts.set(name, value ?? 1);
      else return false;
      return name !== "ffl";
    },
    addEntry: (text) => void entries.push((entries.pop() ?? "") + text),
    // The file shows a result of its own.
    settle: () => facts.clear(),
    finish() {
      depth = 0;
      const result = facts.get("ffres") ?? 25;
      const chosen = result === 25 ? (facts.get("ffdefres") ?? 0) : result;
      if (facts.get("fftype") === 1) return chosen === 1 ? "☒" : "☐";
      return facts.get("fftype") === 2 ? (entries[chosen] ?? "").trim() : "";
    },
  };
}

const destinations: Readonly<Record<string, State["into"]>> = {
  fonttbl: "fonts",
  stylesheet: "styles",
  creatim: "created",
  listtext: "label",
  footnote: "note",
  fldinst: "code",
  formfield: "form",
  ffl: "entry",
};

/** Where text goes from a control word on; `undefined` where it goes on as before. */
function destinationOf(name: string, into: State["into"]): State["into"] | undefined {
  if (skipped.has(name)) return into === "fonts" ? undefined : "skip";
  if (name === "title" || name === "author") return into === "body" ? name : undefined;
  return Object.hasOwn(destinations, name) ? destinations[name] : undefined;
}

/** Applies a word that changes a property; `false` for other words. */
function setFormat(state: State, name: string, value: number | undefined): boolean {
  const isStyle = state.into === "styles";
  if (name === "plain") {
    [state.isHidden, state.isDeleted, state.font] = [false, false, -1];
    [state.isBold, state.size] = [plainState.isBold, plainState.size];
  } else if (name === "b") state.isBold = value !== 0;
  else if (name === "fs") state.size = (value ?? 24) / 2;
  else if (name === "v") state.isHidden = value !== 0;
  else if (name === "deleted") state.isDeleted = value !== 0;
  else if (name === "uc") state.fallback = Math.max(0, value ?? 1);
  else if (name === "s") state.style = value ?? 0;
  else if (name === "intbl") state.isInTable = true;
  else if (name === "itap") [state.isInTable, state.depth] = [(value ?? 1) > 0, Math.max(1, value ?? 1)];
  else if (name === "outlinelevel") {
    if (!isStyle) state.outline = (value ?? 9) < 6 ? (value ?? 0) + 1 : undefined;
  } else if (name === "pard") {
    if (!isStyle) [state.style, state.outline, state.isInTable, state.depth] = [0, undefined, false, 1];
  } else return false;
  return true;
}

function setCharset(fonts: Map<number, string>, font: number, number: number): void {
  const charset = charsets[number];
  if (charset !== undefined && number !== 0) fonts.set(font, charset);
}

/** Decodes bytes in the character set of their font, else in the file's code page. */
function createFontDecoder(
  fonts: ReadonlyMap<number, string>,
): (bytes: Uint8Array, font: number, page: string) => string {
  const decoders = new Map<string, InstanceType<typeof TextDecoder>>();
  return (bytes, font, page) => {
    const name = fonts.get(font) ?? page;
    let decoder = decoders.get(name);
    if (decoder === undefined) decoders.set(name, (decoder = decoderOf(name)));
    return decoder.decode(bytes);
  };
}

/** Windows names that the Encoding Standard lacks fall back to the first. */
function decoderOf(name: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(name);
  } catch {
    return new TextDecoder("windows-1252");
  }
}

function dateOf(parts: ReadonlyMap<string, number>): string | undefined {
  const [year = 0, month = 0, day = 0] = ["yr", "mo", "dy"].map((name) => parts.get(name) ?? 0);
  if (year < 1900 || month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}
