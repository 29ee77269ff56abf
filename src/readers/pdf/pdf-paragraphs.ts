import type { Block } from "../../contracts/document.ts";

import { edgesOf, type PdfArea, type PdfEdges } from "./pdf-area.ts";
import type { PdfLine } from "./pdf-lines.ts";
import { listMarker } from "./pdf-tables.ts";

/** A paragraph, heading, item or table, before it is written. */
export interface PdfBlock {
  readonly kind: Block["kind"];
  /** Index of the page on which it begins, from 0. */
  readonly page: number;
  readonly lines: readonly PdfBlockLine[];
  /** Level of a heading. */
  readonly level?: number;
  /** Title of a heading, when the outline words it otherwise. */
  readonly title?: string;
  readonly headerRows?: number;
  /** Text beside the body; see {@link PdfArea}. */
  readonly aside?: boolean;
  /** Whether its last line is full and ends in the middle of a sentence. */
  readonly open: boolean;
}

/** A line of a block, and how it goes on from the one before. */
export interface PdfBlockLine extends PdfLine {
  readonly page: number;
  /** Whether its writer ended the line before; otherwise the line was full. */
  readonly hard: boolean;
}

/** A gap this many times the usual distance of lines begins a paragraph. */
const paragraphGap = 1.3;
/** A change of letter height beyond this begins a paragraph. */
const heightChange = 1.15;
/** The first line of a paragraph is indented by at least this. **Units** letter heights. */
const minIndent = 0.7;

/**
 * Finds the blocks of one area. A forced line break (the next word would not have fitted) is joined; an intended one stays.
 *
 * **Shape** `usualGap` is the usual distance between baselines in letter heights. **Cost** linear.
 */
export function findParagraphs(area: PdfArea, page: number, usualGap: number): PdfBlock[] {
  const { kind, lines, level, title, headerRows, aside } = area;
  if (lines.length === 0) return [];
  const edges = area.edges ?? edgesOf(lines);
  if (kind !== "flow") {
    const isFree = kind !== "table" && kind !== "code";
    return [
      {
        kind,
        page,
        // The possible length of a line alone is unknown, unless its column is.
        open: kind === "paragraph" && (lines.length > 1 || area.edges !== undefined) && isOpen(lines.at(-1)!, edges),
        lines: lines.map((line, i) => ({
          ...line,
          page,
          hard: !isFree || (i > 0 && isHard(lines[i - 1]!, line, edges)),
        })),
        ...(level === undefined ? {} : { level }),
        ...(title === undefined ? {} : { title }),
        ...(headerRows === undefined ? {} : { headerRows }),
        ...(aside === true ? { aside } : {}),
      },
    ];
  }
  const blocks: PdfBlock[] = [];
  for (const strip of cutIntoStrips(lines, edges, usualGap)) {
    let from = 0;
    for (let at = 1; at <= strip.lines.length; at++) {
      if (at < strip.lines.length && !beginsParagraph(strip.lines, at, from, strip.edges, usualGap)) continue;
      blocks.push(toBlock(strip.lines.slice(from, at), page, strip.edges, lines.length === 1, aside === true));
      from = at;
    }
  }
  return joinCode(blocks);
}

/**
 * Cuts an area into strips of close lines in letters of one size, with their edges. A quotation or an abstract is
 * narrower than its column. A strip's own edges count when most of its lines reach the right one; a list of short lines
 * keeps its column's.
 */
function cutIntoStrips(
  lines: readonly PdfLine[],
  edges: PdfEdges,
  usualGap: number,
): { readonly lines: readonly PdfLine[]; readonly edges: PdfEdges }[] {
  const strips: PdfLine[][] = [];
  for (const line of lines) {
    const before = strips.at(-1)?.at(-1);
    if (before !== undefined && !isFarFrom(before, line, usualGap)) strips.at(-1)!.push(line);
    else strips.push([line]);
  }
  return strips.map((strip) => {
    const own = edgesOf(strip);
    const body = strip.slice(0, -1);
    const width = own.right - own.x;
    const full = body.filter((line) => restOf(line, own) < width * 0.12).length;
    return { lines: strip, edges: body.length >= 3 && full >= body.length * 0.6 ? own : edges };
  });
}

function isFarFrom(before: PdfLine, line: PdfLine, usualGap: number): boolean {
  const [small, large] = before.size < line.size ? [before.size, line.size] : [line.size, before.size];
  if (small > 0 && large / small > heightChange) return true;
  const gap = line.y - before.y;
  return gap > usualGap * paragraphGap * large && gap > large * paragraphGap;
}

/** The usual distance between baselines in letter heights: the lower quartile, since one-line paragraphs make wide gaps as frequent as narrow ones. */
export function findUsualGap(areas: Iterable<PdfArea>): number {
  const gaps: number[] = [];
  for (const { kind, lines } of areas) {
    if (kind !== "flow") continue;
    for (let at = 1; at < lines.length; at++) {
      const gap = (lines[at]!.y - lines[at - 1]!.y) / lines[at]!.size;
      if (gap > 0.8 && gap < 3) gaps.push(gap);
    }
  }
  gaps.sort((a, b) => a - b);
  return gaps[gaps.length >> 2] ?? 1.2;
}

