import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { decodeInput } from "../text/decode-source.ts";

import { hide, type InlineRule, showGroup, showLink, writeInline } from "./inline-rules.ts";
import {
  composeMarkup,
  createMarkupEvents,
  findIncluded,
  findLine,
  headingTag,
  indentOf,
  joinLines,
  type MarkupEvents,
  type SourceLine,
  splitLines,
} from "./markup-events.ts";

/** **Source** Org Syntax (orgmode.org): objects. Emphasis stands between white space or marks of punctuation. */
const emphasis = (sign: string, isNested: boolean): InlineRule =>
  showGroup(
    new RegExp(`(?<![\\p{L}\\p{N}])${sign}(\\S(?:.{0,2000}?\\S)?)${sign}(?![\\p{L}\\p{N}])`, "suy"),
    1,
    isNested,
  );
/** Hyphens between words or numbers, with spaces or without, are a dash. An option such as `--all` keeps its own. **Source** Org manual, 12.3 (special strings). */
function dash(count: number, shown: string): InlineRule {
  const hyphens = `(?<!-)-{${count}}(?!-)`;
  const pattern = new RegExp(`(?<=[\\p{L}\\p{N}])${hyphens}(?=[\\p{L}\\p{N}])|(?<=\\s)${hyphens}(?=\\s)`, "uy");
  return { pattern, show: () => ({ text: shown }) };
}
const rules: readonly InlineRule[] = [
  showLink(/\[\[((?:[^\]\\]|\\.)+)\]\[([^\]]+)\]\]/uy, 2, 1),
  showGroup(/\[\[(?:file:|\*|#)?([^\]]+)\]\]/uy),
  showGroup(/<<<?([^<>\n]+)>>>?/uy),
  emphasis("=", false),
  emphasis("~", false),
  emphasis("\\*", true),
  emphasis("/", true),
  emphasis("_", true),
  emphasis("\\+", true),
  hide(/\[fn:[^\]\s:]*\](?=:)/uy),
  hide(/@@[^@]*@@/uy),
];
const starts = /[[<=~*/_+@]/gu;
/** For texts with hyphens in a row. */
const dashed = { rules: [...rules, dash(3, "—"), dash(2, "–")], starts: /[[<=~*/_+@-]/gu } as const;

/** A star at the beginning of a line begins a heading. */
const bullet = /^\s*(?:([-+]|(?<=\s)\*(?=\s))|(\d+|[A-Za-z])[.)])(?:\s+|$)(?:\[@\d+\]\s*)?(?:\[([ Xx-])\]\s+)?/u;

/**
 * Implements the reader of Org files.
 *
 * **Shape** words of a task's state, its priority and its tags are no part of a heading's title; drawers, comments and settings are left out.
 * **Source** Org Syntax (orgmode.org).
 */
export function readOrg(input: ReadInput): ReadResult {
  const source = decodeInput(input.bytes, input.charset, input);
  const events = createMarkupEvents();
  const lines = splitLines(source);
  const stated = new Map<string, string>();
  for (const { text } of lines.slice(0, 200)) {
    const found = /^#\+(title|author|language):\s*(\S.*)$/iu.exec(text);
    if (found !== null) stated.set(found[1]!.toLowerCase(), found[2]!.slice(0, 1000));
  }
  readBlocks(events, lines, 0);
  const metadata: Metadata = {
    ...(stated.has("author") ? { author: stated.get("author")! } : {}),
    ...(/^[a-z]{2,8}(?:-\w+)*$/iu.test(stated.get("language") ?? "") ? { language: stated.get("language")! } : {}),
  };
  const included = findIncluded(lines, /^\s*#\+include:\s*"?([^"\s]+)/iu);
  return composeMarkup(input, source, events.finish(), { title: stated.get("title") ?? "", metadata, included });
}

function write(events: MarkupEvents, { text, at }: SourceLine): void {
  if (text.includes("--")) writeInline(events, text, at, dashed.rules, dashed.starts);
  else writeInline(events, text, at, rules, starts);
}

const maxNesting = 40;
const isDrawer = (text: string): boolean => /^\s*:[\w-]+:\s*$/u.test(text);
/** Times of a task, below its heading. */
const isPlanning = (text: string): boolean => /^\s*(?:SCHEDULED|DEADLINE|CLOSED):\s*[<[]/u.test(text);
const isEndOfDrawer = (text: string): boolean => /^\s*:end:\s*$/iu.test(text);

function readBlocks(events: MarkupEvents, lines: readonly SourceLine[], depth: number): void {
  const lastEnd = lines.findLastIndex(({ text }) => isEndOfDrawer(text));
  for (let at = 0; at < lines.length;) {
    const { text, at: place } = lines[at]!;
    const heading =
      /^(\*+)\s+(?:(?:TODO|DONE|NEXT|WAITING|HOLD|CANCELL?ED|SOMEDAY)\s+)?(?:\[#\w\]\s+)?(.*?)(?:\s+:[\w@#%:]+:)?$/u.exec(
        text,
      );
    if (text === "" || /^\s*-{5,}$/u.test(text)) at++;
    else if (heading?.[2]?.startsWith("COMMENT ") === true || heading?.[2] === "COMMENT") {
      const level = heading[1]!.length;
      at = findLine(lines, at + 1, (line) => (/^(\*+)\s/u.exec(line)?.[1]?.length ?? Infinity) <= level);
    } else if (heading !== null) {
      events.open(headingTag(heading[1]!.length), place);
      write(events, { text: heading[2]!, at: place + Math.max(0, text.indexOf(heading[2]!)) });
      events.close();
      at++;
    } else if (/^\s*#\+begin[_:]/iu.test(text)) at = readBlock(events, lines, at, depth);
    else if (isDrawer(text)) {
      at = at < lastEnd ? findLine(lines, at + 1, isEndOfDrawer) + 1 : at + 1;
    } else if (/^\s*#\+(?:caption|title|subtitle):/iu.test(text)) {
      const words = text.replace(/^\s*#\+\w+:\s*/u, "");
      events.open("p", place);
      write(events, { text: words, at: place + text.length - words.length });
      events.close();
      at++;
    } else if (/^\s*#(?:\+|\s|$)/u.test(text)) at++;
    else if (/^\s*\|/u.test(text)) at = readTable(events, lines, at);
    else if (/^\s*:(?:\s|$)/u.test(text)) {
      const end = findLine(lines, at, (line) => !/^\s*:(?:\s|$)/u.test(line));
      writeCode(
        events,
        lines.slice(at, end).map((line) => ({ text: line.text.replace(/^\s*: ?/u, ""), at: line.at })),
        "",
      );
      at = end;
    } else if (bullet.test(text)) at = readList(events, lines, at);
    else if (/^\s*\\begin\{[\w*]+\}/u.test(text)) {
      const last = findLine(lines, at, (line) => line === "" || /\\end\{[\w*]+\}\s*$/u.test(line));
      const end = last + (lines[last]?.text === "" ? 0 : 1);
      writeCode(events, lines.slice(at, end), "latex");
      at = end;
    } else {
      const end = findLine(
        lines,
        at + 1,
        (line) =>
          line === "" ||
          isPlanning(text) ||
          isDrawer(line) ||
          isPlanning(line) ||
          /^\*+\s|^\s*(?:#\+|\||\\begin\{)/u.test(line) ||
          bullet.test(line),
      );
      events.open("p", place);
      write(events, joinLines(lines.slice(at, end)));
      events.close();
      at = end;
    }
  }
}

function writeCode(events: MarkupEvents, lines: readonly SourceLine[], language: string): void {
  events.open("pre", lines[0]?.at ?? 0, language === "" ? {} : { class: `language-${language}` });
  for (const { text, at } of lines) events.text(`${text}\n`, at);
  events.close();
}

function readBlock(events: MarkupEvents, lines: readonly SourceLine[], begin: number, depth: number): number {
  const found = /^\s*#\+begin[_:]\s?(\S+)(?:\s+([\w+#-]+))?/iu.exec(lines[begin]!.text);
  const name = found?.[1]?.toLowerCase() ?? "";
  const end = findLine(lines, begin + 1, (text) => /^\s*#\+end/iu.test(text));
  const body = lines.slice(begin + 1, end);
  if (name === "comment") return end + 1;
  if (name === "src" || name === "example" || name === "export" || depth >= maxNesting)
    writeCode(events, body, name === "src" ? (found?.[2] ?? "") : "");
  else {
    if (name === "quote") events.open("blockquote", lines[begin]!.at);
    readBlocks(events, body, depth + 1);
    if (name === "quote") events.close();
  }
  return end + 1;
}

function readTable(events: MarkupEvents, lines: readonly SourceLine[], begin: number): number {
  const end = findLine(lines, begin, (text) => !/^\s*\|/u.test(text));
  const body = lines.slice(begin, end);
  const isRule = ({ text }: SourceLine): boolean => /^\s*\|[-+]+\|?$/u.test(text);
  const firstRule = body.findIndex((line, index) => index > 0 && isRule(line));
  const hasHeader = firstRule !== -1 && body.slice(firstRule + 1).some((line) => !isRule(line));
  events.open("table", body[0]!.at);
  for (const [index, line] of body.entries()) {
    if (isRule(line)) continue;
    events.open("tr", line.at);
    let from = line.text.indexOf("|") + 1;
    for (const piece of line.text.slice(from).replace(/\|$/u, "").split("|")) {
      events.open(hasHeader && index < firstRule ? "th" : "td", line.at + from);
      write(events, { text: piece.trim(), at: line.at + from + indentOf(piece) });
      events.close();
      from += piece.length + 1;
    }
    events.close();
  }
  events.close();
  return end;
}

function readList(events: MarkupEvents, lines: readonly SourceLine[], begin: number): number {
  const indents: number[] = [];
  const base = events.depth;
  let at = begin;
  while (at < lines.length) {
    const { text, at: place } = lines[at]!;
    if (text === "" && bullet.test(lines[at + 1]?.text ?? "")) {
      at++;
      continue;
    }
    const found = bullet.exec(text);
    if (found === null) break;
    const indent = indentOf(text);
    while (indents.length > 1 && (indents.at(-1) ?? 0) > indent) {
      events.close();
      events.close();
      indents.pop();
    }
    if (indents.length === 0 || indent > (indents.at(-1) ?? 0)) {
      indents.push(indent);
      events.open(
        found[1] === undefined ? "ol" : "ul",
        place,
        /^\d+$/u.test(found[2] ?? "") ? { start: found[2]! } : {},
      );
    } else events.close();
    const end = findLine(
      lines,
      at + 1,
      (line) => line === "" || indentOf(line) <= indent || bullet.test(line) || /^\s*(?:#\+|\|)/u.test(line),
    );
    events.open("li", place);
    const box = found[3] === undefined ? "" : `[${found[3]}] `;
    const words = text.slice(found[0].length).replace(/\s+::(?=\s|$)/u, ":");
    write(
      events,
      joinLines([{ text: box + words, at: place + found[0].length - box.length }, ...lines.slice(at + 1, end)]),
    );
    at = end;
  }
  while (events.depth > base) events.close();
  return at;
}
