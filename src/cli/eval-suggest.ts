import { existsSync } from "node:fs";
import type { Command } from "commander";
import { IbidError } from "../contracts/errors.ts";
import { checkPlace } from "./eval-files.ts";
import { examples, note } from "./help-text.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import { readDepth } from "./read-option.ts";
import { writeText } from "./read-text.ts";
import { count } from "./text-layout.ts";

interface SuggestCommandOptions extends CommonOptions {
  readonly out?: string;
  readonly under?: string;
  readonly perDocument?: number;
}

/** `ibid eval suggest`: writes candidate questions from headings. **Errors** `invalid-argument` for a file that exists, because it may hold corrections. */
async function suggest(context: Context, options: SuggestCommandOptions): Promise<number> {
  const { output, signal } = context;
  const { out, under, perDocument } = options;
  await checkPlace("--out", out);
  if (out !== undefined && existsSync(out)) {
    throw new IbidError("invalid-argument", `${out} exists, and is not written over.`, {
      hint: "Name another file, or remove this one.",
    });
  }
  const { suggestQuestions, formatQuestions } = await import("../eval/suggest-questions.ts");
  const { questions, documents, passedOver } = await withKnowledgeBase(options, {}, (kb) =>
    suggestQuestions(kb, {
      signal,
      ...(under !== undefined && { under }),
      ...(perDocument !== undefined && { perDocument }),
    }),
  );
  if (questions.length === 0) {
    throw new IbidError("empty", `No heading of ${count(documents, "document")} names a topic with a text below it.`, {
      hint: "Write the questions by hand: ibid eval --help shows their form.",
    });
  }
  const lines = formatQuestions(questions);
  if (out !== undefined) await writeText(out, lines);
  if (output.json) {
    await output.object({
      ...(out === undefined ? { suggested: questions } : { out }),
      questions: questions.length,
      documents,
      passedOver,
    });
    return 0;
  }
  if (out === undefined) {
    for (const line of lines.trimEnd().split("\n")) await output.line(line);
    return 0;
  }
  await output.line(
    `${count(questions.length, "question")} from the headings of ${count(documents, "document")}; ${count(passedOver, "heading")} passed over.`,
  );
  await output.prose(`Next: write each as a person would ask, take out the bad ones, then run: ibid eval ${out}`);
  return 0;
}

/** `ibid eval suggest` with its options and its help. */
export function addSuggestCommand(evaluation: Command, context: Context, done: (exitCode: number) => void): void {
  evaluation
    .command("suggest")
    .summary("write candidate questions from headings")
    .description(
      "Write candidate questions from the headings of the documents, each with its place, for a person to correct.",
    )
    .option("--out <file>", "write them to this file (default: standard output)")
    .option("--under <uri>", "only documents whose uri begins so")
    .option("--per-document <n>", "most questions of one document (default: 3)", readDepth)
    .addHelpText(
      "after",
      examples(["ibid eval suggest --out questions.jsonl", "ibid eval suggest --under docs/ --per-document 1"]) +
        note(
          "Headings that name no topic, such as Introduction, are passed over. The file is one that ibid eval takes.",
        ),
    )
    .action(async function (this: Command) {
      done(await suggest(context, this.optsWithGlobals()));
    });
}
