import { Parser } from "htmlparser2";

import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { decodeInput } from "../text/decode-source.ts";

import { hide, type InlineRule, showGroup, showLink, writeInline } from "./inline-rules.ts";
import {
  composeMarkup,
  createMarkupEvents,
  findLine,
  headingTag,
  joinLines,
  type MarkupEvents,
  type SourceLine,
  splitLines,
} from "./markup-events.ts";

/** **Source** mediawiki.org, Help:Formatting, Help:Links and Help:Templates. A template shows its values that have no name. */
const rules: readonly InlineRule[] = [
  hide(/<!--.{0,2000}?-->/suy),
  showGroup(/<nowiki>(.{0,2000}?)<\/nowiki>/suy),
  hide(/<ref\b[^>]*\/>/uy),
  {
    pattern: /<ref\b[^>]*>(.{0,2000}?)<\/ref>/suy,
    show: ([, note = ""]) => ({ text: note.trim() === "" ? "" : ` (${note.trim()})`, isNested: true }),
  },
  showGroup(/<(?:code|tt|kbd|samp|var|math|chem)\b[^>]*>(.{0,2000}?)<\/\w+>/suy),
  { pattern: /<br\b[^<>]*>/iuy, show: () => ({ text: " " }) },
  hide(/<\/?[a-z][^<>]*>/iuy),
  hide(/\[\[(?:Category|Kategorie|Cat[ée]gorie|Categor[ií]a):[^\]]*\]\]/iuy),
  {
    pattern: /\[\[(?:File|Image|Datei|Bild|Fichier|Archivo):[^\]|]*((?:\|(?:\[\[[^[\]]*\]\]|[^\]|])*)*)\]\]/iuy,
    show: ([, parts = ""]) => {
      const caption = parts.split(/\|(?![^[]*\]\])/u).at(-1) ?? "";
      const isSetting =
        /^(?:thumb|frame|frameless|border|left|right|center|none|upright.*|\d+x?\d*px|alt=.*|link=.*)?$/u.test(caption);
      return { text: isSetting ? "" : caption, isNested: true };
    },
  },
  {
    pattern: /\[\[:?([^\]|]+)\|([^\]]*)\]\]/uy,
    show: ([, page = "", label = ""]) => ({ text: label || page, isNested: true }),
  },
  showGroup(/\[\[:?([^\]|]+)\]\]/uy),
  showLink(/\[((?:https?:)?\/\/[^\s\]]+)(?:\s+([^\]]*))?\]/uy, 2, 1),
  {
    pattern: /\{\{\s*([^{}|]*?)\s*((?:\|[^{}]*)?)\}\}/uy,
    show: ([, name = "", values = ""]) => ({ text: templateText(name, values.split("|")), isNested: true }),
  },
  // Two, three or five are marks; of four the first is shown, of more those before the last five.
  {
    pattern: /'{2,}/uy,
    show: ([marks]) => ({ text: "'".repeat(marks.length === 4 ? 1 : Math.max(0, marks.length - 5)) }),
  },
  hide(/__[A-Z]+__/uy),
  {
    pattern: /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iuy,
    show: ([entity]) => ({ text: decodeEntity(entity) }),
  },
];
/** Named values of a template for a source that a reader of the page sees. **Source** Wikipedia, Help:Citation Style 1. */
const cited =
  /^\s*(?:last\d*|first\d*|author\d*|date|year|title|chapter|work|website|newspaper|journal|publisher|location|volume|issue|pages?|isbn|doi)\s*=\s*/iu;

function templateText(name: string, values: readonly string[]): string {
  if (/^(?:cite|citation)\b/iu.test(name)) {
    const shown = values.filter((value) => cited.test(value)).map((value) => value.replace(cited, "").trim());
    if (shown.length > 0) return shown.filter((value) => value !== "").join(", ");
  }
  return values.filter((value) => !/^\s*[\w -]+=/u.test(value)).join(" ");
}

