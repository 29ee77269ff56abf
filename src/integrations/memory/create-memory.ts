import type { ChatModel } from "../../contracts/chat.ts";
import type { LengthFunction } from "../../contracts/chunker.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkGiven, checkOptions, checkText } from "../../runtime/check-options.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import { checkCount, checkNamed, checkNote, keepNote } from "./keep-note.ts";
import { forgetNotes, type ForgetTarget, type Forgotten } from "./forget-notes.ts";
import { findSubject, type SubjectFinding } from "./find-subject.ts";
import { laterThan } from "./note-time.ts";
import { readTime } from "../../runtime/read-time.ts";
import {
  type Note,
  type NoteInput,
  noteKeys,
  notePrefix,
  type NoteProvenance,
  type NoteSuspicion,
  noteUri,
  present,
  readNoteUri,
  subjectOf,
  toNote,
} from "./note.ts";
import { type Recalled, recallNotes, type RecallOptions } from "./recall-notes.ts";
import {
  holdsAt,
  placeNote,
  type PlacedVersion,
  readStatement,
  readVersions,
  type Statement,
  toStatement,
  walkSubjects,
} from "./timeline.ts";

/**
 * Options of a memory. All have defaults.
 *
 * @experimental
 */
export interface MemoryOptions extends NoteProvenance {
  /** Scope of the notes. Default `"deployment"`; the caller of a view names their own. */
  readonly scope?: Scope | undefined;
  /** Model that decides whether a note replaces a similar one, where the rule is in doubt. Default: none; doubt keeps both. */
  readonly judge?: ChatModel | undefined;
  /** Milliseconds since 1970. Default: the platform's clock. */
  readonly now?: (() => number) | undefined;
  /** Tokens of a text. Default: four characters each. */
  readonly countTokens?: LengthFunction | undefined;
}

/**
 * Options of a call.
 *
 * @experimental
 */
export interface MemoryCall {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Outcome of `remember`.
 *
 * @experimental
 */
export interface Remembered {
  /** `"unchanged"`: a note with the same words and subject holds already, and nothing was written. */
  readonly status: "added" | "replaced" | "unchanged";
  readonly note: Note;
  /** The note in whose place it stands. */
  readonly replaced?: Note | undefined;
  /** How the subject was found; absent for a note without an earlier one. */
  readonly by?: SubjectFinding["by"] | undefined;
  /** Notes that may speak of the same. All of them hold until a person or an agent decides. */
  readonly doubts: readonly Note[];
  /** Passages that address a model. They are stored as data. */
  readonly suspicions: readonly NoteSuspicion[];
  /** Sentences about times that were corrected. */
  readonly warnings: readonly string[];
}

/**
 * Options of a listing. All have defaults.
 *
 * @experimental
 */
export interface ListNotesOptions {
  /** Only the versions of this key. */
  readonly key?: string | undefined;
  /** Time at which the notes hold. ISO 8601. Default: now. */
  readonly asOf?: string | undefined;
  /** Whether ended, replaced and future notes are listed too. Default false. */
  readonly all?: boolean | undefined;
  /** Whether messages of imported sessions are listed too. Default false. */
  readonly messages?: boolean | undefined;
  /** Only notes behind the one of this uri. */
  readonly after?: string | undefined;
  /** Notes at most. */
  readonly limit?: number | undefined;
}

/**
 * Notes with time and origin, in one scope of a knowledge base.
 *
 * **Shape** each note is a document of origin `note` under `note:<subject>/<id>`. Searches find it, answers cite it, and a purge erases it like any other.
 * **Errors** `access-denied` for a scope that the caller may not read or write.
 *
 * @experimental
 */
export interface Memory {
  readonly scope: Scope;
  /**
   * Stores a statement. It replaces the earlier one on the same subject, which stays readable as of its time.
   *
   * **Errors** `invalid-argument` for a blank text, a secret, a wrong time; `too-large`; `not-found` for an unknown `supersedes`.
   */
  remember(note: string | NoteInput, call?: MemoryCall): Promise<Remembered>;
  /** The notes that help most with a question, within a budget of tokens. Without a question, the newest. **Cost** one search. */
  recall(question?: string, options?: RecallOptions): Promise<Recalled>;
  /** Purges notes: all versions of a statement, or one. **Shape** the proof: uris, hashes, and whether the files still hold the words. **Errors** `not-found`. */
  forget(target: ForgetTarget): Promise<Forgotten>;
  /** Notes by subject, then time. **Cost** the rows of the notes that are listed, of those between them, and of one page; not those before `after`. */
  list(options?: ListNotesOptions): AsyncIterable<Note>;
  /** One note by its id or uri, whether it holds or not. */
  get(id: string): Promise<Note | undefined>;
}

/**
 * Makes a memory in a knowledge base. Pass the view of the caller: `createMemory(kb.as(ada), { scope: "user:ada" })`.
 *
 * @experimental
 */
export function createMemory(kb: KnowledgeBase, options: MemoryOptions = {}): Memory {
  checkGiven("createMemory", "kb", kb, "object");
  checkOptions("createMemory", options, {
    scope: true,
    by: true,
    session: true,
    file: true,
    judge: true,
    now: true,
    countTokens: true,
  });
  if (options.judge !== undefined) checkGiven("createMemory", "judge", options.judge, "object");
  for (const name of ["now", "countTokens"] as const)
    if (options[name] !== undefined) checkGiven("createMemory", name, options[name], "function");
  const { scope = "deployment", judge, now = platformNow } = options;
  /** The last time that this memory saw: a recall after a note sees the note, whatever the clock did. */
  let last = 0;
  const time = (): string => new Date((last = Math.max(last, now()))).toISOString();

  async function read(uri: string): Promise<Note | undefined> {
    const found = await kb.document(uri, { scope });
    return found && toNote(found);
  }

  async function readPlaced({ uri }: PlacedVersion, statement: Statement): Promise<Note | undefined> {
    const note = await read(uri);
    return note && placeNote(note, statement);
  }

  const readSubject = (subject: string): Promise<Statement> => readStatement(kb, subject, scope, time());

  /** The note of a uri, or else the one of an id: an id may look like a uri. */
  async function get(id: string): Promise<Note | undefined> {
    const named = readNoteUri(id);
    const found = named && (await readVersion(named.subject, ({ uri }) => uri === id));
    if (found !== undefined) return found;
    const subject = await findSubjectOf(id);
    return subject === undefined ? undefined : readVersion(subject, (version) => version.id === id);
  }

  async function readVersion(
    subject: string,
    isWanted: (version: PlacedVersion) => boolean,
  ): Promise<Note | undefined> {
    const statement = await readSubject(subject);
    const version = statement.versions.find(isWanted);
    return version && readPlaced(version, statement);
  }

  /** The first note of a statement without a key names it; any other needs a listing. */
  async function findSubjectOf(id: string): Promise<string | undefined> {
    const own = subjectOf(undefined, id);
    if ((await readSubject(own)).versions.some((version) => version.id === id)) return own;
    return (await readVersions(kb, notePrefix, scope)).find((version) => version.id === id)?.subject;
  }

  /** Turns of writers of this process: the second of two sees the first. */
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = turn.then(work, work);
    turn = next.catch(() => {});
    return next;
  }

