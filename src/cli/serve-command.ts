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
    .addOption(new Option("--port <n>", "port to listen on (default: 9090); 0 for any free one").argParser(readPort))
    .option("--host <address>", "address to listen on (default: 127.0.0.1); others need --keys")
    .option("--keys <file>", "JSON file with the keys and their callers")
    .option("--write", "without --keys: let this machine also upload and delete")
    .addOption(list("--allow-host <name>", "answer to this host name too; repeatable"))
    .addOption(
      list("--allow-origin <origin>", "accept requests from pages of this origin, such as https://app.example"),
    )
    .option("--model <provider/model>", "model that writes the answers, such as openai/gpt-5-mini or ollama/llama3.2")
    .option("--judge <provider/model>", "model that checks whether answers are grounded (default: none; words decide)")
    .addHelpText(
      "after",
      examples([
        "ibid serve",
        "ibid serve --model ollama/llama3.2",
        "ibid serve --host 0.0.0.0 --keys keys.json",
        `curl localhost:9090/rag/query --json '{"query":"How do I rotate keys?"}'`,
      ]) +
        note(
          "Each request is a line on standard error, without the question. Ctrl-C finishes accepted requests; a second one ends at once.",
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
