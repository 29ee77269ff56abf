import { once } from "node:events";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Argument, type Command, Option } from "commander";
import { IbidError } from "../contracts/errors.ts";
import type { FilterInput } from "../contracts/filter.ts";
import type { Scope } from "../contracts/scope.ts";
import { folderOf, showLocation } from "../knowledge-base/open/location.ts";
import { examples, note } from "./help-text.ts";
import { memoryPlace } from "./memory-place.ts";
import { asOperator, type CommonOptions, type Context, followPurgesOf, readCaller, withKnowledgeBase } from "./open.ts";
import { installEntry, type McpClient, mcpClients, thisSystem } from "./mcp-install.ts";
import { readFilter, readScope } from "./read-option.ts";
import { serve, readPort } from "./serve.ts";

export interface McpCommandOptions extends CommonOptions {
  readonly about?: string;
  readonly filter?: FilterInput;
  readonly scope?: Scope;
  readonly port?: number;
  readonly host?: string;
  readonly keys?: string;
  /** Where notes are kept: the caller's own scope, that of the repository, or a scope. `true` chooses. */
  readonly memory?: true | string;
  readonly memoryConfirm?: true;
  /** Whether there are tools that delete and restore documents. */
  readonly changes?: true;
  readonly changesConfirm?: true;
  /** Names of entities for which there are tools. */
  readonly entities?: readonly string[];
  /** Whether there are tools for collections. */
  readonly collections?: true;
}

/** A longer message of a client ends the connection. **Units** bytes. **Source** ibid's own choice. */
const longestMessage = 32 * 1024 * 1024;

/**
 * `ibid mcp`: serves the knowledge base to one client, on standard input and output, until the client closes them.
 *
 * Standard output carries only the protocol. The options choose the caller, as for every command. With a port, it is `ibid serve` with that route alone.
 */