function toBlock(lines: readonly PdfLine[], page: number, edges: PdfEdges, isAlone: boolean, aside: boolean): PdfBlock {
  const [first] = lines;
  const isCode = lines.every(({ mono }) => mono);
  const isList = !isCode && first !== undefined && isItem(first);
  return {
    kind: isCode ? "code" : isList ? "list" : "paragraph",
    page,
    // The possible length of a line alone is unknown.
    open: !isCode && !isAlone && isOpen(lines.at(-1)!, edges),
    lines: lines.map((line, i) => ({ ...line, page, hard: isCode || (i > 0 && isHard(lines[i - 1]!, line, edges)) })),
    ...(aside ? { aside } : {}),
  };
}

/** Lines in a typewriter's letters are code when there are several: indented as they stand, blocks that only blank lines part made one. */
function joinCode(blocks: readonly PdfBlock[]): PdfBlock[] {
  const joined: PdfBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.kind === "code" && last?.kind === "code") {
      joined[joined.length - 1] = { ...last, lines: [...last.lines, ...block.lines] };
    } else joined.push(block);
  }
  return joined.map((block) => {
    if (block.kind !== "code") return block;
    if (block.lines.length < 2) return { ...block, kind: "paragraph" };
    const left = Math.min(...block.lines.map(({ x }) => x));
    const lines = block.lines.map((line) => {
      const sign = (line.right - line.x) / Math.max(1, line.text.length);
      const indent = sign > 0 ? Math.min(80, Math.round((line.x - left) / sign)) : 0;
      return { ...line, text: " ".repeat(indent) + line.text };
    });
    return { ...block, lines };
  });
}

function isItem({ text }: PdfLine): boolean {
  const [marker = "", rest] = text.split(" ", 2);
  return rest !== undefined && listMarker.test(marker) && !/^[A-Za-z]$/u.test(marker);
}

function beginsParagraph(
  lines: readonly PdfLine[],
  at: number,
  first: number,
  edges: PdfEdges,
  usualGap: number,
): boolean {
  const [before, line] = [lines[at - 1]!, lines[at]!];
  if (isFarFrom(before, line, usualGap)) return true;
  const gap = line.y - before.y;
  const large = Math.max(before.size, line.size);
  // Back up the page: tagged text, or the next column.
  if (gap < -large) return isSentenceEnd(before.text);
  if (before.mono !== line.mono) return true;
  const hard = isHard(before, line, edges);
  const ended = hard || isSentenceEnd(before.text);
  if (before.bold !== line.bold && hard) return true;
  // A centred title, and a heading at the edge below it.
  if (hard && isCentered(before, edges) && startOf(line, edges) < line.size * 0.2) return true;
  if (isItem(line) && (ended || /^[•◦▪●○■□‣⁃◆➢➤✓✔❖]/u.test(line.text))) return true;
  // Items so short that all of them fill their column.
  const besideItem = isItem(lines[first]!) && Math.abs(startOf(line, edges) - startOf(lines[first]!, edges)) < 1;
  if (isItem(line) && (besideItem || startOf(line, edges) < startOf(before, edges) - line.size * 0.3)) return true;
  if (hard && isSentenceEnd(before.text)) return true;
  if (/ … \S+$/u.test(before.text) && / … \S+$/u.test(line.text)) return false;
  const indent = startOf(line, edges) - startOf(before, edges);
  // A first line is set in; or all but the first line are, as in lists of references.
  if (indent > minIndent * line.size && indent < 5 * line.size) return ended && !isCentered(before, edges);
  if (indent < -minIndent * line.size && at - 1 > first) {
    const level = Math.abs(startOf(before, edges) - startOf(lines[at - 2]!, edges)) < minIndent * line.size;
    const returns = Math.abs(startOf(line, edges) - startOf(lines[first]!, edges)) < minIndent * line.size;
    return ended && (level || returns);
  }
  return false;
}

/** How far from the edge at which its script begins. */
function startOf(line: PdfLine, { x, right }: PdfEdges): number {
  return line.rtl ? right - line.right : line.x - x;
}

/** Free width at the end of a line. */
function restOf(line: PdfLine, { x, right }: PdfEdges): number {
  return line.rtl ? line.x - x : right - line.right;
}

function isCentered(line: PdfLine, edges: PdfEdges): boolean {
  const [before, after] = [startOf(line, edges), restOf(line, edges)];
  return before > line.size && Math.abs(before - after) < line.size;
}

/** Whether a line ended though the first word of the next would have fitted. */
function isHard(before: PdfLine, line: PdfLine, edges: PdfEdges): boolean {
  const word = unspaced.test(line.text) ? line.text.slice(0, 1) : (line.text.split(" ", 1)[0] ?? "");
  const sign = (line.right - line.x) / Math.max(1, line.text.length);
  // An entry of a table of contents.
  if (/ … (?:\d+|[ivxlc]+)$/u.test(before.text)) return true;
  // Half a letter height of grace: a printed line may be looser than its neighbour.
  return restOf(before, edges) > (word.length + 1) * sign + before.size * 0.5;
}

/** Scripts that put no space between words: a line may end anywhere. */
const unspaced =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3000-\u303F\uFF00-\uFFEF]/u;

function isOpen(line: PdfLine, edges: PdfEdges): boolean {
  return !isSentenceEnd(line.text) && restOf(line, edges) < Math.max(line.size * 4, (edges.right - edges.x) * 0.2);
}

export function isSentenceEnd(text: string): boolean {
  return /[.!?…。！？؟۔।][\p{Pe}\p{Pf}"']*(?:\d{1,2})?$/u.test(text);
}
