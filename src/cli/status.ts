import type { Command } from "commander";
import { holdsNames } from "../contracts/embedding.ts";
import type { Status } from "../contracts/knowledge-base.ts";
import type { FitStatus, KeptFiles } from "../contracts/store.ts";
import type { HealthBody, LatencyBody } from "../knowledge-base/operations/health-body.ts";
import { examples } from "./help-text.ts";
import type { SearchWarning } from "../contracts/retriever.ts";
import { describeUnnamed } from "../knowledge-base/check-models.ts";
import { showLocation } from "../knowledge-base/open/location.ts";
import { readRememberedModels, versionName } from "../knowledge-base/open/remembered-models.ts";
import { chooseModels } from "./remembered-models.ts";
import { showWarnings } from "./show-warnings.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import { printRows, type Row } from "./print-rows.ts";
import { count, formatBytes, neutralise } from "./text-layout.ts";

/** Options of `ibid status`. */
export interface StatusOptions extends CommonOptions {
  readonly health?: true;
}

/** `ibid status`: the size of the knowledge base by scope, and its models. */
export async function status(context: Context, options: StatusOptions): Promise<number> {
  if (options.health === true) return showHealth(context, options);
  const { output } = context;
  const kb = showLocation(options.kb);
  return await withKnowledgeBase(options, {}, async (base) => {
    const { warnings: found, ...facts } = await base.status();
    const warnings = found && (await withoutRemembered(found, facts.versions, options));
    if (output.json) {
      const { documents, chunks, bytes, scopes, embeddingVersions, fit, files, versions, cacheHitRate } = facts;
      await output.object({
        kb,
        documents,
        chunks,
        bytes,
        scopes,
        embeddingVersions,
        fit,
        files,
        versions,
        cacheHitRate,
        warnings,
      });
      return 0;
    }
    showWarnings(context, warnings);
    await printRows(context, describeStatus(kb, facts));
    return 0;
  });
}

/**
 * A status opens no model. The models that a search would open, named or remembered, need no warning, but a note where their vectors are from before names were
 * embedded.
 */
async function withoutRemembered(
  warnings: readonly SearchWarning[],
  versions: Status["versions"],
  options: StatusOptions,
): Promise<readonly SearchWarning[] | undefined> {
  const { embeddingModel, formerEmbeddingModels } = chooseModels(await readRememberedModels(options.kb), options);
  const { embedding, formerEmbeddings } = options.settings?.values.models ?? {};
  const names = [
    ...[embeddingModel, ...formerEmbeddingModels].map((name) => name && versionName(name)),
    ...[embedding, formerEmbeddings].flat().map(nameOfCode),
  ];
  const left = warnings.flatMap((warning) => {
    if (!names.includes(warning.model)) return [warning];
    const unnamed = versions.filter(
      ({ scope, current }) => warning.scopes.includes(scope) && current !== undefined && !holdsNames(current),
    );
    const scopes = unnamed.map(({ scope }) => scope);
    return scopes.length === 0 ? [] : [describeUnnamed(warning.model, scopes)];
  });
  return left.length === 0 ? undefined : left;
}

/** The name of a model that a configuration gives as code. One of the AI SDK names its provider more closely, such as `openai.embedding`. */
function nameOfCode(given: unknown): string | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { provider, model, modelId } = given as { provider: string; model?: string; modelId?: string };
  return modelId === undefined ? `${provider}/${model}` : `${provider.split(".")[0]}/${modelId}`;
}

/** A version's provider and model, as `--embedding-model` takes them. */
export function describeModel({ provider, model }: { readonly provider: string; readonly model: string }): string {
  return `${neutralise(provider)}/${neutralise(model)}`;
}

function describeStatus(kb: string, facts: Status): readonly (readonly [name: string, value: string])[] {
  const number = (value: number): string => value.toLocaleString("en");
  const scopes = facts.scopes.map(
    ({ scope, documents, chunks }) =>
      `${neutralise(scope)}: ${count(documents, "document")}, ${count(chunks, "chunk")}`,
  );
  const versions = facts.embeddingVersions.map(
    ({ chunks, ...version }) =>
      `${describeModel(version)}, ${number(version.dimensions)} dimensions: ${count(chunks, "chunk")}`,
  );
  const moves = facts.versions.flatMap(({ scope, current, next, previous }) => {
    const was = previous === undefined ? "" : `, ${describeModel(previous)} before`;
    const will = next === undefined ? "" : `, ${describeModel(next)} on its way`;
    if (was + will === "") return [];
    return [`${neutralise(scope)}: ${current === undefined ? "none" : describeModel(current)}${was}${will}`];
  });
  const list = (name: string, values: readonly string[]): (readonly [string, string])[] =>
    values.length === 0 ? [[name, "none"]] : values.map((value, index) => [index === 0 ? name : "", value]);
  return [
    ["knowledge base", neutralise(kb)],
    ["documents", number(facts.documents)],
    ["chunks", number(facts.chunks)],
    ["sources", formatBytes(facts.bytes)],
    ...list("scopes", scopes),
    ...list("embeddings", versions),
    ...(facts.fit === undefined ? [] : [["fitted on", describeFit(facts.fit)] as const]),
    ...(moves.length === 0 ? [] : list("searched by", moves)),
    ...(facts.files === undefined ? [] : [["index kept", describeFiles(facts.files)] as const]),
  ];
}

