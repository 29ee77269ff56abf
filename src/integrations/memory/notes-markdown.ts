import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import { checkGiven, checkText } from "../../runtime/check-options.ts";
import type { Memory } from "./create-memory.ts";
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
  checkGiven("formatNotes", "notes", notes, "list");
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
  const notes: { line: number; fields: Record<string, unknown>; words: string[] }[] = [];
  for (const [i, line] of lines.entries()) {
    const number = i + 1;
    if (i <= start || line.trim() === "" || line.startsWith("# ")) continue;
    const note = notes.at(-1);
    const [, name, value] = /^- (\w+): ?(.*)$/su.exec(line) ?? [];
    if (line.startsWith("## ")) notes.push({ line: number, fields: {}, words: [] });
    else if (note === undefined) throw wrong(number, "it stands before the first note");
    else if (line.startsWith(">")) note.words.push(line.replace(/^> ?/u, ""));
    else if (name === "metadata") note.fields["metadata"] = readMetadata(value!, number);
    else if (name !== undefined && Object.hasOwn(facts, name))
      note.fields[facts[name as keyof typeof facts]] = readValue(value!, number);
    else throw wrong(number, "it is neither a heading, nor a known fact, nor a quotation");
  }
  return notes.map(({ line, fields, words }) => {
    if (words.join("").trim() === "") throw wrong(line, "the note has no words; each line of them begins with >");
    return { ...fields, text: words.join("\n"), line };
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
 * Remembers the notes of an export. A note whose words were edited becomes a new version of its statement; a note that is missing in the export stays.
 *
 * **Errors** as {@link parseNotes} and `remember`, naming the line; notes before it are stored then.
 *
 * @experimental
 */
export async function importNotes(memory: Memory, markdown: string): Promise<ImportedNotes> {
  checkGiven("importNotes", "memory", memory, "object");
  const counts = { added: 0, replaced: 0, unchanged: 0 };
  for (const { line, ...note } of parseNotes(markdown)) {
    try {
      const known = note.id === undefined ? undefined : await memory.get(note.id);
      if (known !== undefined && known.text !== note.text) {
        const { text, by, session, file, metadata } = note;
        const edited = { text, supersedes: known.id, ...present({ by, session, file, metadata }) };
        counts[(await memory.remember(edited)).status]++;
        continue;
      }
      // A note whose predecessor is not here begins its own statement.
      const { supersedes, ...rest } = note;
      const follows =
        note.key === undefined && supersedes !== undefined && (await memory.get(supersedes)) !== undefined;
      counts[(await memory.remember({ ...rest, ...(follows && { supersedes }) })).status]++;
    } catch (error) {
      if (!IbidError.isInstance(error)) throw error;
      throw new IbidError(error.code, `Line ${line}: ${error.message}`, { hint: error.hint, details: { line } });
    }
  }
  return counts;
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
