import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { ForgetTarget, ImportedMessages, Memory, Note } from "../integrations/memory/index.node.ts";
import { folderOf, showLocation } from "../knowledge-base/open/location.ts";
import { sha256 } from "../runtime/hash.ts";
import { examples, note as remark } from "./help-text.ts";
import { loginName, memoryPlace } from "./memory-place.ts";
import { asOperator, type CommonOptions, type Context, followPurgesOf, readCaller, withKnowledgeBase } from "./open.ts";
import { readText, writeText } from "./read-text.ts";
import { ruleFiles } from "./rule-files.ts";
import { count, neutralise } from "./text-layout.ts";

interface MemoryCommandOptions extends CommonOptions {
  readonly in?: string;
}

interface Opened {
  readonly memory: Memory;
  readonly kb: KnowledgeBase;
  /** The person at the command line, where they have a name. */
  readonly by: string | undefined;
}

/** Uses of a memory. An import alone makes a knowledge base where there is none. */
const uses = {
  read: { embeds: "queries" },
  change: { embeds: "documents" },
  import: { embeds: "documents", create: true },
} as const;

/** Opens the memory of a command. */
async function withMemory<Result>(
  options: MemoryCommandOptions,
  how: keyof typeof uses,
  use: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const caller = readCaller(options);
  const { createMemory } = await import("../integrations/memory/index.node.ts");
  return withKnowledgeBase(asOperator(options), uses[how], async (whole) => {
    const kb = await followPurgesOf(options.kb, whole, caller === undefined ? whole : whole.as(caller));
    const memory = createMemory(kb, memoryPlace(options.in ?? true, caller));
    return use({ kb, memory, by: caller?.userId ?? loginName() });
  });
}

async function requireNote(memory: Memory, id: string): Promise<Note> {
  const found = await memory.get(id);
  if (found !== undefined) return found;
  let newest: Note | undefined;
  for await (const one of memory.list({ key: id, all: true })) newest = one;
  if (newest !== undefined) return newest;
  throw new IbidError("not-found", `There is no note ${id} in ${memory.scope}.`, {
    hint: "See: ibid memory list --all",
  });
}

async function showNote({ output }: Context, note: Note, whole: boolean): Promise<void> {
  const { id, key, validFrom, validTo, supersededBy, ended, suspicious, text } = note;
  const time = validTo === undefined ? `since ${validFrom}` : `${validFrom} to ${validTo}`;
  const marks = [
    ...(supersededBy === undefined ? [] : [`${ended === true ? "replaced" : "then replaced"} by ${supersededBy}`]),
    ...(suspicious === undefined ? [] : [`suspicious: ${suspicious.join(", ")}`]),
  ];
  await output.line(
    [output.style.bold(neutralise(key ?? id)), ...(key === undefined ? [] : [neutralise(id)]), time, ...marks].join(
      "  ",
    ),
  );
  if (whole) {
    for (const name of ["by", "session", "file", "recordedAt", "supersedes"] as const)
      if (note[name] !== undefined) await output.line(`  ${name}: ${neutralise(note[name])}`);
    for (const [name, value] of Object.entries(note.metadata))
      await output.line(
        `  ${neutralise(name)}: ${neutralise(typeof value === "string" ? value : JSON.stringify(value))}`,
      );
  }
  const shown = whole ? text : text.length > 200 ? `${text.slice(0, 200)} …` : text;
  for (const line of shown.split("\n")) await output.line(`  ${neutralise(line)}`);
}

interface ListOptions extends MemoryCommandOptions {
  readonly all?: true;
  readonly messages?: true;
  readonly asOf?: string;
  readonly key?: string;
}

