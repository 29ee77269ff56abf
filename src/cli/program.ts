import { createRequire } from "node:module";
import { Command, Option } from "commander";
import { addAskCommands } from "./ask-commands.ts";
import { deleteDocument } from "./delete.ts";
import { variants } from "./eval-collection.ts";
import { evaluate } from "./eval.ts";
import { examples, note } from "./help-text.ts";
import { addIngestCommand } from "./ingest-command.ts";
import { addKeepingCommands } from "./keeping-commands.ts";
import { list } from "./list.ts";
import { addMcpCommand } from "./mcp-command.ts";
import type { CommonOptions, Context } from "./open.ts";
import { type Floor, readCount, readCutoffs, readDepth, readFloor, readRange, readScope } from "./read-option.ts";
import { addReembedCommand } from "./reembed-command.ts";
import { addServeCommand } from "./serve-command.ts";
import { search } from "./search.ts";
import { searchOptions } from "../search/search-options.ts";
import { show } from "./show.ts";
import { status } from "./status.ts";
import { addTableOptions } from "./table-options.ts";
import { addWatchCommand } from "./watch-command.ts";

/** A command's work: what it was given, and the exit code that it ends with. */
type Work<Options extends CommonOptions> = (context: Context, argument: string, options: Options) => Promise<number>;

/**
 * The command line: every command, its options and its help.
 *
 * **Shape** `done` is called with the exit code of the command that ran. Nothing is loaded or opened before a command runs.
 */
