import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, InvalidArgumentError, Option } from "commander";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { openFiles, openPartSizes } from "../knowledge-base/open/open-files.ts";
import type { HandlerOptions, RequestLogEntry, SearchPool, ServiceMetrics } from "../server/index.node.ts";
import { readPages } from "./docs.ts";
import { isAddress } from "./find-config.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import { examples, note } from "./help-text.ts";
import { showLocation } from "../knowledge-base/open/location.ts";
import { type KeyFile, openCallers } from "./open-callers.ts";
import { addAnswerModels, baseOf, type CommonOptions, type Context, readCaller, withKnowledgeBase } from "./open.ts";
import { toIbidError } from "./output.ts";
import { readCount } from "./read-option.ts";
import { given } from "../server/given.ts";
import { neutralise, toJsonLine } from "./text-layout.ts";

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
    const { relayMeasures } = await import("../server/relay-measures.ts");
    const telemetry = relayMeasures((measured) => process.connected && process.send?.({ measured }));
    return await withKnowledgeBase(whole, { embeds: "queries", telemetry, settles: false }, searchForPool);
  }
  const caller = readCaller(options);
  checkJudge(model, judge);
  const { createServiceMetrics, startService } = await import("../server/index.node.ts");
  const metrics =
    set.metrics === false ? undefined : createServiceMetrics(set.meter === undefined ? {} : { meter: set.meter });
  const { keys, takes, who } = await openCallers({ caller, write, keys: keysFile }, set);
  const { asUser: _user, asTeam: _team, asTeams: _teams, ...asOperator } = options;
  const workers = options.workers ?? set.workers ?? 0;
  // Uploads are embedded too.
  const remembers = typeof mcp === "object" && mcp.memory !== undefined;
  const embeds = takes || remembers ? "documents" : "queries";
  // A service that takes documents begins without any.
  const how = { create: embeds === "documents", embeds, telemetry: metrics?.telemetry, settles: false } as const;
  // Refusals over HTTP name their pages as messages of the command line do.
  IbidError.pages ??= output.pages;
  // Also while the knowledge base opens. A terminal that closes sends this signal too, and ends the process as ever.
  const onHangUp = (): void => void reloadKeys(context, keys);
  if (!process.stdin.isTTY) process.on("SIGHUP", onHangUp);
  return await withKnowledgeBase(asOperator, how, async (kb) => {
    const pool = workers === 0 ? undefined : await startSearchers(workers, context, metrics);
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

/** Searches for the process that started this one, with the same arguments. Signals go to both; this one ends with the other. */
async function searchForPool(kb: KnowledgeBase): Promise<number> {
  const { serveSearches } = await import("../server/index.node.ts");
  await serveSearches(kb, process);
  return 0;
}

const youngFlag = "--max-semi-space-size";

/**
 * Flags of Node for a process that searches: those of this process, and a bound of 16 MiB for each half of the young objects. Left to itself, V8 takes some 80 MB more
 * over a large base, and keeps them. **Shape** nothing is added where the flag is set already.
 */
export function searcherFlags(own: readonly string[], environment: string | undefined): readonly string[] {
  const isSet = [...own, ...(environment ?? "").split(/\s+/)].some((flag) =>
    flag.replaceAll("_", "-").startsWith(youngFlag),
  );
  return isSet ? own : [...own, `${youngFlag}=16`];
}

/** Starts processes of this program that open the same knowledge base in the same way. */
async function startSearchers(
  size: number,
  context: Context,
  metrics: ServiceMetrics | undefined,
): Promise<SearchPool> {
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
        execArgv: [...searcherFlags(process.execArgv, process.env["NODE_OPTIONS"])],
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      }),
    onRestart: (reason) => writeNotice(context, reason),
    ...(metrics && { metrics }),
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

/** A line among those of requests: a sentence, or JSON. */
function writeNotice({ output, stderr }: Context, message: string, more: object = {}): void {
  const at = new Date(platformNow()).toISOString();
  stderr.write(`${output.json ? toJsonLine({ at, message, ...more }) : neutralise(message)}\n`);
}

async function reloadKeys(context: Context, keys: KeyFile | undefined): Promise<void> {
  if (keys === undefined) return writeNotice(context, "There is no file of keys to read again.");
  try {
    const count = await keys.reload();
    writeNotice(context, `The keys were read again: ${count}.`, { keys: count });
  } catch (error) {
    await context.output.error(toIbidError(error));
    writeNotice(context, "The keys stay as they were.");
  }
}

/** **Errors** `invalid-argument` for a judge without a model whose answers it could check. */
export function checkJudge(model: unknown, judge: unknown): void {
  if (judge === undefined || model !== undefined) return;
  throw new IbidError("invalid-argument", "--judge needs --model: it checks the answers of a model.", {
    hint: "Name a model with --model or models.chat, or leave --judge and models.judge out.",
  });
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
    throw new InvalidArgumentError("It must be a number of days above 0; --no-threads keeps none.");
  return days;
}

export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/u.test(text) || port > 65_535) throw new InvalidArgumentError("It must be a number from 0 to 65535.");
  return port;
}
