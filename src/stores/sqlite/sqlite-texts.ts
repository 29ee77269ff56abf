import { atOnce } from "../../runtime/next-turn.ts";
import { compress, damaged, expand, salvage, sumOf } from "./compressed.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { missingRow } from "./missing-row.ts";
import type { DocumentBody } from "../segments/segment-directory.ts";

/** Bytes that are compressed together, before they are. Smaller ones compress worse, larger ones cost each read more. */
const blockBytes = 32 * 1024;

/** A document of more bytes than these has blocks of its own. */
const sharedBytes = blockBytes / 2;

/** The longest part of a text with blocks of its own. **Units** UTF-16 code units. */
const partLength = 32 * 1024;

/** Changed blocks that wait, at most, when the next write begins. */
const mostOpen = 8;

/** Blocks that are kept as they were read. */
const mostKept = 64;

/** Where a document's structure and text lie: one behind the other in a block, or, without one, in parts of their own. */
export interface StoredBody {
  readonly block: number | null;
  /** **Units** bytes, as the others. */
  readonly at: number;
  readonly structureSize: number;
  readonly textSize: number;
  /** CRC-32 of both. */
  readonly sum: number;
}

/** Place of a part in a document's list: texts count from 0, and the structure has this. */
const structurePart = -1;

/** The texts of documents: small ones share blocks, large ones have parts. Both are compressed, and checked whenever they are read. */
export interface SqliteTexts {
  /** Keeps a small body in a block of its scope. **Shape** `undefined` for one that is too large to share a block. */
  share(scope: number, body: DocumentBody): StoredBody | undefined;
  /** Keeps a large one in parts. */
  addParts(document: number, body: DocumentBody): StoredBody;
  /** Takes a body out, of its block's bytes too. */
  remove(document: number): void;
  read(document: number): DocumentBody;
  /** The same, with a step for each part of a long text. */
  readInSteps(document: number): Generator<undefined, DocumentBody>;
  structure(document: number): string;
  /** One part of the text, `undefined` behind the last. */
  part(document: number, part: number): string | undefined;
  /** Where each part ends; empty for a text of one part. */
  ends(document: number): readonly number[];
  /** Writes what waits to be compressed. To be called before every commit. */
  flush(): void;
  /** Remembers what waits. **Shape** a function that forgets what has come since: it is rolled back. */
  mark(): () => void;
}

/** A block on its way, uncompressed. */
interface OpenBlock {
  readonly key: number;
  readonly scope: number;
  /** As long as a block may be; the first `size` are used. */
  bytes: Buffer;
  size: number;
  documents: number;
}

interface BlockRow {
  readonly key: number;
  readonly scope: number;
  readonly size: number;
  readonly documents: number;
  readonly sum: number;
  readonly data: Uint8Array;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const decode = (bytes: Uint8Array): string => decoder.decode(bytes);

export function createSqliteTexts(db: SqliteConnection, stamp: () => number): SqliteTexts {
  /** Blocks that this transaction changed and has not written yet. */
  const open = new Map<number, OpenBlock>();
  /** The block of each scope to which the next text goes, in this transaction. */
  const last = new Map<number, number>();
  /** Blocks as they were read, the ones asked for last at the end. */
  const kept = new Map<number, Buffer>();
  let keptStamp = -1;
  const nameOf = (document: number) => (): string =>
    db.get<{ uri: string }>("SELECT uri FROM documents WHERE key = ?", document)?.uri ?? "a document";

  const rowOf = (key: number): BlockRow =>
    db.get<BlockRow>("SELECT key, scope, size, documents, sum, data FROM blocks WHERE key = ?", key) ?? missingRow();

  function readBlock(key: number, name: () => string): Uint8Array {
    const changed = open.get(key);
    if (changed !== undefined) return changed.bytes;
    // A transaction may be rolled back, so nothing that it reads is kept.
    if (db.isWriting) return expand(rowOf(key), name);
    const now = stamp();
    if (now !== keptStamp) kept.clear();
    keptStamp = now;
    const bytes = kept.get(key) ?? expand(rowOf(key), name);
    kept.delete(key);
    kept.set(key, bytes);
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break;
      kept.delete(oldest);
    }
    return bytes;
  }

