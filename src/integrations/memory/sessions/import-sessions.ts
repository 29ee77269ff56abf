import { IbidError } from "../../../contracts/errors.ts";
import type { KnowledgeBase } from "../../../contracts/knowledge-base.ts";
import type { Scope } from "../../../contracts/scope.ts";
import { checkGiven, checkOptions } from "../../../runtime/check-options.ts";
import { checkNote } from "../keep-note.ts";
import { messagePrefix, noteKeys, noteUri, present } from "../note.ts";
import type { ReadSession, SessionMessage, SessionProblem } from "./session-message.ts";

/**
 * Result of an import.
 *
 * @experimental
 */
export interface ImportedSessions {
  readonly added: number;
  /** Messages that were there with other words: those that had been read while they were written. */
  readonly updated: number;
  readonly unchanged: number;
  /** Lines and rows that were refused: broken and unknown ones, secrets, and messages that are too long. */
  readonly problems: readonly SessionProblem[];
}

/**
 * Stores messages of recorded conversations as notes: each with role, time, session, files and tools as metadata.
 *
 * **Shape** the same messages again write nothing. A recall finds messages; `list` leaves them out. **Errors** `access-denied`.
 *
 * @experimental
 */
export async function importSessions(
  kb: KnowledgeBase,
  sessions: ReadSession & { readonly file: string },
  options: { readonly scope?: Scope | undefined } = {},
): Promise<ImportedSessions> {
  checkGiven("importSessions", "sessions", sessions, "object");
  checkGiven("importSessions", "messages", sessions.messages, "list");
  checkGiven("importSessions", "problems", sessions.problems, "list");
  checkOptions("importSessions", options, { scope: true });
  const { scope } = options;
  const problems = [...sessions.problems];
  const inputs = [];
  for (const message of sessions.messages) {
    try {
      const kinds = [...new Set((await checkNote(message.text)).map(({ kind }) => kind))];
      inputs.push(toInput(message, sessions.file, kinds));
    } catch (error) {
      if (!IbidError.isInstance(error)) throw error;
      const { line, row } = message;
      problems.push({ file: sessions.file, ...present({ line, row }), message: error.message });
    }
  }
  let [added, updated, unchanged] = [0, 0, 0];
  if (inputs.length > 0) {
    for await (const { status, uri, error } of kb.ingest(inputs, {
      origin: "note",
      ...(scope !== undefined && { scope }),
    })) {
      if (error) problems.push({ file: sessions.file, message: `${uri}: ${error.message}` });
      else if (status === "unchanged") unchanged++;
      else if (status === "added") added++;
      else updated++;
    }
  }
  problems.sort((one, other) => (one.line ?? Infinity) - (other.line ?? Infinity));
  return { added, updated, unchanged, problems };
}

function toInput(message: SessionMessage, file: string, kinds: readonly string[]) {
  const { client, session, id, role, at, text, cwd, branch, title, files, tools, line } = message;
  const name = `${client}-${session}-${id}`;
  return {
    uri: noteUri(`${messagePrefix}${name}`, name),
    text,
    title: title ?? "",
    metadata: {
      // No row: it is the name of the message already.
      ...present({ cwd, branch, line }),
      client,
      role,
      ...(files.length > 0 && { files }),
      ...(tools.length > 0 && { tools }),
      [noteKeys.validFrom]: at,
      [noteKeys.recordedAt]: at,
      [noteKeys.by]: role,
      [noteKeys.session]: session,
      [noteKeys.file]: file,
      ...(kinds.length > 0 && { [noteKeys.suspicious]: kinds }),
    },
  };
}
