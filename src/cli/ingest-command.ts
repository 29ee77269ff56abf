import { type Command, Option } from "commander";
import { examples, note } from "./help-text.ts";
import { ingestOptions } from "../ingest/ingest-options.ts";
import { ingest } from "./ingest.ts";
import { addTableOptions } from "./table-options.ts";
import type { Context } from "./open.ts";
import { readRefresh } from "./read-option.ts";

/** `ibid ingest` with its options and its help. */
export function addIngestCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const command = program
    .command("ingest")
    .summary("read files, folders, globs and addresses")
    .description("Read files, folders, globs and addresses into the knowledge base; make it when it is not there.")
    .argument("[path|glob|url...]", "what to read; put globs in quotes")
    .addOption(repeated("--sitemap <url>", "read the pages that a site lists there, an index of sitemaps included"))
    .addOption(repeated("--urls <file>", "read the addresses in a text file, one a line"))
    .addOption(repeated("--include <glob>", "of folders and globs, only these files"))
    .addOption(repeated("--exclude <glob>", "of folders and globs, not these files and folders"))
    .option("--follow-symlinks", "follow symbolic links that stay inside their folder")
    .addOption(
      new Option(
        "--refresh <when>",
        "look again at what is there already: always, never, when it was last looked at longer ago than 12h, or lastmod: when its sitemap says that it has changed since (default: always)",
      ).argParser(readRefresh),
    )
    .addOption(new Option("--team <team>", "put the documents in this team's scope").conflicts(["user", "platform"]))
    .addOption(new Option("--user <user>", "put the documents in this user's scope").conflicts(["team", "platform"]))
    .addOption(new Option("--platform", "put the documents in the platform scope").conflicts(["team", "user"]))
    .addOption(
      new Option(
        "--metadata <k=v>",
        "add to every document's metadata; more pairs may follow; a number or true or false is one",
      )
        .argParser((pair: string, pairs: readonly string[]) => [...pairs, pair])
        .default([], "none"),
    )
    .addOption(
      new Option(
        "--password <password>",
        "opens protected files; in the environment it stays out of the shell's history",
      ).env("IBID_PASSWORD"),
    );
  addTableOptions(command, ingestOptions, ["metadata", "password", "include", "exclude"])
    .addHelpText(
      "after",
      examples([
        "ibid ingest ./docs README.md",
        "ibid ingest 'src/**/*.{md,mdx}' --metadata product=api year=2026",
        "ibid ingest https://example.com/guide --team support",
        "ibid ingest --sitemap https://example.com/sitemap.xml --refresh 1d",
      ]) +
        note(
          "What .gitignore leaves out is left out of folders and globs, and so are names that begin with a dot and folders such as node_modules, build, dist and target, unless they are named. A file named outright is always tried.",
        ),
    )
    .action(async function (this: Command, inputs: readonly string[]) {
      done(await ingest(context, inputs, this.optsWithGlobals()));
    });
}

/** Can be given again. */
export function repeated(flags: string, description: string): Option {
  return new Option(flags, `${description}; can be given again`)
    .argParser((value: string, values: readonly string[]) => [...values, value])
    .default([], "none");
}
