import type { PdfBlock } from "./pdf-paragraphs.ts";
import { isSentenceEnd } from "./pdf-paragraphs.ts";

/** Most blocks between the two halves of a paragraph: footnotes, a figure's caption, a table, running titles. */
const mostBetween = 8;
/** Letters smaller than this part of the paragraph's are a footnote's or caption's. */
const smallerThanText = 0.94;

/**
 * Joins paragraphs that continue in the next column or on the next page; blocks between their halves follow them.
 *
 * **Shape** the first half is the last block of its column, and its last line is full and ends no sentence. The second
 * half begins as no new paragraph does.
 * **Cost** linear.
 */
export function joinBlocks(blocks: readonly PdfBlock[]): PdfBlock[] {
  const joined: PdfBlock[] = [];
  const done = new Set<number>();
  for (const [index, first] of blocks.entries()) {
    if (done.has(index)) continue;
    let block = first;
    const between: PdfBlock[] = [];
    for (let from = index; ;) {
      const next = findOtherHalf(blocks, block, from, done);
      if (next === undefined) break;
      for (let at = from + 1; at < next; at++) {
        if (!done.has(at)) between.push(blocks[at]!);
        done.add(at);
      }
      done.add(next);
      const half = blocks[next]!;
      block = { ...block, open: half.open, lines: [...block.lines, ...half.lines] };
      from = next;
    }
    joined.push(block, ...between);
  }
  return joined;
}

function findOtherHalf(
  blocks: readonly PdfBlock[],
  block: PdfBlock,
  index: number,
  done: ReadonlySet<number>,
): number | undefined {
  const last = block.lines.at(-1)!;
  if (!block.open || block.aside === true || isSentenceEnd(last.text)) return undefined;
  if (block.kind !== "paragraph" && block.kind !== "list") return undefined;
  let skipped = 0;
  for (let at = index + 1; at < blocks.length && skipped <= mostBetween; at++) {
    if (done.has(at)) continue;
    const half = blocks[at]!;
    const line = half.lines[0]!;
    if (line.page > last.page + 1) return undefined;
    const isText = half.kind === "paragraph" && half.aside !== true && !isCaption(line.text);
    const isSameSize = Math.abs(line.size - last.size) <= last.size * 0.03;
    const isElsewhere = skipped > 0 || line.page > last.page || line.y < last.y;
    if (isText && isSameSize && isElsewhere) return goesOn(line.text, skipped) ? at : undefined;
    const mayStandBetween =
      half.aside === true || half.kind === "table" || isCaption(line.text) || line.size < last.size * smallerThanText;
    if (!mayStandBetween) return undefined;
    skipped++;
  }
  return undefined;
}

/**
 * Whether a text continues a sentence: it begins with a small letter. Right after a page or column it may also begin
 * with a capital (names, German nouns).
 */
function goesOn(text: string, skipped: number): boolean {
  return /^["'“‘«(]?[\p{Ll}\p{Lo}]/u.test(text) || (skipped === 0 && /^["'“‘«(]?[\p{Lu}\p{N}]/u.test(text));
}

/** `Figure 3: …`, `Table 2. …`, in any language that capitalises. */
function isCaption(text: string): boolean {
  return /^\p{Lu}[\p{L}.]{1,12}\s?\d+(?:\.\d+)*\s?[.:|—–]/u.test(text) || /^[图圖表]\s?\d/u.test(text);
}
