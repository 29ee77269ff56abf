import type { Block } from "../../contracts/document.ts";

/**
 * Code blocks between places where code or data may well be cut: where a definition or a record begins or ends.
 *
 * **Shape** white space around a block is left off, but not the indentation of its first line. `edges` in any order, repeated or not.
 * **Cost** linear, and a sort of the edges.
 */
export function codeBlocks(text: string, edges: Iterable<number>, language?: string): Block[] {
  const cuts = [...new Set([0, ...edges, text.length])].sort((a, b) => a - b);
  const blocks: Block[] = [];
  for (const [index, from] of cuts.entries()) {
    const stretch = text.slice(from, cuts[index + 1] ?? from).trimEnd();
    if (stretch === "") continue;
    const firstWord = stretch.length - stretch.trimStart().length;
    const start = firstWord === 0 ? 0 : stretch.lastIndexOf("\n", firstWord - 1) + 1;
    const named = language === undefined ? {} : { language };
    blocks.push({ kind: "code", start: from + start, end: from + stretch.length, ...named });
  }
  return blocks;
}
