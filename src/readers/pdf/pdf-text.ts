import type { Block, SourceMap } from "../../contracts/document.ts";
import type { Heading } from "../build-sections.ts";

import { isUnspaced, joinHyphenated } from "./join-words.ts";
import type { PdfBlock, PdfBlockLine } from "./pdf-paragraphs.ts";

export interface PdfText {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly headings: readonly Heading[];
  readonly pages: NonNullable<SourceMap["pages"]>;
  /** The lines as they were printed, and where each begins in the text. */
  readonly printed: readonly PrintedLine[];
}

/** A line of a page in the text of its document. A hyphen at its end may be missing from the text. */
export interface PrintedLine {
  readonly start: number;
  readonly line: PdfBlockLine;
}

/**
 * Writes the canonical text of a PDF. Blocks are separated by a blank line, lines of a paragraph are joined, and a word
 * hyphenated at a line end is whole again.
 *
 * **Shape** an intended line break stays; `pages` has every page, also those without text, which begin where the next text does.
 * **Cost** linear.
 */
export function writePdfText(source: readonly PdfBlock[], pageCount: number): PdfText {
  const words = collectWords(source);
  const parts: string[] = [];
  const blocks: Block[] = [];
  const headings: Heading[] = [];
  const pages: { number: number; start: number }[] = [];
  const printed: PrintedLine[] = [];
  let length = 0;
  const append = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  /** The first sign of a page stands at `length`. */
  const reach = (page: number): void => {
    while (pages.length <= page) pages.push({ number: pages.length + 1, start: length });
  };

  for (const { kind, lines, level, title, headerRows } of source) {
    if (lines.length === 0) continue;
    if (length > 0) append("\n\n");
    const start = length;
    const firstPart = parts.length;
    let bodyStart: number | undefined;
    for (const [index, line] of lines.entries()) {
      const before = lines[index - 1];
      if (before !== undefined) {
        const joint = kind === "heading" ? joinSoft(before, line, words) : joinLines(before, line, words);
        if (joint === "drop") {
          const last = parts.pop() ?? "";
          length -= last.length;
          append(last.slice(0, -1));
        } else append(joint);
      }
      reach(line.page);
      if (kind === "table" && index === headerRows && index > 0) bodyStart = length;
      printed.push({ start: length, line });
      append(line.text);
    }
    blocks.push({ kind, start, end: length, ...(bodyStart === undefined ? {} : { bodyStart }) });
    if (kind === "heading") {
      const said = title ?? parts.slice(firstPart).join("");
      headings.push({ title: said, level: level ?? 1, start, contentStart: length });
    }
  }
  const text = parts.join("");
  reach(pageCount - 1);
  return { text, blocks, headings, pages, printed };
}

type Joint = "\n" | " " | "" | "drop";

function joinLines(before: PdfBlockLine, line: PdfBlockLine, words: ReadonlySet<string>): Joint {
  if (!line.hard) return joinSoft(before, line, words);
  return joinHyphenated(before.text, line.text, words) ?? "\n";
}

function joinSoft(before: PdfBlockLine, line: PdfBlockLine, words: ReadonlySet<string>): Joint {
  if (isUnspaced(before.text.slice(-1)) && isUnspaced(line.text.slice(0, 1))) return "";
  if (isAddress(before.text, line.text)) return "";
  return joinHyphenated(before.text, line.text, words) ?? " ";
}

/** Whether an address continues in the next line: it broke after a sign that ends none, and no word of a sentence follows. */
function isAddress(before: string, after: string): boolean {
  return /(?:^|\s|\()(?:https?:|https?:\/\/\S*[/.:=&?_-])$/u.test(before) && /^\S*[\d/=_]/u.test(after);
}

function collectWords(blocks: readonly PdfBlock[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { lines } of blocks) {
    for (const { text } of lines)
      for (const [word] of text.matchAll(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu)) words.add(word.toLowerCase());
  }
  return words;
}
