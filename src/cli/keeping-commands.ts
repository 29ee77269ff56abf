import { type Command, Option } from "commander";
import { examples } from "./help-text.ts";
import {
  doctor,
  type DoctorCommandOptions,
  restore,
  type RestoreCommandOptions,
  vacuum,
  type VacuumCommandOptions,
} from "./keeping.ts";
import type { Context } from "./open.ts";
import { readDuration } from "./read-option.ts";

/** `ibid vacuum`, `restore` and `doctor` with their options and their help. */
export function addKeepingCommands(
  program: Command,
  context: Context,
  done: (exitCode: number) => void,
  scopeOption: () => Option,
): void {
  program
    .command("restore")
    .summary("take back a delete")
    .description("Restore a deleted document that was neither purged nor vacuumed.")
    .argument("<uri>", "as list printed it, or any path that led to it")
    .addOption(scopeOption())
    .addHelpText("after", examples(["ibid restore docs/keys.md"]))
    .action(async function (this: Command, uri: string) {
      done(await restore(context, uri, this.optsWithGlobals<RestoreCommandOptions>()));
    });

  program
    .command("vacuum")
    .summary("remove for good what was deleted")
    .description("Erase deleted documents from every file.")
    .addOption(new Option("--older-than <time>", "what was deleted longer ago (default: 7d)").argParser(readDuration))
    .addHelpText("after", examples(["ibid vacuum", "ibid vacuum --older-than 30d", "ibid vacuum --older-than 0s"]))
    .action(async function (this: Command) {
      done(await vacuum(context, this.optsWithGlobals<VacuumCommandOptions>()));
    });

  program
    .command("doctor")
    .summary("look whether all is well, and fix what is not")
    .description("Check all stored rows, words and vectors against each other. Exit 1 when something is wrong.")
    .option("--fix", "fix what can be fixed")
    .addOption(
      new Option(
        "--absent <text>",
        "this must stand in no file, nor any eight characters of it that no document has; @FILE for one a line",
      )
        .argParser((text: string, texts: readonly string[]) => [...texts, text])
        .default([], "none"),
    )
    .addHelpText("after", examples(["ibid doctor", "ibid doctor --fix", 'ibid doctor --absent "what was purged"']))
    .action(async function (this: Command) {
      done(await doctor(context, this.optsWithGlobals<DoctorCommandOptions>()));
    });
}