  /**
   * A block that will be written again. One that is damaged has what could be read of it: its documents have sums of their own.
   *
   * **Shape** `undefined` for a damaged one where only whole ones are wanted.
   */
  function change(key: number, wanted: "any"): OpenBlock;
  function change(key: number, wanted: "whole"): OpenBlock | undefined;
  function change(key: number, wanted: "any" | "whole"): OpenBlock | undefined {
    const changed = open.get(key);
    if (changed !== undefined) return changed;
    const { scope, size, documents, sum, data } = rowOf(key);
    const found = salvage(data);
    if (wanted === "whole" && (found === undefined || sumOf(found) !== sum)) return undefined;
    const bytes = Buffer.alloc(blockBytes);
    found?.copy(bytes);
    const block = { key, scope, bytes, size, documents };
    open.set(key, block);
    return block;
  }

  /** The block that has room for so many bytes more: the scope's last one, or a new one. */
  function room(scope: number, size: number): OpenBlock {
    const key =
      last.get(scope) ??
      db.get<{ key: number }>("SELECT key FROM blocks WHERE scope = ? ORDER BY key DESC LIMIT 1", scope)?.key;
    const before = key === undefined ? undefined : sizeOf(key);
    if (key !== undefined && before !== undefined && before + size <= blockBytes) {
      const block = change(key, "whole");
      if (block !== undefined) {
        last.set(scope, key);
        return block;
      }
    }
    if (key !== undefined && open.has(key)) write(key);
    const made = db.run("INSERT INTO blocks (scope, size, documents, sum, data) VALUES (?, 0, 0, 0, x'')", scope);
    last.set(scope, made);
    const block = { key: made, scope, bytes: Buffer.alloc(blockBytes), size: 0, documents: 0 };
    open.set(made, block);
    return block;
  }

  function sizeOf(key: number): number | undefined {
    return open.get(key)?.size ?? db.get<{ size: number }>("SELECT size FROM blocks WHERE key = ?", key)?.size;
  }

  function write(key: number): void {
    const block = open.get(key)!;
    open.delete(key);
    if (block.documents === 0) {
      db.run("DELETE FROM blocks WHERE key = ?", key);
      if (last.get(block.scope) === key) last.delete(block.scope);
      return;
    }
    const { data, sum } = compress(block.bytes.subarray(0, block.size));
    db.run(
      "UPDATE blocks SET size = ?, documents = ?, sum = ?, data = ? WHERE key = ?",
      block.size,
      block.documents,
      sum,
      data,
      key,
    );
  }

  const bodyOf = (document: number): StoredBody =>
    db.get<StoredBody>(
      "SELECT block, at, structure_size AS structureSize, text_size AS textSize, sum FROM documents WHERE key = ?",
      document,
    ) ?? missingRow();

  /** Structure and text of a document in a block, checked. */
  function fromBlock(document: number, { block, at, structureSize, textSize, sum }: StoredBody): Uint8Array {
    const name = nameOf(document);
    const bytes = readBlock(block!, name).subarray(at, at + structureSize + textSize);
    if (sumOf(bytes) !== sum) throw damaged(name());
    return bytes;
  }

  function readPart(document: number, part: number): string | undefined {
    const row = db.get<{ sum: number; data: Uint8Array }>(
      "SELECT sum, data FROM text_parts WHERE document = ? AND part = ?",
      document,
      part,
    );
    return row && decode(expand(row, nameOf(document)));
  }

