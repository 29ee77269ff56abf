import { asText, asTime, filesOf, isObject, type Json, type ReadSession, SessionDraft } from "./session-message.ts";

/** A row of the table `cursorDiskKV`. */
export interface CursorRow {
  readonly key: string;
  readonly value: string;
}

/** A row of the table `composerHeaders`, which newer versions have beside it. */
export interface CursorHeadRow {
  readonly session: string;
  readonly createdAt: unknown;
  readonly isSubagent: unknown;
  readonly value: string;
}

/** Versions of the rows that the descriptions know. */
const known = { composer: 17, bubble: 3 } as const;

/** The fields of a message that are read. Its row also has the files and the code that its question was asked with. */
interface Bubble extends Pick<Json, "type" | "text" | "createdAt" | "timingInfo" | "toolFormerData" | "_v"> {
  readonly row: string;
}

const toBubble = ({ type, text, createdAt, timingInfo, toolFormerData: called, _v }: Json, row: string): Bubble => ({
  row,
  type,
  text,
  createdAt,
  timingInfo,
  toolFormerData: isObject(called)
    ? { name: called["name"], rawArgs: called["rawArgs"], params: called["params"] }
    : undefined,
  _v,
});

/** The facts of a conversation, from its own row or from its head. */
interface Facts extends Pick<Json, "name" | "createdAt"> {
  readonly cwd?: string | undefined;
  readonly branch?: string | undefined;
  /** Whether an agent began it: then the words of its user are those of that agent. */
  readonly isSubagent: boolean;
}

/** The fields of a conversation that are read. */
interface Composer extends Facts, Pick<Json, "_v"> {
  readonly row: string;
  readonly session: string;
  /** Its messages, or where each of them stands. */
  readonly listed: unknown;
}

function toFacts(read: Json): Facts {
  const { name, createdAt, workspaceIdentifier: workspace, trackedGitRepos: repositories, subagentInfo } = read;
  const uri = isObject(workspace) ? workspace["uri"] : undefined;
  const [repository] = Array.isArray(repositories) ? (repositories as unknown[]) : [];
  const branches = isObject(repository) ? repository["branches"] : undefined;
  const [branch] = Array.isArray(branches) ? (branches as unknown[]) : [];
  return {
    name,
    createdAt,
    cwd: isObject(uri) ? (asText(uri["fsPath"]) ?? asText(uri["path"])) : undefined,
    branch: isObject(branch) ? asText(branch["branchName"]) : undefined,
    isSubagent: isObject(subagentInfo),
  };
}

function toComposer(read: Json, row: string, session: string, head: Facts | undefined): Composer {
  const { _v, fullConversationHeadersOnly: headers, conversation } = read;
  const listed = Array.isArray(headers) && headers.length > 0 ? headers : (conversation ?? headers);
  const own = toFacts(read);
  return {
    row,
    session,
    _v,
    listed,
    name: asText(own.name) ?? head?.name,
    createdAt: own.createdAt ?? head?.createdAt,
    cwd: own.cwd ?? head?.cwd,
    branch: own.branch ?? head?.branch,
    isSubagent: own.isSubagent || head?.isSubagent === true,
  };
}

function readHeads(rows: Iterable<CursorHeadRow>, draft: SessionDraft): ReadonlyMap<string, Facts> {
  const heads = new Map<string, Facts>();
  for (const { session, createdAt, isSubagent, value } of rows) {
    try {
      const read: unknown = JSON.parse(value);
      const facts = toFacts(isObject(read) ? read : {});
      const isOfAgent = facts.isSubagent || isSubagent === 1;
      heads.set(session, { ...facts, createdAt: createdAt ?? facts.createdAt, isSubagent: isOfAgent });
    } catch {
      draft.refuse("The head of the conversation is no JSON.", { row: `composerHeaders:${session}` });
    }
  }
  return heads;
}