async function list(context: Context, { all, messages, asOf, key, ...options }: ListOptions): Promise<number> {
  return withMemory(options, "read", async ({ memory }) => {
    const notes: Note[] = [];
    const asked = {
      all: all === true,
      messages: messages === true,
      ...(asOf !== undefined && { asOf }),
      ...(key !== undefined && { key }),
    };
    for await (const one of memory.list(asked)) notes.push(one);
    if (context.output.json) await context.output.object({ scope: memory.scope, notes });
    else {
      for (const one of notes) await showNote(context, one, false);
      await context.output.line(context.output.style.dim(`${count(notes.length, "note")} in ${memory.scope}`));
    }
    return 0;
  });
}

async function forget(
  { output }: Context,
  id: string,
  { only, ...options }: MemoryCommandOptions & { readonly only?: true },
): Promise<number> {
  return withMemory(options, "change", async ({ memory }) => {
    const byId = await memory.get(id);
    const named: ForgetTarget = byId === undefined ? { key: id } : { id };
    const proof = await memory.forget({ ...named, only: only === true });
    if (output.json) await output.object(proof);
    else {
      for (const one of proof.notes) await output.line(`forgot ${neutralise(one.uri)}  sha256 ${one.textHash}`);
      await output.line(`${proof.searched} in the files: ${proof.files}`);
    }
    return proof.files === "present" ? 1 : 0;
  });
}

/** `ibid memory edit`: the note in the editor of the user, or the text that is given. */
async function edit(
  context: Context,
  id: string,
  { text: given, ...options }: MemoryCommandOptions & { readonly text?: string },
): Promise<number> {
  return withMemory(options, "change", async ({ memory, by }) => {
    const before = await requireNote(memory, id);
    const text = given ?? (await editText(before.text));
    const { file, metadata, supersededBy, ended } = before;
    // The end that its author gave stays, and that of a replaced version is another note.
    const validTo = supersededBy === undefined && ended !== true ? before.validTo : undefined;
    const done = await memory.remember({ text, supersedes: before.id, by, file, metadata, validTo });
    if (context.output.json) await context.output.object(done);
    else {
      await context.output.line(done.status === "unchanged" ? "unchanged" : `replaced ${neutralise(before.id)}`);
      await showNote(context, done.note, false);
    }
    return 0;
  });
}

