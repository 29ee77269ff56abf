import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
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
export interface PlacedVersion extends Version {
  readonly supersededBy?: string | undefined;
  readonly supersededAt?: string | undefined;
}

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
  return [...bySubject.values()].flatMap(placeVersions);
}

/** Reads the versions of one statement. */
export const readSubject = (
  kb: Pick<KnowledgeBase, "list">,
  subject: string,
  scope: Scope,
): Promise<readonly PlacedVersion[]> => readVersions(kb, subjectPrefix(subject), scope);

/** Versions of one statement in order of time, each with the one that replaced it. Equal times go by id, so that every process has one order. */
export function placeVersions(versions: readonly Version[]): readonly PlacedVersion[] {
  const ordered = versions.toSorted((a, b) => compare(a.validFrom, b.validFrom) || compare(a.id, b.id));
  return ordered.map((version, i) => {
    const next = ordered[i + 1];
    return next === undefined ? version : { ...version, supersededBy: next.id, supersededAt: next.validFrom };
  });
}

/** End of a version: the one that its author gave, or the beginning of the next. */
export function endOf({ validTo, supersededAt }: PlacedVersion): string | undefined {
  if (validTo === undefined || supersededAt === undefined) return validTo ?? supersededAt;
  return validTo < supersededAt ? validTo : supersededAt;
}

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

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
