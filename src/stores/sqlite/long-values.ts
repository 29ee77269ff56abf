import type { SQLInputValue } from "node:sqlite";
import { IbidError } from "../../contracts/errors.ts";
import type { ReadBytes } from "../segments/segment-directory.ts";
import { readFileHeader } from "./file-header.ts";
import { createPageRun, type Pages } from "./page-run.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Long values by their bytes. */
export interface LongValues {
  /**
   * The `data` of some rows of a table, end to end, read from the file's pages into whatever place wants them. SQLite would make an array of each value first, and both the
   * reading, a page at a time, and the making cost more than all else that is done with it.
   *
   * **Shape** `undefined` where the file is not all that this transaction sees ({@link SqliteConnection.settledFile}), or where its pages are not as we write them; holds
   * until the transaction ends. `where` begins after WHERE; `data` is the last column of the table. **Cost** a few pages a row to begin with, then the pages that are asked for.
   */
  find(table: string, where: string, ...values: SQLInputValue[]): ReadBytes | undefined;
}

/** One row's value: its first bytes stand in the row's own page, the others in a chain of pages. */
interface Value {
  /** Where it begins among the values that were asked for together. */
  readonly start: number;
  readonly length: number;
  /** What the row's own page has of it. */
  readonly local: Uint8Array;
  /** The pages of the chain, as far as they are known: each names the next. */
  readonly pages: number[];
}

/** Values whose pages are remembered. */
const mostKept = 1024;

/** **Source** SQLite, "Database File Format", 1.6 (b-tree pages, cells and overflow pages) and 2.1 (records). */
export function createLongValues(db: SqliteConnection): LongValues {
  const known = new Map<string, readonly Value[]>();
  let version = "";
  let size = 0;
  const run = createPageRun();

  function look(): Pages | undefined {
    const settled = db.settledFile();
    if (settled === undefined) return undefined;
    if (settled.version !== version) {
      known.clear();
      run.forget();
      version = settled.version;
      const { pageSize, isPlain } = readFileHeader(settled.handle);
      size = isPlain ? pageSize : 0;
    }
    return size === 0 ? undefined : { handle: settled.handle, size, room: size - 4 };
  }

  function page(pages: Pages, number: number): Buffer | undefined {
    const at = run.find(pages, number);
    return at < 0 ? undefined : Buffer.from(run.bytes.subarray(at, at + pages.size));
  }

  /** Fills `target` from one value. **Shape** false where the chain ends too early. */
  function read(pages: Pages, { local, pages: chain }: Value, target: Uint8Array, from: number): boolean {
    let filled = 0;
    if (from < local.length) {
      filled = Math.min(target.length, local.length - from);
      target.set(local.subarray(from, from + filled));
    }
    if (filled === target.length) return true;
    const place = from + filled - local.length;
    const first = Math.floor(place / pages.room);
    for (let index = Math.min(first, chain.length - 1); filled < target.length; index++) {
      const at = run.find(pages, chain[index] ?? 0);
      if (at < 0) return false;
      if (index === chain.length - 1) chain.push(nextOf(run.bytes, at));
      if (index < first) continue;
      const start = 4 + (index === first ? place - first * pages.room : 0);
      const count = Math.min(pages.size - start, target.length - filled);
      target.set(run.bytes.subarray(at + start, at + start + count), filled);
      filled += count;
    }
    return true;
  }

  function locate(pages: Pages, table: string, where: string, values: readonly SQLInputValue[]): readonly Value[] {
    const root = db.get<{ rootpage: number }>("SELECT rootpage FROM sqlite_schema WHERE name = ?", table)?.rootpage;
    const rows = db.all<{ key: number; length: number }>(
      `SELECT key, length(data) AS length FROM ${table} WHERE ${where}`,
      ...values,
    );
    const found: Value[] = [];
    let start = 0;
    for (const { key, length } of rows) {
      const payload = root === undefined ? undefined : findPayload((number) => page(pages, number), root, key);
      // The value is the row's last, so it ends where the row does.
      const own = payload && takeEnd(payload, length);
      if (own === undefined) return [];
      found.push({ start, length, ...own });
      start += length;
    }
    return found;
  }

  return {
    find(table, where, ...asked) {
      const pages = look();
      if (pages === undefined) return undefined;
      const name = JSON.stringify([table, where, ...asked]);
      let values = known.get(name);
      if (values === undefined) {
        if (known.size > mostKept) known.clear();
        known.set(name, (values = locate(pages, table, where, asked)));
      }
      if (values.length === 0) return undefined;
      const list = values;
      return (target, from) => {
        let filled = 0;
        for (const value of list) {
          const at = from + filled - value.start;
          if (at >= value.length || filled === target.length) continue;
          const count = Math.min(target.length - filled, value.length - at);
          if (!read(pages, value, target.subarray(filled, filled + count), at)) throw broken();
          filled += count;
        }
        if (filled < target.length) throw broken();
      };
    },
  };
}

