import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, InvalidArgumentError, Option } from "commander";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { openFiles, openPartSizes } from "../knowledge-base/open/open-files.ts";
import type { AccessKey, HandlerOptions, RequestLogEntry, SearchPool } from "../server/index.node.ts";
import { readPages } from "./docs.ts";
import { examples, note } from "./help-text.ts";
import { readFileOfKeys, writeKeys } from "./keys.ts";
import { folderOf, showLocation } from "../knowledge-base/open/location.ts";
import { openIdentities } from "./open-identities.ts";
import { addAnswerModels, baseOf, type CommonOptions, type Context, readCaller, withKnowledgeBase } from "./open.ts";
import { toIbidError } from "./output.ts";
import { readCount } from "./read-option.ts";
import { given } from "../server/given.ts";
import { neutralise, toJsonLine } from "./text-layout.ts";
import { readText } from "./read-text.ts";

export interface ServeCommandOptions extends CommonOptions {
  readonly port?: number;
  readonly host?: string;
  readonly keys?: string;
  readonly write?: true;
  readonly workers?: number;
  /** Whether this process searches for another one. */
  readonly searcher?: true;
  readonly basePath?: string;
  readonly trustProxy: readonly string[];
  readonly metricsPort?: number;
  readonly allowHost: readonly string[];
  readonly allowOrigin: readonly string[];
  readonly model?: string;
  readonly judge?: string;
  /** Whether bytes of uploads are kept. */
  readonly originals?: boolean;
  /** Days that a thread is kept, or whether threads are kept at all. */
  readonly threads?: boolean | number;
  /** Options of the route for agents. */
  readonly mcp?: HandlerOptions["mcp"];
  readonly entities?: HandlerOptions["entities"];
  /** Whether to serve only that route. */
  readonly only?: HandlerOptions["only"];
}

/** `ibid serve`: answers over HTTP until a signal, then finishes the accepted requests. */
export async function serve(context: Context, options: ServeCommandOptions): Promise<number> {
  const { output, signal, stderr } = context;
  const { model, judge, only } = options;
  const mcp: HandlerOptions["mcp"] = options.mcp ?? options.settings?.values.mcp;
  const { limits, page, basePath, trustedProxies, metricsPort, ...set } = options.settings?.values.serve ?? {};
  const { port = set.port, host = set.host, keys: keysFile = set.keys, write = set.write ?? false } = options;
  const allowHost = options.allowHost.length === 0 ? (set.hosts ?? []) : options.allowHost;
  const allowOrigin = options.allowOrigin.length === 0 ? (set.origins ?? []) : options.allowOrigin;
  if (options.searcher === true) {
    const { asUser: _user, asTeam: _team, asTeams: _teams, ...whole } = options;
    return await withKnowledgeBase(whole, { embeds: "queries" }, searchForPool);
  }
  const caller = readCaller(options);
  if (keysFile !== undefined && (caller !== undefined || write)) {
    throw new IbidError(
      "invalid-argument",
      "--keys cannot be combined with --as-user, --as-team, --as-teams or --write: each key has its own caller.",
      {
        hint: "Leave out one side. The entry of a key names its user and teams, and has write.",
      },
    );
  }
  if (judge !== undefined && model === undefined) {
    throw new IbidError("invalid-argument", "--judge needs --model: it checks the answers of a model.", {
      hint: "Name a model with --model, or leave --judge out.",
    });
  }
  const { createServiceMetrics, parseKeys, startService } = await import("../server/index.node.ts");
  const metrics =
    set.metrics === false ? undefined : createServiceMetrics(set.meter === undefined ? {} : { meter: set.meter });
  const keys = keysFile === undefined ? undefined : await openKeys(keysFile, parseKeys);
  const known = await openIdentities(set);
  if (known.authenticate !== undefined && (caller !== undefined || write))
    throw new IbidError(
      "invalid-argument",
      "A login cannot be combined with --as-user, --as-team, --as-teams or --write.",
      {
        hint: "Leave them out: claims say who may write.",
      },
    );
  const who: Pick<HandlerOptions, "keys" | "changeKeys" | "local" | "authenticate" | "authorizationServers" | "login"> =
    known.authenticate !== undefined
      ? { ...known, ...keys?.options }
      : keys === undefined
        ? { local: { access: caller ?? "operator", write } }
        : keys.options;
  const { asUser: _user, asTeam: _team, asTeams: _teams, ...asOperator } = options;
  const workers = options.workers ?? set.workers ?? 0;
  // Uploads are embedded too.
  const takes = write || keys !== undefined || known.authenticate !== undefined;
  const remembers = typeof mcp === "object" && mcp.memory !== undefined;
  const embeds = takes || remembers ? "documents" : "queries";
  // A service that takes documents begins without any.
  const how = { create: embeds === "documents", embeds, telemetry: metrics?.telemetry } as const;
  // Refusals over HTTP name their pages as messages of the command line do.
  IbidError.pages ??= output.pages;
  // Also while the knowledge base opens. A terminal that closes sends this signal too, and ends the process as ever.
  const onHangUp = (): void => void reloadKeys(context, keys);
  if (!process.stdin.isTTY) process.on("SIGHUP", onHangUp);
  return await withKnowledgeBase(asOperator, how, async (kb) => {
    const pool = workers === 0 ? undefined : await startSearchers(workers, context);
    try {
      const service = await startService(pool?.share(kb) ?? kb, {
        ...who,
        ...(port === undefined ? {} : { port }),
        ...(host === undefined ? {} : { host }),
        ...(allowHost.length === 0 ? {} : { hosts: [...ownNames, ...allowHost] }),
        origins: allowOrigin,
        warmUp: true,
        manual: async () => (await readPages()).filter(({ name }) => !name.startsWith("errors/")),
        ...given({
          basePath: options.basePath ?? basePath,
          trustedProxies: options.trustProxy.length === 0 ? trustedProxies : options.trustProxy,
          webhookNetworks: set.webhookNetworks,
          metrics,
          metricsPort: options.metricsPort ?? metricsPort,
          logger: set.logger,
        }),
        ...(limits === undefined ? {} : { limits }),
        ...(page === undefined ? {} : { page }),
        ...(mcp === undefined ? {} : { mcp }),
        ...given({ entities: options.entities ?? set.entities }),
        ...(only === undefined ? {} : { only }),
        ...keptFiles(options),
        log(entry) {
          if (set.logger !== undefined) return;
          stderr.write(output.json ? `${toJsonLine(entry)}\n` : `${describeEntry(entry)}\n`);
        },
      });
      if (output.json)
        await output.object({
          listening: `${service.url}${only ?? ""}`,
          kb: isAddress(options.kb) ? showLocation(options.kb) : options.kb,
        });
      else await output.line(`Listening on ${service.url}${only ?? ""} (Ctrl-C stops it)`);
      if (!signal.aborted) await once(signal, "abort");
      await service.stop();
      metrics?.close();
      if (!output.json) await output.line("Stopped. All accepted requests are finished.");
      return 0;
    } finally {
      await pool?.[Symbol.asyncDispose]();
    }
  }).finally(() => process.off("SIGHUP", onHangUp));
}