function describeFiles({ bytes, mostBytes, againBytes, hint }: KeptFiles): string {
  const again =
    againBytes === 0 ? "" : `; ${formatBytes(againBytes)} were fetched again${hint === undefined ? "" : `. ${hint}`}`;
  return `${formatBytes(bytes)} of ${formatBytes(mostBytes)} at most${again}`;
}

function describeFit({ madeOf, foldedIn, refitAt, isDue, isSetAside }: FitStatus): string {
  const number = (value: number): string => value.toLocaleString("en");
  if (madeOf === 0) return `nothing yet; ${isDue ? "the next ingestion fits" : `from ${count(refitAt, "chunk")} on`}`;
  const folded = foldedIn === 0 ? "" : `, ${number(foldedIn)} folded in since`;
  const due = isDue ? "the next ingestion fits anew" : `anew at ${number(refitAt)}`;
  return `${count(madeOf, "chunk")}${folded}; ${due}${isSetAside ? ", and until then words alone are searched" : ""}`;
}

/** `ibid status --health`: the last minute, from every process that has the knowledge base open. */
export async function showHealth(context: Context, options: CommonOptions): Promise<number> {
  const { output } = context;
  return await withKnowledgeBase(options, {}, async (kb) => {
    const [{ describeHealth }, health] = await Promise.all([
      import("../knowledge-base/operations/health-body.ts"),
      kb.health({ everywhere: true }),
    ]);
    const body = describeHealth(health);
    const { warnings: found, versions } = await kb.status();
    const warnings = found && (await withoutRemembered(found, versions, options));
    if (output.json) await output.object({ ...body, ...(warnings && { warnings }) });
    else {
      showWarnings(context, warnings);
      await printRows(context, describeRows(body));
    }
    return 0;
  });
}

function describeRows({ windowSeconds, retrieval, embedding, flush, queue, ingestion }: HealthBody): readonly Row[] {
  const { hits, misses, empty } = retrieval;
  const number = (value: number): string => value.toLocaleString("en");
  const ms = (value: number): string => `${value.toLocaleString("en", { maximumSignificantDigits: 3 })} ms`;
  const latency = (each: LatencyBody): string =>
    `${ms(each.meanMs)} on average, ${ms(each.p95Ms)} at the 95th percentile`;
  const measured = (each: LatencyBody, one: string, several = `${one}s`): string =>
    each.count === 0 ? "none" : `${number(each.count)} ${each.count === 1 ? one : several}: ${latency(each)}`;
  return [
    ["window", `the last ${number(windowSeconds)} seconds, every process`],
    ["searches", measured(retrieval, "search", "searches")],
    ["", `${number(hits)} found evidence, ${number(misses)} missed, ${number(empty)} found nothing`],
    ...(misses > 0
      ? [["", "missed: hits, but none with enough of the query; see one with: ibid search … --explain"] as const]
      : []),
    ...(empty > 0
      ? [["", "nothing: no document has a word of the query, or a filter or the scopes leave none"] as const]
      : []),
    ["embeddings", measured(embedding, "call")],
    ["", `${number(Math.round(embedding.cacheHitRate * 100))} % of the texts from the cache`],
    ["writes", measured(flush, "write")],
    ["queue", `${number(queue.depth)} waiting, ${number(queue.rejected)} refused`],
    ["ingestion", `${count(ingestion.indexed, "chunk")} indexed, ${count(ingestion.failed, "document")} failed`],
    ["re-embedding", `${count(ingestion.reembedded, "chunk")} done, ${count(ingestion.reembedFailed, "chunk")} failed`],
  ];
}

/** `ibid status` with its options and its help. */
export function addStatusCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("status")
    .summary("show the size of the knowledge base")
    .description("Show the size of the knowledge base by scope, and its models; or the last minute.")
    .option("--health", "searches, embeddings, writes and the queue in the last minute, in every process")
    .addHelpText("after", examples(["ibid status", "ibid status --health"]))
    .action(async function (this: Command) {
      done(await status(context, this.optsWithGlobals()));
    });
}