const starts = /[<[{'_&]/gu;

/**
 * Implements the reader of MediaWiki's markup.
 *
 * **Shape** a template of named values, such as an info box, is a table of them. **Source** mediawiki.org, Help:Formatting and Help:Tables.
 */
export function readMediawiki(input: ReadInput): ReadResult {
  const source = decodeInput(input.bytes, input.charset, input);
  const events = createMarkupEvents();
  // Comments leave their room, so that everything keeps its place.
  const commented = source.slice(0, source.lastIndexOf("-->") + 3);
  const shown =
    commented.replace(/<!--[\s\S]*?-->/gu, (comment) => comment.replace(/[^\n]/gu, " ")) +
    source.slice(commented.length);
  const lines = splitLines(shown);
  for (let at = 0; at < lines.length;) at = readBlock(events, lines, at);
  return composeMarkup(input, source, events.finish());
}

/** The sign of an entity of HTML; one that HTML does not know stays. A space that keeps words together is a space. */
function decodeEntity(entity: string): string {
  let shown = "";
  const parser = new Parser({ ontext: (text) => void (shown += text) }, { decodeEntities: true });
  parser.end(entity);
  return shown.replaceAll("\u00A0", " ");
}

function write(events: MarkupEvents, { text, at }: SourceLine): void {
  writeInline(events, text, at, rules, starts);
}

function readBlock(events: MarkupEvents, lines: readonly SourceLine[], at: number): number {
  const { text, at: place } = lines[at]!;
  if (text.trim() === "" || /^-{4,}$/u.test(text) || /^#REDIRECT/iu.test(text)) return at + 1;
  const heading = /^(={1,6})\s*(.+?)\s*\1\s*$/u.exec(text);
  if (heading !== null) {
    events.open(headingTag(heading[1]!.length), place);
    write(events, { text: heading[2]!, at: place + text.indexOf(heading[2]!) });
    events.close();
    return at + 1;
  }
  const code = /^\s*<(pre|syntaxhighlight|source)\b([^>]*)>(.*)$/u.exec(text);
  if (code !== null) return readCode(events, lines, at, code);
  if (/^[\s:]*\{\|/u.test(text)) return readTable(events, lines, at);
  if (/^\{\{[^}]*$/u.test(text)) return readTemplate(events, lines, at);
  if (/^\{\{\s*(?:infobox|taxobox)\b[^{}]*\}\}$/iu.test(text)) return readBox(events, lines[at]!, at);
  if (/^[*#;:]/u.test(text)) return readList(events, lines, at);
  if (text.startsWith(" ")) {
    const end = findLine(lines, at, (line) => !line.startsWith(" ") || line.trim() === "");
    events.open("pre", place);
    for (const line of lines.slice(at, end)) {
      write(events, { text: line.text.slice(1), at: line.at + 1 });
      events.text("\n", line.at);
    }
    events.close();
    return end;
  }
  const end = findLine(
    lines,
    at + 1,
    (line) =>
      line.trim() === "" || /^(?:[=*#;:]|-{4}|\{\||\{\{[^}]*$|\s*<(?:pre|syntaxhighlight|source)\b)/u.test(line),
  );
  events.open("p", place);
  write(events, joinLines(lines.slice(at, end)));
  events.close();
  return end;
}

function readCode(
  events: MarkupEvents,
  lines: readonly SourceLine[],
  begin: number,
  [, tag = "", attributes = "", rest = ""]: RegExpExecArray,
): number {
  const language = /lang\s*=\s*"?([\w+#-]+)/u.exec(attributes)?.[1];
  const first = lines[begin]!;
  const begun = { text: rest, at: first.at + first.text.length - rest.length };
  events.open("pre", first.at, language === undefined ? {} : { class: `language-${language}` });
  let count = 0;
  while (begin + count < lines.length) {
    const { text, at } = count === 0 ? begun : lines[begin + count]!;
    count++;
    const close = text.indexOf(`</${tag}>`);
    const shown = close === -1 ? text : text.slice(0, close);
    if (shown !== "" || (count > 1 && close === -1)) events.text(`${shown}\n`, at);
    if (close !== -1) break;
  }
  events.close();
  return begin + count;
}

function readList(events: MarkupEvents, lines: readonly SourceLine[], begin: number): number {
  const base = events.depth;
  let open = "";
  let at = begin;
  for (; at < lines.length; at++) {
    const { text, at: place } = lines[at]!;
    const marks = /^[*#;:]+/u.exec(text)?.[0];
    if (marks === undefined) break;
    const shared = Array.from(marks).findIndex((mark, index) => kindOf(mark) !== kindOf(open[index] ?? ""));
    const kept = shared === -1 ? marks.length : shared;
    for (let level = open.length; level > kept; level--) {
      events.close();
      events.close();
    }
    if (open.length >= marks.length && kept === marks.length) events.close();
    for (let level = kept; level < marks.length; level++) {
      events.open(marks[level] === "#" ? "ol" : "ul", place);
      if (level < marks.length - 1) events.open("li", place);
    }
    events.open("li", place);
    const words = text.slice(marks.length).trimStart();
    write(events, {
      text: marks.endsWith(";") ? words.replace(/\s+:\s+/u, ": ") : words,
      at: place + text.length - words.length,
    });
    open = marks;
  }
  while (events.depth > base) events.close();
  return at;
}

/** Terms and indented lines go together with bullets. */
function kindOf(mark: string): string {
  return mark === "#" ? "#" : mark === "" ? "" : "*";
}

function readTable(events: MarkupEvents, lines: readonly SourceLine[], begin: number): number {
  let depth = 0;
  let end = begin;
  for (; end < lines.length; end++) {
    if (/^[\s:]*\{\|/u.test(lines[end]!.text)) depth++;
    if (/^\s*\|\}/u.test(lines[end]!.text) && --depth === 0) break;
  }
  const base = events.depth;
  events.open("table", lines[begin]!.at);
  let inRow = false;
  let cell: SourceLine[] | undefined;
  const endCell = (): void => {
    if (cell !== undefined) {
      write(events, joinLines(cell));
      events.close();
    }
    cell = undefined;
  };
  for (const { text, at } of lines.slice(begin + 1, end)) {
    const line = text.trimStart();
    const place = at + text.length - line.length;
    if (/^(?:\{\||\|\})/u.test(line)) continue;
    if (line.startsWith("|+")) {
      endCell();
      const caption = line
        .slice(2)
        .replace(/^[^[|]*\|(?!\|)/u, "")
        .trim();
      events.open("caption", place);
      write(events, { text: caption, at: place + line.length - caption.length });
      events.close();
    } else if (line.startsWith("|-")) {
      endCell();
      if (inRow) events.close();
      inRow = false;
    } else if (/^[|!]/u.test(line)) {
      endCell();
      if (!inRow) events.open("tr", place);
      inRow = true;
      const isHeader = line.startsWith("!");
      let from = 1;
      for (const piece of line.slice(1).split(isHeader ? /\|\||!!/u : "||")) {
        endCell();
        const attributes = /^[^[\]{}|]*\|(?!\|)/u.exec(piece)?.[0] ?? "";
        const spans = Object.fromEntries(
          [...attributes.matchAll(/\b(colspan|rowspan)\s*=\s*"?(\d+)/gu)].map(([, name, count]) => [name!, count!]),
        );
        events.open(isHeader ? "th" : "td", place + from, spans);
        const words = piece.slice(attributes.length).trim();
        cell = [{ text: words, at: place + from + Math.max(0, piece.indexOf(words)) }];
        from += piece.length + 2;
      }
    } else if (cell !== undefined) cell.push({ text, at });
  }
  endCell();
  while (events.depth > base) events.close();
  return end + 1;
}

/** An info box: its named values as rows of a table. */
function readTemplate(events: MarkupEvents, lines: readonly SourceLine[], begin: number): number {
  let depth = 0;
  let end = begin;
  for (; end < lines.length; end++) {
    depth += lines[end]!.text.split("{{").length - lines[end]!.text.split("}}").length;
    if (depth <= 0) break;
  }
  writeValues(events, lines[begin]!.at, lines.slice(begin + 1, Math.min(end + 1, lines.length)));
  return end + 1;
}

/** An info box on one line. */
function readBox(events: MarkupEvents, { text, at }: SourceLine, begin: number): number {
  const values = [...text.slice(0, -2).matchAll(/\|(?:\[\[[^\]]*\]\]|[^|])*/gu)];
  writeValues(
    events,
    at,
    values.map(({ 0: value, index }) => ({ text: value.trimEnd(), at: at + index })),
  );
  return begin + 1;
}

function writeValues(events: MarkupEvents, begin: number, lines: readonly SourceLine[]): void {
  events.open("table", begin);
  for (const { text, at } of lines) {
    const value = /^\s*\|\s*([^=|{}[\]]+?)\s*=\s*(\S.*?)(?:\}\})?$/u.exec(text);
    if (value === null) continue;
    events.open("tr", at);
    events.element("td", value[1]!.replaceAll("_", " "), at + text.indexOf(value[1]!));
    events.open("td", at);
    write(events, { text: value[2]!, at: at + text.indexOf(value[2]!, text.indexOf("=")) });
    events.close();
    events.close();
  }
  events.close();
}