/** Whether a location is the address of a database, which may hold a password. */
function isAddress(location: string): boolean {
  return folderOf(location) === undefined;
}

/** Searches for the process that started this one, with the same arguments. Signals go to both; this one ends with the other. */
async function searchForPool(kb: KnowledgeBase): Promise<number> {
  const { serveSearches } = await import("../server/index.node.ts");
  await serveSearches(kb, process);
  return 0;
}

/** Starts processes of this program that open the same knowledge base in the same way. */
async function startSearchers(size: number, { stderr }: Context): Promise<SearchPool> {
  const [{ openSearchPool }, { fork }] = await Promise.all([
    import("../server/index.node.ts"),
    import("node:child_process"),
  ]);
  const [, program = "", ...args] = process.argv;
  return await openSearchPool({
    size,
    start: () =>
      fork(program, [...args, "--searcher"], {
        serialization: "advanced",
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      }),
    onRestart: (reason) => void stderr.write(`${neutralise(reason)}\n`),
  });
}

/** Files that the service keeps beside the knowledge base, and those that documents were read from. */
function keptFiles({
  kb,
  originals,
  threads,
  settings,
}: ServeCommandOptions): Pick<HandlerOptions, "files" | "partSizes" | "keepOriginals" | "threadDays" | "readSource"> {
  const files = openFiles(kb);
  const base = baseOf(kb);
  const { originals: keeps = true, threadDays = 30 } = settings?.values.serve ?? {};
  return {
    files,
    partSizes: openPartSizes(kb),
    keepOriginals: originals !== false && keeps,
    threadDays: threads === false ? 0 : typeof threads === "number" ? threads : threadDays,
    async readSource(uri) {
      // A file beside the knowledge base has a relative uri.
      const path = uri.startsWith("file:") ? fileURLToPath(uri) : resolve(base, uri);
      return readFile(path).catch(() => undefined);
    },
  };
}

/** Names of this machine stay valid beside the given ones. */
const ownNames = ["localhost", "127.0.0.1", "[::1]"];

