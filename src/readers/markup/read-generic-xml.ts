import { Tokenizer } from "htmlparser2";

import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { fileNameOf } from "../file-name.ts";
import { decodeInput } from "../text/decode-source.ts";
import { declaredCharset } from "../text/find-charset.ts";
import { plainTextReader } from "../text/plain-text-reader.ts";

import { composeMarkup, createMarkupEvents, headingTag, type MarkupEvents } from "./markup-events.ts";

/** A stretch of text, and the offset of its first character in the source. */
interface Piece {
  readonly text: string;
  readonly at: number;
}

interface XmlNode {
  readonly name: string;
  readonly at: number;
  readonly attributes: (Piece & { readonly name: string })[];
  /** Elements and texts, in order. Texts of white space alone are left out where no other text stands beside them. */
  readonly content: (XmlNode | Piece)[];
}

/** A value with the name that the file gives it: an attribute, or an element without elements. */
interface Field {
  readonly name: string;
  readonly at: number;
  readonly pieces: readonly Piece[];
}

/** Longest source that is read with its structure, and most elements: each is an object. **Units** UTF-16 code units. */
const longestSource = 8 * 1024 * 1024;
const mostElements = 200_000;
const deepest = 400;
/** Longest value in a table, most columns, and most values in a row. */
const longestCell = 300;
const mostValues = 100;
const mostColumns = 30;
/** From this length on a value is a paragraph, not a line with its name. */
const paragraphLength = 120;

const titleName = /^(?:title|head|heading|caption)$/iu;
const saysTitle = /^(?:title|label|text)$/iu;
const proseName = /^(?:p|para|paragraph|text|abstract|summary|note|quote)$/iu;
const itemName = /^(?:li|item|listitem)$/iu;
/** Elements around lists, tables and texts: their names say nothing of what is in them. */
const frameName = /^(?:list|ul|ol|items|table|thead|tbody|tfoot|tgroup|rows|body|content|text|div)$/iu;
const codeName = /^(?:code|pre|screen|programlisting|script|query|sql)$/iu;
/** Vocabularies of programs: their readers want the source. */
const programs =
  /^[^<]*(?:<[?!][^>]*>[^<]*)*<[^>]*(?:www\.w3\.org\/(?:1999\/XSL\/Transform|2001\/XMLSchema["'])|schemas\.microsoft\.com\/(?:winfx|office\/(?:2006\/xmlPackage|word\/2003\/wordml)))/u;

/**
 * Implements the reader of XML of any vocabulary.
 *
 * **Shape** an element with text and elements is a paragraph. One of elements alone is a section, under its title, else its name. Siblings of one name are
 * rows of a table where each has values alone, and items where they are values. Other values stand as `name: value`; attributes are values too. XSLT, XML
 * Schema and XAML, XML that is not well formed, and more than 8 Mi characters or 200,000 elements are read as plain text.
 * **Source** W3C, Extensible Markup Language (XML) 1.0; the reading as sections, tables and values is our own.
 */
export async function readGenericXml(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes, charset } = input;
  const source = decodeInput(bytes, charset ?? declaredCharset(bytes), input);
  const isLong = source.length > longestSource;
  const root = isLong || programs.test(source.slice(0, 4000)) ? undefined : parse(source);
  const events = createMarkupEvents();
  const title = root === undefined ? undefined : titleOf(root);
  if (root !== undefined) writeNode(events, root, title === undefined ? 0 : 1);
  if (root === undefined || !holdsWords(root)) {
    const read = await plainTextReader.readText!({ ...input, text: source });
    return isLong
      ? { ...read, notes: [`Read as plain text: ${fileNameOf(uri)} is too long for its structure.`] }
      : read;
  }
  const language = root.attributes.find(({ name }) => name === "xml:lang")?.text;
  const isTag = language !== undefined && /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/u.test(language);
  return composeMarkup(input, source, events.finish(), {
    title: title === undefined ? fileNameOf(uri) : plainOf(textOf(title)).slice(0, 300),
    metadata: isTag ? { language } : {},
  });
}

/** The root element; `undefined` for a source that is not well formed, or nests too deep. */
function parse(given: string): XmlNode | undefined {
  // The tokenizer ends a declaration at its first bracket. Blanks in its place keep all that follows where it is.
  const source = given.replace(/<!DOCTYPE[^<>[\]]*\[[^\]]*\]\s*>/u, (declared) => " ".repeat(declared.length));
  const top: XmlNode = { name: "", at: 0, attributes: [], content: [] };
  const open: XmlNode[] = [top];
  let count = 0;
  let isBroken = false;
  let attribute = "";
  let name = "";
  let at = 0;
  let attributes: XmlNode["attributes"] = [];
  const addText = (text: string, place: number): void => {
    const parent = open.at(-1)!;
    if (isBroken) return;
    if (parent !== top) parent.content.push({ text, at: place });
    else if (text.trim() !== "") isBroken = true;
  };
  const openElement = (): void => {
    const node: XmlNode = { name, at, attributes, content: [] };
    if (++count > mostElements || open.length > deepest) isBroken = true;
    if (isBroken) return;
    open.at(-1)!.content.push(node);
    open.push(node);
  };
  const closeElement = (closed: string): void => {
    const node = open.length > 1 ? open.pop()! : undefined;
    if (node?.name !== closed) isBroken = true;
  };
  const addValue = (text: string, place: number): void => {
    const last = attributes.at(-1);
    if (isBroken) return;
    if (last?.name === attribute) attributes[attributes.length - 1] = { ...last, text: last.text + text };
    else attributes.push({ name: attribute, text, at: place });
  };
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      isInForeignContext: () => true,
      onopentagname(start, end) {
        [name, at, attributes] = [source.slice(start, end), start - 1, []];
      },
      onattribname: (start, end) => void (attribute = source.slice(start, end)),
      onattribdata: (start, end) => addValue(source.slice(start, end), start),
      onattribentity: (codePoint) => addValue(String.fromCodePoint(codePoint), at),
      onattribend: () => undefined,
      onopentagend: openElement,
      onselfclosingtag() {
        openElement();
        closeElement(name);
      },
      onclosetag: (start, end) => closeElement(source.slice(start, end)),
      ontext: (start, end) => addText(source.slice(start, end), start),
      ontextentity: (codePoint, end) => addText(String.fromCodePoint(codePoint), end - 1),
      oncdata: (start, end, endOffset) => addText(source.slice(start, end - endOffset), start),
      oncomment: () => undefined,
      ondeclaration: () => undefined,
      onprocessinginstruction: () => undefined,
      onend: () => undefined,
    },
  );
  tokenizer.write(source);
  tokenizer.end();
  const [root] = elementsOf(top);
  return isBroken || open.length > 1 || root === undefined || top.content.length > 1 ? undefined : root;
}