export async function mcp(context: Context, options: McpCommandOptions): Promise<number> {
  const { signal, stderr } = context;
  const { about, filter, scope, port, host, keys, memory: where, memoryConfirm, collections } = options;
  const { changes = false, changesConfirm = false } = options;
  const names = options.entities ?? [];
  checkTogether(options);
  const caller = readCaller(options);
  const memory =
    where === undefined
      ? undefined
      : {
          ...memoryPlace(where, caller, port !== undefined),
          ...(memoryConfirm === true && { confirm: true }),
        };
  const limits = {
    ...options.settings?.values.mcp,
    ...(about !== undefined && { about }),
    ...(filter !== undefined && { filter }),
    ...(scope !== undefined && { scopes: [scope] }),
    ...(collections === true && { collections }),
    ...(changes && { changes: changesConfirm ? { confirm: true } : true }),
  };
  if (port !== undefined)
    return serve(context, {
      ...options,
      allowHost: [],
      allowOrigin: [],
      trustProxy: [],
      mcp: { ...limits, ...(memory && { memory }) },
      entities: Object.fromEntries(names.map((name) => [name, {}])),
      only: "mcp",
    });
  if (host !== undefined || keys !== undefined) {
    throw new IbidError(
      "invalid-argument",
      `${host === undefined ? "--keys" : "--host"} needs --port: it is an option of MCP over HTTP.`,
      {
        hint: "Add --port, or leave it out.",
      },
    );
  }
  // A memory begins without a knowledge base.
  const how =
    memory === undefined ? ({ embeds: "queries" } as const) : ({ embeds: "documents", create: true } as const);
  const session = crypto.randomUUID();
  return withKnowledgeBase(asOperator(options), how, async (whole) => {
    const kb = await followPurgesOf(options.kb, whole, caller === undefined ? whole : whole.as(caller));
    const { openEntities } = await import("../knowledge-base/entities/open-entities.ts");
    const offered = {
      ...limits,
      entities: names.map((name) => openEntities(kb, name)),
      ...(memory && {
        memory: { ...memory, session, ...(caller?.userId !== undefined && { by: caller.userId }) },
      }),
    };
    const [{ createMcpServer }, { serveStdio, StdioServerTransport }] = await Promise.all([
      import("../integrations/mcp/index.ts"),
      import("@modelcontextprotocol/server/stdio"),
    ]);
    const { stdin, stdout } = process;
    const wire = new StdioServerTransport(stdin, stdout, { maxBufferSize: longestMessage });
    const connection = serveStdio(() => createMcpServer(kb, offered), {
      transport: wire,
      onerror: (error) => void stderr.write(`ibid mcp: ${error.name}\n`),
    });
    const closed = new Promise<void>((resolve) => {
      const end = wire.onclose;
      wire.onclose = () => {
        end?.();
        resolve();
      };
    });
    try {
      await Promise.race([closed, once(stdin, "close", { signal })]);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await connection.close();
    // The transport closes by itself, while the client is still there, for a message that is too long.
    if (!signal.aborted && !stdin.readableEnded && !stdin.destroyed && stdout.errored === null) {
      throw new IbidError("too-large", `A message of the client has more than ${longestMessage} bytes.`, {
        hint: "Send less at once, or ingest a long text as a document.",
        details: { limit: longestMessage },
      });
    }
    return 0;
  });
}

/** **Errors** `invalid-argument` for options that do not go together. */
function checkTogether({ memory, memoryConfirm, changes, changesConfirm, filter }: McpCommandOptions): void {
  for (const [confirms, isThere, name] of [
    [memoryConfirm, memory !== undefined, "--memory"],
    [changesConfirm, changes === true, "--changes"],
  ] as const) {
    if (confirms !== true || isThere) continue;
    throw new IbidError("invalid-argument", `${name}-confirm needs ${name}.`, {
      hint: `Add ${name}, or leave ${name}-confirm out.`,
    });
  }
  if (changes === true && filter !== undefined) {
    throw new IbidError("invalid-argument", "--changes does not go with --filter.", {
      hint: "Leave one of them out: a filter hides parts of documents, and a change is of a whole one.",
    });
  }
}

interface InstallOptions extends McpCommandOptions {
  readonly name: string;
  readonly dryRun?: true;
}

/** The options of the server that a client starts, as it types them. **Errors** `invalid-argument` for those of a server over HTTP. */
function serverArguments(options: McpCommandOptions): readonly string[] {
  const { about, filter, scope, memory, memoryConfirm, changes, changesConfirm, entities = [], collections } = options;
  for (const name of ["port", "host", "keys"] as const) {
    if (options[name] === undefined) continue;
    throw new IbidError("invalid-argument", `--${name} does not go with install: a client starts its own server.`, {
      hint: `Leave --${name} out. A server over HTTP has an address, which the client's configuration names.`,
    });
  }
  return [
    ...(about === undefined ? [] : ["--about", about]),
    ...(filter === undefined ? [] : ["--filter", JSON.stringify(filter)]),
    ...(scope === undefined ? [] : ["--scope", scope]),
    ...(memory === undefined ? [] : memory === true ? ["--memory"] : ["--memory", memory]),
    ...(memoryConfirm === true ? ["--memory-confirm"] : []),
    ...(changes === true ? ["--changes"] : []),
    ...(changesConfirm === true ? ["--changes-confirm"] : []),
    ...(collections === true ? ["--collections"] : []),
    ...(entities.length === 0 ? [] : ["--entities", ...entities]),
  ];
}

/** Flags of every command that choose how the knowledge base is opened, in the order of the manual, with those that name a file. */
const passedOn = {
  config: "file",
  quality: "text",
  embeddingModel: "text",
  formerEmbeddingModel: "text",
  reranker: "text",
  synonyms: "file",
  withPlatform: "flag",
  history: "flag",
} as const;

/** Flags that the caller gave for opening the knowledge base, as they are typed. A path is absolute: a client starts its server anywhere. */
function openingArguments(command: Command): readonly string[] {
  return Object.entries(passedOn).flatMap(([name, kind]) => {
    if (command.getOptionValueSourceWithGlobals(name) !== "cli") return [];
    const value = command.optsWithGlobals<Record<string, unknown>>()[name];
    const flag = `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
    if (kind === "flag") return value === true ? [flag] : [];
    return [value].flat().flatMap((one) => {
      const text = String(one);
      return [flag, kind === "file" && text !== "none" ? resolve(text) : text];
    });
  });
}

/** `ibid mcp install`: writes the entry of this knowledge base into a client's configuration, and shows it. */
async function install(
  { output }: Context,
  client: McpClient,
  options: InstallOptions,
  opening: readonly string[],
): Promise<number> {
  const { kb, asUser, asTeam, asTeams, dryRun = false } = options;
  const caller = [
    ...(asUser === undefined ? [] : ["--as-user", asUser]),
    ...(asTeam === undefined ? [] : ["--as-team", asTeam]),
    ...(asTeams === undefined ? [] : ["--as-teams", asTeams.join(",")]),
  ];
  // Windows starts npx by its shell only.
  const [command, ...before] = process.platform === "win32" ? ["cmd", "/c", "npx"] : ["npx"];
  const isAddress = folderOf(kb) === undefined;
  const { file, ofFile = {} } = options.settings ?? {};
  // An address may hold a password, which stays in the configuration that has it.
  const isOfFile = isAddress && file !== undefined && ofFile["kb"] === kb;
  const place = isOfFile
    ? opening.includes("--config")
      ? []
      : ["--config", file]
    : ["--kb", isAddress ? kb : resolve(kb)];
  const entry = {
    command,
    args: [...before, "-y", "ibid", "mcp", ...place, ...opening, ...caller, ...serverArguments(options)],
  };
  checkTogether(options);
  const done = installEntry(client, options.name, entry, thisSystem(process.cwd()), dryRun);
  const shown = { ...done.entry, args: entry.args.map((arg) => (isAddress && arg === kb ? showLocation(kb) : arg)) };
  if (output.json) await output.object({ ...done, entry: shown, client, dryRun });
  else {
    const verbs = dryRun
      ? { added: "Would write", replaced: "Would replace", unchanged: "Unchanged:" }
      : { added: "Wrote", replaced: "Replaced", unchanged: "Unchanged:" };
    await output.line(`${verbs[done.outcome]} "${done.name}" in ${done.file}:`);
    await output.line(JSON.stringify({ [done.name]: shown }, undefined, 2));
    if (done.backup !== undefined) await output.line(`The file as it was: ${done.backup}`);
    if (!dryRun && done.outcome !== "unchanged") await output.line("Start the client again to load it.");
  }
  // A client shows little of a server that ends at once. With a memory it makes the folder itself.
  if (!isAddress && options.memory === undefined && !existsSync(resolve(kb)))
    await output.aside(
      `There is no knowledge base at ${resolve(kb)} yet; the client has tools when there is one: ibid ingest <path> --kb ${resolve(kb)}`,
    );
  return 0;
}

/** `ibid mcp` with its options and its help. */
export function addMcpCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const command = program
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
    .option(
      "--memory [where]",
      "remember and recall notes: caller, repository, or a scope (default: the caller's own, else the repository's)",
    )
    .option("--entities <names...>", "tools that search, open and follow entities of these names")
    .option("--collections", "tools that list collections, search them and open records")
    .option("--memory-confirm", "with --memory: let the client ask the user about each write")
    .option("--changes", "tools that delete documents, restore them, and write former versions again")
    .option("--changes-confirm", "with --changes: let the client ask the user about each change")
    .addHelpText(
      "after",
      examples([
        "ibid mcp --memory --kb ~/.ibid-memory",
        "ibid mcp --kb ./kb",
        "ibid mcp --kb ./kb --as-user ada --as-team acme",
        "ibid mcp --port 9090 --keys keys.json",
      ]) +
        note(
          'In a client\'s configuration: { "command": "npx", "args": ["ibid", "mcp", "--kb", "/path/to/kb"] }. Without --memory and --changes it reads only. --as-user and --as-team name the caller; over HTTP the key does. ibid serve has the same at /mcp.',
        ),
    )
    .action(async function (this: Command) {
      done(await mcp(context, this.optsWithGlobals()));
    });
  command
    .command("install")
    .summary("write the entry of this knowledge base into a client's configuration")
    .description(
      "Write the entry of this knowledge base into the configuration of a client, keep a copy of the file, and show the entry.",
    )
    .addArgument(new Argument("<client>", "the client").choices(mcpClients))
    .option("--name <name>", "name of the entry", "ibid")
    .option("--dry-run", "show the entry, and write nothing")
    .addHelpText(
      "after",
      examples([
        "ibid mcp install claude-desktop --kb ./kb",
        "ibid mcp install cursor --name memory --memory --kb ~/.ibid-memory",
        "ibid mcp install vscode --dry-run",
      ]) + note("Options of ibid mcp, such as --memory and --scope, go into the entry."),
    )
    .action(async function (this: Command, client: McpClient) {
      done(await install(context, client, this.optsWithGlobals(), openingArguments(this)));
    });
}
