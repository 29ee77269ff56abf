import type { Suspicion, SuspicionKind } from "../../contracts/suspicion.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import { readNoteUri } from "../../text/note-timeline.ts";

export { notePrefix, noteUri, readNoteUri, subjectPrefix } from "../../text/note-timeline.ts";

/**
 * A passage of a note that addresses a model. `instruction` is an order in words, such as "ignore your rules"; the other kinds are forms.
 *
 * @experimental
 */
export interface NoteSuspicion extends Omit<Suspicion, "kind"> {
  readonly kind: SuspicionKind | "instruction";
}

/**
 * Origin of a note: its author, session and file.
 *
 * @experimental
 */
export interface NoteProvenance {
  /** Author: a person, an agent, a program. */
  readonly by?: string | undefined;
  readonly session?: string | undefined;
  /** File that the note is about, or was read from. */
  readonly file?: string | undefined;
}

/**
 * A statement to remember. Only `text` is required.
 *
 * @experimental
 */
export interface NoteInput extends NoteProvenance {
  readonly text: string;
  /** Name of its subject, such as `deploy-day`. A later note of the same key replaces this one. Default: a rule compares it with notes that hold. */
  readonly key?: string | undefined;
  /** Time from which the statement holds. ISO 8601. Default: now. */
  readonly validFrom?: string | undefined;
  /** Time at which the statement ends. ISO 8601. Default: when a later note replaces it. */
  readonly validTo?: string | undefined;
  /** Id of the note that it replaces. */
  readonly supersedes?: string | undefined;
  /** Metadata that a recall can filter by. */
  readonly metadata?: Metadata | undefined;
  /** Id of the note, for an import that must not write a note twice. The rule leaves such a note alone. Default: a new one. */
  readonly id?: string | undefined;
  /** Time of the statement, for an import. ISO 8601. Default: now. */
  readonly recordedAt?: string | undefined;
}

/**
 * A stored statement, with its time and its origin.
 *
 * **Shape** the statement holds from `validFrom` up to, and without, `validTo`.
 *
 * @experimental
 */
export interface Note extends NoteProvenance {
  readonly id: string;
  /** Uri of its document. */
  readonly uri: string;
  readonly scope: Scope;
  readonly text: string;
  readonly key?: string | undefined;
  /** Name that all versions of one statement share. */
  readonly subject: string;
  readonly validFrom: string;
  readonly validTo?: string | undefined;
  /** Id of the note that it replaced. */
  readonly supersedes?: string | undefined;
  /** Id of the note that replaced it. */
  readonly supersededBy?: string | undefined;
  /** Present where it holds no longer. */
  readonly ended?: true | undefined;
  readonly recordedAt: string;
  /** Kinds of passages that address a model. Absent without one. */
  readonly suspicious?: readonly NoteSuspicion["kind"][] | undefined;
  readonly metadata: Metadata;
}

/** Metadata of a note's document, by the field of the note. Filters of a search can name them. */
export const noteKeys = {
  key: "noteKey",
  validFrom: "validFrom",
  validTo: "validTo",
  supersedes: "supersedes",
  recordedAt: "noteRecordedAt",
  by: "noteBy",
  session: "noteSession",
  file: "noteFile",
  suspicious: "noteSuspicious",
} as const;

/** Begins the subjects of imported messages. Each message is its own subject. */
export const messagePrefix = "message-";

/** Name of the subject of a key, and of a first note without one. */
export const subjectOf = (key: string | undefined, id: string): string =>
  key === undefined ? `note-${id}` : `key-${key}`;

/** A stored document, as far as a note needs it. */
export interface StoredNote {
  readonly uri: string;
  readonly scope: Scope;
  readonly text: string;
  readonly metadata: Metadata;
}

/** The note that a document holds, without what later notes did to it. **Shape** `undefined` for another document. */
export function toNote({ uri, scope, text, metadata }: StoredNote): Note | undefined {
  const named = readNoteUri(uri);
  const said = (name: keyof typeof noteKeys): string | undefined => {
    const value = metadata[noteKeys[name]];
    return typeof value === "string" ? value : undefined;
  };
  const [validFrom, recordedAt] = [said("validFrom"), said("recordedAt")];
  if (named === undefined || validFrom === undefined || recordedAt === undefined) return undefined;
  const suspicious: unknown = metadata[noteKeys.suspicious];
  const supersedes = said("supersedes");
  const rest = Object.fromEntries(Object.entries(metadata).filter(([name]) => !ownKeys.has(name)));
  return {
    ...named,
    uri,
    scope,
    text,
    validFrom,
    recordedAt,
    ...present({ validTo: said("validTo"), supersedes: supersedes && readNoteUri(supersedes)?.id }),
    ...present({ key: said("key"), by: said("by"), session: said("session"), file: said("file") }),
    ...(Array.isArray(suspicious) && { suspicious: suspicious as readonly NoteSuspicion["kind"][] }),
    metadata: rest,
  };
}

/** Metadata that a recall does not show: those of the note itself, and those that the reader of plain text adds. */
const ownKeys: ReadonlySet<string> = new Set([
  ...Object.values(noteKeys),
  "mimeType",
  "fileName",
  "fileSize",
  "language",
]);

/** The entries that have a value. */
export function present<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };
}
