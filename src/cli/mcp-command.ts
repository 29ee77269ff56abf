import { type Command, Option } from "commander";
import { examples, note } from "./help-text.ts";
import { mcp } from "./mcp.ts";
import { readPort } from "./serve-command.ts";
import type { Context } from "./open.ts";
import { readFilter, readScope } from "./read-option.ts";

/** `ibid mcp` with its options and its help. */
export function addMcpCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("mcp")
    .summary("serve the knowledge base to agents, over MCP")
    .description(
      "Serve the knowledge base over MCP: to one agent on standard input and output, or with --port to callers over HTTP.",
    )
    .option("--about <text>", "what is in it, for the agent: the handbook of ACME")
    .addOption(new Option("--filter <json>", "only where the metadata match").argParser(readFilter))
    .addOption(new Option("--scope <scope>", "only this scope, such as team:acme").argParser(readScope))
    .addOption(
      new Option("--port <n>", "over streamable HTTP, on this port; 0 for any that is free").argParser(readPort),
    )
    .option("--host <address>", "with --port: on which address (default: 127.0.0.1); others need --keys")
    .option("--keys <file>", "with --port: who may ask, as for serve")
    .addHelpText(
      "after",
      examples([
        "ibid mcp --kb ./kb",
        "ibid mcp --kb ./kb --as-user ada --as-team acme",
        "ibid mcp --port 9090 --keys keys.json",
      ]) +
        note(
          'In a client\'s configuration: { "command": "npx", "args": ["ibid", "mcp", "--kb", "/path/to/kb"] }. It reads only; who is asking is what --as-user and --as-team say, or over HTTP the key. ibid serve has the same at /mcp.',
        ),
    )
    .action(async function (this: Command) {
      done(await mcp(context, this.optsWithGlobals()));
    });
}
