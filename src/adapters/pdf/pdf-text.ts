import type { Block, SourceMap } from "../../contracts/document.ts";
import type { Heading } from "../../documents/build-sections.ts";

import type { PdfLine } from "./pdf-lines.ts";
import type { OutlineHeading } from "./pdf-outline.ts";

export interface PdfText {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly headings: readonly Heading[];
  readonly pages: NonNullable<SourceMap["pages"]>;
}

/** A gap this many times the usual distance of lines begins a paragraph. */
const paragraphGap = 1.3;
/** A change of letter height beyond this begins a paragraph. */
const heightChange = 1.15;

/**
 * The canonical text of a PDF: lines as they stand, paragraphs and pages parted by a blank line, words that were hyphenated over a line end whole again.
 *
 * **Shape** a block for each paragraph and each heading; `pages` has every page, also those without text, which begin where the next text does.
 * **Cost** linear.
 */
export function writePdfText(pages: readonly (readonly PdfLine[])[], outline: readonly OutlineHeading[]): PdfText {
  const usualGap = findUsualGap(pages);
  const words = collectWords(pages);
  const headingAt = new Map(outline.map((heading) => [`${heading.page}:${heading.firstLine}`, heading]));
  const parts: string[] = [];
  const blocks: Block[] = [];
  const headings: Heading[] = [];
  const pageStarts: { number: number; start: number }[] = [];
  let length = 0;
  let blockStart = 0;
  let kind: Block["kind"] = "paragraph";
  let lastText = "";

  const append = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  const endBlock = (): void => {
    if (length > blockStart) blocks.push({ kind, start: blockStart, end: length });
  };
  const beginBlock = (next: Block["kind"]): void => {
    endBlock();
    if (length > 0) append("\n\n");
    blockStart = length;
    kind = next;
    lastText = "";
  };

  for (const [page, lines] of pages.entries()) {
    const start = length === 0 ? 0 : length + 2;
    pageStarts.push({ number: page + 1, start });
    let headingEnd = 0;
    for (const [index, line] of lines.entries()) {
      const heading = headingAt.get(`${page}:${index}`);
      const before = lines[index - 1];
      if (heading !== undefined) {
        beginBlock("heading");
        headings.push({ title: heading.title, level: heading.level, start: length, contentStart: length });
        headingEnd = heading.endLine;
      } else if (
        index >= headingEnd &&
        (before === undefined || index === headingEnd || beginsParagraph(before, line, usualGap))
      ) {
        beginBlock("paragraph");
      }
      const joint = lastText === "" ? undefined : joinHyphenated(lastText, line.text, words);
      if (joint === "drop") {
        const last = parts.pop() ?? "";
        length -= last.length;
        append(last.slice(0, -1));
      } else if (joint === undefined && lastText !== "") append("\n");
      append(line.text);
      lastText = line.text;
      const open = headings[headings.length - 1];
      if (index < headingEnd && open !== undefined) headings[headings.length - 1] = { ...open, contentStart: length };
    }
  }
  endBlock();
  const text = parts.join("");
  return {
    text,
    blocks,
    headings,
    pages: pageStarts.map(({ number, start }) => ({ number, start: Math.min(start, text.length) })),
  };
}

function beginsParagraph(before: PdfLine, line: PdfLine, usualGap: number): boolean {
  const gap = before.y - line.y;
  const [small, large] = before.height < line.height ? [before.height, line.height] : [line.height, before.height];
  if (small > 0 && large / small > heightChange) return true;
  // Back up the page: another column. A sentence that has not ended goes on there.
  if (gap < -large) return /[.!?:;。！？]["'”’)\]]?$/u.test(before.text);
  return gap > usualGap * paragraphGap && gap > large * paragraphGap;
}

/**
 * The usual distance between lines of the document: the lower quartile, since paragraphs of one line make the wider gaps as frequent as the narrow ones.
 * Gaps of three letter heights and more are something else.
 */
function findUsualGap(pages: readonly (readonly PdfLine[])[]): number {
  const gaps: number[] = [];
  for (const lines of pages) {
    for (const [index, line] of lines.entries()) {
      const gap = (lines[index - 1]?.y ?? line.y) - line.y;
      if (gap > 0 && gap < line.height * 3) gaps.push(gap);
    }
  }
  gaps.sort((a, b) => a - b);
  return gaps[gaps.length >> 2] ?? 0;
}

function collectWords(pages: readonly (readonly PdfLine[])[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const lines of pages) {
    for (const { text } of lines)
      for (const [word] of text.matchAll(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu)) words.add(word.toLowerCase());
  }
  return words;
}

/**
 * How a line goes on in the next when it ends in a hyphen and the next begins with a small letter: the hyphen is dropped, unless the document
 * writes the compound with it elsewhere, or more hyphens before it show that it belongs there; `undefined` when the line does not go on.
 */
function joinHyphenated(before: string, after: string, words: ReadonlySet<string>): "keep" | "drop" | undefined {
  const head = /(?<![\p{L}\p{N}-])([\p{L}\p{N}-]{1,60})[-\u2010]$/u.exec(before)?.[1];
  const tail = /^[\p{Ll}\p{Lo}]\p{L}*/u.exec(after)?.[0];
  if (head === undefined || tail === undefined || !/\p{L}$/u.test(head)) return undefined;
  const whole = `${head}${tail}`.toLowerCase();
  if (words.has(whole)) return "drop";
  return head.includes("-") || words.has(`${head}-${tail}`.toLowerCase()) ? "keep" : "drop";
}
