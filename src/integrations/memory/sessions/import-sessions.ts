import { IbidError } from "../../../contracts/errors.ts";
import type { KnowledgeBase } from "../../../contracts/knowledge-base.ts";
import type { Scope } from "../../../contracts/scope.ts";
import { checkGiven, checkOptions } from "../../../runtime/check-options.ts";
import { checkNote } from "../keep-note.ts";
import { messagePrefix, noteKeys, noteUri, present, subjectPrefix } from "../note.ts";
import type { ImportedMessages } from "./imported-messages.ts";
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
  /** Messages that an import brought in before and that are gone: they were forgotten, and stay away. Without `imported`, 0. */
  readonly forgotten: number;
  /** Lines and rows that were refused: broken and unknown ones, secrets, and messages that are too long. */
  readonly problems: readonly SessionProblem[];
}

/**
 * Options of an import. All have defaults.
 *
 * @experimental
 */
export interface ImportSessionsOptions {
  readonly scope?: Scope | undefined;
  /** Messages of earlier imports, which takes up those of this one. Default: none; a forgotten message comes back. */
  readonly imported?: ImportedMessages | undefined;
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
  options: ImportSessionsOptions = {},
): Promise<ImportedSessions> {
  checkGiven("importSessions", "sessions", sessions, "object");
  checkGiven("importSessions", "messages", sessions.messages, "list");
  checkGiven("importSessions", "problems", sessions.problems, "list");
  checkOptions("importSessions", options, { scope: true, imported: true });
  const { scope, imported } = options;
  if (imported !== undefined) checkGiven("importSessions", "imported", imported, "object");
  const scoped = (uri: string): string => JSON.stringify([scope ?? "", uri]);
  const isGone = await findGone(kb, sessions.messages, scope, (uri) => imported?.has(scoped(uri)) === true);
  let forgotten = 0;
  const problems = [...sessions.problems];
  const inputs = [];
  const placeOf = ({ line, row }: SessionMessage) => ({ file: sessions.file, ...present({ line, row }) });
  for (const message of sessions.messages) {
    if (isGone(message)) {
      forgotten++;
      continue;
    }
    try {
      const input = toInput(message, sessions.file);
      const kinds = [
        ...new Set((await checkNote(input.text, { title: input.title, ...input.metadata })).map(({ kind }) => kind)),
      ];
      const marked = { ...input.metadata, ...(kinds.length > 0 && { [noteKeys.suspicious]: kinds }) };
      inputs.push({ ...input, metadata: marked });
    } catch (error) {
      if (!IbidError.isInstance(error)) throw error;
      problems.push({ ...placeOf(message), message: error.message });
    }
  }
  let [added, updated, unchanged] = [0, 0, 0];
  const stored: string[] = [];
  if (inputs.length > 0) {
    const places = new Map(sessions.messages.map((message) => [uriOf(message), placeOf(message)]));
    for await (const { status, uri, error } of kb.ingest(inputs, {
      origin: "note",
      ...(scope !== undefined && { scope }),
    })) {
      if (error) problems.push({ file: sessions.file, ...places.get(uri), message: `${uri}: ${error.message}` });
      else {
        stored.push(scoped(uri));
        if (status === "unchanged") unchanged++;
        else if (status === "added") added++;
        else updated++;
      }
    }
  }
  await imported?.add(stored);
  problems.sort((one, other) => (one.line ?? Infinity) - (other.line ?? Infinity));
  return { added, updated, unchanged, forgotten, problems };
}

/** Finds the messages that were imported before and are no longer there. **Cost** a listing of the rows of each session that has some. */
async function findGone(
  kb: Pick<KnowledgeBase, "list">,
  messages: readonly SessionMessage[],
  scope: Scope | undefined,
  wasImported: (uri: string) => boolean,
): Promise<(message: SessionMessage) => boolean> {
  const known = messages.filter((message) => wasImported(uriOf(message)));
  const there = new Set<string>();
  for (const under of new Set(known.map(sessionPrefix)))
    for await (const { uri } of kb.list({ under, ...(scope !== undefined && { scope }) })) there.add(uri);
  const gone = new Set(known.map(uriOf).filter((uri) => !there.has(uri)));
  return (message) => gone.has(uriOf(message));
}

const nameOf = ({ client, session, id }: SessionMessage): string => `${client}-${session}-${id}`;
const uriOf = (message: SessionMessage): string => noteUri(`${messagePrefix}${nameOf(message)}`, nameOf(message));
/** Begins the uris of the messages of a session. */
const sessionPrefix = ({ client, session }: SessionMessage): string =>
  subjectPrefix(`${messagePrefix}${client}-${session}-`).slice(0, -1);

function toInput(message: SessionMessage, file: string) {
  const { client, session, role, at, text, cwd, branch, title, files, tools, line } = message;
  return {
    uri: uriOf(message),
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
    },
  };
}
