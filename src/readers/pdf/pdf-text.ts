import type { Block, SourceMap } from "../../contracts/document.ts";
import type { Heading } from "../build-sections.ts";

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

/** Signs of scripts that put no space between words. */
function isUnspaced(sign: string): boolean {
  return /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3000-\u303F\uFF01-\uFF60]/u.test(
    sign,
  );
}

function collectWords(blocks: readonly PdfBlock[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { lines } of blocks) {
    for (const { text } of lines)
      for (const [word] of text.matchAll(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu)) words.add(word.toLowerCase());
  }
  return words;
}

/** Before these a hyphen stands for a part left out: `Ein- und Ausgang`. */
const conjunction = /^(?:und|oder|bzw|sowie|bis|and|or|to|et|ou|y|o|e|en|of|og|och|eller)(?!\p{L})/u;

/** Parts of compounds that are written with a hyphen wherever they are not at a line's end. */
const keepsHyphenAfter = /^(?:self|half|quasi|well)$/iu;
const keepsHyphenBefore =
  /^(?:based|like|free|aware|specific|style|level|term|driven|related|oriented|grained|dimensional|dependent|trained|tuned|called|known|scale)$/u;

/**
 * Joins a word with a hyphen at the line end. The hyphen is dropped before a small letter. It stays when the document
 * writes the compound with it elsewhere, or when earlier hyphens in the word show that it belongs there. It is kept
 * before a capital or a number; `undefined` when the word does not continue.
 */
function joinHyphenated(before: string, after: string, words: ReadonlySet<string>): "" | "drop" | undefined {
  if (before.endsWith("\u00AD")) return "drop";
  const head = /(?<![\p{L}\p{N}-])([\p{L}\p{N}-]{1,60})[-\u2010]$/u.exec(before)?.[1];
  if (head === undefined || conjunction.test(after)) return undefined;
  if (/^\p{N}/u.test(after)) return "";
  const next = /^\p{L}*/u.exec(after)?.[0] ?? "";
  if (/^\p{Lu}/u.test(next)) return words.has(`${head}${next}`.toLowerCase()) ? "drop" : "";
  const tail = /^[\p{Ll}\p{Lo}]\p{L}*/u.exec(after)?.[0];
  if (tail === undefined) return undefined;
  if (!/\p{L}$/u.test(head)) return "";
  const whole = `${head}${tail}`.toLowerCase();
  if (words.has(whole)) return "drop";
  if (keepsHyphenAfter.test(head) || keepsHyphenBefore.test(tail)) return "";
  return head.includes("-") || words.has(`${head}-${tail}`.toLowerCase()) ? "" : "drop";
}
