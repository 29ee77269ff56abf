import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Command, Option } from "commander";
import { usualFolder } from "./find-config.ts";
import type { OcrProgress } from "../knowledge-base/open/open-ocr.ts";
import { folderOf } from "../knowledge-base/open/location.ts";
import { IbidError } from "../contracts/errors.ts";
import type {
  FolderRules,
  IngestOptions,
  IngestResult,
  IngestRun,
  IngestSummary,
  KnowledgeBase,
} from "../contracts/knowledge-base.ts";
import type { Source } from "../contracts/reader.ts";
import type { Scope } from "../contracts/scope.ts";
import { ingestOptions } from "../ingest/ingest-options.ts";
import { examples, note } from "./help-text.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import type { Output } from "./output.ts";
import { createProgressLine, type ProgressLine } from "./progress.ts";
import { addTableOptions, pickTableOptions } from "./table-options.ts";
import { count, formatDuration, neutralise, wrap } from "./text-layout.ts";

/** Options of its own; those of the table stand beside them under the names of their flags. */
interface IngestCommandOptions extends CommonOptions {
  readonly sitemap: readonly string[];
  /** Languages of scanned pages and pictures. */
  readonly ocr?: string;
  /** Files with addresses. */
  readonly urls: readonly string[];
}

/**
 * `ibid ingest`: one result for each document as it is stored, then the summary.
 *
 * **Shape** exit code 1 when an input does not exist or every document failed, else 0.
 */
export async function ingest(
  context: Context,
  paths: readonly string[],
  options: IngestCommandOptions,
): Promise<number> {
  const { output, signal } = context;
  const { sitemap, urls } = options;
  const named = [...paths, ...sitemap, ...urls];
  if (named.length === 0) {
    throw new IbidError("invalid-argument", "No input is named.", {
      hint: "Name a file, folder, glob or address, or give --sitemap or --urls.",
    });
  }
  const given = pickTableOptions<IngestOptions>(ingestOptions, options);
  const links = new Set<string>();
  const junk = new Set<string>();
  const unread = new Set<string>();
  // A moving line would disturb JSON on the same terminal.
  const line = createProgressLine(context.stderr, { enabled: !(output.json && output.isTerminal) });
  const job: IngestOptions = {
    ...given,
    scope: given.scope ?? "deployment",
    settle: true,
    signal,
    onProgress: (progress) => line.update(progress),
    onSkip(uri, kind) {
      if (kind === "link") links.add(uri);
      else if (kind === "junk") junk.add(uri);
      else if (kind === "unread") unread.add(uri);
    },
  };
  // Sources find documents while they read, so the total for the progress line is counted first.
  if (line.isShown && sitemap.length === 0)
    line.expect(
      await countDocuments(
        [...paths, ...(await readLists(urls))],
        folderOf(options.kb) ?? resolve(usualFolder),
        given.folders,
        signal,
      ),
    );
  const inputs = [...paths, ...(await openSources(options))];

  const ocr = options.ocr && {
    languages: options.ocr,
    onPage: ({ uri, done, pages }: OcrProgress) => line.say(`${neutralise(uri)}: page ${done} of ${pages} recognised`),
  };
  return await withKnowledgeBase(options, { create: true, embeds: "documents", ocr }, async (kb) => {
    try {
      return await run(
        context,
        startIngest(kb, inputs, job, { ...options, scope: given.scope }),
        { named, links, junk, unread, keepsMedia: given.folders?.media === true },
        line,
      );
    } finally {
      line.clear();
    }
  });
}

/** The named inputs, and the links that a walk did not follow. */
interface Inputs {
  readonly named: readonly string[];
  readonly links: ReadonlySet<string>;
  /** Files that a walk left out because programs write them for programs. */
  readonly junk: ReadonlySet<string>;
  /** Files that a walk found and whose kind nobody reads. */
  readonly unread: ReadonlySet<string>;
  readonly keepsMedia: boolean;
}

async function run({ output, signal }: Context, work: IngestRun, inputs: Inputs, line: ProgressLine): Promise<number> {
  const missing: IbidError[] = [];
  let firstFailure: IbidError | undefined;
  const summary = await summarize(async () => {
    for await (const result of work) {
      signal.throwIfAborted();
      if (result.error !== undefined) {
        firstFailure ??= result.error;
        if (result.error.code === "not-found") missing.push(result.error);
      }
      if (output.json) {
        await output.object(toResultJson(result));
      } else if (isWorthALine(result, output)) {
        line.clear();
        for (const text of describeResult(result, output)) await output.line(text);
        line.restore();
      }
      if (result.error !== undefined && result.error.code !== "not-found") await output.trace(result.error);
    }
    return work;
  });
  line.clear();

  const { added, updated, unchanged, removed, skipped, failed, chunks, embedded, usage, ms } = summary;
  const done = added + updated + unchanged + removed;
  const links = inputs.links.size;
  if (!output.quiet || output.json)
    await (output.json
      ? output.object({
          summary: {
            added,
            updated,
            unchanged,
            removed,
            ...(skipped === undefined ? {} : { skipped }),
            failed,
            chunks,
            embedded,
            ...(links > 0 && { links }),
            ...(inputs.junk.size > 0 && { junk: inputs.junk.size }),
            ...(usage && { usage }),
            ms,
          },
        })
      : output.line(describeSummary(summary, inputs)));
  for (const error of missing) await output.error(error);
  const onlyFailures = failed > 0 && done === 0;
  if (onlyFailures && missing.length === 0 && firstFailure !== undefined)
    await output.error(nothingCame(failed, firstFailure));
  return onlyFailures || missing.length > 0 ? 1 : 0;
}

