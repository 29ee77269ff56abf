import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { decodeInput } from "../text/decode-source.ts";

import { hide, type InlineRule, showGroup, writeInline } from "./inline-rules.ts";
import {
  composeMarkup,
  createMarkupEvents,
  dedent,
  findIncluded,
  headingTag,
  indentOf,
  joinLines,
  type MarkupEvents,
  type SourceLine,
  splitLines,
} from "./markup-events.ts";

/** **Source** docutils, reStructuredText Markup Specification: inline markup. */
const rules: readonly InlineRule[] = [
  showGroup(/\\([^\s])/uy),
  hide(/\\\s/uy),
  showGroup(/``(.{1,2000}?)``/uy),
  {
    pattern: /:[\w:.+-]+:`([^`<]*?)\s*(?:<([^`>]*)>)?`/uy,
    show: ([, label = "", target = ""]) => ({ text: (label || target).replace(/^[~!]/u, "") }),
  },
  {
    pattern: /`([^`<]+?)\s*<([^`>]*)>`__?/uy,
    show: ([, label = "", address = ""]) => ({ text: label, href: /^https?:/u.test(address) ? address : undefined }),
  },
  showGroup(/`([^`]+)`(?::[\w:.+-]+:|__?)?/uy),
  showGroup(/\*\*(\S(?:.{0,2000}?\S)?)\*\*/uy, 1, true),
  showGroup(/\*([^\s*](?:[^*]*?[^\s*])?)\*/uy, 1, true),
  showGroup(/(\[[^\]\s]+\])_(?!\w)/uy),
  showGroup(/(?<!\w)([\p{L}\p{N}](?:[\p{L}\p{N}.:+-]{0,80}[\p{L}\p{N}])?)__?(?![\w`])/uy),
];
const starts = /[\\`:*|[]|[\p{L}\p{N}](?=[\p{L}\p{N}.:+-]{0,80}_(?!\w))/gu;

const adornment = /^([!-/:-@[-`{-~])\1{2,}$/u;
const bullet = /^([-*+•‣⁃])(?:\s+|$)/u;
const enumerator = /^(?:\(?(?:\d{1,4}|[A-Za-z]|[ivxlcdmIVXLCDM]{1,8}|#)[.)])\s+/u;
const codes =
  /^(?:code|code-block|sourcecode|literalinclude|parsed-literal|math|productionlist|doctest|testcode|testsetup|testoutput|graphviz|digraph|prompt|ipython|jupyter-execute|highlight-block)$/u;
const silent =
  /^(?:contents|include|meta|module|currentmodule|py:module|py:currentmodule|highlight|default-domain|sectnum|section-numbering|header|footer|raw|role|default-role|index|tabularcolumns|target-notes|restructuredtext-test-directive|auto\w+|autosummary|plot)$/u;
/** Directives whose argument is a version. **Source** Sphinx, The Paragraph-Level Markup. */
const changes: Readonly<Record<string, string>> = {
  versionadded: "Added in version ",
  versionchanged: "Changed in version ",
  versionremoved: "Removed in version ",
  deprecated: "Deprecated since version ",
};
const listings = /^(?:toctree|hlist)$/u;

/** Events, with the rules of one document: it says itself what its substitutions show. */
interface RstEvents extends MarkupEvents {
  readonly rules: readonly InlineRule[];
  /** The same, for markup that begins on one line and ends on another. */
  readonly acrossLines: readonly InlineRule[];
}

/** Longest text of a substitution. **Units** UTF-16 code units. */
const longestValue = 1000;

/**
 * The rule that shows substitutions such as `|version|`; one that no line defines shows its name.
 *
 * **Errors** it throws `too-large` when the texts that it shows grow beyond `maxTextLength`.
 */
function substitute({ uri, limits }: ReadInput, lines: readonly SourceLine[]): InlineRule {
  const { maxTextLength } = limitsOf(limits === undefined ? {} : { limits });
  const values = new Map<string, string>();
  for (const { text } of lines) {
    const [, name = "", value = ""] = /^\s*\.\.\s+\|([^|]+)\|\s+replace::\s+(\S.*)$/u.exec(text) ?? [];
    if (name !== "") values.set(name.toLowerCase(), value.slice(0, longestValue));
  }
  let shown = 0;
  return {
    pattern: /\|([^|\s](?:[^|]*[^|\s])?)\|_{0,2}/uy,
    show([, name = ""]) {
      const value = values.get(name.toLowerCase()) ?? name;
      shown += value.length;
      if (shown > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength);
      return { text: value.replace(/(\*\*|``|\*)(.+?)\1/gu, "$2") };
    },
  };
}

/**
 * Implements the reader of reStructuredText.
 *
 * **Source** docutils, reStructuredText Markup Specification and Directives; Sphinx's directives of the same shape.
 */
export function readRst(input: ReadInput): ReadResult {
  const source = decodeInput(input.bytes, input.charset, input);
  const lines = splitLines(source);
  const all = [...rules.slice(0, -1), substitute(input, lines), ...rules.slice(-1)];
  const acrossLines = all.map((rule) => ({ ...rule, pattern: new RegExp(rule.pattern.source, "suy") }));
  const events = Object.assign(createMarkupEvents(), { rules: all, acrossLines });
  readBlocks(events, lines, [], 0);
  return composeMarkup(input, source, events.finish(), {
    metadata: factsOf(lines),
    included: findIncluded(lines, /^\s*\.\.\s+(?:include|literalinclude)::\s+(\S+)/u),
  });
}

/** The author that a list of fields at the beginning states. **Source** docutils, bibliographic fields. */
function factsOf(lines: readonly SourceLine[]): Metadata {
  const stated = lines.slice(0, 60).map(({ text }) => /^:authors?:\s+(\S.*)$/iu.exec(text)?.[1]);
  const author = stated.find((found) => found !== undefined);
  return author === undefined ? {} : { author: author.slice(0, 1000) };
}

const maxNesting = 40;

function readBlocks(events: RstEvents, lines: readonly SourceLine[], levels: string[], depth: number): void {
  for (let at = 0; at < lines.length;) {
    if (lines[at]!.text === "") at++;
    else at = readBlock(events, lines, at, levels, depth);
  }
}

/** Reads the block that begins at a line, and says where the next one may begin. */
function readBlock(
  events: RstEvents,
  lines: readonly SourceLine[],
  at: number,
  levels: string[],
  depth: number,
): number {
  const { text, at: place } = lines[at]!;
  const next = lines[at + 1]?.text ?? "";
  const rule = adornment.exec(text)?.[1];
  if (depth === 0 && rule !== undefined && next !== "" && lines[at + 2]?.text.startsWith(rule.repeat(3)) === true) {
    writeHeading(events, lines[at + 1]!, `${rule}${rule}`, levels);
    return at + 3;
  }
  const under = adornment.exec(next)?.[1];
  if (
    depth === 0 &&
    under !== undefined &&
    indentOf(text) === 0 &&
    next.length >= Math.min(text.length, 4) &&
    rule === undefined
  ) {
    writeHeading(events, lines[at]!, under, levels);
    return at + 2;
  }
  if (rule !== undefined && (next === "" || text.length >= 4) && !/^[+=]/u.test(text) && text !== "::") return at + 1;
  if (/^\+[-=+]+\+$/u.test(text)) return readGridTable(events, lines, at);
  if (/^=+(?:\s+=+)+$/u.test(text)) return readSimpleTable(events, lines, at);
  if (text.startsWith(".. ") || text === "..") return readExplicit(events, lines, at, levels, depth);
  if (text === "::") return readLiteral(events, lines, at + 1);
  if (bullet.test(text) || enumerator.test(text)) return readList(events, lines, at, levels, depth);
  if (text.startsWith(">>>")) {
    const end = endOfParagraph(lines, at);
    writeCode(events, lines.slice(at, end), "python");
    return end;
  }
  if (indentOf(text) > 0) {
    const end = endOfIndented(lines, at, 1);
    if (depth >= maxNesting) writeParagraph(events, lines.slice(at, end));
    else {
      events.open("blockquote", place);
      readBlocks(events, dedent(lines.slice(at, end)), levels, depth + 1);
      events.close();
    }
    return end;
  }
  const field = /^:((?:[^:\\]|\\.)+):(?:\s+|$)/u.exec(text);
  if (field !== null && !/^:[\w.+-]+:`/u.test(text)) {
    const end = endOfItem(lines, at);
    // A field without words is a setting, such as `:orphan:`.
    if (text.length === field[0].length && end === at + 1) return end;
    events.open("p", place);
    events.text(`${field[1]}: `, place + 1);
    writeLines(events, [
      { text: text.slice(field[0].length), at: place + field[0].length },
      ...lines.slice(at + 1, end),
    ]);
    events.close();
    return end;
  }
  // A term with its definition below it.
  if (next !== "" && indentOf(next) > 0 && !text.endsWith("::")) {
    writeParagraph(events, [lines[at]!]);
    const end = endOfIndented(lines, at + 1, 1);
    if (depth < maxNesting) readBlocks(events, dedent(lines.slice(at + 1, end)), levels, depth + 1);
    else writeParagraph(events, lines.slice(at + 1, end));
    return end;
  }
  const end = endOfParagraph(lines, at);
  const body = lines.slice(at, end).map((line) => ({ ...line, text: line.text.replace(/^\|(?: |$)/u, "") }));
  const last = body.at(-1)!;
  const opensLiteral = last.text.endsWith("::");
  if (opensLiteral)
    body[body.length - 1] = { ...last, text: last.text.replace(/\s*::$/u, last.text === "::" ? "" : ":") };
  writeParagraph(events, body);
  return opensLiteral ? readLiteral(events, lines, end) : end;
}

function writeHeading(events: RstEvents, { text, at }: SourceLine, style: string, levels: string[]): void {
  if (!levels.includes(style)) levels.push(style);
  events.open(headingTag(levels.indexOf(style) + 1), at);
  writeInline(events, text.trim(), at + indentOf(text), events.rules, starts);
  events.close();
}

function writeParagraph(events: RstEvents, lines: readonly SourceLine[]): void {
  events.open("p", lines[0]?.at ?? 0);
  writeLines(events, lines);
  events.close();
}

/** Lines of one text: markup may begin on one and end on another. */
function writeLines(events: RstEvents, lines: readonly SourceLine[]): void {
  const { text, at } = joinLines(lines);
  writeInline(events, text, at, events.acrossLines, starts);
}

function writeCode(events: RstEvents, given: readonly SourceLine[], language = ""): void {
  const lines = dedent(given);
  while (lines.at(-1)?.text === "") lines.pop();
  while (lines[0]?.text === "") lines.shift();
  const [first] = lines;
  if (first === undefined) return;
  events.open("pre", first.at, /^[\w+#.-]+$/u.test(language) ? { class: `language-${language}` } : {});
  for (const { text, at } of lines) events.text(`${text}\n`, at);
  events.close();
}

function readLiteral(events: RstEvents, lines: readonly SourceLine[], at: number): number {
  let begin = at;
  while (begin < lines.length && lines[begin]!.text === "") begin++;
  if (begin === lines.length || indentOf(lines[begin]!.text) === 0) return begin;
  const end = endOfIndented(lines, begin, 1);
  writeCode(events, lines.slice(begin, end));
  return end;
}

function endOfParagraph(lines: readonly SourceLine[], at: number): number {
  let end = at + 1;
  while (end < lines.length && lines[end]!.text !== "") end++;
  return end;
}

/** Where lines that are indented, and blank ones among them, end. */
function endOfIndented(lines: readonly SourceLine[], at: number, indent: number): number {
  let end = at;
  let last = at;
  while (end < lines.length && (lines[end]!.text === "" || indentOf(lines[end]!.text) >= indent)) {
    if (lines[end]!.text !== "") last = end + 1;
    end++;
  }
  return Math.max(last, at + 1);
}

function endOfItem(lines: readonly SourceLine[], at: number): number {
  const next = lines[at + 1]?.text ?? "";
  return next !== "" && indentOf(next) > 0 ? endOfIndented(lines, at + 1, 1) : at + 1;
}

function readList(
  events: RstEvents,
  lines: readonly SourceLine[],
  begin: number,
  levels: string[],
  depth: number,
): number {
  const isBullet = bullet.test(lines[begin]!.text);
  const marker = isBullet ? bullet : enumerator;
  const number = /\d+/u.exec(lines[begin]!.text.slice(0, 6))?.[0];
  events.open(isBullet ? "ul" : "ol", lines[begin]!.at, number === undefined ? {} : { start: number });
  let at = begin;
  while (at < lines.length) {
    const line = lines[at]!;
    const found = marker.exec(line.text);
    if (found === null) break;
    const width = found[0].length || 2;
    const end = Math.max(at + 1, endOfIndented(lines, at + 1, Math.min(width, 2)));
    const first = { text: line.text.slice(width), at: line.at + Math.min(width, line.text.length) };
    const isLone = lines[at + 1]?.text === "" || lines[at + 1] === undefined || indentOf(lines[at + 1]!.text) === 0;
    events.open("li", line.at);
    if (depth >= maxNesting) writeLines(events, [first]);
    else readBlocks(events, [first, ...dedent(isLone ? [] : lines.slice(at + 1, end))], levels, depth + 1);
    if (isLone && depth < maxNesting && end > at + 1 && lines.slice(at + 1, end).some(({ text }) => indentOf(text) > 0))
      readBlocks(events, dedent(lines.slice(at + 1, end)), levels, depth + 1);
    events.close();
    at = isLone && end === at + 2 && indentOf(lines[at + 1]?.text ?? "") === 0 ? at + 1 : end;
    while (at < lines.length && lines[at]!.text === "") at++;
  }
  events.close();
  return at;
}

/** Directives, comments, targets, footnotes. */
function readExplicit(
  events: RstEvents,
  lines: readonly SourceLine[],
  begin: number,
  levels: string[],
  depth: number,
): number {
  const line = lines[begin]!;
  // An empty comment ends what stands above it, and takes nothing below. **Source** Docutils, reStructuredText Markup Specification: Comments.
  if (line.text.trim() === ".." && (lines[begin + 1]?.text ?? "") === "") return begin + 1;
  const end =
    (lines[begin + 1]?.text ?? "") === "" && lines[begin + 2] === undefined
      ? begin + 1
      : endOfIndented(lines, begin + 1, 1);
  const stop = lines.slice(begin + 1, end).some(({ text }) => indentOf(text) > 0) ? end : begin + 1;
  const body = lines.slice(begin + 1, stop);
  const note = /^\.\. (\[[^\]]+\])\s*/u.exec(line.text);
  if (note !== null) {
    writeParagraph(events, [
      { text: `${note[1]} ${line.text.slice(note[0].length)}`, at: line.at + 3 },
      ...dedent(body),
    ]);
    return stop;
  }
  const directive = /^\.\.\s+(?:\|[^|]+\|\s+)?([\w:.+-]+?)\s?::(?:\s+(.*))?$/u.exec(line.text);
  if (directive === null) return stop;
  const [, name = "", argument = ""] = directive;
  const place = line.at + line.text.length - argument.length;
  const options = body.findIndex(({ text }) => text === "" || !/^\s*:[\w-]+:/u.test(text));
  const content = options === -1 ? [] : body.slice(options);
  const captioned = body.find(({ text }) => /^\s*:caption:\s+\S/u.test(text));
  if (captioned !== undefined && (codes.test(name) || listings.test(name))) {
    const words = captioned.text.replace(/^\s*:caption:\s+/u, "");
    writeParagraph(events, [{ text: words, at: captioned.at + captioned.text.length - words.length }]);
  }
  if (codes.test(name)) writeCode(events, content, argument);
  else if (silent.test(name) || /^\.\.\s+\|/u.test(line.text)) return stop;
  else if (listings.test(name)) {
    events.open("ul", line.at);
    for (const { text, at } of content) if (text !== "") events.element("li", text.trim(), at);
    events.close();
  } else if (/^(?:image|figure)$/u.test(name)) {
    const alternative = body
      .map(({ text }) => /^\s*:alt:\s*(.+)$/u.exec(text)?.[1])
      .find((found) => found !== undefined);
    if (alternative !== undefined) events.element("p", `[Image: ${alternative}]`, line.at);
    readBlocks(events, dedent(content), levels, depth + 1);
  } else {
    if (argument !== "") {
      events.open("p", place);
      events.text(changes[name] ?? "", line.at);
      writeInline(events, argument, place, events.rules, starts);
      events.close();
    }
    if (name === "csv-table") writeCsv(events, body, content);
    else if (name === "list-table") writeListTable(events, body, content);
    else if (depth < maxNesting) readBlocks(events, dedent(content), levels, depth + 1);
  }
  return stop;
}

type Cell = readonly SourceLine[];

function writeTable(events: RstEvents, at: number, rows: readonly (readonly Cell[])[], headers: number): void {
  events.open("table", at);
  for (const [index, row] of rows.entries()) {
    events.open("tr", row[0]?.[0]?.at ?? at);
    for (const cell of row) {
      events.open(index < headers ? "th" : "td", cell[0]?.at ?? at);
      for (const line of cell) writeInline(events, `${line.text} `, line.at, events.rules, starts);
      events.close();
    }
    events.close();
  }
  events.close();
}

/** **Source** docutils, grid tables. A cell over several columns keeps its place; the columns it covers stay out. */
function readGridTable(events: RstEvents, lines: readonly SourceLine[], begin: number): number {
  let end = begin;
  while (end < lines.length && /^[+|]/u.test(lines[end]!.text)) end++;
  const rows: SourceLine[][][] = [];
  let headers = 0;
  let row: SourceLine[][] = [];
  for (const { text, at } of lines.slice(begin, end)) {
    if (/^\+[-=+]+\+$/u.test(text)) {
      if (row.length > 0) rows.push(row);
      row = [];
      if (text.includes("=")) headers = rows.length;
      continue;
    }
    let from = 1;
    for (const [index, piece] of text.slice(1).replace(/[|+]$/u, "").split("|").entries()) {
      const cell = (row[index] ??= []);
      const words = piece.trim();
      if (words !== "" && !/^-{3,}$/u.test(words)) cell.push({ text: words, at: at + from + indentOf(piece) });
      from += piece.length + 1;
    }
  }
  writeTable(events, lines[begin]!.at, rows, headers);
  return end;
}

/** **Source** docutils, simple tables. */
function readSimpleTable(events: RstEvents, lines: readonly SourceLine[], begin: number): number {
  const columns = [...lines[begin]!.text.matchAll(/=+/gu)].map(({ index }) => index);
  let end = begin + 1;
  let borders = 0;
  const isBorder = (text: string): boolean => /^=+(?:\s+=+)*$/u.test(text);
  const count = lines.slice(begin + 1).findIndex((line, i) => {
    if (!isBorder(line.text)) return false;
    borders++;
    return (lines[begin + i + 2]?.text ?? "") === "";
  });
  if (count === -1) return begin + 1;
  end = begin + 1 + count;
  const rows: SourceLine[][][] = [];
  let headers = 0;
  for (const { text, at } of lines.slice(begin + 1, end)) {
    if (isBorder(text)) {
      headers = rows.length;
      continue;
    }
    if (text === "" || /^-+(?:\s+-+)*$/u.test(text)) continue;
    const cells = columns.map((column, index): SourceLine[] => {
      const piece = text.slice(column, columns[index + 1] ?? text.length);
      return piece.trim() === "" ? [] : [{ text: piece.trim(), at: at + column + indentOf(piece) }];
    });
    const last = rows.at(-1);
    // A row without its first cell goes on with the one above.
    if (cells[0]!.length === 0 && last !== undefined) for (const [i, cell] of cells.entries()) last[i]!.push(...cell);
    else rows.push(cells);
  }
  writeTable(events, lines[begin]!.at, rows, borders > 1 ? headers : 0);
  return end + 1;
}

function writeCsv(events: RstEvents, body: readonly SourceLine[], content: readonly SourceLine[]): void {
  const cut = ({ text, at }: SourceLine, from = 0): Cell[] =>
    [...text.slice(from).matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/gu)]
      .filter(([whole]) => whole !== "")
      .map(({ 1: quoted, 2: plain = "", index }) => [
        { text: (quoted ?? plain).replaceAll('""', '"').trim(), at: at + from + index },
      ]);
  const header = body.find(({ text }) => /^\s*:header:/u.test(text));
  const named = header === undefined ? [] : [cut(header, header.text.indexOf(":header:") + 8)];
  const rows = content.filter(({ text }) => text !== "").map((line) => cut(dedentLine(line)));
  writeTable(events, body[0]?.at ?? 0, [...named, ...rows], named.length);
}

function dedentLine({ text, at }: SourceLine): SourceLine {
  return { text: text.trim(), at: at + indentOf(text) };
}

function writeListTable(events: RstEvents, body: readonly SourceLine[], content: readonly SourceLine[]): void {
  const headers = Number(/:header-rows:\s*(\d+)/u.exec(body.map(({ text }) => text).join("\n"))?.[1] ?? "0");
  const rows: SourceLine[][][] = [];
  for (const line of dedent(content)) {
    const mark = /^(\*\s+)?-(?:\s+|$)/u.exec(line.text.trimStart());
    const { text, at } = dedentLine(line);
    if (mark === null) {
      if (text !== "") rows.at(-1)?.at(-1)?.push({ text, at });
      continue;
    }
    if (mark[1] !== undefined) rows.push([]);
    rows.at(-1)?.push([{ text: text.slice(mark[0].length), at: at + mark[0].length }]);
  }
  writeTable(events, body[0]?.at ?? 0, rows, headers);
}
