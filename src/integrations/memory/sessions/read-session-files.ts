import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { IbidError } from "../../../contracts/errors.ts";
import { checkText } from "../../../runtime/check-options.ts";
import { readClaudeCode } from "./read-claude-code.ts";
import { readCodex } from "./read-codex.ts";
import { type CursorRow, readCursor } from "./read-cursor.ts";
import { type OpencodeSession, readOpencode } from "./read-opencode.ts";
import { isObject, type ReadSession } from "./session-message.ts";

/**
 * A session file with its messages.
 *
 * @experimental
 */
export interface SessionFile extends ReadSession {
  readonly file: string;
}

/** Largest file. **Units** bytes. */
const largestFile = 256 * 1024 * 1024;

/**
 * Finds the session files below a path, without reading them.
 *
 * **Shape** sorted. **Errors** `not-found`.
 *
 * @experimental
 */
export async function findSessionFiles(path: string): Promise<readonly string[]> {
  checkText("findSessionFiles", "path", path);
  const found = await stat(path).catch((cause: unknown) => {
    throw new IbidError("not-found", `${path} cannot be read.`, { uri: path, hint: "Name a file or a folder.", cause });
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && isSessionFile(join(entry.parentPath, entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** Messages and parts of opencode are read with their session. */
const isSessionFile = (path: string): boolean =>
  /\.(?:jsonl|vscdb)$/u.test(path) || /[/\\]session[/\\].*[/\\]?ses_[^/\\]*\.json$/u.test(path);

/**
 * Reads one session file of Claude Code, Codex, Cursor or opencode. Its content says which.
 *
 * **Shape** broken and unknown lines are problems, and the others are read. **Errors** `unsupported-media` for a foreign file; `too-large`; `not-found`.
 *
 * @experimental
 */
export async function readSessionFile(file: string): Promise<SessionFile> {
  checkText("readSessionFile", "file", file);
  const found = await stat(file).catch((cause: unknown) => {
    throw new IbidError("not-found", `${file} cannot be read.`, { uri: file, hint: "Name a session file.", cause });
  });
  const { size } = found;
  if (!found.isFile()) throw foreign(file);
  if (size > largestFile) {
    throw new IbidError("too-large", `${file} has ${size} bytes; a session file has at most ${largestFile}.`, {
      uri: file,
      hint: "Import its sessions one by one.",
    });
  }
  const head = await readFile(file);
  if (head.subarray(0, 15).toString("latin1") === "SQLite format 3") return { file, ...readDatabase(file) };
  const text = head.toString("utf8");
  return { file, ...((await readJson(text, file)) ?? readJsonLines(text, file)) };
}

function readJsonLines(text: string, file: string): ReadSession {
  for (const line of text.split("\n", 50)) {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch {
      continue;
    }
    if (!isObject(record)) continue;
    if ("payload" in record) return readCodex(text, file);
    if ("sessionId" in record || record["type"] === "summary" || record["type"] === "file-history-snapshot")
      return readClaudeCode(text, file);
  }
  throw foreign(file);
}

async function readJson(text: string, file: string): Promise<ReadSession | undefined> {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(read)) return undefined;
  const { info, messages } = read;
  if (isObject(info) && Array.isArray(messages)) {
    const all = (messages as unknown[]).map((one) =>
      isObject(one)
        ? { info: one["info"], parts: Array.isArray(one["parts"]) ? (one["parts"] as unknown[]) : [] }
        : { info: one, parts: [] },
    );
    return readOpencode({ info, messages: all }, file);
  }
  if (!basename(file).startsWith("ses_")) return undefined;
  // storage/session/<project>/<session>.json has its messages in storage/message/<session>.
  const storage = dirname(dirname(dirname(file)));
  return readOpencode(await gather(storage, read), file);
}

async function gather(storage: string, info: Readonly<Record<string, unknown>>): Promise<OpencodeSession> {
  const messages = [];
  for (const message of await readFolder(join(storage, "message", String(info["id"])))) {
    const id = isObject(message) ? String(message["id"]) : "";
    messages.push({ info: message, parts: id === "" ? [] : await readFolder(join(storage, "part", id)) });
  }
  return { info, messages };
}

/** JSON files of a folder in the order of their names, which is the order of time. A broken one is an empty message, and refused by its place. */
async function readFolder(folder: string): Promise<readonly unknown[]> {
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names
      .filter((name) => name.endsWith(".json"))
      .toSorted()
      .map(async (name) => {
        try {
          return JSON.parse(await readFile(join(folder, name), "utf8")) as unknown;
        } catch {
          return undefined;
        }
      }),
  );
}

function readDatabase(file: string): ReadSession {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    if (!tables.some(({ name }) => name === "cursorDiskKV")) throw foreign(file);
    const rows = database
      .prepare(
        "SELECT key, CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE (key >= 'composerData:' AND key < 'composerData;') OR (key >= 'bubbleId:' AND key < 'bubbleId;') ORDER BY key",
      )
      .all();
    return readCursor(rows.filter(({ value }) => value !== null) as unknown as readonly CursorRow[], file);
  } finally {
    database.close();
  }
}

function foreign(file: string): IbidError {
  return new IbidError("unsupported-media", `${file} is no session file of Claude Code, Codex, Cursor or opencode.`, {
    uri: file,
    hint: "Name a .jsonl file of Claude Code or Codex, Cursor's state.vscdb, or a file of opencode's storage or `opencode export`.",
  });
}
