import type { Command } from "commander";
import { askOptions } from "../knowledge-base/asking/ask-options.ts";
import { ask, type AskCommandOptions } from "./ask.ts";
import { chat } from "./chat.ts";
import { examples, note } from "./help-text.ts";
import type { Context } from "./open.ts";
import { addTableOptions } from "./table-options.ts";

/** `ibid ask` and `ibid chat` with their options and their help. */
export function addAskCommands(program: Command, context: Context, done: (exitCode: number) => void): void {
  addAnswerOptions(
    program
      .command("ask")
      .summary("answer a question, with citations")
      .description(
        "Answer a question from the documents, with citations. Without a model, in the documents' own sentences.",
      )
      .argument("<question>"),
  )
    .addHelpText(
      "after",
      examples([
        'ibid ask "How do I rotate keys?"',
        'ibid ask "How do I rotate keys?" --grounding strict',
        'ibid ask "How do I rotate keys?" --model ollama/llama3.2 --judge openai/gpt-5-mini',
      ]),
    )
    .action(async function (this: Command, question: string) {
      done(await ask(context, question, this.optsWithGlobals<AskCommandOptions>()));
    });

  addAnswerOptions(
    program
      .command("chat")
      .summary("answer questions that follow up on one another")
      .description("Answer questions, one a line, each understood as the continuation of those before it."),
  )
    .addHelpText(
      "after",
      examples(["ibid chat", "ibid chat --model ollama/llama3.2", "ibid chat --json < questions.txt"]) +
        note("Ends with the input: Ctrl-D on a terminal. Nothing of what is said is kept."),
    )
    .action(async function (this: Command) {
      done(await chat(context, this.optsWithGlobals<AskCommandOptions>()));
    });
}

function addAnswerOptions(command: Command): Command {
  command
    .option(
      "--model <provider/model>",
      "chat model that writes the answer, such as openai/gpt-5-mini or ollama/llama3.2",
    )
    .option(
      "--judge <provider/model>",
      "chat model that decides whether the answer is grounded (default: none; words decide)",
    )
    .option("--instructions <file>", "instructions for the model, as text");
  return addTableOptions(command, askOptions, ["instructions"]);
}
