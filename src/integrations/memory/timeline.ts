import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import { endOf, placeVersions, presentOf, type Superseded } from "../../text/note-timeline.ts";
import { messagePrefix, type Note, noteKeys, notePrefix, present, readNoteUri, subjectPrefix } from "./note.ts";

/** One version of a statement, as its document's row tells it. */
export interface Version {
  readonly uri: string;
  readonly scope: Scope;
  readonly id: string;
  readonly subject: string;
  readonly validFrom: string;
  /** End that its author gave. */
  readonly validTo?: string | undefined;
}

/** A version with its place among the others of its statement. */
export interface PlacedVersion extends Version, Superseded {}

/**
 * Reads the versions of one statement, or of all, in order of time.
 *
 * Nothing is written to a note when another replaces it: each version ends where the next begins. So writers in two processes lose nothing, and a purged note cannot return.
 *
 * **Cost** a listing of the rows of these notes; no text is read.
 */
export async function readVersions(
  kb: Pick<KnowledgeBase, "list">,
  under: string,
  scope: Scope,
): Promise<readonly PlacedVersion[]> {
  const versions: PlacedVersion[] = [];
  for await (const subject of placeSubjects(kb.list({ under, scope }))) versions.push(...subject);
  return versions;
}

/** Versions of statement after statement, from rows by uri: those of one subject stand side by side. */
async function* placeSubjects(rows: ReturnType<KnowledgeBase["list"]>): AsyncGenerator<readonly PlacedVersion[]> {
  let versions: Version[] = [];
  for await (const { uri, scope, validFrom, validTo } of rows) {
    const named = readNoteUri(uri);
    if (named === undefined || validFrom === undefined) continue;
    if (versions.length > 0 && versions[0]!.subject !== named.subject) {
      yield placeVersions(versions);
      versions = [];
    }
    versions.push({ ...named, uri, scope, validFrom, ...present({ validTo }) });
  }
  if (versions.length > 0) yield placeVersions(versions);
}

/** Behind the messages of imported sessions. */
const behindMessages = `${notePrefix}${messagePrefix}\u{10FFFF}`;

/**
 * Reads statements one after another, from that of a note's uri on.
 *
 * **Cost** the rows up to the statement at which the reader stops, and one page of them; without `messages`, none of the imported ones.
 */
export async function* walkSubjects(
  kb: Pick<KnowledgeBase, "list">,
  scope: Scope,
  { from, messages }: { readonly from?: string | undefined; readonly messages: boolean },
): AsyncGenerator<readonly PlacedVersion[]> {
  const subject = from === undefined ? undefined : readNoteUri(from)?.subject;
  let start = subject === undefined ? from : subjectPrefix(subject);
  for (;;) {
    const after = start === undefined ? {} : { after: { uri: start, scope } };
    let isBehind = false;
    for await (const versions of placeSubjects(kb.list({ under: notePrefix, scope, ...after }))) {
      isBehind = !messages && versions[0]!.subject.startsWith(messagePrefix);
      if (isBehind) break;
      yield versions;
    }
    if (!isBehind || start === behindMessages) return;
    start = behindMessages;
  }
}

/** One statement: its versions in order of time, and the time that is now for them. */
export interface Statement {
  readonly versions: readonly PlacedVersion[];
  readonly present: string;
}

/** Reads one statement. */
export async function readStatement(
  kb: Pick<KnowledgeBase, "list" | "document">,
  subject: string,
  scope: Scope,
  now: string,
): Promise<Statement> {
  return toStatement(kb, await readVersions(kb, subjectPrefix(subject), scope), now);
}

/** **Cost** reads the notes that begin later than now. */
export async function toStatement(
  kb: Pick<KnowledgeBase, "document">,
  versions: readonly PlacedVersion[],
  now: string,
): Promise<Statement> {
  const recordedAt = async ({ uri, scope }: PlacedVersion): Promise<unknown> =>
    (await kb.document(uri, { scope, end: 0 }))?.metadata[noteKeys.recordedAt];
  return { versions, present: await presentOf(versions, now, recordedAt) };
}

/** Whether a version holds at a time. */
export function holdsAt(version: PlacedVersion, time: string): boolean {
  const end = endOf(version);
  return version.validFrom <= time && (end === undefined || end > time);
}

/** A note with what its timeline adds. */
export function placeNote(note: Note, { versions, present: now }: Statement): Note {
  const place = versions.findIndex(({ uri }) => uri === note.uri);
  const version = versions[place];
  if (version === undefined) return note;
  const before = versions.slice(0, place).findLast(({ subject }) => subject === note.subject);
  const end = endOf(version);
  return {
    ...note,
    ...present({ supersedes: before?.id, supersededBy: version.supersededBy, validTo: end }),
    ...(end !== undefined && end <= now && { ended: true as const }),
  };
}
