import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Command } from "commander";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AccessContext } from "../contracts/scope.ts";
import type { Telemetry } from "../contracts/telemetry.ts";
import type { DownloadProgress } from "../contracts/download-progress.ts";
import { type ConfigValues, mergeValues } from "./config-values.ts";
import type { LoadedConfig } from "./load-config.ts";
import type { Output, Stream } from "./output.ts";
import { folderOf } from "../knowledge-base/open/location.ts";
import { readRememberedModels, type RememberedModels, versionName } from "../knowledge-base/open/remembered-models.ts";
import type { OcrOption } from "../knowledge-base/open/open-ocr.ts";
import { type OpenModels, type OpenOptions, openOptions } from "../knowledge-base/open/open-options.ts";
import { chooseModels, rememberModels } from "./remembered-models.ts";
import { addTableOptions, pickTableOptions } from "./table-options.ts";

/** The options that every command takes and that this command line reads itself; the others are those of `openKnowledgeBase`. */
export interface CommonOptions {
  readonly kb: string;
  readonly json?: true;
  readonly asUser?: string;
  readonly asTeam?: string;
  readonly asTeams?: readonly string[];
  /** `provider/model`. */
  readonly embeddingModel?: string;
  readonly formerEmbeddingModel?: readonly string[];
  /** `provider/model`, or `proximity`. */
  readonly reranker?: string;
  /** Configuration of the command. */
  readonly settings?: LoadedConfig;
  /** Shows the download of a local model. */
  readonly onDownload?: (progress: DownloadProgress) => void;
}

/** Options of opening as the command line gives them: models by name, a list of synonyms by its path. */
type OpenByName = OpenOptions & { readonly models?: OpenModels<string, string, string> };

/** A model of the command line: its name, or a model of the configuration. */
export function nameOfModel(model: string | { readonly provider?: unknown; readonly model?: unknown }): string {
  return typeof model === "string" ? model : `${String(model.provider)}/${String(model.model)}`;
}

/** The models that only commands with answers take; the rest is for all commands. */
export const answerModels = ["chat", "judge"] as const;

/** Adds the models that write and check answers. */
export function addAnswerModels(
  command: Command,
  names: readonly (typeof answerModels)[number][] = answerModels,
): Command {
  const { options } = openOptions.models.kind;
  return addTableOptions(command, Object.fromEntries(names.map((name) => [name, options[name]])));
}

/** Streams and signal of a command. */
export interface Context {
  readonly output: Output;
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Fires on Ctrl-C, and when the reader of the output is gone. */
  readonly signal: AbortSignal;
}

export interface OpenForCommand {
  /** Whether to create the knowledge base if it does not exist. */
  readonly create?: boolean;
  /**
   * The texts that a command embeds. A command that embeds nothing needs no model, and must not fail without a key. A command that writes vectors remembers their
   * model, for later commands.
   */
  readonly embeds?: "queries" | "documents";
  /** Observer of the knowledge base, beside the configured one. */
  readonly telemetry?: Telemetry | undefined;
  /** Text recognition, for commands that read files. */
  readonly ocr?: OcrOption | undefined;
  /** Whether the command waits at its end for what the store put off. Default true. A service does that when it starts again. */
  readonly settles?: false;
  /** Text of a list of synonyms in place of the configured one. */
  readonly synonyms?: string | undefined;
}

/** The same knowledge base, or view; its purges also reach what a service keeps beside it. */
export async function followPurgesOf(
  location: string,
  whole: KnowledgeBase,
  kb: KnowledgeBase,
): Promise<KnowledgeBase> {
  const [{ followPurgesInFiles }, { openFiles }] = await Promise.all([
    import("../server/follow-purges.ts"),
    import("../knowledge-base/open/open-files.ts"),
  ]);
  return followPurgesInFiles(whole, kb, openFiles(location));
}

/**
 * Opens the knowledge base of the options as their caller, and closes it after use.
 *
 * The library is loaded here and not before, so that help and mistakes in the arguments answer at once.
 */
export async function withKnowledgeBase<Result>(
  options: CommonOptions,
  how: OpenForCommand,
  use: (kb: KnowledgeBase) => Promise<Result>,
): Promise<Result> {
  const caller = readCaller(options);
  const { nodeOptions, openKnowledgeBase } = await import("../knowledge-base/open/open-knowledge-base.ts");
  const { models: named, access, search, history } = pickTableOptions<OpenByName>(openOptions, options);
  const remembered = how.embeds === undefined ? undefined : await readRememberedModels(options.kb);
  const models = remembered && chooseModels(remembered, options);
  const synonyms =
    how.synonyms ?? (search?.synonyms === undefined ? undefined : await readSynonymList(search.synonyms));
  const settings = openSettings(options, how);
  const byFlags = {
    access,
    history,
    models: {
      ...named,
      embedding: models?.embeddingModel,
      formerEmbeddings: models?.formerEmbeddingModels,
      onDownload: options.onDownload,
    },
    search: { synonyms },
    ...(how.ocr !== undefined && { reading: { ocr: how.ocr } }),
    operations: { telemetry: both(configured(settings), how.telemetry) },
  };
  const merged = mergeValues(nodeOptions, settings, byFlags);
  const kb = await openKnowledgeBase(options.kb, { ...merged, create: how.create ?? false });
  try {
    return await use(caller === undefined ? kb : kb.as(caller));
  } catch (error) {
    throw sayRemembered(error, options, models);
  } finally {
    if (how.embeds === "documents" && models !== undefined && options.embeddingModel !== undefined)
      await remember(kb, options.kb, models);
    await kb.close({ settle: how.settles ?? true });
  }
}

