import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { createDelimitedScanner } from "../../text/delimited-rows.ts";
import { decodeInput } from "../text/decode-source.ts";

import { type AsciidocAttributes, createAttributes } from "./asciidoc-attributes.ts";
import { hide, type InlineRule, showGroup, showLink, writeInline } from "./inline-rules.ts";
import {
  composeMarkup,
  createMarkupEvents,
  findIncluded,
  findLine,
  headingTag,
  joinLines,
  type MarkupEvents,
  type SourceLine,
  splitLines,
} from "./markup-events.ts";

/** **Source** AsciiDoc Language Documentation (Eclipse Foundation): text formatting, links, macros. */
const rules: readonly InlineRule[] = [
  showGroup(/\+\+\+(.{1,2000}?)\+\+\+/suy),
  showGroup(/`\+(.{1,2000}?)\+`/suy),
  showGroup(/``(.{1,2000}?)``/suy),
  showGroup(/\*\*(.{1,2000}?)\*\*/suy, 1, true),
  showGroup(/__(.{1,2000}?)__/suy, 1, true),
  showGroup(/##(.{1,2000}?)##/suy, 1, true),
  showGroup(/(?<![\w`])`(\S(?:[^`]*\S)?)`(?!\w)/suy, 1, true),
  showGroup(/(?<![\w*])\*(\S(?:[^*]*\S)?)\*(?!\w)/suy, 1, true),
  showGroup(/(?<!\w)_(\S(?:[^_]*\S)?)_(?!\w)/suy, 1, true),
  showGroup(/(?:\[[^\]]*\])?(?<!\w)#(\S(?:[^#]*\S)?)#(?!\w)/suy, 1, true),
  showLink(/(?:link:)?(https?:\/\/[^\s[\]<>]+|(?<=link:)[^\s[\]]+)\[([^\]]*?)\^?\]/uy, 2, 1),
  {
    pattern: /footnote:[^\s[\]]*\[((?:\\\]|[^\]])*)\]/uy,
    show: ([, note = ""]) => ({ text: note === "" ? "" : ` (${note})`, isNested: true }),
  },
  showGroup(
    /(?:link|xref|mailto|kbd|btn|menu|stem|latexmath|asciimath|pass|term|indexterm2):[^\s[\]]*\[((?:\\\]|[^\]])*)\]/uy,
    1,
    true,
  ),
  { pattern: /image:[^\s:[\]]+\[([^\],]*)[^\]]*\]/uy, show: ([, alternative = ""]) => ({ text: alternative }) },
  { pattern: /<<([^>,]+)(?:,\s*([^>]*))?>>/uy, show: ([, id = "", label = ""]) => ({ text: label || id }) },
  hide(/\[\[[^\]]+\]\]/uy),
  hide(/\(\(\([^)]*\)\)\)/uy),
  showGroup(/\(\(([^()]+)\)\)/uy),
  showGroup(/\\([*_`#[{<])/uy),
];
const starts =
  /[`*_#+[(<{\\]|(?:https?|link|xref|mailto|footnote|kbd|btn|menu|stem|latexmath|asciimath|pass|term|indexterm2|image):/gu;

/** Events, with the attributes that the lines so far have set. */
type AsciidocEvents = MarkupEvents & {
  readonly attributes: AsciidocAttributes;
  readonly rules: readonly InlineRule[];
};

const attributeEntry = /^:!?[\w-]+!?:(?:\s|$)/u;
const heading = /^(={1,6}|#{1,6})\s+(\S.*)$/u;
const delimiter = /^(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|\/{4,}|--|`{3,}.*)$/u;
const item = /^\s*(\*{1,6}|-|\.{1,6}|\d+\.|[a-z]\.)\s+(\S.*)$/u;
const term = /^(\S.*?)(:{2,4}|;;)(?:\s+(.*))?$/u;
const maxNesting = 40;

/**
 * Implements the reader of AsciiDoc.
 *
 * **Source** AsciiDoc Language Documentation (Eclipse Foundation): blocks, lists, tables.
 */
export function readAsciidoc(input: ReadInput): ReadResult {
  const source = decodeInput(input.bytes, input.charset, input);
  const given = splitLines(source);
  const lines = given.flatMap(showConditional);
  const attributes = createAttributes(input);
  const events = Object.assign(createMarkupEvents(), { attributes, rules: [...attributes.rules, ...rules] });
  const isMarkdownLike = !lines.some(({ text }) => /^=\s+\S/u.test(text));
  readBlocks(events, enterHeader(lines, attributes), 0);
  return composeMarkup(input, source, events.finish(), {
    metadata: isMarkdownLike ? {} : attributesOf(lines),
    included: findIncluded(given, /^include::([^\s[\]]+)\[/u),
  });
}

/**
 * Lines of conditions and includes show nothing, wherever they stand; the text between them stays, whatever a build sets.
 *
 * **Source** AsciiDoc Language Documentation (Eclipse Foundation): conditionals, includes.
 */
function showConditional(line: SourceLine): readonly SourceLine[] {
  const found = /^(?:ifn?def|ifeval|endif|include)::[^[\]]*\[(.*)\]$/u.exec(line.text);
  if (found === null) return [line];
  const words = /^ifn?def/u.test(line.text) ? found[1]! : "";
  return words === "" ? [] : [{ text: words, at: line.at + line.text.length - words.length - 1 }];
}

/**
 * Enters the attributes of the header, which ends at its first blank line: the title above them may refer to them. The other lines stay.
 *
 * **Source** AsciiDoc Language Documentation (Eclipse Foundation): document header.
 */
function enterHeader(lines: readonly SourceLine[], attributes: AsciidocAttributes): readonly SourceLine[] {
  const begin = lines.findIndex(({ text }) => text !== "" && !text.startsWith("//") && !attributeEntry.test(text));
  if (!/^[=#]\s+\S/u.test(lines[begin]?.text ?? "")) return lines;
  const kept = lines.slice(0, begin + 1);
  let at = begin + 1;
  for (; at < lines.length && lines[at]!.text !== ""; at++) {
    if (attributeEntry.test(lines[at]!.text)) at = enterAttribute(lines, at, attributes);
    else kept.push(lines[at]!);
  }
  return [...kept, ...lines.slice(at)];
}

/** Enters an attribute whose value may go on over lines; the last of them. */
function enterAttribute(lines: readonly SourceLine[], begin: number, attributes: AsciidocAttributes): number {
  let at = begin;
  let entry = lines[at]!.text;
  while (/\s\\$/u.test(entry) && at + 1 < lines.length)
    entry = `${entry.slice(0, -1).trimEnd()} ${lines[++at]!.text.trim()}`;
  attributes.enter(entry);
  return at;
}

/** The author that the header states. */
function attributesOf(lines: readonly SourceLine[]): ReadResult["metadata"] {
  const stated = lines.slice(0, 60).map(({ text }) => /^:author:\s+(\S.*)$/u.exec(text)?.[1]);
  // The line below the title names the author, with an address or without.
  const below = lines[lines.findIndex(({ text }) => /^=\s+\S/u.test(text)) + 1]?.text ?? "";
  const named = /^(\p{L}[\p{L}.'’-]*(?: \p{L}[\p{L}.'’_-]*){1,3})(?: <[^<>]*>)?$/u.exec(below)?.[1];
  const author = stated.find((found) => found !== undefined) ?? named;
  return author === undefined ? {} : { author: author.slice(0, 1000) };
}

function readBlocks(events: AsciidocEvents, lines: readonly SourceLine[], depth: number): void {
  /** Attributes of the block that follows: `source,ruby`, `NOTE`, `%header,cols=2`. */
  let attributes = "";
  for (let at = 0; at < lines.length;) {
    const { text, at: place } = lines[at]!;
    if (text === "") {
      at++;
      continue;
    }
    if (attributeEntry.test(text)) {
      at = enterAttribute(lines, at, events.attributes) + 1;
      continue;
    }
    const list = /^\[([^\]]*)\]$/u.exec(text);
    if (list !== null && !/^\[\d+\]/u.test(text)) {
      attributes = list[1]!.startsWith("[") ? attributes : `${attributes},${list[1]}`;
      at++;
      continue;
    }
    if (
      /^\[\[[^\]]*\]\]$/u.test(text) ||
      (text.startsWith("//") && !/^\/{4,}$/u.test(text)) ||
      text.startsWith("toc::") ||
      /^(?:'''|<<<|\+)$/u.test(text)
    ) {
      at++;
      continue;
    }
    at = readBlock(events, lines, at, attributes, depth, place);
    attributes = "";
  }
}

function readBlock(
  events: AsciidocEvents,
  lines: readonly SourceLine[],
  at: number,
  attributes: string,
  depth: number,
  place: number,
): number {
  const { text } = lines[at]!;
  const title = heading.exec(text);
  if (title !== null) {
    events.open(headingTag(title[1]!.length), place);
    write(events, { text: title[2]!.replace(/\s+=+$/u, ""), at: place + text.indexOf(title[2]!) });
    events.close();
    return at + 1;
  }
  const under = /^([=~^+-])\1+$/u.exec(lines[at + 1]?.text ?? "");
  if (under !== null && Math.abs(lines[at + 1]!.text.length - text.length) <= 2 && /^[\p{L}\p{N}]/u.test(text)) {
    events.open(headingTag("=-~^+".indexOf(under[1]!) + 1), place);
    write(events, lines[at]!);
    events.close();
    return at + 2;
  }
  if (/^[|,:!]={3,}$/u.test(text)) return readTable(events, lines, at, attributes);
  if (delimiter.test(text)) return readDelimited(events, lines, at, attributes, depth);
  const image = /^image::[^\s[\]]+\[([^\],]*)[^\]]*\]$/u.exec(text);
  if (image !== null) {
    if (image[1] !== "") events.element("p", `[Image: ${image[1]!.replace(/^"|"$/gu, "")}]`, place);
    return at + 1;
  }
  if (/^\.[^\s.]/u.test(text)) {
    events.open("p", place);
    write(events, { text: text.slice(1), at: place + 1 });
    events.close();
    return at + 1;
  }
  if (item.test(text)) return readList(events, lines, at, depth);
  const defined = term.exec(text);
  if (defined !== null && !text.includes("://")) {
    events.open("p", place);
    write(events, { text: `${defined[1]}:`, at: place });
    events.close();
    return readDefinition(events, lines, at, defined[3] ?? "");
  }
  if (/^\s+\S/u.test(text)) {
    const end = endOfParagraph(lines, at);
    writeCode(events, lines.slice(at, end), attributes);
    return end;
  }
  const end = endOfParagraph(lines, at);
  if (/(?:^|,)(?:source|listing|literal)\b/u.test(attributes)) writeCode(events, lines.slice(at, end), attributes);
  else writeParagraph(events, lines.slice(at, end));
  return end;
}

/** A definition goes on to the next blank line; without words beside its term it begins with the next paragraph. */
function readDefinition(events: AsciidocEvents, lines: readonly SourceLine[], at: number, rest: string): number {
  const line = lines[at]!;
  const isBlock = (text: string): boolean =>
    text === "+" ||
    [item, term, delimiter, heading, /^[|,:!]={3,}$|^\[[^\]]*\]$|^\.[^\s.]|^image::/u].some((form) => form.test(text));
  let begin = at + 1;
  if (rest === "") begin = findLine(lines, begin, (text) => text !== "");
  if (begin >= lines.length || isBlock(lines[begin]!.text)) begin = at + 1;
  const end = rest === "" && begin === at + 1 && (lines[begin]?.text ?? "") === "" ? begin : findEnd(begin);
  const words = lines.slice(begin, end).map(({ text, at: place }) => {
    const shown = text.trimStart();
    return { text: shown, at: place + text.length - shown.length };
  });
  if (rest !== "") words.unshift({ text: rest, at: line.at + line.text.length - rest.length });
  if (words.length > 0) writeParagraph(events, words);
  return end;

  function findEnd(from: number): number {
    return findLine(lines, from, (text) => text === "" || isBlock(text));
  }
}

function write(events: AsciidocEvents, { text, at }: SourceLine): void {
  writeInline(events, text, at, events.rules, starts);
}

function writeParagraph(events: AsciidocEvents, lines: readonly SourceLine[]): void {
  const shown = lines
    .filter(({ text }) => !text.startsWith("//"))
    .map(({ text, at }) => ({ text: text.replace(/ \+$/u, ""), at }));
  events.open("p", shown[0]?.at ?? 0);
  write(events, joinLines(shown));
  events.close();
}

function writeCode(events: AsciidocEvents, lines: readonly SourceLine[], attributes: string): void {
  const language = /(?:^|,)\s*(?:source(?:%\w+)*\s*,\s*|,)([\w+#-]+)/u.exec(attributes)?.[1];
  events.open("pre", lines[0]?.at ?? 0, language === undefined ? {} : { class: `language-${language}` });
  for (const { text, at } of lines) events.text(`${text.replace(/\s*(?:\/\/|#|;;)?\s*<\d+>$/u, "")}\n`, at);
  events.close();
}

function endOfParagraph(lines: readonly SourceLine[], at: number): number {
  let end = at + 1;
  while (
    end < lines.length &&
    lines[end]!.text !== "" &&
    !delimiter.test(lines[end]!.text) &&
    !/^[|,:!]={3,}$/u.test(lines[end]!.text) &&
    !/^\[[^\]]*\]$/u.test(lines[end]!.text)
  )
    end++;
  return end;
}

function readDelimited(
  events: AsciidocEvents,
  lines: readonly SourceLine[],
  begin: number,
  attributes: string,
  depth: number,
): number {
  const fence = lines[begin]!.text.replace(/^(`{3,}).*$/u, "$1");
  const end = findLine(lines, begin + 1, (text) => text === fence);
  const body = lines.slice(begin + 1, end);
  const [sign = ""] = fence;
  if (sign === "/" || sign === "+") return end + 1;
  if (sign === "`" || (sign === "-" && fence !== "--") || sign === "." || depth >= maxNesting) {
    writeCode(events, body, sign === "`" ? `source,${lines[begin]!.text.slice(3)}` : attributes);
    return end + 1;
  }
  if (sign === "_") events.open("blockquote", lines[begin]!.at);
  readBlocks(events, body, depth + 1);
  if (sign === "_") {
    const names = attributes.split(",").map((name) => name.trim().replace(/^"(.*)"$/u, "$1"));
    const said = names.filter((name) => !/^(?:quote|verse)?$|[=.#%]/u.test(name)).join(", ");
    if (said !== "") {
      const { at } = lines[end] ?? lines.at(-1)!;
      events.open("p", at);
      events.text(`— ${said}`, at);
      events.close();
    }
    events.close();
  }
  return end + 1;
}

function readList(events: AsciidocEvents, lines: readonly SourceLine[], begin: number, depth: number): number {
  const markers: string[] = [];
  const base = events.depth;
  let at = begin;
  while (at < lines.length) {
    const { text, at: place } = lines[at]!;
    const found = item.exec(text);
    if (found === null) {
      if (text === "" && item.test(lines[at + 1]?.text ?? "")) at++;
      else if (text === "+" && lines[at + 1] !== undefined && depth < maxNesting) {
        at = readBlock(events, lines, at + 1, "", depth + 1, lines[at + 1]!.at);
      } else break;
      continue;
    }
    const [, given = "", words = ""] = found;
    const marker = given.replace(/^(?:\d+|[a-z])\.$/u, "1.");
    const known = markers.indexOf(marker);
    if (known === -1) {
      markers.push(marker);
      events.open(/^[*-]/u.test(marker) ? "ul" : "ol", place);
    } else {
      for (let level = markers.length; level > known + 1; level--) {
        // An item, and the list that it is in.
        events.close();
        events.close();
        markers.pop();
      }
      events.close();
    }
    let end = at + 1;
    while (
      end < lines.length &&
      lines[end]!.text !== "" &&
      lines[end]!.text !== "+" &&
      !item.test(lines[end]!.text) &&
      !delimiter.test(lines[end]!.text)
    )
      end++;
    events.open("li", place);
    const from = place + text.length - words.length;
    write(events, joinLines([{ text: words, at: from }, ...lines.slice(at + 1, end)]));
    at = end;
  }
  while (events.depth > base) events.close();
  return at;
}

interface TableCell {
  readonly lines: SourceLine[];
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
}

/** Signs before a bar say how the cell after it is set: `2.3+^.>s`. Groups: columns, rows, `+` or `*`. */
const cellSigns = /(?:^|\s)(?:(\d{1,4})?(?:\.(\d{1,4}))?([+*]))?[<^>]?(?:\.[<^>])?[adehlmsv]?$/u;

/** **Source** AsciiDoc Language Documentation: tables, data formats, spans. */
function readTable(events: AsciidocEvents, lines: readonly SourceLine[], begin: number, attributes: string): number {
  const fence = lines[begin]!.text;
  const end = findLine(lines, begin + 1, (text) => text === fence);
  const body = lines.slice(begin + 1, end);
  const format =
    /format\s*=\s*"?(\w+)/u.exec(attributes)?.[1] ?? (fence[0] === "," ? "csv" : fence[0] === ":" ? "dsv" : "");
  const separator = /separator\s*=\s*"?([^\s\]])/u.exec(attributes)?.[1];
  const usual: Readonly<Record<string, string>> = { csv: ",", dsv: ":", tsv: "\t" };
  const cells =
    usual[format] === undefined
      ? readBarCells(body, separator ?? (fence[0] === "!" ? "!" : "|"))
      : readDelimitedCells(body, separator ?? usual[format]);
  const stated = /cols\s*=\s*"?([^"\]]+)/u.exec(attributes)?.[1];
  const named = stated === undefined ? 0 : columnsOf(stated);
  const ofFirst = cells.filter((cell) => cell.row === cells[0]?.row).reduce((sum, cell) => sum + cell.columns, 0);
  const columns = Math.max(1, named || ofFirst);
  const isHeader =
    /%header|options\s*=\s*"?[^"]*header/u.test(attributes) || (body[0]?.text !== "" && body[1]?.text === "");
  events.open("table", lines[begin]!.at);
  /** For each column, how many further rows the cell above reaches into. */
  const reach = Array.from({ length: columns }, () => 0);
  let isFirst = true;
  for (let at = 0; at < cells.length; isFirst = false) {
    const covered = Math.min(...reach);
    if (covered > 0) for (const column of reach.keys()) reach[column]! -= covered;
    events.open("tr", cells[at]!.lines[0]?.at ?? lines[begin]!.at);
    for (let column = 0; column < columns && at < cells.length;) {
      if (reach[column]! > 0) {
        events.element("td", "", lines[begin]!.at);
        reach[column]!--;
        column++;
        continue;
      }
      const cell = cells[at++]!;
      const spans = cell.columns > 1 ? { colspan: String(cell.columns) } : {};
      events.open(isFirst && isHeader ? "th" : "td", cell.lines[0]?.at ?? lines[begin]!.at, spans);
      for (const line of cell.lines) write(events, { text: `${line.text} `, at: line.at });
      events.close();
      reach.fill(cell.rows - 1, column, column + cell.columns);
      column += cell.columns;
    }
    events.close();
  }
  events.close();
  return end + 1;
}

function readBarCells(body: readonly SourceLine[], separator: string): readonly TableCell[] {
  const cells: TableCell[] = [];
  let row = 0;
  let signs: RegExpExecArray | null = null;
  const add = (): void => {
    const [, first, second, kind] = signs ?? [];
    const copies = kind === "*" ? Math.min(64, Math.max(1, Number(first ?? "1"))) : 1;
    const [columns, rows] = kind === "+" ? [Number(first ?? "1"), Number(second ?? "1")] : [1, 1];
    const facts = { row, columns: Math.min(64, Math.max(1, columns)), rows: Math.max(1, rows) };
    for (let copy = 0; copy < copies; copy++) cells.push({ lines: [], ...facts });
  };
  let copied = 1;
  for (const { text, at } of body) {
    if (text === "") continue;
    row++;
    const pieces = separator === "|" ? text.split(/(?<!\\)\|/u) : text.split(separator);
    let from = 0;
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        const before = cells.length;
        add();
        copied = cells.length - before;
      }
      const isLast = index === pieces.length - 1;
      signs = isLast ? null : cellSigns.exec(piece);
      const words = (signs === null ? piece : piece.slice(0, signs.index)).trim();
      const line = { text: words.replaceAll("\\|", "|"), at: at + from + Math.max(0, piece.indexOf(words)) };
      if (words !== "") for (const cell of cells.slice(-copied)) cell.lines.push(line);
      from += piece.length + 1;
    }
  }
  return cells;
}

function readDelimitedCells(body: readonly SourceLine[], separator: string): readonly TableCell[] {
  const cells: TableCell[] = [];
  for (const [row, { text, at }] of body.entries()) {
    if (text === "") continue;
    createDelimitedScanner(text, separator).scan(0, (start, end, isQuoted) => {
      const raw = text.slice(start, end).trim();
      const words = isQuoted ? raw.slice(1, -1).replaceAll('""', '"') : raw;
      cells.push({ lines: [{ text: words, at: at + start }], row, columns: 1, rows: 1 });
    });
  }
  return cells;
}

/** `3` for `1,2a,>3`, and for `3*`. */
function columnsOf(stated: string): number {
  return stated
    .split(/[,;]/u)
    .reduce((sum, column) => sum + Math.min(64, Number(/^\s*(\d+)\*/u.exec(column)?.[1] ?? "1")), 0);
}
