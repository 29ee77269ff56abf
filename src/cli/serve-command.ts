import { type Command, InvalidArgumentError, Option } from "commander";
import { examples, note } from "./help-text.ts";
import type { Context } from "./open.ts";
import { serve } from "./serve.ts";

/** `ibid serve` with its options and its help. */
export function addServeCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("serve")
    .summary("answer over HTTP, with a page to search and ask on")
    .description("Answer over HTTP, with a page to search and ask on, until it is stopped.")
    .addOption(new Option("--port <n>", "where to listen (default: 9090); 0 for any that is free").argParser(readPort))
    .option("--host <address>", "on which address (default: 127.0.0.1); others need --keys")
    .option("--keys <file>", "who may ask: JSON with keys, and who has each")
    .option("--write", "without --keys: let this machine also upload and delete")
    .addOption(list("--allow-host <name>", "answer to this name too; can be given again"))
    .addOption(list("--allow-origin <origin>", "let pages of this origin ask, such as https://app.example"))
    .option("--model <provider/model>", "who writes the answers, such as openai/gpt-5-mini or ollama/llama3.2")
    .option("--judge <provider/model>", "who decides whether answers are grounded (default: nobody; words decide)")
    .addHelpText(
      "after",
      examples([
        "ibid serve",
        "ibid serve --model ollama/llama3.2",
        "ibid serve --host 0.0.0.0 --keys keys.json",
        `curl localhost:9090/rag/query --json '{"query":"How do I rotate keys?"}'`,
      ]) +
        note(
          "Every request is a line on standard error, without what was asked. Ctrl-C finishes what was accepted; a second one ends at once.",
        ),
    )
    .action(async function (this: Command) {
      done(await serve(context, this.optsWithGlobals()));
    });
}

function list(flags: string, description: string): Option {
  return new Option(flags, description)
    .argParser((text: string, before: readonly string[]) => [...before, text])
    .default([], "none");
}

export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/u.test(text) || port > 65_535) throw new InvalidArgumentError("It must be a number from 0 to 65535.");
  return port;
}
