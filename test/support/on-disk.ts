import { closeSync, copyFileSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { blankGaps } from "../../src/stores/sqlite/scrub-file.ts";

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Where a frame ends that begins at `start`; `undefined` where it does not lie in one piece. **Source** RFC 8878, 3.1.1. */
function frameEnd(bytes: Buffer, start: number): number | undefined {
  const described = bytes[start + 4];
  if (described === undefined) return undefined;
  const isSingle = ((described >> 5) & 1) === 1;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][described >> 6]!;
  const dictionaryBytes = [0, 1, 2, 4][described & 3]!;
  let at = start + 5 + (isSingle ? 0 : 1) + sizeBytes + dictionaryBytes;
  for (;;) {
    if (at + 3 > bytes.length) return undefined;
    const header = bytes.readUIntLE(at, 3);
    at += 3 + (((header >> 1) & 3) === 1 ? 1 : header >> 3);
    if ((header & 1) === 1) return at + (((described >> 2) & 1) === 1 ? 4 : 0);
  }
}

/** All compressed pieces that lie in one stretch, whether a row leads to them or not: freed pages and logs have some too. */
export function* expandAll(bytes: Buffer): Generator<Buffer> {
  for (let at = bytes.indexOf(magic); at >= 0; at = bytes.indexOf(magic, at + 1)) {
    const end = frameEnd(bytes, at);
    if (end === undefined || end > bytes.length) continue;
    try {
      yield zstdDecompressSync(bytes.subarray(at, end));
    } catch {
      // Four bytes that only look so.
    }
  }
}

/** What the files of a folder say, as bytes and behind compression. */
export function readDisk(folder: string): readonly Buffer[] {
  return readdirSync(folder).flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    return [bytes, ...expandAll(bytes)];
  });
}

/** Whether any file of the folder has that text. */
export function isInFiles(folder: string, text: string): boolean {
  return readDisk(folder).some((bytes) => bytes.includes(text));
}

/** How many pages of a database have something where nothing belongs: between its cells, or in pages that are free. The log must be empty. */
export function blankBytes(path: string): { readonly gaps: number; readonly free: number } {
  const folder = mkdtempSync(join(tmpdir(), "ibid-blank-"));
  const copy = join(folder, "copy.sqlite");
  copyFileSync(path, copy);
  try {
    const database = new DatabaseSync(copy);
    const roots = database.prepare("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0").all();
    database.close();
    const file = openSync(copy, "r+");
    const found = { gaps: blankGaps(file, [1, ...roots.map((row) => Number(row["rootpage"]))]), free: countFree(copy) };
    closeSync(file);
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** More pages than a test writes; four letters or compressed bytes are a larger number. */
const mostPages = 1_000_000;

/** Free pages with something in them. **Source** SQLite, "Database File Format", 1.5 (the freelist). */
function countFree(path: string): number {
  const bytes = readFileSync(path);
  const size = bytes.readUInt16BE(16) % 65_535 || 65_536;
  const isBlank = (from: number, to: number): boolean => bytes.subarray(from, to).every((byte) => byte === 0);
  let found = 0;
  for (let trunk = bytes.readUInt32BE(32); trunk !== 0;) {
    const at = (trunk - 1) * size;
    const leaves = bytes.readUInt32BE(at + 4);
    // Numbers of pages that were in the list before may stand behind it, and nothing else. The file may have been larger then.
    for (let place = at + 8 + 4 * leaves; place < at + size; place += 4)
      if (bytes.readUInt32BE(place) > mostPages) found++;
    for (let leaf = 0; leaf < leaves; leaf++) {
      const page = bytes.readUInt32BE(at + 8 + 4 * leaf);
      if (!isBlank((page - 1) * size, page * size)) found++;
    }
    trunk = bytes.readUInt32BE(at);
  }
  return found;
}