async function editText(text: string): Promise<string> {
  const editor = process.env["VISUAL"] ?? process.env["EDITOR"];
  if (editor === undefined || editor.trim() === "" || !process.stdin.isTTY) {
    throw new IbidError("invalid-argument", "There is no editor: EDITOR is not set, or this is no terminal.", {
      hint: "Set EDITOR, or give the words with --text.",
    });
  }
  const folder = await mkdtemp(join(tmpdir(), "ibid-note-"));
  try {
    const file = join(folder, "note.md");
    await writeFile(file, text, { mode: 0o600 });
    const { status } = spawnSync(`${editor} "${file}"`, { stdio: "inherit", shell: true });
    if (status !== 0) throw new IbidError("aborted", "The editor ended with an error. Nothing was changed.");
    return (await readFile(file, "utf8")).trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function exportNotes(
  { output }: Context,
  file: string | undefined,
  { all, ...options }: MemoryCommandOptions & { readonly all?: true },
): Promise<number> {
  return withMemory(options, "read", async ({ memory }) => {
    const { formatNotes } = await import("../integrations/memory/index.node.ts");
    const notes: Note[] = [];
    for await (const one of memory.list({ all: all === true })) notes.push(one);
    const markdown = formatNotes(notes);
    if (file !== undefined) await writeText(file, markdown, 0o600);
    if (output.json) await output.object({ notes: notes.length, ...(file === undefined ? { markdown } : { file }) });
    else if (file === undefined) await output.line(markdown.trimEnd());
    else await output.line(`wrote ${count(notes.length, "note")} to ${file}`);
    return 0;
  });
}

interface ImportOptions extends MemoryCommandOptions {
  readonly watch?: true;
  readonly rules?: true;
  readonly again?: true;
  /** Folder of the key that several users or machines share. */
  readonly importState?: string;
}

/** Least and longest time between two looks at watched files. **Units** milliseconds. */
const lookEvery = 1000;
const longestRest = 5000;

/** `ibid memory import`: exports of notes, session files, and with `--rules` the rule files of a folder. **Shape** exit code 1 where a line was refused. */
async function importFiles(
  context: Context,
  paths: readonly string[],
  { watch, rules, again, importState, ...options }: ImportOptions,
): Promise<number> {
  const { output, signal } = context;
  return withMemory(options, "import", async ({ memory, kb, by }) => {
    const { describeState } = await import("../integrations/memory/sessions/read-session-files.ts");
    const list = rules === true ? undefined : await openImported(context, options.kb, importState);
    const imported = list !== undefined && again === true ? { ...list, has: () => false } : list;
    const seen = new Map<string, string>();
    const told = new Set<string>();
    const stored: StoredMessages | undefined = watch === true ? new Map() : undefined;
    let refused = false;
    let news = 0;
    for (let looks = 0; ; looks++) {
      const began = performance.now();
      for (const path of paths) {
        const files = await (rules === true ? ruleFiles(path) : filesOf(path)).catch((error: unknown) => {
          // A client moves its folders, and they come back.
          if (looks === 0) throw error;
          return undefined;
        });
        if (files === undefined) {
          if (told.has(path)) continue;
          told.add(path);
          const message = `${path} cannot be read; it is looked for again.`;
          if (output.json) await output.object({ file: path, added: 0, unchanged: 0, problems: [{ message }] });
          else await output.line(neutralise(message));
          continue;
        }
        told.delete(path);
        for (const file of rules === true ? await removeGoneRules(kb, memory, path, files) : []) {
          seen.delete(file);
          if (output.json) await output.object({ file, removed: 1, problems: [] });
          else await output.line(`${neutralise(file)}  1 removed`);
        }
        const isAlone = watch !== true && paths.length === 1 && files.length === 1;
        if (files.length === 0 && watch !== true) {
          refused = true;
          const message = `${path} has no ${rules === true ? "rule files" : "session files of Claude Code, Codex, Cursor or opencode"}.`;
          if (output.json) await output.object({ file: path, added: 0, unchanged: 0, problems: [{ message }] });
          else await output.line(neutralise(message));
        }
        for (const file of files) {
          const state = await describeState(file);
          if (seen.get(file) === state) continue;
          const isNew = !seen.has(file);
          seen.set(file, state);
          const read =
            rules === true ? importRule(kb, memory, file) : importFile(kb, memory, file, { imported, stored, by });
          const { problems: found, ...counts } = await read.catch((error: unknown): Imported => {
            // One file among many, or one that a client has only begun to write, does not end the rest.
            if (!IbidError.isInstance(error) || isAlone) throw error;
            return { added: 0, unchanged: 0, problems: [{ message: error.message }] };
          });
          refused ||= found.length > 0;
          news += counts.added;
          // A file that grows is read whole again: its refused lines are named once.
          const problems = found.filter((problem) => !told.has(JSON.stringify([file, problem])));
          for (const problem of problems) told.add(JSON.stringify([file, problem]));
          // A database changes often without a word of a conversation.
          const { unchanged: _unchanged, forgotten: _forgotten, ...changes } = counts;
          if (!isNew && problems.length === 0 && Object.values(changes).every((n) => n === 0)) continue;
          if (output.json) await output.object({ file, ...counts, problems });
          else {
            const said = Object.entries(counts)
              .filter(([, n]) => n > 0)
              .map(([name, n]) => `${n} ${name}`);
            await output.line(`${neutralise(file)}  ${said.length === 0 ? "nothing" : said.join(", ")}`);
            for (const { line, row, message } of problems) {
              const place = line !== undefined ? ` line ${line}` : row !== undefined ? ` row ${neutralise(row)}` : "";
              await output.line(`  refused${place}: ${neutralise(message)}`);
            }
          }
        }
      }
      if (list?.hasOthers === true && news > 0 && looks === 0)
        context.stderr.write(
          `warning: ${count(news, "message")} came in that another user or machine may have imported and forgotten.\n  Share the key of such imports with --import-state.\n`,
        );
      if (watch !== true || signal.aborted) return refused ? 1 : 0;
      // A large database changes often, and takes long to read.
      const rest = Math.min(Math.max(lookEvery, performance.now() - began), longestRest);
      await wait(rest, undefined, { signal }).catch(() => {});
      if (signal.aborted) return 0;
    }
  });
}

/** The list of imported messages: in the folder of the knowledge base, or for one in a database beside the key. **Shape** a list that cannot be opened is said, and does without. */
async function openImported(
  { output }: Context,
  kb: string,
  shared: string | undefined,
): Promise<ImportedMessages | undefined> {
  const { keyFileIn, openAddressFolder, openImportedMessages } =
    await import("../integrations/memory/sessions/imported-messages.ts");
  const open = async (): Promise<ImportedMessages> =>
    openImportedMessages(
      folderOf(kb) ?? (await openAddressFolder(showLocation(kb), shared)),
      shared === undefined ? undefined : keyFileIn(shared),
    );
  return open().catch(async (error: unknown) => {
    if (!IbidError.isInstance(error)) throw error;
    const hint = `Forgotten messages return with this import. ${error.hint}`;
    await output.error(new IbidError(error.code, error.message, { hint, uri: error.uri, cause: error }));
    return undefined;
  });
}

async function filesOf(path: string): Promise<readonly string[]> {
  return (await import("../integrations/memory/index.node.ts")).findSessionFiles(path);
}

interface Imported {
  readonly added: number;
  readonly replaced?: number;
  readonly updated?: number;
  readonly removed?: number;
  readonly unchanged: number;
  readonly forgotten?: number;
  readonly problems: readonly {
    readonly line?: number | undefined;
    readonly row?: string | undefined;
    readonly message: string;
  }[];
}

/** Hashes of the messages of each watched file that are stored already: a session that grows is not checked again as a whole. */
type StoredMessages = Map<string, ReadonlySet<string>>;

interface ImportTools {
  readonly imported: ImportedMessages | undefined;
  readonly stored: StoredMessages | undefined;
  readonly by: string | undefined;
}

async function importFile(
  kb: KnowledgeBase,
  memory: Memory,
  file: string,
  { imported, stored, by }: ImportTools,
): Promise<Imported> {
  const { importNotes, importSessions, readSessionFile } = await import("../integrations/memory/index.node.ts");
  if (/\.(?:md|markdown)$/iu.test(file))
    return { ...(await importNotes(memory, await readText(file), { by })), problems: [] };
  // A name that holds in any folder: it is the origin of each message.
  const session = await readSessionFile(resolve(file));
  const options = { scope: memory.scope, imported };
  if (stored === undefined) return importSessions(kb, session, options);
  const hashed = session.messages.map((message) => ({ message, hash: sha256(JSON.stringify(message)) }));
  const before = stored.get(file) ?? new Set();
  const changed = hashed.filter(({ hash }) => !before.has(hash));
  const done = await importSessions(kb, { ...session, messages: changed.map(({ message }) => message) }, options);
  const refused = new Set(done.problems.map(({ line, row }) => `${line} ${row}`));
  const kept = hashed.filter(({ message: { line, row } }) => !refused.has(`${line} ${row}`));
  stored.set(file, new Set(kept.map(({ hash }) => hash)));
  return { ...done, unchanged: done.unchanged + hashed.length - changed.length };
}

/** A file of rules as a document, by a name that holds in any folder: two repositories have an `AGENTS.md` each. */
async function importRule(kb: KnowledgeBase, memory: Memory, file: string): Promise<Imported> {
  const input = {
    uri: resolve(file),
    text: await readText(file),
    mediaType: "text/markdown",
    metadata: { rules: true },
  };
  const { scope } = memory;
  const { added, updated, unchanged, failures } = await kb.ingest(input, { scope });
  // A file that was emptied says nothing any more.
  const removed = failures[0]?.error.code === "empty" ? (await kb.delete(input.uri, { scope })).length : 0;
  return {
    added,
    replaced: updated,
    unchanged,
    removed,
    problems: failures.map(({ error }) => ({ message: error.message })),
  };
}

/** Deletes the documents of rule files that are no longer below a folder. **Shape** their paths, as the files around them are named. */
async function removeGoneRules(
  kb: KnowledgeBase,
  { scope }: Memory,
  folder: string,
  files: readonly string[],
): Promise<readonly string[]> {
  const [root, here] = [resolve(folder), new Set(files.map((file) => resolve(file)))];
  const kept = await kb.find({ filter: { rules: true }, under: root + sep, scopes: [scope] });
  const gone = new Set(kept.map(({ chunk }) => chunk.uri).filter((uri) => !here.has(uri)));
  for (const uri of gone) await kb.delete(uri, { scope });
  return [...gone].map((uri) => join(folder, relative(root, uri)));
}

/** `ibid memory` with its commands and their help. */
export function addMemoryCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const command = program
    .command("memory")
    .summary("list, edit, forget, export and import what agents remember")
    .description("List, show, edit, forget, export and import the notes that agents and people remember.")
    .addHelpText(
      "after",
      examples(["ibid memory list", "ibid memory export notes.md", "ibid memory import ~/.claude/projects"]) +
        remark(
          "Notes stand in the caller's own scope, else in that of the repository, else in that of the login name; --in names another.",
        ),
    );
  const add = (name: string, summary: string) =>
    command
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
      .option("--in <where>", "caller, repository, or a scope such as team:acme");
  add("list", "list the notes that hold")
    .option("--all", "also replaced and ended notes")
    .option("--messages", "also messages of imported conversations")
    .option("--as-of <time>", "the notes that held then, such as 2026-11-23")
    .option("--key <key>", "only the versions of this key")
    .action(async function (this: Command) {
      done(await list(context, this.optsWithGlobals()));
    });
  add("show", "show a note with its origin")
    .argument("<id or key>", "as list prints it")
    .action(async function (this: Command, id: string) {
      done(
        await withMemory(this.optsWithGlobals(), "read", async ({ memory }) => {
          const note = await requireNote(memory, id);
          if (context.output.json) await context.output.object(note);
          else await showNote(context, note, true);
          return 0;
        }),
      );
    });
  add("edit", "replace the words of a note")
    .argument("<id or key>", "as list prints it")
    .option("--text <words>", "the new words, without an editor")
    .action(async function (this: Command, id: string) {
      done(await edit(context, id, this.optsWithGlobals()));
    });
  add("forget", "erase a note with all its versions, and prove it")
    .argument("<id or key>", "as list prints it")
    .option("--only", "only this version; the one before it holds again")
    .action(async function (this: Command, id: string) {
      done(await forget(context, id, this.optsWithGlobals()));
    });
  add("export", "write the notes as Markdown that can be edited and imported again")
    .argument("[file]", "where to; standard output without one")
    .option("--all", "also replaced and ended notes")
    .action(async function (this: Command, file: string | undefined) {
      done(await exportNotes(context, file, this.optsWithGlobals()));
    });
  add("import", "read exports of notes, or session files of Claude Code, Codex, Cursor and opencode")
    .argument("<path...>", "files or folders")
    .option("--rules", "read CLAUDE.md, AGENTS.md and other rule files of these folders, as documents")
    .option("--again", "also messages that an earlier import brought in and that were forgotten")
    .option(
      "--import-state <folder>",
      "folder of the key for forgotten messages, which several users or machines share",
    )
    .option("--watch", "look again each second until a signal")
    .action(async function (this: Command, paths: string[]) {
      done(await importFiles(context, paths, this.optsWithGlobals()));
    });
}
