import type { Command } from "commander";
import { migrate } from "../knowledge-base/open/migrate.ts";
import { showLocation } from "../knowledge-base/open/location.ts";
import { examples, note } from "./help-text.ts";
import type { CommonOptions, Context } from "./open.ts";
import { createProgressLine } from "./progress.ts";
import { count } from "./text-layout.ts";

/** `ibid migrate`: copies a knowledge base to another place. */
export async function migrateTo(context: Context, to: string, options: CommonOptions): Promise<number> {
  const { output, signal } = context;
  const line = createProgressLine(context.stderr, { enabled: !(output.json && output.isTerminal) });
  const target = showLocation(to);
  try {
    const summary = await migrate(options.kb, to, {
      signal,
      onProgress: (done, all) => line.say(`Copying ${done.toLocaleString("en")} of ${count(all, "document")} …`),
    });
    line.clear();
    if (output.json) await output.object({ from: showLocation(options.kb), to: target, ...summary });
    else {
      const { documents, chunks, scopes, unchanged, verified } = summary;
      const same = unchanged === 0 ? "" : `, ${unchanged.toLocaleString("en")} unchanged`;
      await output.line(
        `Copied ${showLocation(options.kb)}: ${target} holds ${count(documents, "document")} and ${count(chunks, "chunk")} of ${count(scopes, "scope")}${same}`,
      );
      await output.line(
        `Verified ${count(verified.documents, "document")} by checksums and a sample of searches (${verified.searches.toLocaleString("en")})`,
      );
    }
    return 0;
  } finally {
    line.clear();
  }
}

export function addMigrateCommand(program: Command, context: Context, done: (code: number) => void): void {
  program
    .command("migrate")
    .summary("copy the knowledge base to another folder or database")
    .description("Copy every document with its chunks and vectors; uris and scopes stay")
    .argument("<location>", "folder, or postgres://user@host/database")
    .addHelpText(
      "after",
      examples(["ibid migrate postgres://ada@db.example/kb", "ibid --kb postgres://ada@db.example/kb migrate ./copy"]) +
        note(
          "Run it again after an interruption: documents that are there are passed over. Deleted documents stay behind. At the end every document is compared by a checksum, and a sample of searches.",
        ),
    )
    .action(async (to: string, _, command: Command) => {
      done(await migrateTo(context, to, command.optsWithGlobals()));
    });
}