  function addParts(document: number, { structure, text }: DocumentBody): StoredBody {
    const put = (part: number, ends: number, bytes: Uint8Array): void => {
      const { data, sum } = compress(bytes);
      db.run(
        "INSERT INTO text_parts (document, part, ends, sum, data) VALUES (?, ?, ?, ?, ?)",
        document,
        part,
        ends,
        sum,
        data,
      );
    };
    const tree = Buffer.from(structure);
    put(structurePart, 0, tree);
    let [sum, textSize, part] = [sumOf(tree), 0, 0];
    // One place for all parts: bytes that nobody needs any more stay until there are many.
    const board = Buffer.alloc(3 * Math.min(partLength, text.length));
    for (let start = 0; start < text.length; part++) {
      const end = partEnd(text, start);
      const bytes = board.subarray(0, board.write(text.slice(start, end)));
      put(part, end, bytes);
      sum = sumOf(bytes, sum);
      textSize += bytes.length;
      start = end;
    }
    return { block: null, at: 0, structureSize: tree.length, textSize, sum };
  }

  function* readParts(document: number): Generator<undefined, string> {
    const parts: string[] = [];
    for (let part = 0; ; part++) {
      const text = readPart(document, part);
      if (text === undefined) return parts.join("");
      parts.push(text);
      yield undefined;
    }
  }

  function* readInSteps(document: number): Generator<undefined, DocumentBody> {
    const body = bodyOf(document);
    if (body.block === null) {
      const structure = readPart(document, structurePart) ?? missingRow();
      const text = yield* readParts(document);
      if (sumOf(Buffer.from(text), sumOf(Buffer.from(structure))) !== body.sum) throw damaged(nameOf(document)());
      return { structure, text };
    }
    const bytes = fromBlock(document, body);
    return {
      structure: decode(bytes.subarray(0, body.structureSize)),
      text: decode(bytes.subarray(body.structureSize)),
    };
  }

  return {
    addParts,
    share(scope, { structure, text }) {
      if (structure.length + text.length > sharedBytes) return undefined;
      const [structureSize, textSize] = [Buffer.byteLength(structure), Buffer.byteLength(text)];
      const size = structureSize + textSize;
      if (size > sharedBytes) return undefined;
      const block = room(scope, size);
      const at = block.size;
      block.bytes.write(structure, at);
      block.bytes.write(text, at + structureSize);
      block.size += size;
      block.documents++;
      return { block: block.key, at, structureSize, textSize, sum: sumOf(block.bytes.subarray(at, at + size)) };
    },
    remove(document) {
      const { block: key, at, structureSize, textSize } = bodyOf(document);
      if (key === null) return void db.run("DELETE FROM text_parts WHERE document = ?", document);
      const block = change(key, "any");
      // A mark has the bytes before: those behind its size alone may change under it.
      block.bytes = Buffer.from(block.bytes);
      block.bytes.fill(0, at, at + structureSize + textSize);
      block.documents--;
      if (block.documents === 0) write(key);
    },
    readInSteps,
    read: (document) => atOnce(readInSteps(document)),
    structure(document) {
      const body = bodyOf(document);
      if (body.block === null) return readPart(document, structurePart) ?? missingRow();
      return decode(fromBlock(document, body).subarray(0, body.structureSize));
    },
    part(document, part) {
      const body = bodyOf(document);
      if (body.block === null) return readPart(document, part);
      return part === 0 ? decode(fromBlock(document, body).subarray(body.structureSize)) : undefined;
    },
    ends(document) {
      const parts = "SELECT ends FROM text_parts WHERE document = ? AND part >= 0 ORDER BY part";
      return db.all<{ ends: number }>(parts, document).map(({ ends }) => ends);
    },
    flush() {
      for (const key of open.keys()) write(key);
      last.clear();
    },
    mark() {
      if (open.size > mostOpen) this.flush();
      const before = Array.from(open.values(), (block) => ({ ...block }));
      const lastBefore = new Map(last);
      return () => {
        open.clear();
        last.clear();
        for (const block of before) open.set(block.key, block);
        for (const [scope, key] of lastBefore) last.set(scope, key);
      };
    },
  };
}

/** Never between the halves of a surrogate pair, which UTF-8 has no word for. */
function partEnd(text: string, start: number): number {
  const end = start + partLength;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