  async function write(input: NoteInput, { signal }: MemoryCall): Promise<Remembered> {
    checkInput(input);
    const suspicions = await checkNote(input.text);
    const { text, key, metadata = {}, ...given } = { ...pickOrigin(options), ...present(input) } as NoteInput;
    if (key !== undefined) checkKey(key);
    if (given.id !== undefined) checkNamed("remember", "id", given.id);
    if (given.id?.trim() === "")
      throw new IbidError("invalid-argument", "The id of the note is blank.", {
        hint: "Leave it out, or give a name.",
      });
    if (input.supersedes !== undefined) checkNamed("remember", "supersedes", input.supersedes);
    const begins = given.validFrom === undefined ? undefined : readTime("validFrom", given.validFrom);
    const found = await findSubject(
      { kb, scope, judge, now: time(), get, signal },
      { text, key, supersedes: input.supersedes, at: begins, isNew: given.id === undefined },
    );
    const id = given.id ?? newId(now());
    const subject = found.subject ?? subjectOf(key, id);
    const statement = await readSubject(subject);
    const { versions } = statement;
    const known = versions.find((version) => version.id === id);
    if (known !== undefined)
      return { status: "unchanged", note: (await readPlaced(known, statement))!, doubts: [], suspicions, warnings: [] };

    const warnings: string[] = [];
    let recordedAt =
      given.recordedAt === undefined ? new Date(now()).toISOString() : readTime("recordedAt", given.recordedAt);
    // A version that is written ahead stays ahead: the statement holds until then.
    const newest = versions.findLast((version) => version.validFrom <= statement.present);
    let validFrom = begins ?? recordedAt;
    if (newest !== undefined && begins === undefined && validFrom <= newest.validFrom) {
      // A clock that went back must not put the newer statement before the older one.
      validFrom = laterThan(newest.validFrom);
      if (recordedAt < newest.validFrom)
        warnings.push(
          `The clock says ${recordedAt}, and the earlier note begins at ${newest.validFrom}. The note begins one millisecond after it.`,
        );
      if (given.recordedAt === undefined) {
        recordedAt = validFrom;
        last = Math.max(last, Date.parse(validFrom));
      }
    }
    const validTo = given.validTo === undefined ? undefined : readTime("validTo", given.validTo);
    if (validTo !== undefined && validTo <= validFrom) {
      throw new IbidError("invalid-argument", `validTo is ${validTo}; it must be later than validFrom, ${validFrom}.`, {
        hint: "Give a later validTo, or leave it out.",
      });
    }
    const holding = versions.findLast((version) => holdsAt(version, validFrom));
    const before = holding && (await readPlaced(holding, statement));
    const isSameEnd = validTo === undefined || validTo === before?.validTo;
    if (before !== undefined && before.text === text && isSameEnd && begins === undefined)
      return { status: "unchanged", note: before, by: found.by, doubts: found.doubts, suspicions, warnings };

    const uri = noteUri(subject, id);
    await keepNote(
      kb,
      {
        uri,
        text,
        title: key ?? "",
        metadata: {
          ...metadata,
          ...present({
            [noteKeys.key]: key ?? before?.key,
            [noteKeys.validFrom]: validFrom,
            [noteKeys.validTo]: validTo,
            [noteKeys.supersedes]: before?.uri,
            [noteKeys.recordedAt]: recordedAt,
            [noteKeys.by]: given.by,
            [noteKeys.session]: given.session,
            [noteKeys.file]: given.file,
          }),
        },
      },
      { scope, signal },
    );
    const after = await readSubject(subject);
    const note = (await readPlaced(
      after.versions.find((version) => version.id === id)!,
      after,
    ))!;
    const replaced = before && placeNote(before, after);
    return {
      status: replaced === undefined ? "added" : "replaced",
      note,
      ...present({ replaced, by: found.by }),
      doubts: found.doubts,
      suspicions,
      warnings,
    };
  }

