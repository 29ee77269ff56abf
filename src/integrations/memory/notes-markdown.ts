import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import { checkGiven, checkOptions, checkText } from "../../runtime/check-options.ts";
import { readTime } from "../../runtime/read-time.ts";
import type { Memory } from "./create-memory.ts";
import { laterThan } from "./note-time.ts";
import { type Note, type NoteInput, present } from "./note.ts";

/** First line of an export. */
const mark = "<!-- ibid notes, version 1 -->";

/** Facts of a note in an export, in order: the field of the note by its name for people. */
const facts = {
  id: "id",
  key: "key",
  since: "validFrom",
  until: "validTo",
  replaces: "supersedes",
  recorded: "recordedAt",
  by: "by",
  session: "session",
  file: "file",
} as const;

/**
 * Writes notes as Markdown that people read and edit, and that {@link parseNotes} reads again.
 *
 * **Shape** a heading for each note, its facts as a list, its words as a quotation.
 *
 * @experimental
 */
export function formatNotes(notes: readonly Note[]): string {
  checkGiven("formatNotes", "notes", notes, "list", { text: "text", metadata: "object" });
  const parts = notes.map((note) => {
    const { key, id, text, metadata } = note;
    // The end of a version that another one replaced is where that one begins.
    const shown: Partial<Note> = note.supersededBy === undefined ? note : { ...note, validTo: undefined };
    const lines = Object.entries(facts).flatMap(([name, field]) =>
      shown[field] === undefined ? [] : [`- ${name}: ${oneLine(shown[field])}`],
    );
    const rest = Object.keys(metadata).length === 0 ? [] : [`- metadata: ${JSON.stringify(metadata)}`];
    const words = text.split("\n").map((line) => (line === "" ? ">" : `> ${line}`));
    return [`## ${oneLine(key ?? id)}`, "", ...lines, ...rest, "", ...words, ""].join("\n");
  });
  return [mark, "", "# Notes", "", ...parts].join("\n");
}

/** A value with a line break, quotes or outer spaces is shown as JSON. */
const oneLine = (value: string): string =>
  /^\s|\s$|^"|[\p{Cc}\u2028\u2029]/u.test(value) || value === "" ? JSON.stringify(value) : value;

/**
 * Reads notes from the Markdown of {@link formatNotes}, edited or not.
 *
 * **Errors** `invalid-argument`, naming the line, for Markdown of another form. Then nothing is returned.
 *
 * @experimental
 */
export function parseNotes(markdown: string): readonly (NoteInput & { readonly line: number })[] {
  checkText("parseNotes", "markdown", markdown);
  // An editor writes one kind of line ends; a text may hold the other.
  const lines = markdown.replace(/^\uFEFF/u, "").split(markdown.includes(`${mark}\r\n`) ? "\r\n" : "\n");
  const start = lines.findIndex((line) => line.trim() !== "");
  if (lines[start]?.trim() !== mark) {
    throw new IbidError("invalid-argument", `The first line is not "${mark}": this is no export of notes.`, {
      hint: "Give a file that `ibid memory export` wrote.",
    });
  }
  const notes: { line: number; heading: string; fields: Record<string, unknown>; words: string[] }[] = [];
  for (const [i, line] of lines.entries()) {
    const number = i + 1;
    if (i <= start || line.trim() === "" || line.startsWith("# ")) continue;
    const note = notes.at(-1);
    const [, name, value] = /^- (\w+): ?(.*)$/su.exec(line) ?? [];
    if (line.startsWith("## "))
      notes.push({ line: number, heading: readValue(line.slice(3), number), fields: {}, words: [] });
    else if (note === undefined) throw wrong(number, "it stands before the first note");
    else if (line.startsWith(">")) note.words.push(line.replace(/^> ?/u, ""));
    else if (name === "metadata") note.fields["metadata"] = readMetadata(value!, number);
    else if (name !== undefined && Object.hasOwn(facts, name))
      note.fields[facts[name as keyof typeof facts]] = readValue(value!, number);
    else throw wrong(number, "it is neither a heading, nor a known fact, nor a quotation");
  }
  return notes.map(({ line, heading, fields, words }) => {
    if (words.join("").trim() === "") throw wrong(line, "the note has no words; each line of them begins with >");
    const named = fields["key"] ?? fields["id"];
    if (named !== undefined && named !== heading)
      throw wrong(line, `the heading is ${JSON.stringify(heading)}, and the note is ${JSON.stringify(named)}`);
    return { ...(named === undefined && { key: heading }), ...fields, text: words.join("\n"), line };
  });
}

/**
 * Result of an import of notes.
 *
 * @experimental
 */
export interface ImportedNotes {
  readonly added: number;
  readonly replaced: number;
  readonly unchanged: number;
}

/**
 * Options of an import. All have defaults.
 *
 * @experimental
 */
export interface ImportNotesOptions {
  /** Author of edited notes, and of those without an id. Default: that of the memory. */
  readonly by?: string | undefined;
}

