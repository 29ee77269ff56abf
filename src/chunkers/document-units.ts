import type { Block, Section, TextDocument } from "../contracts/document.ts";
import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

/**
 * Units of a document without gaps: its blocks from the reader, else its headings and the text between.
 *
 * **Shape** units ascend and do not overlap. Each begins and ends with a character that is not white space. Together
 * they hold every such character of the document, even where a reader's blocks leave some out.
 */
export interface DocumentUnits {
  readonly units: readonly Block[];
  /** The last unit that starts at or before a position; -1 when there is none. */
  readonly lastAtOrBefore: (position: number) => number;
  /** The first unit that ends after a position; `units.length` when there is none. */
  readonly firstEndingAfter: (position: number) => number;
}

function headingBlocks(root: Section): Block[] {
  const blocks: Block[] = [];
  const visit = (section: Section): void => {
    if (section.level > 0) blocks.push({ kind: "heading", start: section.start, end: section.contentStart });
    for (const child of section.children) visit(child);
  };
  visit(root);
  return blocks;
}

/** Finds the units of a document. **Cost** linear in blocks and in the text between them. */
export function findUnits(document: TextDocument): DocumentUnits {
  const { text } = document;
  const units: Block[] = [];
  const add = (block: Block, from: number, to: number): void => {
    const start = skipWhiteSpace(text, from, to);
    const end = trimEndAt(text, start, to);
    if (end > start) units.push(start === block.start && end === block.end ? block : { ...block, start, end });
  };
  let covered = 0;
  for (const block of document.blocks ?? headingBlocks(document.root)) {
    const start = Math.max(covered, block.start);
    const end = Math.min(text.length, block.end);
    if (end <= start) continue;
    add({ kind: "paragraph", start: covered, end: start }, covered, start);
    add(block, start, end);
    covered = end;
  }
  add({ kind: "paragraph", start: covered, end: text.length }, covered, text.length);

  /** The first index whose unit passes a test that only later units pass. */
  const search = (passes: (unit: Block) => boolean): number => {
    let low = 0;
    let high = units.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (passes(units[middle] as Block)) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return {
    units,
    lastAtOrBefore: (position) => search((unit) => unit.start > position) - 1,
    firstEndingAfter: (position) => search((unit) => unit.end > position),
  };
}