const isNode = (content: XmlNode | Piece): content is XmlNode => "content" in content;
const elementsOf = ({ content }: XmlNode): readonly XmlNode[] => content.filter(isNode);
/** An element without elements. One of attributes alone, two or more, is a row and no value. */
const isValue = (node: XmlNode): boolean =>
  elementsOf(node).length === 0 && (hasText(node) || attributesOf(node).length < 2);
const hasText = ({ content }: XmlNode): boolean => content.some((each) => !isNode(each) && each.text.trim() !== "");
const isMixed = (node: XmlNode): boolean => elementsOf(node).length > 0 && hasText(node);
const localName = (name: string): string => name.slice(name.indexOf(":") + 1);
const plainOf = (pieces: readonly Piece[]): string =>
  pieces
    .map(({ text }) => text)
    .join("")
    .replace(/\s+/gu, " ")
    .trim();

/** All text of an element; a word never runs into that of the next element. */
function textOf(node: XmlNode): readonly Piece[] {
  const isApart = !hasText(node);
  return node.content.flatMap((each) =>
    !isNode(each)
      ? [each]
      : isApart || each.content.length === 0
        ? [...textOf(each), { text: " ", at: each.at }]
        : textOf(each),
  );
}

/** The text of a value; for one of an attribute alone that is its words, with its name where that is no title. */
function wordsOf(node: XmlNode): readonly Piece[] {
  if (hasText(node)) return textOf(node);
  return attributesOf(node).flatMap(({ name, at, pieces }) =>
    saysTitle.test(name) ? pieces : [{ text: `${name}: `, at }, ...pieces],
  );
}