/**
 * Remembers the notes of an export. A note that is missing in the export stays.
 *
 * **Shape** a note with other words becomes a new version from now on. With another `until`, or where its successor is in the export too, the new version holds in
 * the period of the old one. The heading of a note without id and key is its key.
 * **Errors** `invalid-argument`, naming the line, for other changes of a stored note and for wrong times; nothing is stored then. As `remember`: notes before it are stored.
 *
 * @experimental
 */
export async function importNotes(
  memory: Memory,
  markdown: string,
  options: ImportNotesOptions = {},
): Promise<ImportedNotes> {
  checkGiven("importNotes", "memory", memory, "object");
  checkOptions("importNotes", options, { by: true });
  if (options.by !== undefined) checkText("importNotes", "by", options.by);
  const notes = [];
  const replacedHere = new Set<string>();
  for (const { line, ...note } of parseNotes(markdown)) {
    const known = await atLine(line, async () => {
      const found = note.id === undefined ? undefined : await memory.get(note.id);
      if (found !== undefined) checkKept(note, found);
      return found;
    });
    if (note.supersedes !== undefined) replacedHere.add(note.supersedes);
    notes.push({ line, note, known });
  }
  const counts = { added: 0, replaced: 0, unchanged: 0 };
  for (const { line, note, known } of notes) {
    const edited = known && (await toEdited(memory, note, known, replacedHere.has(known.id)));
    if (edited === "unchanged") counts.unchanged++;
    else {
      const input = edited ?? (await toAdded(memory, note));
      const by = edited !== undefined || note.id === undefined ? { ...options } : {};
      counts[(await atLine(line, () => memory.remember({ ...by, ...present(input) } as NoteInput))).status]++;
    }
  }
  return counts;
}

/** The new version of a stored note that was edited. */
async function toEdited(
  memory: Memory,
  { text, validTo }: NoteInput,
  known: Note,
  isReplacedHere: boolean,
): Promise<NoteInput | "unchanged"> {
  const { id, supersededBy, validFrom, ended = false, file, metadata } = known;
  const until = validTo === undefined ? undefined : readTime("validTo", validTo);
  const isMoved = supersededBy === undefined && until !== known.validTo;
  if (text === known.text && !isMoved) return "unchanged";
  // The same edit was imported before.
  if (supersededBy !== undefined && (await memory.get(supersededBy))?.text === text) return "unchanged";
  const isPast = ended && (isReplacedHere || supersededBy === undefined);
  const begins = isPast || text === known.text ? laterThan(validFrom) : undefined;
  return { text, supersedes: id, file, metadata, ...present({ validFrom: begins, validTo: until }) };
}

/** A note that is not stored yet. One whose predecessor is not here begins its own statement. */
async function toAdded(memory: Memory, { supersedes, ...note }: NoteInput): Promise<NoteInput> {
  const follows = note.key === undefined && supersedes !== undefined && (await memory.get(supersedes)) !== undefined;
  return { ...note, ...(follows && { supersedes }) };
}

/** **Errors** `invalid-argument` for a fact of a stored note that was changed: it would be lost. */
function checkKept(note: NoteInput, known: Note): void {
  for (const [name, field] of Object.entries(facts)) {
    // A version may have come between, and until can be edited.
    if (field === "supersedes" || field === "validTo") continue;
    const isTime = field === "validFrom" || field === "recordedAt";
    const given = isTime && note[field] !== undefined ? readTime(field, note[field]) : note[field];
    if (given !== undefined && given !== known[field]) throw changed(name, given, known[field]);
  }
  if (note.metadata !== undefined && JSON.stringify(note.metadata) !== JSON.stringify(known.metadata))
    throw changed("metadata", JSON.stringify(note.metadata), JSON.stringify(known.metadata));
}

const changed = (name: string, given: string, stored: string | undefined): IbidError =>
  new IbidError(
    "invalid-argument",
    `${name} is ${JSON.stringify(given)}, and the note is stored with ${stored === undefined ? "none" : JSON.stringify(stored)}.`,
    { hint: "Edit the words or until. For another fact, forget the note and import it again." },
  );

async function atLine<Result>(line: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!IbidError.isInstance(error)) throw error;
    throw new IbidError(error.code, `Line ${line}: ${error.message}`, { hint: error.hint, details: { line } });
  }
}

function readValue(value: string, line: number): string {
  if (!value.startsWith('"')) return value.trim();
  try {
    return String(JSON.parse(value));
  } catch {
    throw wrong(line, "the value begins with a quotation mark and is no JSON");
  }
}

function readMetadata(value: string, line: number): Metadata {
  try {
    const read: unknown = JSON.parse(value);
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return read as Metadata;
  } catch {
    // Refused below.
  }
  throw wrong(line, "the metadata are no JSON object");
}

const wrong = (line: number, why: string): IbidError =>
  new IbidError("invalid-argument", `Line ${line} of the notes cannot be read: ${why}.`, {
    hint: "Correct the line, or export the notes again.",
    details: { line },
  });
