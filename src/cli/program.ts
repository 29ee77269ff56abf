import { Command, Option } from "commander";
import { addAskCommands } from "./ask.ts";
import { applyConfig } from "./apply-config.ts";
import { addBackupCommand } from "./backup.ts";
import { addCompletionCommand } from "./completion.ts";
import { addConfigCommand } from "./config.ts";
import { addDeleteCommand } from "./delete.ts";
import { addDocsCommand } from "./docs.ts";
import { addCollectionsCommand, addEntitiesCommand } from "./entities.ts";
import { addEvalCommand } from "./eval.ts";
import { examples, note } from "./help-text.ts";
import { addIngestCommand } from "./ingest.ts";
import { addKeepingCommands } from "./keeping.ts";
import { addKeysCommand } from "./keys.ts";
import { addListCommand } from "./list.ts";
import { addMcpCommand } from "./mcp.ts";
import { openOptions, qualityOptions } from "../knowledge-base/open/open-options.ts";
import { checkModelNames } from "../knowledge-base/open/remembered-models.ts";
import { answerModels, type CommonOptions, type Context } from "./open.ts";
import { addMemoryCommand } from "./memory.ts";
import { addMigrateCommand } from "./migrate.ts";
import { addReembedCommand } from "./reembed.ts";
import { showDownload } from "./show-download.ts";
import { addSearchCommand } from "./search.ts";
import { addServeCommand } from "./serve.ts";
import { addShowCommand } from "./show.ts";
import { addSynonymsCommand } from "./synonyms.ts";
import { addSiteCommand } from "./site.ts";
import { addStatusCommand } from "./status.ts";
import { addTableOptions } from "./table-options.ts";
import { version } from "../runtime/version.ts";
import { addVerifyCommand } from "./verify.ts";
import { addWatchCommand } from "./watch.ts";

/**
 * The command line: every command, its options and its help.
 *
 * **Shape** `done` is called with the exit code of the command that ran. Nothing is loaded or opened before a command runs.
 */
export function createProgram(context: Context, done: (exitCode: number) => void): Command {
  const program = new Command("ibid")
    .description("Ingest documents, search them, and get answers that cite the exact place.")
    .version(version, "-V, --version", "print the version")
    .usage("<command> [options]")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => title.replace("Global Options:", "Options of every command:"),
    })
    // main prints all errors.
    .configureOutput({
      outputError: () => {},
      writeOut: (text) => void context.stdout.write(text),
      getOutHelpWidth: () => context.stdout.columns ?? 80,
      getErrHelpWidth: () => context.stderr.columns ?? 80,
      writeErr: (text) => {
        if (!context.output.json) context.stderr.write(text);
      },
    })
    .exitOverride()
    .option(
      "--kb <dir>",
      "folder of the knowledge base, also found in a parent folder; or postgres://user@host/database",
      ".ibid",
    )
    .option("--config <file>", "configuration, in place of the ibid.config.* that is found upwards; none for none")
    .option("--json", "print JSON and nothing else")
    .option("-q, --quiet", "print results and errors, without progress, warnings and logs")
    .option("--as-user <user>", "ask as this user: reads their own scope and the shared ones")
    .option("--as-team <team>", "ask as this team")
    .addOption(
      new Option("--as-teams <teams>", "ask as a member of these teams, with commas between them").argParser(
        (text: string) => text.split(",").map((team) => team.trim()),
      ),
    )
    .addHelpText(
      "after",
      examples(["ibid ingest ./docs", 'ibid search "rotate keys"', 'ibid ask "How do I rotate keys?"']) +
        note(
          "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused or not verified. NO_COLOR=1 turns colours off; IBID_DEBUG=1 prints where an error comes from.",
        ),
    );

  addTableOptions(program, { ...qualityOptions, ...openOptions }, answerModels);
  program.hook("preAction", async (_, command) => {
    await checkNamesOfModels(program.opts());
    await applyConfig(program, command, context);
    const { quality, embeddingModel, reranker } = program.opts<CommonOptions & { readonly quality?: "local" }>();
    // A value that is set loses its source, by which the flags of the caller are known.
    if (embeddingModel === undefined) program.setOptionValue("embeddingModel", quality);
    if (reranker === undefined) program.setOptionValue("reranker", quality);
    program.setOptionValue("onDownload", showDownload(context));
  });

  addIngestCommand(program, context, done);
  addWatchCommand(program, context, done);
  addMcpCommand(program, context, done);
  addMemoryCommand(program, context, done);
  addSearchCommand(program, context, done);
  addAskCommands(program, context, done);
  addVerifyCommand(program, context, done);
  addEntitiesCommand(program, context, done);
  addCollectionsCommand(program, context, done);
  addListCommand(program, context, done);
  addShowCommand(program, context, done);
  addDeleteCommand(program, context, done);
  addKeepingCommands(program, context, done);
  addBackupCommand(program, context, done);
  addStatusCommand(program, context, done);
  addReembedCommand(program, context, done);
  addMigrateCommand(program, context, done);
  addServeCommand(program, context, done);
  addConfigCommand(program, context, done);
  addKeysCommand(program, context, done);
  addSynonymsCommand(program, context, done);
  addEvalCommand(program, context, done);
  addSiteCommand(program, context, done);
  addDocsCommand(program, context, done);
  addCompletionCommand(program, context, done);

  return program;
}

/** Also where a command needs none of the models, so that a slip is seen at once. **Errors** `invalid-argument`. */
async function checkNamesOfModels({
  embeddingModel,
  formerEmbeddingModel = [],
  reranker,
}: CommonOptions): Promise<void> {
  const embedding = [embeddingModel, ...formerEmbeddingModel].filter((name) => name !== undefined && name !== "none");
  await checkModelNames(
    [...embedding, ...(reranker === "proximity" ? [] : [reranker])].filter((name) => name !== undefined),
  );
}
