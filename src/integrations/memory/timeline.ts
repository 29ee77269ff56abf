import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import { endOf, placeVersions, type Superseded } from "../../text/note-timeline.ts";
import { type Note, present, readNoteUri, subjectPrefix } from "./note.ts";

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
  const bySubject = new Map<string, Version[]>();
  for await (const { uri, scope: its, validFrom, validTo } of kb.list({ under, scope })) {
    const named = readNoteUri(uri);
    if (named === undefined || validFrom === undefined) continue;
    const versions = bySubject.get(named.subject) ?? [];
    bySubject.set(named.subject, versions);
    versions.push({ ...named, uri, scope: its, validFrom, ...present({ validTo }) });
  }
  return [...bySubject.values()].flatMap((versions) => placeVersions(versions));
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
