import { delimiterRow } from "./find-blocks.ts";
import type { ReadSlice } from "./find-sentences.ts";
import type { Span } from "./sentences.ts";

/** Text above a position that is read first; each further piece is twice as long. **Units** UTF-16, as below. */
const firstReach = 2048;
/** A header further above is not looked for. */
const furthest = 1_048_576;

/**
 * Finds the header row of the Markdown table in whose body a position stands.
 *
 * **Shape** the line without the delimiter row below it and without white space around it. `undefined` outside of a table's body, and in a table without a header.
 * **Cost** linear in the rows above the position.
 */
export async function findTableHeader(
  read: ReadSlice,
  position: number,
): Promise<(Span & { readonly text: string }) | undefined> {
  for (let reach = firstReach; reach <= furthest; reach *= 2) {
    const from = Math.max(0, position - reach);
    const lines = (await read(from, position + 1)).split("\n");
    // The first line of a piece may be the end of one.
    const whole = from > 0 ? 1 : 0;
    let first = lines.length;
    while (first > whole && isRow(lines[first - 1]!)) first -= 1;
    if (first === whole && from > 0 && lines.length > 0) continue;
    const [header, below] = lines.slice(first, -1);
    if (header === undefined || below === undefined || !delimiterRow.test(below.trim())) return undefined;
    const before = lines.slice(0, first).reduce((sum, { length }) => sum + length + 1, 0);
    const start = from + before + header.length - header.trimStart().length;
    const text = header.trim();
    return { start, end: start + text.length, text };
  }
  return undefined;
}

const isRow = (line: string): boolean => line.trimStart().startsWith("|");