/**
 * Reads the conversations of Cursor from `globalStorage/state.vscdb`.
 *
 * **Shape** the table `cursorDiskKV` has rows `composerData:<session>` and `bubbleId:<session>:<message>`. The table `composerHeaders` has their heads, where it is
 * there. A row of a newer version is read where its fields are known, and else refused.
 * **Source** "Cursor Storage Reference" of chatrxiv, 26 December 2025 (`_v` 10 and 3). Public readers of the tables as of July 2026 (`_v` 16 and 17, heads).
 * Both were read in November 2026. The format has no specification of its own.
 */
export function readCursor(
  rows: Iterable<CursorRow>,
  file: string,
  headRows: Iterable<CursorHeadRow> = [],
): ReadSession {
  const draft = new SessionDraft(file);
  const heads = readHeads(headRows, draft);
  const bubbles = new Map<string, Bubble>();
  const composers: Composer[] = [];
  for (const { key: row, value } of rows) {
    const [, kind, session, bubble] = /^(composerData|bubbleId):([^:]+)(?::(.+))?$/u.exec(row) ?? [];
    if (kind === undefined || session === undefined) continue;
    let read: unknown;
    try {
      read = JSON.parse(value);
    } catch {
      draft.refuse("The row is no JSON.", { row });
      continue;
    }
    // A deleted conversation leaves a row with null.
    if (read === null) continue;
    if (!isObject(read)) draft.refuse("The row is no object.", { row });
    else if (kind === "composerData") composers.push(toComposer(read, row, session, heads.get(session)));
    else bubbles.set(`${session}:${bubble ?? ""}`, toBubble(read, row));
  }
  for (const composer of composers) {
    const { row, session, listed, _v: version } = composer;
    if (listed === undefined && isNewer(version, known.composer))
      draft.refuse(`The conversation is of version ${JSON.stringify(version)}, and has no list of messages.`, { row });
    if (listed === undefined) continue;
    if (!Array.isArray(listed)) {
      draft.refuse("The conversation is no list of messages.", { row });
      continue;
    }
    for (const header of listed as unknown[]) {
      const id = isObject(header) ? asText(header["bubbleId"]) : undefined;
      if (id === undefined) {
        draft.refuse("A message of the conversation has no bubbleId.", { row });
        continue;
      }
      const listing = toBubble(header as Json, row);
      const bubble = bubbles.get(`${session}:${id}`) ?? listing;
      readBubble({ ...bubble, createdAt: bubble.createdAt ?? listing.createdAt }, id, composer, draft);
    }
  }
  return draft.finish();
}

const isNewer = (version: unknown, last: number): boolean => typeof version === "number" && version > last;

function readBubble(bubble: Bubble, id: string, composer: Composer, draft: SessionDraft): void {
  const { session, name, createdAt, cwd, branch, isSubagent } = composer;
  const { row, type, timingInfo, toolFormerData: called } = bubble;
  if (type !== 1 && type !== 2) {
    draft.refuse(`A message of the type ${JSON.stringify(type)} is not known.`, { row });
    return;
  }
  const started = isObject(timingInfo) ? timingInfo["clientStartTime"] : undefined;
  const at = asTime(bubble.createdAt) ?? asTime(started) ?? asTime(createdAt);
  if (at === undefined) {
    draft.refuse("Neither the message nor its conversation has a time.", { row });
    return;
  }
  const text = asText(bubble.text)?.trim() ?? "";
  const role = type === 1 && !isSubagent ? "user" : "assistant";
  if (text !== "") draft.add({ client: "cursor", session, id, role, at, text, cwd, branch, title: asText(name), row });
  // Messages without words are usual, where they only think. A newer version may keep its words elsewhere.
  else if (bubble.text === undefined && called === undefined && isNewer(bubble._v, known.bubble))
    draft.refuse(`The message is of version ${JSON.stringify(bubble._v)}, and has no text.`, { row });
  if (!isObject(called)) return;
  const given = called["rawArgs"] ?? called["params"];
  let input: unknown = given;
  try {
    if (typeof given === "string") input = JSON.parse(given);
  } catch {
    // A patch is no JSON.
  }
  draft.call([asText(called["name"]) ?? ""], filesOf(input));
}
