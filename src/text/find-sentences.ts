import { endsSentence, type SentenceEnd } from "./sentence-end.ts";
import { cutAtEnds } from "./sentences.ts";

/** Kind of a stretch of text, for quoting. */
export type SentenceKind = "prose" | "heading" | "table" | "code" | "markup";

/** A sentence where it stands. **Units** UTF-16, half open; white space around it is left out. */
export interface FoundSentence {
  readonly start: number;
  readonly end: number;
  readonly kind: SentenceKind;
}

export interface FindSentencesOptions {
  /** Headings that may stand as plain lines. */
  readonly titles?: ReadonlySet<string>;
  /** The fence of a code block, or `---` of front matter, in whose midst the text begins; see {@link readOpenFence}. */
  readonly openFence?: string;
  /** Rule for the end of a sentence of prose. Default: {@link endsSentence}. */
  readonly ends?: SentenceEnd;
}

/**
 * Finds the sentences of a text in Markdown, MDX or plain text with their kinds, so that prose is quoted before code, tables and headings.
 *
 * **Shape** in order, apart; nothing but white space, list markers, quote marks and fences lies between. A sentence never crosses a blank line, a list item or a fence.
 * **Cost** linear.
 */
export function findSentences(text: string, options: FindSentencesOptions = {}): readonly FoundSentence[] {
  const { titles, openFence = "", ends = endsSentence } = options;
  const found: FoundSentence[] = [];
  let fence = openFence;
  let paragraph: { start: number; end: number } | undefined;

  const add = (start: number, end: number, kind: SentenceKind): void => {
    while (start < end && isSpace(text, start)) start += 1;
    while (end > start && isSpace(text, end - 1)) end -= 1;
    if (start < end) found.push({ start, end, kind });
  };
  const addProse = (start: number, end: number): void =>
    add(start, end, looksLikeCode(text.slice(start, Math.min(end, start + longestPrefix))) ? "code" : "prose");
  const flush = (): void => {
    if (!paragraph) return;
    const { start, end } = paragraph;
    paragraph = undefined;
    for (const sentence of cutAtEnds(text.slice(start, end), ends))
      addProse(start + sentence.start, start + sentence.end);
  };

  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, Math.min(end, start + longestPrefix));
    const trimmed = line.trim();
    const opening = fencePattern.exec(line)?.[1] ?? "";

    if (fence !== "") {
      if (start === 0 && fence === frontMatter && trimmed === frontMatter && newline !== -1) {
        start = end + 1;
        continue;
      }
      if (fence === frontMatter ? trimmed === frontMatter : opening.startsWith(fence)) fence = "";
      else add(start, end, fence === frontMatter ? "markup" : "code");
    } else if (opening !== "") {
      flush();
      fence = opening;
    } else if (trimmed === "" || rulePattern.test(trimmed)) {
      flush();
    } else if (headingPattern.test(line) || (end - start < longestPrefix && titles?.has(trimmed))) {
      flush();
      add(start, end, "heading");
    } else if (trimmed.startsWith("|")) {
      flush();
      add(start, end, "table");
    } else if (markupPattern.test(trimmed)) {
      flush();
      add(start, end, "markup");
    } else {
      const item = itemPattern.exec(line)?.[0];
      if (item !== undefined) flush();
      if (paragraph) paragraph.end = end;
      else paragraph = { start: start + (item ?? quotePattern.exec(line)?.[0] ?? "").length, end };
    }
    start = end + 1;
  }
  flush();
  return found;
}

/** The construct around the end of a line, given the one around its beginning. */
function fenceAfter(fence: string, line: string): string {
  const opening = fencePattern.exec(line)?.[1] ?? "";
  if (fence === "") return opening;
  return (fence === frontMatter ? line.trim() === frontMatter : opening.startsWith(fence)) ? "" : fence;
}

/** A slice of a text, shorter where the text ends. */
export type ReadSlice = (start: number, end: number) => Promise<string>;

/**
 * Finds the construct around a position: the fence of a code block, `---` for front matter, or `""`. `from` begins a line outside of any, such as a heading.
 *
 * **Shape** `read` gives the text in pieces, none of which is kept. **Cost** linear in the text from `from` to `position`.
 */
export async function readOpenFence(
  read: ReadSlice,
  position: number,
  from = 0,
  pieceLength = 131_072,
): Promise<string> {
  let fence = "";
  let line = "";
  let lineStart = from;
  for (let at = from; ; at += pieceLength) {
    // The line in which the position stands counts whole.
    const wanted = Math.min(at + pieceLength, position + longestPrefix);
    const piece = wanted > at ? await read(at, wanted) : "";
    for (let start = 0; start < piece.length;) {
      const newline = piece.indexOf("\n", start);
      const end = newline === -1 ? piece.length : newline;
      line += piece.slice(start, Math.min(end, start + longestPrefix - line.length));
      start = end + 1;
      if (newline === -1) break;
      if (lineStart >= position && !(lineStart === 0 && line === frontMatter)) return fence;
      fence = lineStart === 0 && line === frontMatter ? frontMatter : fenceAfter(fence, line);
      line = "";
      lineStart = at + start;
    }
    if (piece.length === pieceLength && wanted < position + longestPrefix) continue;
    return lineStart < Math.min(position, at + piece.length) ? fenceAfter(fence, line) : fence;
  }
}

/**
 * Whether a sentence has more of code's signs than prose bears: code that nothing marks as such, as in a page's plain text.
 *
 * **Source** our own choice; spans of code and links within prose do not count.
 */
function looksLikeCode(sentence: string): boolean {
  const plain = sentence.replaceAll(/`[^`\n]{0,200}`|\]\([^)\n]{0,200}\)|\s/gu, "");
  const signs = plain.match(/[{}[\]()=;<>|\\_$&+"]/gu)?.length ?? 0;
  return signs >= 4 && signs > 0.08 * plain.length;
}

export const frontMatter = "---";
/** Longest prefix that decides the kind of a line; a limit keeps one very long line cheap. */
export const longestPrefix = 400;
/** In lists and components fences stand far in. */
export const fencePattern = /^[ \t]*(`{3,}|~{3,})/u;
export const headingPattern = /^ {0,3}#{1,6}(?:\s|$)/u;
export const rulePattern = /^(?:[-*_=]\s*){3,}$/u;
export const itemPattern = /^\s*(?:>\s?)*(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/u;
const quotePattern = /^\s*(?:>\s?)+/u;
/**
 * Matches a line that is a tag, an import or export of MDX, a comment or a directive. A sentence with a tag in it does
 * not match.
 */
export const markupPattern =
  /^(?:<\/?[A-Za-z][^>]*>?$|<!--|\{\/\*|import\s.+from\s|export\s+(?:const|default|function)\s|:::)/u;

function isSpace(text: string, index: number): boolean {
  return /\s/u.test(text[index] ?? "");
}
