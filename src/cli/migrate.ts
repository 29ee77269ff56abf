import type { Command } from "commander";
import type { Engine } from "../contracts/engine.ts";
import { IbidError } from "../contracts/errors.ts";
import type { RecordsCopied } from "../contracts/collection.ts";
import { type EnginePair, migrate, migrateRecords, type MigrateSummary } from "../knowledge-base/open/migrate.ts";
import { showLocation } from "../knowledge-base/open/location.ts";
import { type NamedEngine, openEngine, placeNamedStore } from "../knowledge-base/open/open-engine.ts";
import { examples, note } from "./help-text.ts";
import type { CommonOptions, Context } from "./open.ts";
import { createProgressLine, type ProgressLine } from "./progress.ts";
import { readText } from "./read-text.ts";
import { count } from "./text-layout.ts";

interface MigrateOptions extends CommonOptions {
  /** File with the options of the engine that keeps the records. */
  readonly fromEngine?: string;
  /** File with the options of the engine that gets them. */
  readonly toEngine?: string;
}

/** `ibid migrate`: copies a knowledge base to another place, records of its engine to another engine, or both. */
export async function migrateTo(context: Context, to: string | undefined, options: MigrateOptions): Promise<number> {
  const { output, signal } = context;
  if (to === undefined && options.toEngine === undefined) {
    throw new IbidError("invalid-argument", "ibid migrate names no place to copy to.", {
      hint: "Name a folder or a database, or an engine for the records with --to-engine.",
    });
  }
  const line = createProgressLine(context.stderr, { enabled: !(output.json && output.isTerminal) });
  const engines = await openEngines(options, line);
  const from = showLocation(options.kb);
  const target = to === undefined ? from : showLocation(to);
  try {
    const onProgress = (done: number, all: number): void =>
      line.say(`Copying ${done.toLocaleString("en")} of ${count(all, "document")} …`);
    const summary = to === undefined ? undefined : await migrate(options.kb, to, { signal, onProgress, engines });
    const records = summary?.records ?? (engines && (await migrateRecords(options.kb, engines, signal)));
    line.clear();
    const between = records && engines && { ...records, from: engines.from.name, to: engines.to.name };
    if (output.json) await output.object({ from, to: target, ...summary, ...(between && { records: between }) });
    else {
      const said = [
        ...(summary === undefined ? [] : sayDocuments(summary, from, target)),
        ...(between === undefined ? [] : sayRecords(between)),
      ];
      for (const one of said) await output.line(one);
    }
    return 0;
  } finally {
    line.clear();
    for (const engine of [engines?.from, engines?.to]) await engine?.close?.();
  }
}

function sayDocuments({ documents, chunks, scopes, unchanged, verified }: MigrateSummary, from: string, to: string) {
  return [
    `Copied ${from}: ${to} holds ${count(documents, "document")} and ${count(chunks, "chunk")} of ${count(scopes, "scope")}${same(unchanged)}`,
    `Verified ${count(verified.documents, "document")} by checksums and a sample of searches (${verified.searches.toLocaleString("en")})`,
  ];
}

function sayRecords(copied: RecordsCopied & { readonly from: string; readonly to: string }) {
  const { from, to, collections, records, unchanged, verified } = copied;
  return [
    `Copied ${count(records, "record")} of ${count(collections, "collection")} from ${from} to ${to}${same(unchanged)}`,
    `Verified ${count(verified.records, "record")} with vectors and a sample of searches (${verified.searches.toLocaleString("en")})`,
  ];
}

const same = (unchanged: number): string => (unchanged === 0 ? "" : `, ${unchanged.toLocaleString("en")} unchanged`);

/** The engines of the options; that of the configuration keeps the records where no file says otherwise. */
async function openEngines(options: MigrateOptions, line: ProgressLine): Promise<EnginePair | undefined> {
  const { toEngine, fromEngine, settings } = options;
  if (toEngine === undefined) {
    if (fromEngine === undefined) return undefined;
    throw new IbidError("invalid-argument", "--from-engine is given without --to-engine.", {
      hint: "Name the file of the engine that gets the records with --to-engine.",
    });
  }
  const given =
    fromEngine === undefined && settings !== undefined
      ? placeNamedStore(settings.values as { engine?: Engine | NamedEngine; store?: unknown }).engine
      : undefined;
  if (fromEngine === undefined && given === undefined) {
    throw new IbidError(
      "configuration-missing",
      "No engine is configured, so that there is none to copy records from.",
      {
        hint: "Name a file with its options with --from-engine, or configure engine.",
      },
    );
  }
  const from = given === undefined ? await readEngine(fromEngine!) : await openEngine(given);
  const onProgress = (done: number, all: number): void =>
    line.say(`Copying ${done.toLocaleString("en")} of ${count(all, "record")} …`);
  try {
    return { from, to: await readEngine(toEngine), onProgress };
  } catch (error) {
    await from.close?.();
    throw error;
  }
}

/** The engine of a file: the value of `engine` in a configuration. **Errors** `not-found`, `unreadable`, `invalid-argument`. */
async function readEngine(path: string): Promise<Engine> {
  const text = await readText(path, 'Name a JSON file such as { "name": "qdrant", "url": "http://127.0.0.1:6333" }.');
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    given = undefined;
  }
  const { name } = (given ?? {}) as { readonly name?: unknown };
  if (typeof name === "string") return openEngine(given as NamedEngine);
  throw new IbidError("invalid-argument", `${path} is no JSON object with the name of an engine.`, {
    uri: path,
    hint: 'Write it as the value of engine in a configuration: { "name": "qdrant", "url": "http://127.0.0.1:6333" }.',
  });
}

export function addMigrateCommand(program: Command, context: Context, done: (code: number) => void): void {
  program
    .command("migrate")
    .summary("copy the knowledge base to another folder, database or engine")
    .description("Copy every document with its chunks and vectors; uris and scopes stay")
    .argument("[location]", "folder, or postgres://user@host/database")
    .option("--to-engine <file>", "copy records that an engine keeps to the engine of this JSON file")
    .option("--from-engine <file>", "JSON file of the engine that keeps them (default: the configured one)")
    .addHelpText(
      "after",
      examples([
        "ibid migrate postgres://ada@db.example/kb",
        "ibid --kb postgres://ada@db.example/kb migrate ./copy",
        "ibid migrate --to-engine qdrant.json",
      ]) +
        note(
          "Run it again after an interruption: documents and records that are there are passed over. Deleted documents stay behind. At the end every document and record is compared, and a sample of searches.",
        ),
    )
    .action(async (to: string | undefined, _, command: Command) => {
      done(await migrateTo(context, to, command.optsWithGlobals()));
    });
}
