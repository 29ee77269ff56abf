import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../build-sections.ts";
import { fileNameOf } from "../file-name.ts";
import type { Attributes, HtmlEvent, OpenEvent } from "../html/html-events.ts";
import { renderHtml } from "../html/render-html.ts";

/** A line of a source, and the offset of its first character in it. */
export interface SourceLine {
  readonly text: string;
  readonly at: number;
}

/** Gathers what a markup means, in the terms of HTML, each with its place in the source. */
export interface MarkupEvents {
  /** How many elements are open. */
  readonly depth: number;
  open(tag: string, at: number, attributes?: Readonly<Record<string, string>>): void;
  close(): void;
  text(text: string, at: number): void;
  /** An element with a text of its own. */
  element(tag: string, text: string, at: number, attributes?: Readonly<Record<string, string>>): void;
  /** Closes what is open. */
  finish(): readonly HtmlEvent[];
}

const none: Attributes = new Map();

export function createMarkupEvents(): MarkupEvents {
  const events: HtmlEvent[] = [];
  const open: OpenEvent[] = [];
  const builder: MarkupEvents = {
    get depth() {
      return open.length;
    },
    open(tag, at, attributes) {
      const known = attributes === undefined ? none : new Map(Object.entries(attributes));
      const event: OpenEvent = {
        type: "open",
        tag,
        attributes: known,
        at,
        close: -1,
        dropped: false,
        holdsBlocks: false,
      };
      events.push(event);
      open.push(event);
    },
    close() {
      const event = open.pop();
      if (event === undefined) return;
      event.close = events.length;
      events.push({ type: "close", tag: event.tag });
    },
    text(text, at) {
      if (text !== "") events.push({ type: "text", text, at });
    },
    element(tag, text, at, attributes) {
      builder.open(tag, at, attributes);
      builder.text(text, at);
      builder.close();
    },
    finish() {
      while (open.length > 0) builder.close();
      return events;
    },
  };
  return builder;
}

/** Lines of a text whose newlines are `\n`. */
export function splitLines(source: string): SourceLine[] {
  const lines: SourceLine[] = [];
  for (let at = 0; at <= source.length;) {
    const newline = source.indexOf("\n", at);
    const end = newline === -1 ? source.length : newline;
    lines.push({ text: source.slice(at, end).trimEnd(), at });
    at = end + 1;
  }
  return lines;
}

/** The first line from `from` on that `isMatch` takes; the number of lines where there is none. **Cost** the lines that it passes. */
export function findLine(lines: readonly SourceLine[], from: number, isMatch: (text: string) => boolean): number {
  let at = from;
  while (at < lines.length && !isMatch(lines[at]!.text)) at++;
  return Math.min(at, lines.length);
}

/** Lines without their first columns of white space. */
export function dedent(lines: readonly SourceLine[]): SourceLine[] {
  const indent = lines.reduce((least, { text }) => (text === "" ? least : Math.min(least, indentOf(text))), Infinity);
  if (indent === 0 || indent === Infinity) return [...lines];
  return lines.map(({ text, at }) => ({ text: text.slice(indent), at: at + Math.min(indent, text.length) }));
}

/** Lines as one text whose characters stand as far apart as in the source; white space that a page does not show fills the gaps. */
export function joinLines(lines: readonly SourceLine[]): SourceLine {
  const [first] = lines;
  if (first === undefined) return { text: "", at: 0 };
  let text = "";
  for (const line of lines) {
    const gap = line.at - first.at - text.length;
    if (text !== "") text += `\n${" ".repeat(Math.min(Math.max(0, gap - 1), maxGap))}`;
    text += line.text;
  }
  return { text, at: first.at };
}

const maxGap = 10_000;

/** **Units** characters; a tab counts as one, as it is cut as one. */
export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** Levels of headings in HTML end at 6. */
export function headingTag(level: number): string {
  return `h${Math.min(6, Math.max(1, level))}`;
}

/** Facts that a markup states about its document. */
export interface MarkupFacts {
  readonly title?: string;
  readonly metadata?: Metadata;
  /** Addresses of files that it shows as parts of itself. */
  readonly included?: readonly string[];
}

/**
 * The document that events of a markup make.
 *
 * **Shape** lines of the text lead to lines of the source by anchors. The title is the stated one, else the first heading of level 1, else the file name.
 * **Errors** `empty` where nothing is shown.
 */
export function composeMarkup(
  { uri }: Pick<ReadInput, "uri">,
  source: string,
  events: readonly HtmlEvent[],
  { title: stated = "", metadata = {}, included = [] }: MarkupFacts = {},
): ReadResult {
  const { text, blocks, headings, anchors, links } = renderHtml(events, [{ start: 0, end: events.length - 1 }], source);
  if (text === "") throw new IbidError("empty", `${uri} shows no text.`, { hint: "Give a file that holds text.", uri });
  const title = stated || headings.find(({ level }) => level === 1)?.title || fileNameOf(uri);
  return {
    text,
    title,
    root: buildSections(text, title, headings),
    sourceMap: {
      lines: "anchors",
      anchors,
      ...(links.length === 0 ? {} : { links: links.slice(0, maxLinks) }),
    },
    blocks,
    metadata,
    ...(included.length > 0 && { notes: [describeIncluded(included)] }),
  };
}

/** Their words are no part of the text: each file is a document of its own. */
function describeIncluded(files: readonly string[]): string {
  const named = [...new Set(files)];
  const shown = named.slice(0, 5).map((name) => name.slice(0, 200));
  const rest = named.length - shown.length;
  return `Not part of this text: the files that it includes (${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}).`;
}

/** The first group of a pattern in each line that has it. **Cost** linear in the lines, for a pattern of one line. */
export function findIncluded(lines: readonly SourceLine[], pattern: RegExp): readonly string[] {
  return lines.flatMap(({ text }) => pattern.exec(text)?.[1]?.trim() ?? []);
}

const maxLinks = 5000;
