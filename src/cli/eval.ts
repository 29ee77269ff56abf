import { stat } from "node:fs/promises";
import { type Command, Option } from "commander";
import { IbidError } from "../contracts/errors.ts";
import type { EvalCommandOptions } from "./eval-report.ts";
import { addSettings } from "./eval-settings.ts";
import { addSuggestCommand } from "./eval-suggest.ts";
import { variants } from "./eval-variants.ts";
import { examples, note } from "./help-text.ts";
import { type Context, requireText } from "./open.ts";
import { type Floor, readCutoffs, readDepth, readFloor } from "./read-option.ts";

/** `ibid eval`: a folder is a test collection, a file is questions for the knowledge base. */
export async function evaluate(context: Context, path: string, options: EvalCommandOptions): Promise<number> {
  requireText("folder or file", path);
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) {
    throw new IbidError("not-found", `There is no ${path}.`, {
      uri: path,
      hint: "Name a folder with corpus.jsonl, queries.jsonl and qrels.tsv, or a file of questions.",
    });
  }
  if (facts.isDirectory()) {
    const { evaluateCollection } = await import("./eval-collection.ts");
    return await evaluateCollection(context, path, options);
  }
  const { evaluateOwnQuestions } = await import("./eval-questions.ts");
  return await evaluateOwnQuestions(context, path, options);
}

/** `ibid eval` with its options and its help. */
export function addEvalCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const command = program
    .command("eval")
    .summary("measure how well searches find")
    .description(
      "Measure how well searches find: on a test collection, in memory, or with questions of your own, in the knowledge base.",
    )
    .argument("<folder|questions.jsonl>", "corpus.jsonl, queries.jsonl and qrels.tsv; or questions")
    .addOption(
      new Option("--mode <mode>", "legs that search (default: hybrid)").choices(["hybrid", "dense", "lexical"]),
    )
    .addOption(new Option("--variant <name>", "how words are scored (default: default)").choices(Object.keys(variants)))
    .addOption(new Option("--depth <n>", "results of a query (default: 100)").argParser(readDepth))
    .addOption(new Option("--k <n,…>", "also measure at these ranks, such as 5,30").argParser(readCutoffs))
    .option("--run <file>", "write the results as a TREC run")
    .addOption(
      new Option("--read-run <file>", "score this TREC run instead of searching").conflicts([
        "mode",
        "variant",
        "depth",
        "run",
      ]),
    )
    .addOption(new Option("--save-baseline <file>", "save the result, to compare with later").conflicts("against"))
    .option("--against <file>", "compare with a saved result; exit 1 when worse beyond chance")
    .option("--html <file>", "write a page with the misses beside what was found")
    .option("--junit <file>", "write the conditions and the questions as JUnit's XML")
    .addOption(
      new Option("--min <metric=value>", "exit 1 below this; repeatable")
        .argParser((text: string, floors: readonly Floor[]) => [...floors, readFloor(text)])
        .default([], "none"),
    )
    .addHelpText(
      "after",
      examples([
        "ibid eval ./scifact --mode lexical --run lexical.run",
        "ibid eval questions.jsonl --save-baseline before.json",
        "ibid eval questions.jsonl --against before.json --min success@5=0.9 --html report.html",
        "ibid eval questions.jsonl --versus mode=lexical",
        "ibid eval suggest --out questions.jsonl",
      ]) +
        note(
          'A question is a line such as {"question": "…", "uri": "docs/keys.md", "quote": "…"}, with uri, quote or both, or {"question": "…", "uri": "report.pdf", "page": 12}. A question without an answer is {"question": "…", "answerable": false}.',
        ),
    )
    .action(async function (this: Command, path: string) {
      done(await evaluate(context, path, this.optsWithGlobals()));
    });
  addSettings(command);
  addSuggestCommand(command, context, done);
}
