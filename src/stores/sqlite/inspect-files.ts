import { existsSync, read } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { IbidError } from "../../contracts/errors.ts";
import { holdFile } from "./database-file.ts";
import { openToRead } from "./open-to-read.ts";
import { checkNames, type FileReport } from "../segments/segment-directory.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { createSqliteRows } from "./sqlite-rows.ts";
import { type Compressed, expand } from "./compressed.ts";
import { packId } from "./packed.ts";
import { isBusy } from "./sqlite-errors.ts";

/** So much of a file is held at once. */
const pieceBytes = 16 * 1024 * 1024;

/** Reads at a place into the middle of a buffer. **Shape** how many bytes. */
type ReadAt = (piece: Buffer, start: number, at: number) => Promise<number>;

const readFrom = promisify(read);

function readFileAt(handle: number): ReadAt {
  return async (piece, start, at) => (await readFrom(handle, piece, start, pieceBytes, at)).bytesRead;
}

/**
 * Looks at a database as a file, at its log, and at what else lies in folders of its own beside it.
 *
 * **Cost** reads every page twice.
 */
export async function inspectFiles(
  connection: SqliteConnection,
  path: string,
  probes: readonly string[],
): Promise<FileReport> {
  const said = connection.all<{ readonly integrity_check: string }>("PRAGMA integrity_check(20)");
  const damage = said
    .map(({ integrity_check: message }) => message)
    .filter((message) => message !== "ok")
    .map((message) => `SQLite says of ${basename(path)}: ${message}.`);
  if (damage.length === 0 && !connection.isEarlier) damage.push(...findDamagedTexts(connection));
  const traces: { readonly file: string; readonly found: readonly string[] }[] = [];
  if (probes.length > 0) {
    const textOf = new Map<Buffer, string>(probes.map((probe) => [Buffer.from(probe, "utf8"), probe]));
    const wanted = [...textOf.keys()];
    const note = (file: string, found: ReadonlySet<Buffer>): void => {
      if (found.size > 0)
        traces.push({ file: basename(file), found: Array.from(found, (one) => textOf.get(one) ?? "") });
    };
    for await (const [file, found] of findInFiles(connection, path, wanted)) note(file, found);
    note(`${basename(path)}, behind compression`, findCompressed(connection, wanted));
  }
  return { damage, besides: inspectEvents(join(dirname(path), eventFile)), traces };
}

/** Finds the documents whose ids stand in a file, as bytes or as digits. **Shape** their ids. **Cost** reads the files once. */
export async function findIds(
  connection: SqliteConnection,
  path: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const forms = new Map<Buffer, string>();
  for (const id of ids) {
    const packed = packId(id);
    forms.set(Buffer.from(id), id);
    if (packed instanceof Uint8Array) forms.set(Buffer.from(packed), id);
  }
  const standing = new Set<string>();
  for await (const [, found] of findInFiles(connection, path, [...forms.keys()]))
    for (const form of found) standing.add(forms.get(form)!);
  return [...standing];
}

/** Each file of a database, and those of the probes that stand in it. */
async function* findInFiles(
  connection: SqliteConnection,
  path: string,
  probes: readonly Buffer[],
): AsyncGenerator<readonly [file: string, found: ReadonlySet<Buffer>]> {
  yield [path, await findProbes(readFileAt(connection.file.handle()), probes)];
  for (const file of await listFiles(path)) yield [file, await findInFile(file, probes)];
}

/** Opened for reading, as SQLite: so nobody's locks are lost. One that another process is writing to at the moment is looked at as it was before. */
function inspectEvents(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const name = basename(path);
  const held = holdFile(path);
  try {
    const database = openToRead(path);
    try {
      return database
        .prepare("PRAGMA integrity_check(20)")
        .all()
        .map((row) => String(row["integrity_check"]))
        .filter((message) => message !== "ok")
        .map((message) => `SQLite says of ${name}: ${message}.`);
    } finally {
      database.close();
    }
  } catch (error) {
    if (isBusy(error)) return [];
    return [`SQLite says of ${name}: ${error instanceof Error ? error.message : String(error)}.`];
  } finally {
    held.release();
  }
}

/** Where events are kept beside it; the file and its log. They have ids and counts, and are looked at all the same. */
const eventFile = "events.sqlite";
const events = [eventFile, `${eventFile}-wal`];

/** Not opened: SQLite's locks are on it, and go when anybody closes it; it has numbers of pages, and no text. */
const sharedMemory = "-shm";

/** Whatever else lies under the database's name. */
async function listFiles(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const name = basename(path);
  const files = (await readdir(folder))
    .filter(
      (other) => (other.startsWith(name) && other !== name && other !== name + sharedMemory) || events.includes(other),
    )
    .map((other) => join(folder, other));
  return files;
}