  return {
    scope,
    remember: (note, call = {}) =>
      inTurn(() => {
        checkOptions("remember", call, { signal: true });
        if (typeof note !== "string") checkGiven("remember", "note", note, "object");
        return write(typeof note === "string" ? { text: note } : note, call);
      }),
    async recall(question, asked = {}) {
      if (question !== undefined) checkText("recall", "question", question);
      return recallNotes({ kb, scope, now: time, countTokens: options.countTokens }, question, asked);
    },
    forget: (target) => inTurn(() => forgetNotes({ kb, scope, get, read, readSubject }, target)),
    async get(id) {
      checkNamed("get", "id", id);
      return get(id);
    },
    async *list(asked = {}) {
      checkOptions("list", asked, { key: true, asOf: true, all: true, messages: true, after: true, limit: true });
      for (const name of ["key", "after"] as const)
        if (asked[name] !== undefined) checkNamed("list", name, asked[name]);
      for (const name of ["all", "messages"] as const)
        if (asked[name] !== undefined) checkGiven("list", name, asked[name], "flag");
      if (asked.limit !== undefined) checkCount("list", "limit", asked.limit, 0);
      const now = time();
      const at = asked.asOf === undefined ? undefined : readTime("asOf", asked.asOf);
      const { key, after, messages = false, limit = Infinity } = asked;
      const subjects =
        key === undefined
          ? walkSubjects(kb, scope, { from: after, messages })
          : [(await readSubject(subjectOf(key, ""))).versions];
      let left = limit;
      if (left <= 0) return;
      for await (const versions of subjects) {
        const statement = await toStatement(kb, versions, now);
        for (const version of after === undefined ? versions : behind(versions, after)) {
          if (asked.all !== true && !holdsAt(version, at ?? statement.present)) continue;
          const note = await readPlaced(version, statement);
          if (note === undefined) continue;
          yield note;
          if (--left <= 0) return;
        }
      }
    },
  };
}

/** The versions of a statement behind the one of a uri, which may be gone or of an earlier statement. */
function behind(versions: readonly PlacedVersion[], after: string): readonly PlacedVersion[] {
  const place = versions.findIndex(({ uri }) => uri === after);
  return place === -1 ? versions.filter(({ uri }) => uri > after) : versions.slice(place + 1);
}

const longestKey = 200;

/** **Errors** `invalid-argument`. */
function checkKey(key: string): void {
  if (typeof key === "string" && key.trim() !== "" && key.length <= longestKey && key.isWellFormed()) return;
  throw new IbidError("invalid-argument", `The key of the note is blank, no text, or longer than ${longestKey}.`, {
    hint: "Give a short name of the subject, such as deploy-day.",
  });
}

function checkInput(input: NoteInput): void {
  checkOptions("remember", input, {
    text: true,
    key: true,
    validFrom: true,
    validTo: true,
    supersedes: true,
    metadata: true,
    id: true,
    recordedAt: true,
    by: true,
    session: true,
    file: true,
  });
}

const pickOrigin = ({ by, session, file }: MemoryOptions): NoteProvenance => present({ by, session, file });

/** An id that sorts by time and that no other process makes. */
function newId(now: number): string {
  const at = new Date(now).toISOString().replaceAll(/[-:.]/gu, "");
  return `${at}-${crypto.randomUUID().slice(0, 8)}`;
}