export function createProgram(context: Context, done: (exitCode: number) => void): Command {
  const program = new Command("ibid")
    .description("Ingest documents, search them, and get answers that cite the exact place.")
    .version(readVersion(), "-V, --version", "print the version")
    .usage("<command> [options]")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => title.replace("Global Options:", "Options of every command:"),
    })
    // Errors are said in one place, by main.
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
    .option("--kb <dir>", "folder of the knowledge base", ".ibid")
    .option("--json", "print JSON and nothing else")
    .option("--as-user <user>", "ask as this user: reads their own scope and the shared ones")
    .option("--as-team <team>", "ask as this team")
    .addOption(
      new Option("--as-teams <teams>", "ask as a member of these teams, with commas between them").argParser(
        (text: string) => text.split(",").map((team) => team.trim()),
      ),
    )
    .option("--with-platform", "let those who ask read the platform scope too")
    .option(
      "--embedding-model <provider/model>",
      "embed with this model, such as ollama/nomic-embed-text; once it has, it is remembered; none for the store's own",
    )
    .option(
      "--former-embedding-model <provider/model...>",
      "search by this one what is not embedded anew yet; see reembed",
    )
    .option("--reranker <provider/model>", "let this model order what was found, or proximity, which needs none")
    .addHelpText(
      "after",
      examples(["ibid ingest ./docs", 'ibid search "rotate keys"', 'ibid ask "How do I rotate keys?"']) +
        note(
          "Exit codes: 0 done, 1 failed, 2 used wrongly. NO_COLOR=1 turns colours off; IBID_DEBUG=1 says where an error comes from.",
        ),
    );

  const runMaybe = <Options extends CommonOptions>(
    work: (context: Context, argument: string | undefined, options: Options) => Promise<number>,
  ) =>
    async function (this: Command, argument?: string): Promise<void> {
      done(await work(context, argument, this.optsWithGlobals<Options>()));
    };
  const run = <Options extends CommonOptions>(work: Work<Options>) =>
    async function (this: Command, argument: string): Promise<void> {
      done(await work(context, argument, this.optsWithGlobals<Options>()));
    };
  const runAlone = (work: (context: Context, options: CommonOptions) => Promise<number>) =>
    async function (this: Command): Promise<void> {
      done(await work(context, this.optsWithGlobals<CommonOptions>()));
    };

  addIngestCommand(program, context, done);
  addWatchCommand(program, context, done);
  addMcpCommand(program, context, done);

  const searching = program
    .command("search")
    .summary("find the passages that match a query")
    .description("Find the passages that match a query, best first.")
    .argument("<query>", "words, a question, or with --mode regex a pattern");
  addTableOptions(searching, searchOptions)
    .option("--merge", "show neighbouring hits of a document as one hit")
    .option("--ids", "print the id of each hit's chunk, for show --chunk")
    .addHelpText(
      "after",
      examples([
        'ibid search "rotate keys"',
        `ibid search "rotate keys" --top-k 10 --filter '{"product":"api","year":{"gte":2024}}'`,
        "ibid search 'ERR_[A-Z_]+' --mode regex",
        `ibid search '+rotate "api key" -legacy' --syntax lucene`,
        "ibid search 'what to do when it fails' --pattern 'ERR_[A-Z_]+'",
      ]),
    )
    .action(run(search));

  addAskCommands(program, context, done);

  program
    .command("list")
    .summary("list the documents")
    .description("List the documents, by uri, then scope.")
    .addHelpText("after", examples(["ibid list", "ibid list --as-user ada"]))
    .action(runAlone(list));

  program
    .command("show")
    .summary("print a document, a part of it, or its outline")
    .description("Print a document's text exactly, a part of it, or its outline.")
    .argument("[uri]", "as list prints it, or any path that leads to it")
    .addOption(
      new Option("--outline", "print the sections, where they are, and their ids").conflicts([
        "at",
        "section",
        "chunk",
      ]),
    )
    .addOption(new Option("--section <id>", "print the section that the outline calls so").conflicts(["at", "chunk"]))
    .addOption(
      new Option("--at <START:END>", "print the text from START to END, counted in UTF-16")
        .argParser(readRange)
        .conflicts("chunk"),
    )
    .addOption(
      new Option("--links", "print where its words lead (pages hide the addresses) instead of the text").conflicts(
        "outline",
      ),
    )
    .addOption(
      new Option("--suspicious", "print what in it speaks to models rather than to its readers").conflicts([
        "outline",
        "section",
        "at",
        "chunk",
        "links",
      ]),
    )
    .option("--chunk <id>", "print the chunk that a search found, without naming its document")
    .addOption(new Option("--neighbours <n>", "of a chunk: with so many before and after it").argParser(readCount))
    .addOption(
      new Option("--zoom-out [n]", "of a chunk: its section, or the n-th one up (default: 1)")
        .argParser(readDepth)
        .conflicts("neighbours"),
    )
    .addOption(scopeOption())
    .addHelpText(
      "after",
      examples([
        "ibid show docs/keys.md",
        "ibid show docs/keys.md --outline",
        "ibid show docs/keys.md --section 0.1",
        "ibid show docs/keys.md --at 120:180",
        "ibid show --chunk 1f3a… --neighbours 2",
      ]),
    )
    .action(runMaybe(show));

  program
    .command("delete")
    .summary("take a document out")
    .description("Take a document out. Until it is vacuumed, restore takes that back.")
    .argument("<uri>", "as list prints it, or any path that leads to it")
    .addOption(scopeOption())
    .option("--purge", "for good, and out of every file")
    .addHelpText(
      "after",
      examples([
        "ibid delete docs/keys.md",
        "ibid delete docs/keys.md --scope team:support",
        "ibid delete docs/keys.md --purge",
      ]),
    )
    .action(run(deleteDocument));

  addKeepingCommands(program, context, done, scopeOption);

  program
    .command("status")
    .summary("say how much there is, of what, for whom")
    .description("Say how much there is, of what, for whom; or how the last minute went.")
    .option("--health", "how searches, embeddings, writes and the queue fared in the last minute, in every process")
    .addHelpText("after", examples(["ibid status", "ibid status --health"]))
    .action(runAlone(status));

  addReembedCommand(program, context, done);
  addServeCommand(program, context, done);

  program
    .command("eval")
    .summary("measure how well searches find")
    .description(
      "Measure how well searches find: on a test collection, in memory, or with questions of your own, in the knowledge base.",
    )
    .argument("<folder|questions.jsonl>", "corpus.jsonl, queries.jsonl and qrels.tsv; or questions")
    .addOption(
      new Option("--mode <mode>", "which legs search (default: hybrid)").choices(["hybrid", "dense", "lexical"]),
    )
    .addOption(new Option("--variant <name>", "how words are scored (default: default)").choices(Object.keys(variants)))
    .addOption(new Option("--depth <n>", "how many results a query (default: 100)").argParser(readDepth))
    .addOption(new Option("--k <n,…>", "measure also at these ranks, such as 5,30").argParser(readCutoffs))
    .option("--run <file>", "write what was found, as a TREC run")
    .addOption(
      new Option("--read-run <file>", "score this TREC run instead of searching").conflicts([
        "mode",
        "variant",
        "depth",
        "run",
      ]),
    )
    .addOption(new Option("--save-baseline <file>", "keep the result to compare with later").conflicts("against"))
    .option("--against <file>", "compare with a kept result; exit 1 when worse beyond chance")
    .addOption(
      new Option("--min <metric=value>", "exit 1 below this; can be given again")
        .argParser((text: string, floors: readonly Floor[]) => [...floors, readFloor(text)])
        .default([], "none"),
    )
    .addHelpText(
      "after",
      examples([
        "ibid eval ./scifact --mode lexical --run lexical.run",
        "ibid eval questions.jsonl --save-baseline before.json",
        "ibid eval questions.jsonl --against before.json --min success@5=0.9",
      ]) +
        note(
          'A question is a line such as {"question": "…", "uri": "docs/keys.md", "quote": "…"}, with uri, quote or both; or, when nothing answers it, {"question": "…", "answerable": false}.',
        ),
    )
    .action(run(evaluate));

  return program;
}

function scopeOption(): Option {
  return new Option(
    "--scope <scope>",
    "which one, when several scopes hold the uri: team:<id>, user:<id>, …",
  ).argParser(readScope);
}

function readVersion(): string {
  // By the package's own name: what is built does not lie as deep as its source.
  return (createRequire(import.meta.url)("ibid/package.json") as { version: string }).version;
}
