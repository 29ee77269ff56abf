import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import { endOf, placeVersions, type Superseded } from "../../text/note-timeline.ts";
import { messagePrefix, type Note, notePrefix, present, readNoteUri, subjectPrefix } from "./note.ts";

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

/** Reads the versions of one statement. */
export const readSubject = (
  kb: Pick<KnowledgeBase, "list">,
  subject: string,
  scope: Scope,
): Promise<readonly PlacedVersion[]> => readVersions(kb, subjectPrefix(subject), scope);

/** Whether a version holds at a time. */
export function holdsAt(version: PlacedVersion, time: string): boolean {
  const end = endOf(version);
  return version.validFrom <= time && (end === undefined || end > time);
}

/** A note with what its timeline adds. */
export function placeNote(note: Note, versions: readonly PlacedVersion[]): Note {
  const place = versions.findIndex(({ uri }) => uri === note.uri);
  const version = versions[place];
  if (version === undefined) return note;
  const before = versions.slice(0, place).findLast(({ subject }) => subject === note.subject);
  return {
    ...note,
    ...present({ supersedes: before?.id, supersededBy: version.supersededBy, validTo: endOf(version) }),
  };
}