/** The summary of an ingestion, also of one that rejects because a named input is not there: the rest was done. */
async function summarize(run: () => Promise<IngestSummary> | IngestRun): Promise<IngestSummary> {
  try {
    return await run();
  } catch (error) {
    const { summaryWithoutMissing } = await import("../ingest/missing-inputs.ts");
    const summary = summaryWithoutMissing(error);
    if (summary !== undefined) return summary;
    throw error;
  }
}

/** **Errors** `access-denied`, with the option that puts the documents where the caller may write. */
function startIngest(
  kb: KnowledgeBase,
  inputs: readonly (string | Source)[],
  job: IngestOptions,
  options: CommonOptions & { readonly scope: Scope | undefined },
): IngestRun {
  try {
    return kb.ingest(inputs, job);
  } catch (error) {
    const { asUser, asTeam, asTeams, scope } = options;
    const own = asUser === undefined ? `--team ${asTeam ?? asTeams?.[0] ?? "TEAM"}` : `--user ${asUser}`;
    if (!IbidError.isInstance(error, "access-denied") || scope !== undefined) throw error;
    throw new IbidError("access-denied", error.message, {
      hint: `Put the documents in your own scope with ${own}.`,
      cause: error,
    });
  }
}

/** The longest wait for a number. */
const longestCountMs = 2000;

/** Counts the documents of the inputs; 0 when that takes too long. */
async function countDocuments(
  inputs: readonly string[],
  kb: string,
  folders: FolderRules | undefined,
  signal: AbortSignal,
): Promise<number> {
  try {
    const [{ openFileSource }, { isUrl }] = await Promise.all([
      import("../ingest/sources/files/file-source.ts"),
      import("../ingest/sources/web/url-source.ts"),
    ]);
    const base = dirname(kb);
    const paths = inputs.filter((input) => !isUrl(input));
    let total = inputs.length - paths.length;
    const until = performance.now() + longestCountMs;
    for await (const _ of openFileSource(paths, { base, ...folders }).items(signal)) {
      total++;
      if (performance.now() > until) return 0;
    }
    return total;
  } catch {
    return 0;
  }
}

/** Sources of sitemaps and lists. Addresses from a list are never read as paths. */
async function openSources({ sitemap, urls }: IngestCommandOptions): Promise<readonly Source[]> {
  if (sitemap.length === 0 && urls.length === 0) return [];
  const { openSitemapSource } = await import("../ingest/sources/web/sitemap-source.ts");
  const { openUrlSource } = await import("../ingest/sources/web/url-source.ts");
  const addresses = await readLists(urls);
  return [
    ...sitemap.map((address) => openSitemapSource(address)),
    ...(addresses.length === 0 ? [] : [openUrlSource(addresses)]),
  ];
}

/** **Errors** `not-found`, `unreadable` for a list that cannot be read. */
async function readLists(files: readonly string[]): Promise<readonly string[]> {
  const { parseUrlList } = await import("../ingest/sources/web/url-list.ts");
  const lists: string[] = [];
  for (const file of files) {
    try {
      lists.push(...parseUrlList(await readFile(file, "utf8")));
    } catch (cause) {
      const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      throw new IbidError(isMissing ? "not-found" : "unreadable", `The list ${file} cannot be read.`, {
        uri: file,
        hint: "Check the path: --urls takes a text file with one address a line.",
        cause,
      });
    }
  }
  return lists;
}

function toResultJson({ uri, status, documentId, chunks, notes, error }: IngestResult): object {
  return {
    uri,
    status,
    documentId,
    chunks,
    ...(notes === undefined ? {} : { notes }),
    ...(error === undefined
      ? {}
      : {
          error: {
            code: error.code,
            message: error.message,
            ...(error.hint === undefined ? {} : { hint: error.hint }),
          },
        }),
  };
}

/** A terminal shows failures and removals only; a file gets each result. Missing inputs are reported at the end. */
function isWorthALine(result: IngestResult, { isTerminal, quiet }: Output): boolean {
  if (result.error?.code === "not-found") return false;
  if (quiet && result.status !== "failed") return false;
  return !isTerminal || result.notes !== undefined || result.status === "failed" || result.status === "removed";
}

