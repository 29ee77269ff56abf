import { dirname, resolve } from "node:path";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AccessContext, Scope } from "../contracts/scope.ts";
import type { Output, Stream } from "./output.ts";

/** The options that every command takes. */
export interface CommonOptions {
  readonly kb: string;
  readonly json?: true;
  readonly asUser?: string;
  readonly asTeam?: string;
  readonly asTeams?: readonly string[];
  readonly withPlatform?: true;
  /** `provider/model`. */
  readonly embeddingModel?: string;
  readonly formerEmbeddingModel?: readonly string[];
}

/** What a command works with, beside its own arguments. */
export interface Context {
  readonly output: Output;
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Fires when the person presses Ctrl-C, or whoever reads the output is gone. */
  readonly signal: AbortSignal;
}

export interface OpenForCommand {
  /** Whether to make the knowledge base when it is not there. */
  readonly create?: boolean;
  /** `provider/model`. */
  readonly model?: string | undefined;
  /** Chunks that stand next to one another are shown as one. */
  readonly merge?: boolean | undefined;
}

/**
 * Opens the knowledge base that the options name, as whoever they say is asking, and closes it after use.
 *
 * The library is loaded here and not before, so that help and mistakes in the arguments answer at once.
 */
export async function withKnowledgeBase<Result>(
  options: CommonOptions,
  how: OpenForCommand,
  use: (kb: KnowledgeBase) => Promise<Result>,
): Promise<Result> {
  const caller = readCaller(options);
  const { mergeAdjacent, openKnowledgeBase } = await import("../node.ts");
  const kb = await openKnowledgeBase(options.kb, {
    create: how.create ?? false,
    access: { platform: options.withPlatform ?? false },
    ...(how.model === undefined ? {} : { model: how.model }),
    ...(how.merge === true && {
      retriever: (base, { documents, analyzer }) => mergeAdjacent(base, { documents, analyzer }),
    }),
    ...(options.embeddingModel === undefined ? {} : { embeddingModel: options.embeddingModel }),
    ...(options.formerEmbeddingModel === undefined ? {} : { formerEmbeddingModels: options.formerEmbeddingModel }),
  });
  try {
    return await use(caller === undefined ? kb : kb.as(caller));
  } finally {
    await kb.close();
  }
}

/** Who is asking; `undefined` for the operator. A blank name is refused: an unset variable in a script must not ask as the operator. */
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
  throw new IbidError("invalid-argument", `${option} is blank.`, { mend: "Give a name, or leave the option out." });
}

/** **Errors** `invalid-argument` for a blank question, query or uri. */
export function requireText(what: string, text: string): void {
  if (text.trim() !== "") return;
  throw new IbidError("invalid-argument", `The ${what} is blank.`, { mend: `Give a ${what}.` });
}

/** What a typed uri or path may mean, likeliest first: a uri as it stands, then what the path leads to. */
export async function findUris(options: CommonOptions, typed: string): Promise<readonly string[]> {
  requireText("uri", typed);
  const [{ findDocumentUris }, { isUrl }] = await Promise.all([
    import("../adapters/files/document-uri.ts"),
    import("../adapters/web/url-source.ts"),
  ]);
  if (isUrl(typed)) return [typed];
  return [...new Set([typed, ...findDocumentUris(typed, { base: dirname(resolve(options.kb)) })])];
}

/** The same words for what is not there and for what may not be read. */
export function noDocument(typed: string, scope: Scope | undefined): IbidError {
  return new IbidError("not-found", `There is no document ${typed}${scope === undefined ? "" : ` in ${scope}`}.`, {
    uri: typed,
    mend: "See which there are with: ibid list",
  });
}
