import { type Command, Option } from "commander";
import { examples, note } from "./help-text.ts";
import { mcp } from "./mcp.ts";
import type { Context } from "./open.ts";
import { readFilter, readScope } from "./read-option.ts";

/** `ibid mcp` with its options and its help. */
export function addMcpCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("mcp")
    .summary("serve the knowledge base to agents, over MCP")
    .description("Serve the knowledge base to one agent over MCP, on standard input and output, until it hangs up.")
    .option("--about <text>", "what is in it, for the agent: the handbook of ACME")
    .addOption(new Option("--filter <json>", "only where the metadata match").argParser(readFilter))
    .addOption(new Option("--scope <scope>", "only this scope, such as team:acme").argParser(readScope))
    .addHelpText(
      "after",
      examples(["ibid mcp --kb ./kb", "ibid mcp --kb ./kb --as-user ada --as-team acme"]) +
        note(
          'In a client\'s configuration: { "command": "npx", "args": ["ibid", "mcp", "--kb", "/path/to/kb"] }. It reads only; who is asking is what --as-user and --as-team say.',
        ),
    )
    .action(async function (this: Command) {
      done(await mcp(context, this.optsWithGlobals()));
    });
}