/** Attributes that say something, as values. */
function attributesOf({ attributes }: XmlNode): readonly Field[] {
  return attributes
    .filter(
      ({ name, text }) =>
        !/^xml(?:ns)?(?::|$)|:schemaLocation$|:noNamespaceSchemaLocation$/u.test(name) && text.trim() !== "",
    )
    .map(({ name, text, at }) => ({ name: localName(name), at, pieces: [{ text, at }] }));
}

/** Values of an element that holds values alone; an element of one name twice gives both, apart. */
function fieldsOf(node: XmlNode): readonly Field[] {
  const fields = new Map<string, { readonly name: string; readonly at: number; readonly pieces: Piece[] }>();
  for (const { name, at, pieces } of attributesOf(node)) fields.set(name, { name, at, pieces: [...pieces] });
  for (const child of elementsOf(node)) {
    const { name, at, pieces } = fieldOf(child);
    const known = fields.get(name);
    if (known === undefined) fields.set(name, { name, at, pieces: [...pieces] });
    else known.pieces.push({ text: "; ", at }, ...pieces);
  }
  return [...fields.values()];
}

/** An element as a value, with its attributes in brackets. */
function fieldOf(node: XmlNode): Field {
  const { name, at } = node;
  const attributes = attributesOf(node);
  const own = node.content.length === 0 && attributes.length > 0 ? [] : textOf(node);
  const more = attributes.flatMap((one) => [{ text: ` (${one.name}: `, at }, ...one.pieces, { text: ")", at }]);
  return { name: localName(name), at, pieces: [...own, ...more] };
}

/** Whether an element is a row: two values or more, and nothing below them. */
function isRecord(node: XmlNode): boolean {
  const children = elementsOf(node);
  if (children.length > mostValues || hasText(node)) return false;
  return children.every(isValue) && children.length + attributesOf(node).length >= 2;
}

/** Whether an element is a row of cells, which share a name: `<row><cell/><cell/></row>`, `<tr><td/><td/></tr>`. */
function isRowOfCells(node: XmlNode): boolean {
  const children = elementsOf(node);
  if (children.length > mostValues) return false;
  const names = new Set(children.map(({ name }) => localName(name).toLowerCase().replace(/^th$/u, "td")));
  return (
    children.length >= 2 &&
    names.size === 1 &&
    !hasText(node) &&
    children.every((child) => isValue(child) || isMixed(child))
  );
}

function titleOf(node: XmlNode): XmlNode | undefined {
  const [first, ...others] = elementsOf(node);
  const isTitle = first !== undefined && titleName.test(localName(first.name)) && (isValue(first) || isMixed(first));
  return isTitle && others.length > 0 && plainOf(textOf(first)) !== "" ? first : undefined;
}

function holdsWords(root: XmlNode): boolean {
  const saysMore = (node: XmlNode): boolean =>
    elementsOf(node).some((child) => attributesOf(child).length > 0 || saysMore(child));
  return /[\p{L}\p{N}]/u.test(plainOf(textOf(root))) || saysMore(root);
}

function writePieces(events: MarkupEvents, pieces: readonly Piece[]): void {
  for (const { text, at } of pieces) events.text(text, at);
}

function writeElement(events: MarkupEvents, tag: string, pieces: readonly Piece[], at: number): void {
  events.open(tag, at);
  writePieces(events, pieces);
  events.close();
}

function writeFields(events: MarkupEvents, fields: readonly Field[]): void {
  const shown = fields.filter(({ pieces }) => plainOf(pieces) !== "");
  if (shown.length === 0) return;
  events.open("ul", shown[0]!.at);
  for (const { name, at, pieces } of shown) writeElement(events, "li", [{ text: `${name}: `, at }, ...pieces], at);
  events.close();
}

function writeTable(events: MarkupEvents, rows: readonly (readonly Field[])[], at: number): void {
  const columns = [...new Set(rows.flatMap((row) => row.map(({ name }) => name)))];
  events.open("table", at);
  events.open("tr", at);
  for (const column of columns) events.element("th", column, at);
  events.close();
  for (const row of rows) {
    const first = row[0]?.at ?? at;
    events.open("tr", first);
    for (const column of columns)
      writeElement(events, "td", row.find(({ name }) => name === column)?.pieces ?? [], first);
    events.close();
  }
  events.close();
}

