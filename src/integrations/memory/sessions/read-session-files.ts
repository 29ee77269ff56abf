import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { IbidError } from "../../../contracts/errors.ts";
import { checkText } from "../../../runtime/check-options.ts";
import { readClaudeCode } from "./read-claude-code.ts";
import { readCodex } from "./read-codex.ts";
import { type OpencodeSession, readOpencode } from "./read-opencode.ts";
import { foreignFile, readSessionDatabase } from "./read-session-database.ts";
import { isObject, type ReadSession } from "./session-message.ts";

/**
 * A session file with its messages.
 *
 * @experimental
 */
export interface SessionFile extends ReadSession {
  readonly file: string;
}

/** Largest file that is read as a whole. A database is read row by row. **Units** bytes. */
const largestFile = 256 * 1024 * 1024;

/**
 * Finds the session files below a path, without reading them.
 *
 * **Shape** sorted. Where opencode has a database, the files that it was made of are left out. **Errors** `not-found`.
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
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isSessionFile)
    .toSorted();
  const moved = files
    .filter((file) => opencodeDatabase.test(file))
    .map((file) => join(dirname(file), "storage", "session"));
  return files.filter((file) => !spreadSession.test(file) || !moved.some((folder) => file.startsWith(folder)));
}

const opencodeDatabase = /(?:^|[/\\])opencode[^/\\]*\.db$/u;
/** A session of opencode before version 1.2. Its messages and parts lie in other files, and are read with it. */
const spreadSession = /[/\\]session[/\\].*[/\\]?ses_[^/\\]*\.json$/u;

const isSessionFile = (path: string): boolean =>
  /\.(?:jsonl|vscdb)$/u.test(path) || opencodeDatabase.test(path) || spreadSession.test(path);

/**
 * Tells whether a session file changed: two equal texts mean that it did not.
 *
 * **Shape** sizes and times of the file, of the log of a database, and of the files that hold the messages of opencode.
 * **Cost** no file is read.
 */
export async function describeState(file: string): Promise<string> {
  const of = async (path: string): Promise<string> => {
    const found = await stat(path).catch(() => undefined);
    return found === undefined ? "" : `${found.size} ${found.mtimeMs}`;
  };
  const within = async (folder: string): Promise<readonly string[]> =>
    (await readdir(folder).catch((): string[] => [])).toSorted().map((name) => join(folder, name));
  const files = [file, `${file}-wal`];
  if (spreadSession.test(file)) {
    const storage = storageOf(file);
    const messages = await within(join(storage, "message", basename(file, ".json")));
    const parts = await Promise.all(
      messages.map((message) => within(join(storage, "part", basename(message, ".json")))),
    );
    files.push(...messages, ...parts.flat());
  }
  return (await Promise.all(files.map(of))).join("|");
}

/** `storage/session/<project>/<session>.json` has its messages in `storage/message/<session>`. */
const storageOf = (session: string): string => dirname(dirname(dirname(session)));

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
  if (!found.isFile()) throw foreignFile(file);
  if (await isDatabase(file)) return { file, ...readSessionDatabase(file) };
  if (size > largestFile) {
    throw new IbidError("too-large", `${file} has ${size} bytes; a session file has at most ${largestFile}.`, {
      uri: file,
      hint: "Import its sessions one by one.",
    });
  }
  const text = await readFile(file, "utf8");
  return { file, ...((await readJson(text, file)) ?? readJsonLines(text, file)) };
}

async function isDatabase(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ length: 15, buffer: Buffer.alloc(15) });
    return buffer.toString("latin1", 0, bytesRead) === "SQLite format 3";
  } finally {
    await handle.close();
  }
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
  throw foreignFile(file);
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
  return readOpencode(await gather(storageOf(file), read), file);
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
