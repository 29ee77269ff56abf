import { DatabaseSync } from "node:sqlite";
import { IbidError } from "../../../contracts/errors.ts";
import { type CursorHeadRow, type CursorRow, readCursor } from "./read-cursor.ts";
import { readOpencode } from "./read-opencode.ts";
import { type ReadSession } from "./session-message.ts";

/** How long a program that writes may keep the database locked. **Units** milliseconds. */
const longestWait = 1000;

/**
 * Reads the conversations of a database of Cursor or opencode, which may be in use.
 *
 * **Source** opencode: the tables `session`, `message` and `part` of the repository anomalyco/opencode as of version 1.2 (February 2026), in public descriptions read in November 2026.
 * **Errors** `unsupported-media` for another database; `unreadable` for one that is broken or locked.
 */
export function readSessionDatabase(file: string): ReadSession {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: longestWait });
    try {
      const found = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      const tables = new Set(found.map(({ name }) => name));
      if (tables.has("cursorDiskKV")) {
        const heads = tables.has("composerHeaders") ? cursorHeads(database) : [];
        return readCursor(cursorRows(database), file, heads);
      }
      if (["session", "message", "part"].every((name) => tables.has(name))) return readOpencodeRows(database, file);
    } finally {
      database.close();
    }
  } catch (cause) {
    throw new IbidError("unreadable", `${file} cannot be read as a database of Cursor or opencode.`, {
      uri: file,
      hint: "Close the program that writes it and try again. Where it stays so, the database is broken or newer than ibid.",
      cause,
    });
  }
  throw foreignFile(file);
}

/** Rows of conversations and messages, one at a time: such a database may have gigabytes. */
function* cursorRows(database: DatabaseSync): Generator<CursorRow> {
  const rows = database
    .prepare(
      "SELECT key, CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE value IS NOT NULL AND ((key >= 'composerData:' AND key < 'composerData;') OR (key >= 'bubbleId:' AND key < 'bubbleId;')) ORDER BY key",
    )
    .iterate();
  for (const { key, value } of rows) yield { key: String(key), value: String(value) };
}

function* cursorHeads(database: DatabaseSync): Generator<CursorHeadRow> {
  // Columns that a version does not have are read as missing.
  const rows = database.prepare("SELECT *, CAST(value AS TEXT) AS words FROM composerHeaders").iterate();
  for (const { composerId, createdAt, isSubagent, words } of rows)
    yield { session: String(composerId), createdAt, isSubagent, value: String(words) };
}

function readOpencodeRows(database: DatabaseSync, file: string): ReadSession {
  const messagesOf = database.prepare("SELECT id, data FROM message WHERE session_id = ? ORDER BY id");
  const partsOf = database.prepare("SELECT message_id, data FROM part WHERE session_id = ? ORDER BY message_id, id");
  const read: ReadSession[] = [];
  for (const { id: session, directory, title } of database
    .prepare("SELECT id, directory, title FROM session ORDER BY id")
    .all()) {
    const parts = Map.groupBy(partsOf.all(session!), ({ message_id: message }) => message);
    const messages = messagesOf.all(session!).map(({ id, data }) => ({
      info: { ...(parse(data) as object | undefined), id },
      parts: (parts.get(id) ?? []).map((part) => parse(part["data"])),
    }));
    read.push(readOpencode({ info: { id: session, directory, title }, messages }, file));
  }
  return { messages: read.flatMap(({ messages }) => messages), problems: read.flatMap(({ problems }) => problems) };
}

/** **Shape** `undefined` for a text that is no JSON: the reader refuses it with its row. */
function parse(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}

export function foreignFile(file: string): IbidError {
  return new IbidError("unsupported-media", `${file} is no session file of Claude Code, Codex, Cursor or opencode.`, {
    uri: file,
    hint: "Name a .jsonl file of Claude Code or Codex, Cursor's state.vscdb, opencode's opencode.db, a file of its storage, or the JSON of `opencode export`.",
  });
}
