import { isTime } from "../runtime/read-time.ts";

/** Begins the uri of every note. */
export const notePrefix = "note:";

/** Begins the uris of all versions of one statement. */
export const subjectPrefix = (subject: string): string => `${notePrefix}${encodeURIComponent(subject)}/`;

/** Uri of a note's document. */
export const noteUri = (subject: string, id: string): string => `${subjectPrefix(subject)}${encodeURIComponent(id)}`;

/** Subject and id that a uri names. **Shape** `undefined` for the uri of another document. */
export function readNoteUri(uri: string): { readonly subject: string; readonly id: string } | undefined {
  const [, subject, id] = /^note:([^/]+)\/([^/]+)$/u.exec(uri) ?? [];
  if (subject === undefined || id === undefined) return undefined;
  try {
    return { subject: decodeURIComponent(subject), id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

/** The time of a version, as its document's row tells it. */
export interface DatedNote {
  readonly id: string;
  readonly validFrom: string;
  /** End that its author gave. */
  readonly validTo?: string | undefined;
}

/** Place of a version among the others of its statement. */
export interface Superseded {
  readonly supersededBy?: string | undefined;
  readonly supersededAt?: string | undefined;
}

/** Versions of one statement in order of time, each with the one that replaced it. Equal times go by id, so that every process has one order. */
export function placeVersions<Version extends DatedNote>(
  versions: readonly Version[],
): readonly (Version & Superseded)[] {
  const ordered = versions.toSorted((a, b) => compare(a.validFrom, b.validFrom) || compare(a.id, b.id));
  return ordered.map((version, i) => {
    const next = ordered[i + 1];
    return next === undefined ? version : { ...version, supersededBy: next.id, supersededAt: next.validFrom };
  });
}

/** End of a version: the one that its author gave, or the beginning of the next. */
export function endOf({ validTo, supersededAt }: DatedNote & Superseded): string | undefined {
  if (validTo === undefined || supersededAt === undefined) return validTo ?? supersededAt;
  return validTo < supersededAt ? validTo : supersededAt;
}

/**
 * Present of a statement: now, or a later time at which one of its notes was recorded.
 *
 * A note that begins later than now was written ahead, or the clock went back since. The time of its record tells which.
 *
 * **Cost** one `recordedAt` for each version that begins later than now.
 */
export async function presentOf<Version extends DatedNote>(
  versions: readonly Version[],
  now: string,
  recordedAt: (version: Version) => Promise<unknown>,
): Promise<string> {
  const later = versions.filter(({ validFrom }) => validFrom > now);
  const times = await Promise.all(later.map(recordedAt));
  return times.filter(isTime).reduce((latest, time) => (time > latest ? time : latest), now);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