const configured = ({ operations }: ConfigValues): Telemetry | undefined =>
  (operations as { readonly telemetry?: Telemetry } | undefined)?.telemetry;

/** Two observers as one. */
function both(first: Telemetry | undefined, second: Telemetry | undefined): Telemetry | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    span(start) {
      const spans = [first.span?.(start), second.span?.(start)];
      return {
        within: (work) => (spans[0] === undefined ? work() : spans[0].within(work)),
        end: (outcome) => spans.forEach((span) => span?.end(outcome)),
      };
    },
    event(event) {
      for (const each of [first, second]) each.event?.(event);
    },
  };
}

/** Options of the configuration for opening. Models that the command does not use are left out, so that none fails for want of a key. */
function openSettings({ settings }: CommonOptions, { embeds }: OpenForCommand): ConfigValues {
  const { serve: _serve, mcp: _mcp, kb: _folder, quality: _quality, models = {}, ...rest } = settings?.values ?? {};
  // Flags carry the chat models; see applyConfig.
  const { chat: _chat, judge: _judge, embedding, formerEmbeddings, ...others } = models;
  return {
    ...rest,
    models: {
      ...others,
      ...(embeds !== undefined && typeof embedding !== "string" && { embedding }),
      ...(embeds !== undefined && { formerEmbeddings }),
    },
  };
}

/** **Errors** `not-found` for a file that cannot be read. */
export async function readSynonymList(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new IbidError("not-found", `The synonyms ${path} cannot be read.`, {
      uri: path,
      hint: "Name a text file with a list of synonyms.",
      cause: error,
    });
  }
}

/** Remembers a model once there are vectors of it, so that a misspelt name is not kept. */
async function remember(kb: KnowledgeBase, folder: string, models: RememberedModels): Promise<void> {
  const { embeddingModel } = models;
  const { versions, embeddingVersions } = await kb.status();
  const isThere = embeddingVersions.some((one) => embeddingModel !== undefined && madeBy(embeddingModel, one));
  if (embeddingModel !== undefined && !isThere) return;
  // Former models whose vectors a scope still searches by.
  const inUse = versions.flatMap(({ current }) => (current === undefined ? [] : [current]));
  const formerEmbeddingModels = models.formerEmbeddingModels.filter((name) => inUse.some((one) => madeBy(name, one)));
  await rememberModels(folder, { ...models, formerEmbeddingModels });
}

function madeBy(name: string, { provider, model }: { readonly provider: string; readonly model: string }): boolean {
  return versionName(name) === `${provider}/${model}`;
}

/** An error of a remembered model says that it is the remembered one. */
function sayRemembered(error: unknown, options: CommonOptions, models: RememberedModels | undefined): unknown {
  const { embeddingModel } = models ?? {};
  if (!IbidError.isInstance(error) || embeddingModel === undefined || options.embeddingModel !== undefined)
    return error;
  const { provider, model } = error.details;
  if (typeof provider !== "string" || typeof model !== "string" || !madeBy(embeddingModel, { provider, model }))
    return error;
  return new IbidError(error.code, error.message, {
    hint: `${error.hint ?? ""} The knowledge base has vectors of this model. To search without it: ibid search --mode lexical`.trim(),
    details: error.details,
    cause: error.cause,
    ...(error.uri === undefined ? {} : { uri: error.uri }),
  });
}

/** The same options without the caller, for a service that opens as the operator and makes views. */
export function asOperator<Options extends CommonOptions>(options: Options): Options {
  const { asUser: _user, asTeam: _team, asTeams: _teams, ...rest } = options;
  return rest as Options;
}

/** The caller of the options; `undefined` for the operator. A blank name is refused: an unset variable in a script must not become the operator. */
export function readCaller(options: CommonOptions): AccessContext | undefined {
  const { asUser, asTeam, asTeams } = options;
  if (asUser === undefined && asTeam === undefined && asTeams === undefined) return undefined;
  requireName("--as-user", asUser);
  requireName("--as-team", asTeam);
  for (const team of asTeams ?? []) requireName("--as-teams", team);
  return {
    ...(asUser === undefined ? {} : { userId: asUser }),
    ...(asTeam === undefined ? {} : { teamId: asTeam }),
    ...(asTeams === undefined ? {} : { teams: asTeam === undefined ? asTeams : [asTeam, ...asTeams] }),
  };
}

/** **Errors** `invalid-argument` for a blank name. */
export function requireName(option: string, name: string | undefined): void {
  if (name?.trim() !== "") return;
  throw new IbidError("invalid-argument", `${option} is blank.`, { hint: "Give a name, or leave the option out." });
}

/** **Errors** `invalid-argument` for a blank question, query or uri. */
export function requireText(what: string, text: string): void {
  if (text.trim() !== "") return;
  throw new IbidError("invalid-argument", `The ${what} is blank.`, { hint: `Give a ${what}.` });
}

/** The folder that uris of files are relative to. */
export function baseOf(kb: string): string {
  const folder = folderOf(kb);
  return folder === undefined ? process.cwd() : dirname(folder);
}

/** Uris that a typed uri or path may mean, likeliest first: the uri itself, then the target of the path. */
export async function findUris(options: CommonOptions, typed: string): Promise<readonly string[]> {
  requireText("uri", typed);
  const [{ findDocumentUris }, { isUrl }] = await Promise.all([
    import("../ingest/sources/files/document-uri.ts"),
    import("../ingest/sources/web/url-source.ts"),
  ]);
  if (isUrl(typed)) return [typed];
  return [...new Set([typed, ...findDocumentUris(typed, { base: baseOf(options.kb) })])];
}
