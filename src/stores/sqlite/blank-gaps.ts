import { readSync, writeSync } from "node:fs";
import { IbidError } from "../../contracts/errors.ts";

/** The first byte of a b-tree page: what it is, and how long its header is. */
const pageKinds: ReadonlyMap<number, { readonly headerBytes: number; readonly isInner: boolean }> = new Map([
  [2, { headerBytes: 12, isInner: true }],
  [5, { headerBytes: 12, isInner: true }],
  [10, { headerBytes: 8, isInner: false }],
  [13, { headerBytes: 8, isInner: false }],
]);

/** The file's own header stands before that of its first page. */
const fileHeaderBytes = 100;

/**
 * Writes zeros where a database's pages have nothing: between the array of pointers to cells and the first cell.
 *
 * `secure_delete` blanks what is deleted, but when SQLite balances a tree it moves cells from page to page, and what they leave behind stays in that gap: so a row
 * that was moved once and is deleted later can still be read in the page that it was moved from. No reader of the format looks at those bytes.
 *
 * **Shape** how many pages had something there. Nobody may write to the file meanwhile, and its log must be empty. **Cost** reads each b-tree page once, and no long
 * value. **Source** SQLite, "Database File Format", 1.6 (b-tree pages).
 */
export function blankGaps(file: number, roots: readonly number[]): number {
  const { pageSize: size } = readFileHeader(file);
  const page = Buffer.alloc(size);
  const seen = new Set<number>();
  const next = [...roots];
  let blanked = 0;
  for (let number = next.pop(); number !== undefined; number = next.pop()) {
    if (seen.has(number)) continue;
    seen.add(number);
    const at = (number - 1) * size;
    if (readSync(file, page, 0, size, at) < size) throw malformed(number);
    const header = number === 1 ? fileHeaderBytes : 0;
    const kind = pageKinds.get(page[header]!);
    if (kind === undefined) throw malformed(number);
    const cells = page.readUInt16BE(header + 3);
    const pointers = header + kind.headerBytes;
    const gapStart = pointers + 2 * cells;
    // 0 stands for 65,536, which two bytes cannot say.
    const gapEnd = page.readUInt16BE(header + 5) || 65_536;
    if (gapEnd > size || gapStart > gapEnd) throw malformed(number);
    if (kind.isInner) {
      next.push(page.readUInt32BE(header + 8));
      for (let cell = pointers; cell < gapStart; cell += 2) next.push(page.readUInt32BE(page.readUInt16BE(cell)));
    }
    const gap = page.subarray(gapStart, gapEnd);
    if (gap.every((byte) => byte === 0)) continue;
    gap.fill(0);
    writeSync(file, gap, 0, gap.length, at + gapStart);
    blanked++;
  }
  return blanked;
}

function malformed(page: number): IbidError {
  return new IbidError("store-corrupt", `Page ${page} of the database is not as SQLite writes them.`, {
    hint: "Restore the file from a backup, or move it away and ingest the documents again.",
  });
}

interface FileHeader {
  readonly pageSize: number;
  /** Whether the file has pages only: no reserved room at their ends, and no pages that map others. Every file of ours is plain. */
  readonly isPlain: boolean;
}

/** **Source** SQLite, "Database File Format", 1.3. */
function readFileHeader(file: number): FileHeader {
  const header = Buffer.alloc(fileHeaderBytes);
  readSync(file, header, 0, fileHeaderBytes, 0);
  const pageSize = header.readUInt16BE(16);
  const reserved = header[20]!;
  const largestRoot = header.readUInt32BE(52);
  return { pageSize: pageSize === 1 ? 65_536 : pageSize, isPlain: reserved === 0 && largestRoot === 0 };
}
