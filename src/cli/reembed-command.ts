import { type Command, InvalidArgumentError, Option } from "commander";
import { examples, note } from "./help-text.ts";
import type { Context } from "./open.ts";
import { readScope } from "./read-option.ts";
import { reembed } from "./reembed.ts";

/** `ibid reembed` with its options and its help. */
export function addReembedCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("reembed")
    .summary("change the embedding model, while searches go on")
    .description(
      "Embed every chunk with the model of --embedding-model, while searches use the old vectors; then switch, scope by scope.",
    )
    .addOption(new Option("--estimate", "only say how many chunks and tokens it would take").conflicts("rollback"))
    .addOption(new Option("--rollback", "go back to the vectors before, as long as they are kept"))
    .addOption(new Option("--scope <scope>", "only this one: team:<id>, user:<id>, …").argParser(readScope))
    .addOption(
      new Option("--price <amount>", "of a million tokens, to have the cost estimated").argParser((text) =>
        readNumber(text, 0),
      ),
    )
    .addOption(
      new Option("--chunks-per-minute <n>", "no faster than this").argParser((text) =>
        readNumber(text, Number.MIN_VALUE),
      ),
    )
    .addHelpText(
      "after",
      examples([
        "ibid reembed --embedding-model openai/text-embedding-3-small --estimate --price 0.02",
        "ibid reembed --embedding-model openai/text-embedding-3-small --former-embedding-model ollama/nomic-embed-text",
        "ibid reembed --embedding-model ollama/nomic-embed-text --rollback",
      ]) + note("After a stop or a crash, run it again: it continues."),
    )
    .action(async function (this: Command) {
      done(await reembed(context, this.optsWithGlobals()));
    });
}

function readNumber(text: string, least: number): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number) || number < least)
    throw new InvalidArgumentError(`It must be a number ${least === 0 ? "from" : "above"} 0.`);
  return number;
}
