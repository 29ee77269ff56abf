import { createDelimitedScanner, readDelimitedCells } from "../../text/delimited-rows.ts";

const candidates = [",", ";", "\t", "|"] as const;

/** Rows and characters from the beginning of a text that are looked at. */
const sampleRows = 64;
const sampleLength = 1 << 16;

/**
 * Detects the delimiter by which the rows of a text have most evenly the same number of cells: comma, semicolon, tab or pipe.
 *
 * Where a comma and a semicolon divide rows as evenly, the semicolon wins if the commas are those of decimals (`1,5;2,5`).
 *
 * **Shape** a comma when nothing divides the rows. **Cost** looks at the first 64 rows that begin within 64 KiB.
 */
export function detectDelimiter(text: string, from = 0): string {
  let best = ",";
  let bestScore = 0;
  for (const candidate of candidates) {
    const score = judge(text, from, candidate);
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  if (best === "," && judge(text, from, ";") > 0 && hasDecimalCommas(text, from)) return ";";
  return best;
}

/** The share of rows that have as many cells as most have, weighed by how many those are: 0 when that is one. */
function judge(text: string, from: number, delimiter: string): number {
  const counts = new Map<number, number>();
  let rows = 0;
  for (const [start, end] of sample(text, from, delimiter)) {
    const count = readDelimitedCells(text, delimiter, start, end, 1024).length;
    counts.set(count, (counts.get(count) ?? 0) + 1);
    rows += 1;
  }
  let [usual, share] = [1, 0];
  for (const [count, times] of counts) {
    if (count > 1 && times > share) [usual, share] = [count, times];
  }
  return usual === 1 ? 0 : (share / rows) * (1 - 1 / usual);
}

function hasDecimalCommas(text: string, from: number): boolean {
  let numbers = 0;
  let others = 0;
  for (const [start, end] of sample(text, from, ";")) {
    const cells = readDelimitedCells(text, ";", start, end, 1024);
    if (cells.length === 1) return false;
    for (const cell of cells) {
      if (/^[+-]?\d+(?:,\d+)?$/.test(cell)) numbers += 1;
      else if (cell.includes(",")) others += 1;
    }
  }
  return numbers > 0 && others === 0;
}

/** Rows at the beginning that hold something. */
function* sample(text: string, from: number, delimiter: string): Generator<readonly [start: number, end: number]> {
  const scanner = createDelimitedScanner(text, delimiter);
  let rows = 0;
  for (let start = from; start < text.length && start < from + sampleLength && rows < sampleRows;) {
    const end = scanner.scan(start);
    if (text.slice(start, end).trim() !== "") {
      yield [start, end];
      rows += 1;
    }
    start = end + 1;
  }
}