/** Rows of a table; `undefined` where they share too little, or hold too much. */
function rowsOf(nodes: readonly XmlNode[]): readonly (readonly Field[])[] | undefined {
  if (nodes.length < 2 || !nodes.every(isRecord)) return undefined;
  const rows = nodes.map(fieldsOf);
  const columns = new Set(rows.flatMap((row) => row.map(({ name }) => name))).size;
  const filled = rows.reduce((sum, row) => sum + row.length, 0);
  const isShort = rows.every((row) => row.every(({ pieces }) => plainOf(pieces).length <= longestCell));
  return columns <= mostColumns && filled * 2 >= columns * rows.length && isShort ? rows : undefined;
}

function writeCells(events: MarkupEvents, rows: readonly XmlNode[]): void {
  events.open("table", rows[0]!.at);
  for (const row of rows) {
    events.open("tr", row.at);
    for (const cell of elementsOf(row)) {
      const tag = /^(?:th|header|head)$/iu.test(localName(cell.name)) ? "th" : "td";
      writeElement(events, tag, textOf(cell), cell.at);
    }
    events.close();
  }
  events.close();
}

/** Writes an element of elements; `level` is that of its heading, and 0 for a root without one. */
function writeNode(events: MarkupEvents, node: XmlNode, level: number): void {
  if (isValue(node) || isMixed(node)) {
    writeElement(events, "p", wordsOf(node), node.at);
    return;
  }
  const title = titleOf(node);
  const named = attributesOf(node);
  const children = elementsOf(node).filter((child) => child !== title);
  const said = named.find(({ name }) => saysTitle.test(name));
  const known = said ?? named.find(({ name }) => /^(?:id|name|key)$/iu.test(name));
  const isNamed = title === undefined && level > 0 && !frameName.test(localName(node.name));
  const heading = level <= 6 ? headingTag(level) : "p";
  if (title !== undefined) writeElement(events, heading, textOf(title), title.at);
  else if (isNamed) {
    // A title says enough. A name or a number needs the kind of what it names.
    const kind: Piece[] = said === undefined ? [{ text: localName(node.name), at: node.at }] : [];
    if (said === undefined && known !== undefined) kind.push({ text: " ", at: known.at });
    writeElement(events, heading, [...kind, ...(known?.pieces ?? [])], node.at);
  }
  writeFields(events, isNamed ? named.filter((field) => field !== known) : named);
  const next = title !== undefined || isNamed || level === 0 ? level + 1 : level;
  /** Values of different names, which stand together. */
  let fields: Field[] = [];
  const flush = (): void => {
    writeFields(events, fields);
    fields = [];
  };
  for (let at = 0; at < children.length;) {
    let end = at + 1;
    while (end < children.length && children[end]!.name === children[at]!.name) end++;
    const run = children.slice(at, end);
    at = end;
    const [only] = run;
    if (run.length === 1 && isShortValue(only!)) {
      fields.push(fieldOf(only!));
      continue;
    }
    flush();
    const rows = rowsOf(run);
    if (run.every(isRowOfCells) && (run.length > 1 || children.length === 1)) writeCells(events, run);
    else if (rows !== undefined) writeTable(events, rows, run[0]!.at);
    else if (run.every((child) => isValue(child) || isMixed(child))) writeValues(events, run);
    else for (const child of run) writeNode(events, child, next);
  }
  flush();
}

function isShortValue(node: XmlNode): boolean {
  const kind = localName(node.name);
  return (
    isValue(node) &&
    !proseName.test(kind) &&
    !codeName.test(kind) &&
    !itemName.test(kind) &&
    plainOf(textOf(node)).length <= paragraphLength
  );
}

/** Writes siblings of one name that are values or paragraphs. */
function writeValues(events: MarkupEvents, run: readonly XmlNode[]): void {
  const kind = localName(run[0]!.name);
  if (codeName.test(kind)) {
    for (const node of run) writeElement(events, "pre", textOf(node), node.at);
    return;
  }
  const isList = itemName.test(kind) || (run.length > 1 && run.every(isShortValue));
  const shown = run.map(fieldOf).filter(({ pieces }) => plainOf(pieces) !== "");
  if (isList && shown.length > 0) events.open("ul", shown[0]!.at);
  for (const { pieces, at } of shown) writeElement(events, isList ? "li" : "p", pieces, at);
  if (isList && shown.length > 0) events.close();
}