async function findInFile(file: string, probes: readonly Buffer[]): Promise<ReadonlySet<Buffer>> {
  // The last connection removes the log.
  if ((await stat(file).catch(() => undefined))?.isFile() !== true) return new Set();
  // Other connections of this process to the file keep their locks.
  const held = holdFile(file);
  try {
    return await findProbes(readFileAt(held.handle()), probes);
  } finally {
    held.release();
  }
}

/** Documents whose text, structure or names are not as it was written, by name. **Cost** reads every text. */
function findDamagedTexts(connection: SqliteConnection): readonly string[] {
  const rows = createSqliteRows(connection);
  const found: string[] = [];
  const look = (work: () => unknown, say: (error: IbidError) => string): void => {
    try {
      work();
    } catch (error) {
      if (!IbidError.isInstance(error, "store-corrupt")) throw error;
      found.push(say(error));
    }
  };
  const all = "SELECT key, uri FROM documents ORDER BY block, key";
  for (const { key, uri } of connection.all<{ readonly key: number; readonly uri: string }>(all)) {
    look(
      () => rows.documentBody(key),
      () => `The stored text of ${uri} is not as it was written.`,
    );
    look(
      () => checkNames(rows.document(key)),
      ({ message }) => `${message} It is in row ${key}.`,
    );
  }
  return found;
}

/** The same for texts that are compressed, as far as a row leads to them. */
function findCompressed(connection: SqliteConnection, probes: readonly Buffer[]): ReadonlySet<Buffer> {
  const finder = createProbeFinder(probes);
  const tables = connection.all<{ readonly name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('blocks', 'text_parts', 'former_versions')",
  );
  for (const { name: table } of tables) {
    for (const row of connection.iterate<Compressed>(`SELECT data, sum FROM ${table}`))
      finder.look(expand(row, () => "a document"));
  }
  return finder.found;
}

/** Finds the probes that stand in what is read, across the ends of the pieces. */
async function findProbes(readAt: ReadAt, probes: readonly Buffer[]): Promise<ReadonlySet<Buffer>> {
  const longest = probes.reduce((most, { length }) => Math.max(most, length), 0);
  const finder = createProbeFinder(probes);
  const piece = Buffer.alloc(pieceBytes + longest);
  let kept = 0;
  for (let at = 0; ;) {
    const bytesRead = await readAt(piece, kept, at);
    if (bytesRead === 0) return finder.found;
    at += bytesRead;
    const filled = piece.subarray(0, kept + bytesRead);
    finder.look(filled);
    kept = Math.min(longest, filled.length);
    piece.copyWithin(0, filled.length - kept, filled.length);
  }
}

/** Looks for many texts at once. */
export interface ProbeFinder {
  look(bytes: Buffer): void;
  /** The texts that stood in what was looked at. */
  readonly found: ReadonlySet<Buffer>;
}

/** So few texts are found faster one by one: a pass for one takes a fifteenth of a pass for many. */
const soFewProbes = 8;

function createPlainFinder(probes: readonly Buffer[]): ProbeFinder {
  const found = new Set<Buffer>();
  return {
    look(bytes) {
      for (const probe of probes) if (!found.has(probe) && bytes.includes(probe)) found.add(probe);
    },
    found,
  };
}

/** A text is recognised by so many bytes of its beginning, and compared whole then. */
const keyBytes = 4;

/**
 * Finds which of many texts stand in bytes, in one pass.
 *
 * **Shape** each has at least four bytes. **Cost** linear in the bytes, however many texts there are; a table of 64 KB.
 * **Source** after Wu and Manber, A Fast Algorithm for Multi-Pattern Searching (1994), without the shifts.
 */
export function createProbeFinder(probes: readonly Buffer[]): ProbeFinder {
  if (probes.length <= soFewProbes) return createPlainFinder(probes);
  const byBeginning = new Map<number, Buffer[]>();
  /** Whether some text begins so, as far as sixteen bits can tell. */
  const mayBegin = new Uint8Array(65_536);
  for (const probe of probes) {
    const key = probe.readUInt32BE(0);
    const same = byBeginning.get(key);
    if (same === undefined) byBeginning.set(key, [probe]);
    else same.push(probe);
    mayBegin[key & 0xffff] = 1;
  }
  const found = new Set<Buffer>();
  return {
    look(bytes) {
      let key = 0;
      for (let i = 0; i < bytes.length; i++) {
        key = (key << 8) | bytes[i]!;
        if (mayBegin[key & 0xffff] === 0) continue;
        const start = i + 1 - keyBytes;
        if (start < 0) continue;
        for (const probe of byBeginning.get(key >>> 0) ?? []) {
          const end = start + probe.length;
          if (end <= bytes.length && probe.compare(bytes, start, end) === 0) found.add(probe);
        }
      }
    },
    found,
  };
}
