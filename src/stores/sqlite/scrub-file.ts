import { fsyncSync, statSync, readSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseFile } from "./database-file.ts";
import { openDatabase } from "./sqlite-database.ts";
import { isBusy } from "./sqlite-errors.ts";
import { IbidError } from "../../contracts/errors.ts";

/** How often an attempt is made while readers of other processes come and go, and how long apart. */
const scrubs = { attempts: 10, waitMs: 20 };

/** **Shape** false when a reader held on to an old state all the while. */
export async function scrubPatiently(scrub: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < scrubs.attempts; attempt++) {
    if (attempt > 0) await sleep(scrubs.waitMs);
    if (await scrub()) return true;
  }
  return false;
}

/**
 * Removes deleted rows from the bytes of a database. The log goes into the file and is emptied; the gaps that SQLite leaves between cells are blanked.
 *
 * A connection of its own does it under the writers' lock, and then commits. Other connections in all processes notice the commit and drop their cached
 * pages; otherwise they could write the gaps back.
 *
 * **Shape** false when a reader holds on to the log, or a writer was faster. A crash at any moment leaves a whole database: zeros where there is nothing change nothing.
 */
export function scrubFile(path: string, file: DatabaseFile, emptyLog: () => boolean): boolean {
  if (!emptyLog()) return false;
  const database = openDatabase(path);
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL");
    database.exec("BEGIN IMMEDIATE");
    // Another process may have written in between: then the file alone is not the whole state.
    if (statSync(`${path}-wal`).size > 0) return false;
    const roots = database.prepare("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0").all();
    blankGaps(file.handle(), [1, ...roots.map((row) => Number(row["rootpage"]))]);
    fsyncSync(file.handle());
    // The same number again: it is the write that the others notice.
    const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    database.exec(`PRAGMA user_version = ${version}; COMMIT`);
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    database.close();
  }
  // The log now holds later writes only, which may stay in it.
  emptyLog();
  return true;
}

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
 * `secure_delete` blanks deleted cells. Balancing a tree moves cells between pages, and their old bytes stay in that gap. A row that was moved and later
 * deleted can then still be read in its first page. No reader of the format looks at those bytes.
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
  /** Whether the file's pages have no reserved room at their ends. Every file of ours is plain. */
  readonly isPlain: boolean;
}

/** **Source** SQLite, "Database File Format", 1.3. */
function readFileHeader(file: number): FileHeader {
  const header = Buffer.alloc(fileHeaderBytes);
  readSync(file, header, 0, fileHeaderBytes, 0);
  const pageSize = header.readUInt16BE(16);
  const reserved = header[20]!;
  return { pageSize: pageSize === 1 ? 65_536 : pageSize, isPlain: reserved === 0 };
}
