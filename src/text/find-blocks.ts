import {
  fencePattern,
  frontMatter,
  headingPattern,
  itemPattern,
  longestPrefix,
  markupPattern,
  rulePattern,
} from "./find-sentences.ts";
import type { Span } from "./sentences.ts";

/** Kind of a block, for quoting. A list item and a table row are blocks of their own. */
export type FoundBlockKind = "paragraph" | "item" | "row" | "code" | "heading";

/** A block where it stands. **Units** UTF-16, half open; white space around it is left out. */
export interface FoundBlock extends Span {
  readonly kind: FoundBlockKind;
  /** For a table row: the header row, with the delimiter row below it. The header itself is no block. */
  readonly header?: Span | undefined;
  /** For code: the opening fence, with the language that it names. `""` where the text begins within the code. */
  readonly fence?: string | undefined;
  /** Tags, imports or front matter stand between it and the block before. */
  readonly isApart: boolean;
}

/**
 * Finds the blocks of a text in Markdown, MDX or plain text: paragraphs, list items, table rows and fenced code. Front matter, tags and rules are none.
 *
 * **Shape** in order, apart. Lines that continue an item belong to it; code in an item is a block of its own, and so is each item below it.
 * `openFence` is the construct in whose midst the text begins, as `readOpenFence` gives it.
 * **Cost** linear.
 */
export function findBlocks(text: string, openFence = ""): readonly FoundBlock[] {
  const found: FoundBlock[] = [];
  let open: { kind: "paragraph" | "item" | "code"; start: number; end: number; fence?: string } | undefined;
  let fence = openFence;
  let isApart = false;
  let table: { start: number; end: number; header?: Span | undefined } | undefined;

  const add = (block: Omit<FoundBlock, "isApart">): void => {
    let { start, end } = block;
    while (start < end && isSpace(text, start)) start += 1;
    while (end > start && isSpace(text, end - 1)) end -= 1;
    if (start === end) return;
    found.push({ ...block, start, end, isApart });
    isApart = false;
  };
  const flush = (): void => {
    if (open) add(open);
    open = undefined;
  };
  if (fence !== "" && fence !== frontMatter) open = { kind: "code", start: 0, end: 0, fence: "" };

  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, Math.min(end, start + longestPrefix));
    const trimmed = line.trim();
    const opening = fencePattern.exec(line)?.[1] ?? "";
    if (!trimmed.startsWith("|")) table = undefined;

    if (fence === frontMatter) {
      // The text may begin with the line that opens it.
      if (trimmed === frontMatter && start > 0) fence = "";
      isApart = true;
    } else if (fence !== "") {
      if (open) open.end = end;
      if (opening.startsWith(fence)) {
        fence = "";
        flush();
      }
    } else if (opening !== "") {
      flush();
      fence = opening;
      open = { kind: "code", start, end, fence: trimmed };
    } else if (trimmed === "" || rulePattern.test(trimmed)) {
      flush();
      if (trimmed !== "") isApart = true;
    } else if (headingPattern.test(line)) {
      flush();
      add({ kind: "heading", start, end });
    } else if (trimmed.startsWith("|")) {
      flush();
      if (table && delimiterRow.test(trimmed)) table.header = { start: table.start, end };
      else if (table) add({ kind: "row", start, end, header: table.header });
      else if (isHeader(text, end)) table = { start, end };
      else {
        table = { start, end };
        add({ kind: "row", start, end });
      }
    } else if (markupPattern.test(trimmed)) {
      flush();
      isApart = true;
    } else if (itemPattern.test(line)) {
      flush();
      open = { kind: "item", start, end };
    } else if (open) open.end = end;
    else open = { kind: "paragraph", start, end };
    start = end + 1;
  }
  flush();
  return found;
}

/** The line below the header of a table. */
export const delimiterRow = /^\|(?:\s*:?-+:?\s*\|)+\s*$/u;

/** Whether a delimiter row follows the row that ends at a position. */
function isHeader(text: string, end: number): boolean {
  const newline = text.indexOf("\n", end + 1);
  const next = text.slice(end + 1, Math.min(newline === -1 ? text.length : newline, end + 1 + longestPrefix));
  return delimiterRow.test(next.trim());
}

function isSpace(text: string, index: number): boolean {
  return /\s/u.test(text[index] ?? "");
}
