import { type Command, Option } from "commander";
import { examples, note } from "./help-text.ts";
import { repeated } from "./ingest-command.ts";
import type { Context } from "./open.ts";
import { readCount } from "./read-option.ts";
import { watch } from "./watch.ts";

/** `ibid watch` with its options and its help. */
export function addWatchCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("watch")
    .summary("ingest folders, and what changes in them from then on")
    .description("Ingest folders, then each change in them, until it is stopped.")
    .argument("<folder...>", "what to watch, with everything below it")
    .addOption(repeated("--include <glob>", "only these files"))
    .addOption(repeated("--exclude <glob>", "not these files and folders"))
    .addOption(new Option("--max-depth <n>", "how many folders down; 0 for none").argParser(readCount))
    .option("--follow-symlinks", "follow symbolic links that stay inside their folder")
    .option("--poll", "look every 10 seconds instead of waiting to be told: for network drives")
    .addOption(new Option("--team <team>", "put the documents in this team's scope").conflicts(["user", "platform"]))
    .addOption(new Option("--user <user>", "put the documents in this user's scope").conflicts(["team", "platform"]))
    .addOption(new Option("--platform", "put the documents in the platform scope").conflicts(["team", "user"]))
    .addOption(repeated("--metadata <k=v>", "add to every document's metadata; a number or true or false is one"))
    .option("--no-sweep", "keep documents whose files are gone")
    .addHelpText(
      "after",
      examples(["ibid watch ./docs", "ibid watch ./docs ./notes --team support"]) +
        note(
          "What cannot be ingested because somebody else is busy is tried again after 30 seconds, and later. Ctrl-C finishes what was seen; a second one does not, and what is left is done the next time.",
        ),
    )
    .action(async function (this: Command, folders: readonly string[]) {
      done(await watch(context, folders, this.optsWithGlobals()));
    });
}