/** What one row holds, from the page that its cell stands in. */
interface Payload {
  readonly length: number;
  readonly local: Buffer;
  /** 0 where the row's own page has all of it. */
  readonly overflow: number;
}

const innerPage = 5;
const leafPage = 13;

/** Goes down a table's tree. **Shape** `undefined` where a page is not what it should be. */
function findPayload(page: (number: number) => Buffer | undefined, root: number, key: number): Payload | undefined {
  let number = root;
  // A tree of more levels than this would hold more rows than there are numbers.
  for (let level = 0; level < 20; level++) {
    const bytes = page(number);
    if (bytes === undefined || number === 1) return undefined;
    const kind = bytes[0];
    if (kind !== innerPage && kind !== leafPage) return undefined;
    const pointers = kind === innerPage ? 12 : 8;
    const cells = bytes.readUInt16BE(3);
    let low = 0;
    let high = cells;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (keyOf(bytes, pointers, middle).key < key) low = middle + 1;
      else high = middle;
    }
    if (kind === leafPage) return low < cells ? payloadAt(bytes, keyOf(bytes, pointers, low), key) : undefined;
    number = low < cells ? bytes.readUInt32BE(bytes.readUInt16BE(pointers + 2 * low)) : bytes.readUInt32BE(8);
  }
  return undefined;
}

interface CellKey {
  readonly key: number;
  /** Of a leaf's cell. */
  readonly length: number;
  readonly end: number;
}

function keyOf(bytes: Buffer, pointers: number, cell: number): CellKey {
  const at = bytes.readUInt16BE(pointers + 2 * cell);
  if (pointers === 12) {
    const [key, end] = readVarint(bytes, at + 4);
    return { key, length: 0, end };
  }
  const [length, behind] = readVarint(bytes, at);
  const [key, end] = readVarint(bytes, behind);
  return { key, length, end };
}

function payloadAt(bytes: Buffer, { key: found, length, end }: CellKey, key: number): Payload | undefined {
  if (found !== key) return undefined;
  const usable = bytes.length;
  if (length <= usable - 35) return { length, local: bytes.subarray(end, end + length), overflow: 0 };
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((length - least) % (usable - 4));
  const own = fitting <= usable - 35 ? fitting : least;
  return { length, local: bytes.subarray(end, end + own), overflow: bytes.readUInt32BE(end + own) };
}

/** The last `length` bytes of a row. **Shape** `undefined` where what stands before them does not fit into the row's own page. */
function takeEnd(
  { length: whole, local, overflow }: Payload,
  length: number,
): Pick<Value, "local" | "pages"> | undefined {
  const before = whole - length;
  if (before < 0 || before > local.length) return undefined;
  return { local: Uint8Array.from(local.subarray(before)), pages: overflow === 0 ? [] : [overflow] };
}

/** **Shape** the number, and where it ends: seven bits a byte, highest first; of nine bytes the last has eight. */
function readVarint(bytes: Buffer, start: number): readonly [number, number] {
  let value = 0;
  for (let at = start; at < start + 8; at++) {
    const byte = bytes[at]!;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + 1];
  }
  return [value * 256 + bytes[start + 8]!, start + 9];
}

/** The number with which a page of a chain begins: that of the next. */
function nextOf(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

function broken(): IbidError {
  return new IbidError("store-corrupt", "A long value of the database ends before its end.", {
    hint: "Restore the file from a backup, or move it away and ingest the documents again.",
  });
}
