import { readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import type { Finding, Sought } from "../contracts/diagnosis.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Scope } from "../contracts/scope.ts";
import { restoreFrom } from "./backup.ts";
import { examples } from "./help-text.ts";
import { type CommonOptions, type Context, findUris, followPurgesOf, withKnowledgeBase } from "./open.ts";
import { readDuration, scopeOption } from "./read-option.ts";
import { noDeletedDocument, noDocument } from "./suggest-uris.ts";
import { count, neutralise } from "./text-layout.ts";

/** The notice about an unfinished purge. */
export const pendingNote =
  "pending: another process reads an old state of the files, or the disk is full; the next command after that finishes it";

export interface VacuumCommandOptions extends CommonOptions {
  /** **Units** milliseconds. */
  readonly olderThan?: number;
}

/** `ibid vacuum`: erases deleted documents. */
export async function vacuum(context: Context, options: VacuumCommandOptions): Promise<number> {
  const { output } = context;
  return await withKnowledgeBase(options, {}, async (whole) => {
    const kb = await followPurgesOf(options.kb, whole, whole);
    const result = await kb.vacuum(options.olderThan === undefined ? {} : { olderThanMs: options.olderThan });
    const { chunks, pending = false } = result;
    if (output.json) await output.object({ vacuumed: chunks, pending });
    else {
      await output.line(`vacuumed ${count(chunks, "chunk")}`);
      if (pending) await output.line(pendingNote);
    }
    return 0;
  });
}

export interface RestoreCommandOptions extends CommonOptions {
  readonly scope?: Scope;
  readonly asOf?: string;
}

/** `ibid restore`: undoes a deletion, or writes a former version again. **Shape** exit code 1 when there is nothing to restore. */
export async function restore(context: Context, typed: string, options: RestoreCommandOptions): Promise<number> {
  const { output } = context;
  const uris = await findUris(options, typed);
  return await withKnowledgeBase(options, {}, async (kb) => {
    for (const uri of uris) {
      const { scope, asOf } = options;
      const restored = await kb.restore(uri, { ...(scope && { scope }), ...(asOf !== undefined && { asOf }) });
      if (restored.length === 0) continue;
      if (output.json) await output.object({ restored });
      for (const each of restored) {
        const chunks = output.style.dim(count(each.chunks, "chunk"));
        await output.line(`restored ${neutralise(each.uri)} to ${neutralise(each.scope)}  ${chunks}`);
      }
      return 0;
    }
    throw options.asOf === undefined
      ? await noDeletedDocument(kb, typed, uris, options.scope)
      : await noDocument(kb, typed, options.scope);
  });
}

export interface DoctorCommandOptions extends CommonOptions {
  readonly fix?: true;
  /** A text, or `@` and a file with one text a line. */
  readonly absent?: readonly string[];
}

/** `ibid doctor`: checks all stored data. **Shape** exit code 1 when a problem remains, or a text that was asked for is not absent. */
export async function doctor(context: Context, options: DoctorCommandOptions): Promise<number> {
  const { output } = context;
  const absent = (await Promise.all((options.absent ?? []).map(readProbes))).flat();
  return await withKnowledgeBase(options, {}, async (kb) => {
    const diagnosis = await kb.doctor({ fix: options.fix === true, ...(absent.length > 0 && { absent }) });
    const isGood = diagnosis.healthy && (diagnosis.sought ?? []).every((found) => found === "absent");
    if (output.json) {
      await output.object(diagnosis);
      return isGood ? 0 : 1;
    }
    const { checked, findings, healthy, residue, sought = [] } = diagnosis;
    for (const finding of findings) await output.line(describe(finding));
    const seen = [
      count(checked.documents, "document"),
      count(checked.chunks, "chunk"),
      count(checked.vectors, "vector"),
    ];
    await output.line(
      `${healthy ? "healthy" : "not healthy"}  ${output.style.dim(`looked at ${seen.join(", ")}, ${count(checked.terms, "term")}`)}`,
    );
    for (const [i, found] of sought.entries()) {
      const which = sought.length === 1 ? "the text" : `text ${i + 1} of ${sought.length}`;
      await output.line(`${found}  ${describeSought[found](which)}`);
    }
    if (residue > 0) {
      await output.line(
        output.style.dim(`${count(residue, "term")} of replaced chunks wait in the index for the next vacuum`),
      );
    }
    if (!healthy && options.fix !== true && findings.some(({ hint }) => hint === undefined)) {
      await output.line("fix what can be fixed with: ibid doctor --fix");
    }
    return isGood ? 0 : 1;
  });
}

const describeSought: Readonly<Record<Sought, (which: string) => string>> = {
  absent: (which) => `no document and no file has ${which}`,
  held: (which) => `a document has ${which}; it stands, or can be restored: delete it with --purge`,
  left: (which) => `a file has ${which} or a part of it, and no document that can be restored does`,
  unproved: (which) => `stored documents share every eight characters of ${which}: ask for more of its words`,
};

function describe({ kind, message, scope, count: times, fixed, hint }: Finding): string {
  const where = scope === undefined ? "" : ` in ${neutralise(scope)}`;
  const often = times > 1 ? ` (${times.toLocaleString("en")})` : "";
  const then = fixed ? " Fixed." : hint === undefined ? "" : ` ${hint}`;
  return `${kind}${where}: ${neutralise(message)}${often}${then}`;
}

async function readProbes(text: string): Promise<readonly string[]> {
  if (!text.startsWith("@")) return [text];
  try {
    const lines = (await readFile(text.slice(1), "utf8")).split(/\r?\n/u);
    return lines.filter((line) => line.trim() !== "");
  } catch (cause) {
    throw new IbidError("invalid-argument", `${text.slice(1)} cannot be read.`, { hint: "Name a file.", cause });
  }
}

/** `ibid vacuum`, `restore` and `doctor` with their options and their help. */
export function addKeepingCommands(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("restore")
    .summary("restore a deleted document, a former version, or a whole backup")
    .description(
      "Restore a deleted document that was neither purged nor vacuumed; a former version, with --as-of; or a backup, with --from.",
    )
    .argument("[uri]", "as list printed it, or any path that led to it")
    .addOption(scopeOption().conflicts("from"))
    .addOption(
      new Option("--as-of <time>", "write it again as it stood then, such as 2026-11-23; needs history").conflicts(
        "from",
      ),
    )
    .option("--from <backup>", "make a knowledge base of this backup, in a folder that does not exist yet")
    .addHelpText(
      "after",
      examples([
        "ibid restore docs/keys.md",
        "ibid restore docs/keys.md --as-of 2026-11-01",
        "ibid restore --from /backups/monday --kb ./restored",
      ]),
    )
    .action(async function (this: Command, uri: string | undefined) {
      const options = this.optsWithGlobals<RestoreCommandOptions & { readonly from?: string }>();
      if ((uri === undefined) === (options.from === undefined)) {
        throw new IbidError("invalid-argument", "restore takes a document or a backup, one of them.", {
          hint: "Name a document, or a backup with --from.",
        });
      }
      done(await (uri === undefined ? restoreFrom(context, options.from!, options) : restore(context, uri, options)));
    });

  program
    .command("vacuum")
    .summary("erase deleted documents")
    .description("Erase deleted documents from every file.")
    .addOption(
      new Option("--older-than <time>", "only documents deleted longer ago (default: 7d)").argParser(readDuration),
    )
    .addHelpText("after", examples(["ibid vacuum", "ibid vacuum --older-than 30d", "ibid vacuum --older-than 0s"]))
    .action(async function (this: Command) {
      done(await vacuum(context, this.optsWithGlobals<VacuumCommandOptions>()));
    });

  program
    .command("doctor")
    .summary("check all stored data, and fix it")
    .description("Check all stored rows, words and vectors against each other. Exit 1 when something is wrong.")
    .option("--fix", "fix the problems that can be fixed")
    .addOption(
      new Option(
        "--absent <text>",
        "check that no file contains this text, or eight characters of it that no document has; @FILE for one a line",
      )
        .argParser((text: string, texts: readonly string[]) => [...texts, text])
        .default([], "none"),
    )
    .addHelpText("after", examples(["ibid doctor", "ibid doctor --fix", 'ibid doctor --absent "what was purged"']))
    .action(async function (this: Command) {
      done(await doctor(context, this.optsWithGlobals<DoctorCommandOptions>()));
    });
}