/** The keys of a file: as the service uses them, and read anew. */
interface KeyFile {
  readonly options: Required<Pick<HandlerOptions, "keys" | "changeKeys">>;
  /** **Shape** the number of keys. */
  readonly reload: () => Promise<number>;
}

async function openKeys(
  file: string,
  parse: (json: string, options?: { readonly least: 0 }) => readonly AccessKey[],
): Promise<KeyFile> {
  let keys = await readKeys(file, parse);
  let written: Promise<unknown> = Promise.resolve();
  return {
    options: {
      keys: () => keys,
      changeKeys(change) {
        // One change after another, each of the file as it is.
        const done = written.then(async () => {
          const changed = change(await readFileOfKeys(file));
          await writeKeys(file, changed);
          keys = changed;
        });
        written = done.catch(() => {});
        return done;
      },
    },
    async reload() {
      // The last key may have been revoked.
      keys = await readKeys(file, (json) => parse(json, { least: 0 }));
      return keys.length;
    },
  };
}

async function reloadKeys({ output, stderr }: Context, keys: KeyFile | undefined): Promise<void> {
  try {
    stderr.write(
      keys === undefined
        ? "There is no file of keys to read again.\n"
        : `The keys were read again: ${await keys.reload()}.\n`,
    );
  } catch (error) {
    await output.error(toIbidError(error));
    stderr.write("The keys stay as they were.\n");
  }
}

async function readKeys(file: string, parse: (json: string) => readonly AccessKey[]): Promise<readonly AccessKey[]> {
  const json = await readText(file, "Check the path of the keys.");
  try {
    return parse(json);
  } catch (error) {
    if (!IbidError.isInstance(error)) throw error;
    const { code, hint, message } = error;
    const named = message.replace(/^The keys/u, () => `The keys in ${file}`);
    throw new IbidError(code, named, { cause: error, ...(hint !== undefined && { hint }) });
  }
}

/** `12:03:04 200 POST /ask 41 ms ada`, and below it the failure, if there is one. */
function describeEntry({
  at,
  id,
  method,
  path,
  status,
  ms,
  caller,
  address,
  refused,
  failure,
}: RequestLogEntry): string {
  const who = caller ?? address ?? "";
  const line = `${at.slice(11, 19)} ${status} ${method} ${path ?? "(elsewhere)"} ${ms} ms ${neutralise(who)}`.trimEnd();
  if (failure === undefined) return refused === undefined ? line : `${line} ${refused}`;
  const causes = failure.causes.map(({ name, message }) => `caused by ${name}: ${message}`);
  const told = [`${failure.code}: ${failure.message}`, ...causes, ...(failure.stack ?? [])];
  return [`${line} (${id})`, ...told.map((each) => `  ${neutralise(each)}`)].join("\n");
}

/** `ibid serve` with its options and its help. */
export function addServeCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const command = program
    .command("serve")
    .summary("answer over HTTP, with a page to search and ask on")
    .description("Answer over HTTP, with a page to search and ask on, until it is stopped.")
    .addOption(new Option("--port <n>", "port to listen on (default: 9090); 0 for any free one").argParser(readPort))
    .option("--host <address>", "address to listen on (default: 127.0.0.1); others need --keys")
    .option("--keys <file>", "JSON file with the keys and their callers")
    .option("--write", "without --keys: let this machine also upload and delete")
    .addOption(
      new Option(
        "--workers <n>",
        "processes that search beside each other (default: 0, this process searches)",
      ).argParser(readCount),
    )
    .addOption(new Option("--searcher").hideHelp())
    .option("--base-path <path>", "path under which a proxy shows the service, such as /kb")
    .addOption(
      list("--trust-proxy <network>", "take the client's address from this proxy's X-Forwarded-For; repeatable"),
    )
    .addOption(new Option("--metrics-port <n>", "serve /metrics alone on this port, without a key").argParser(readPort))
    .option("--no-originals", "do not keep the files of uploads beside their text")
    .option("--no-threads", "keep no questions and answers")
    .addOption(
      new Option("--threads <days>", "days that a thread is kept after its last question (default: 30)").argParser(
        readDays,
      ),
    )
    .addOption(list("--allow-host <name>", "answer to this host name too; repeatable"))
    .addOption(
      list("--allow-origin <origin>", "accept requests from pages of this origin, such as https://app.example"),
    );
  addAnswerModels(command)
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

function readDays(text: string): number {
  const days = Number(text);
  if (text.trim() === "" || !Number.isFinite(days) || days <= 0)
    throw new InvalidArgumentError("It must be a number of days above 0.");
  return days;
}

export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/u.test(text) || port > 65_535) throw new InvalidArgumentError("It must be a number from 0 to 65535.");
  return port;
}