function describeResult(result: IngestResult, { style, columns }: Output): readonly string[] {
  const status = result.status.padEnd(9);
  const uri = neutralise(result.uri);
  if (result.error === undefined) {
    const notes = (result.notes ?? []).flatMap((note) => wrap(neutralise(note), columns - 10));
    const first = `${status} ${uri}  ${style.dim(count(result.chunks, "chunk"))}`;
    return [first, ...notes.map((line) => `${" ".repeat(10)}${style.dim(line)}`)];
  }
  const reason = neutralise(result.error.message);
  const [first = "", ...rest] = wrap(reason.includes(uri) ? reason : `${uri}: ${reason}`, columns - 10);
  const hint = wrap(neutralise(result.error.hint ?? ""), columns - 10).filter((line) => line !== "");
  return [
    `${style.bad(status)} ${first}`,
    ...rest.map((line) => `${" ".repeat(10)}${line}`),
    ...hint.map((line) => `${" ".repeat(10)}${style.dim(line)}`),
  ];
}

function describeSummary(summary: IngestSummary, { named, links, junk, unread, keepsMedia }: Inputs): string {
  const states = ["added", "updated", "unchanged", "removed", "failed"] as const;
  const counts = states
    .filter((state) => summary[state] > 0)
    .map((state) => `${summary[state].toLocaleString("en")} ${state}`);
  // A folder lists its names in any order.
  const describe = (uris: ReadonlySet<string>, noun: string, verb: string, flag: string): readonly string[] => {
    const [first = ""] = [...uris].toSorted();
    const more = uris.size > 1 ? " …" : "";
    return uris.size === 0 ? [] : [`${count(uris.size, noun)} not ${verb} (${neutralise(first)}${more}): ${flag}`];
  };
  const left = [
    ...describe(links, "link", "followed", "--follow-symlinks"),
    ...describe(junk, "generated file", "read", "--junk"),
    ...describe(
      unread,
      "file",
      "of a kind that is read",
      `name one to see why${keepsMedia ? "" : ", or keep media with --media"}`,
    ),
  ];
  if (counts.length === 0) {
    const nothing = `Nothing to ingest in ${named.map(neutralise).join(", ")}: no files, or only hidden and ignored ones.`;
    return [nothing, ...left].join(" ");
  }
  const tokens = summary.usage?.inputTokens;
  const used = tokens === undefined ? "" : ` (${count(tokens, "token")})`;
  const embedded = summary.embedded === 0 ? "" : `, ${summary.embedded.toLocaleString("en")} embedded`;
  const chunks = `${count(summary.chunks, "chunk")}${embedded}${used}`;
  return [counts.join(", "), ...(summary.chunks > 0 ? [chunks] : []), formatDuration(summary.ms), ...left].join(" · ");
}

function nothingCame(failed: number, first: IbidError): IbidError {
  return new IbidError(
    first.code,
    `Nothing was ingested: ${failed === 1 ? "the only document" : `all ${failed} documents`} failed.`,
    {
      hint: (failed === 1 ? first.hint : undefined) ?? "The reasons are above.",
      ...(failed === 1 && first.uri !== undefined ? { uri: first.uri } : {}),
    },
  );
}

/** `ibid ingest` with its options and its help. */
export function addIngestCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const command = program
    .command("ingest")
    .summary("read files, folders, globs and addresses")
    .description("Read files, folders, globs and addresses into the knowledge base; create it if needed.")
    .argument("[path|glob|url...]", "files, folders, globs and addresses; put globs in quotes")
    .addOption(repeated("--sitemap <url>", "read the pages of this sitemap or index of sitemaps"))
    .addOption(
      new Option(
        "--ocr <languages>",
        "recognise scanned pages and pictures with Tesseract, in these languages: eng, eng+deu",
      ),
    )
    .addOption(repeated("--urls <file>", "read the addresses in a text file, one a line"));
  addTableOptions(command, ingestOptions)
    .addHelpText(
      "after",
      examples([
        "ibid ingest ./docs README.md",
        "ibid ingest 'src/**/*.{md,mdx}' --metadata product=api year=2026",
        "ibid ingest https://example.com/guide --team support",
        "ibid ingest --sitemap https://example.com/sitemap.xml --refresh 1d",
      ]) +
        note(
          "Folders and globs leave out ignored files, names that begin with a dot, and folders such as node_modules, build, dist and target. A file that is named itself is always read.",
        ),
    )
    .action(async function (this: Command, inputs: readonly string[]) {
      done(await ingest(context, inputs, this.optsWithGlobals()));
    });
}

/** An option that is repeatable. */
export function repeated(flags: string, description: string): Option {
  return new Option(flags, `${description}; repeatable`)
    .argParser((value: string, values: readonly string[]) => [...values, value])
    .default([], "none");
}
