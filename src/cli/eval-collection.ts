import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Chunk } from "../contracts/chunk.ts";
import { IbidError } from "../contracts/errors.ts";
import type { LatencyQuantiles } from "../eval/collect-run.ts";
import type { Collection, CollectionDocument, CollectionFile } from "../eval/collection.ts";
import type { Run } from "../eval/run.ts";
import { type Baseline, checkPlace } from "./eval-files.ts";
import {
  applyConditions,
  chooseMetrics,
  conditionsOf,
  describeLatency,
  type EvalCommandOptions,
  judge,
  latencyJson,
  metricsJson,
  readAgainst,
  saveBaseline,
  writeMetrics,
  writeNote,
} from "./eval-report.ts";
import { describeSettings, readVersus, settingsOf } from "./eval-settings.ts";
import { variants } from "./eval-variants.ts";
import type { Context } from "./open.ts";
import { createProgressLine, type ProgressLine } from "./progress.ts";
import { count, formatDuration, neutralise, shorten } from "./text-layout.ts";
import { readText, writeText } from "./read-text.ts";

const defaultMetrics = ["ndcg@10", "recall@100", "map", "mrr@10", "p@10"];
const metricsPerCutoff = ["ndcg", "recall", "mrr", "p"];

/** A run, with the facts that only a search gives. */
interface Collected {
  readonly run: Run;
  readonly latencyMs: LatencyQuantiles | null;
  readonly indexMs: number | null;
}

/**
 * `ibid eval <folder>`: searches a test collection in memory, with the default settings, and scores the result.
 *
 * **Shape** one line of the corpus is one document and one chunk.
 */
export async function evaluateCollection(
  context: Context,
  folder: string,
  options: EvalCommandOptions,
): Promise<number> {
  const { output } = context;
  const { mode = "hybrid", depth = 100, readRun } = options;
  refuseOption("--html", options.html);
  refuseOption("--junit", options.junit);
  await checkPlace("--run", options.run);
  await checkPlace("--save-baseline", options.saveBaseline);
  const { parseCollection } = await import("../eval/collection.ts");
  const { parseRun, formatRun } = await import("../eval/run.ts");
  const { scoreRun } = await import("../eval/score-run.ts");
  const names = chooseMetrics(defaultMetrics, metricsPerCutoff, options);
  const baseline = await readAgainst(options);
  const collection = parseCollection(await readCollectionFiles(folder));
  if (options.run !== undefined) checkIds(collection);
  // Scores an empty run, so that an unknown metric fails before the work.
  scoreRun(new Map(), collection.qrels, { metrics: names });

  const line = createProgressLine(context.stderr, { enabled: !(output.json && output.isTerminal) });
  const other = readVersus(options);
  let collected: Collected;
  let versus: Baseline | undefined;
  try {
    collected =
      readRun === undefined
        ? await searchCollection(context, collection, options, line)
        : { run: parseRun(await readText(readRun), { file: readRun }), latencyMs: null, indexMs: null };
    if (other !== undefined) {
      const { run } = await searchCollection(context, collection, other, line);
      versus = { how: describeSearch(other), ...scoreRun(run, collection.qrels, { metrics: names }) };
    }
  } finally {
    line.clear();
  }
  const { run, latencyMs, indexMs } = collected;
  const evaluation = scoreRun(run, collection.qrels, { metrics: names });
  const how = readRun ?? describeSearch(options);
  const judged = await judge(evaluation, options, versus ?? baseline);
  if (options.run !== undefined) await writeText(options.run, formatRun(run, { tag: `ibid-${mode}` }));
  await saveBaseline(options, how, evaluation);

  const queries = collection.queries.size;
  const documents = collection.documents.length;
  if (output.json) {
    const { metrics, baseline: compared } = metricsJson(judged);
    await output.object({
      mode: readRun === undefined ? mode : null,
      queries,
      documents,
      metrics,
      latencyMs: latencyMs === null ? null : latencyJson(latencyMs),
      indexMs,
      ...(compared === undefined ? {} : { baseline: compared }),
    });
  } else {
    const { style } = output;
    await output.line(style.bold(shorten(neutralise(folder), output.columns)));
    await output.line(
      `${neutralise(how)} · ${count(documents, "document")} · ${queries.toLocaleString("en")} judged ${queries === 1 ? "query" : "queries"}`,
    );
    await output.line();
    await writeMetrics(output, judged);
    if (latencyMs !== null && indexMs !== null) {
      await output.line();
      await output.line(`${style.dim("a search")}  ${describeLatency(latencyMs)}`);
      await output.line(`${style.dim("indexing")}  ${formatDuration(indexMs)}`);
    }
    const deepest = readRun === undefined ? depth : Infinity;
    const notes = describeOddities(collection, names, deepest);
    if (notes.length > 0) await output.line();
    for (const note of notes) await writeNote(output, note);
  }
  return await applyConditions(output, conditionsOf(judged, options));
}

/** **Errors** `not-found` for a folder without a test collection. */
async function readCollectionFiles(
  folder: string,
): Promise<Readonly<Record<"corpus" | "queries" | "qrels", CollectionFile>>> {
  const read = async (...candidates: readonly string[]): Promise<CollectionFile> => {
    const file = candidates.map((name) => join(folder, name)).find((path) => existsSync(path));
    if (file !== undefined) return { text: await readText(file), file };
    throw new IbidError("not-found", `${folder} has no ${candidates.join(" and no ")}.`, {
      uri: folder,
      hint: "A test collection is a folder with corpus.jsonl, queries.jsonl and qrels.tsv (or qrels/test.tsv).",
    });
  };
  const [corpus, queries, qrels] = await Promise.all([
    read("corpus.jsonl"),
    read("queries.jsonl"),
    read("qrels.tsv", "qrels/test.tsv"),
  ]);
  return { corpus, queries, qrels };
}

/** Fields of a run are divided by white space. **Errors** `invalid-id`, before the work. */
function checkIds({ documents, queries }: Collection): void {
  const id = [...queries.keys(), ...documents.map((document) => document.id)].find((each) => /\s/u.test(each));
  if (id === undefined) return;
  throw new IbidError("invalid-id", `--run cannot be written: the _id "${id}" has white space in it.`, {
    hint: "Use ids without white space, or leave --run out.",
  });
}

async function searchCollection(
  { signal }: Context,
  { documents, queries }: Collection,
  options: EvalCommandOptions,
  line: ProgressLine,
): Promise<Collected> {
  const { collectRun } = await import("../eval/collect-run.ts");
  const { openKnowledgeBase } = await import("../knowledge-base/open/open-knowledge-base.ts");
  const { mode = "hybrid", variant = "default", depth = 100, embeddingModel, reranker } = options;
  const open = variants[variant];
  if (open === undefined) {
    throw new IbidError("invalid-argument", `There is no variant ${variant}.`, {
      hint: `Variants: ${Object.keys(variants).join(", ")}.`,
    });
  }
  const { models, ...opened } = await open();
  const settings = settingsOf(options);
  const named = { ...(embeddingModel !== undefined && { embedding: embeddingModel }), reranker };
  const kb = await openKnowledgeBase(undefined, { ...opened, models: { ...models, ...named } });
  try {
    line.say(`Indexing ${count(documents.length, "document")} …`);
    const started = performance.now();
    const chunks = documents.filter((document) => !isBlank(document)).map(toChunk);
    if (chunks.length > 0) await kb.ingest(chunks, { signal, settle: true });
    const indexMs = Math.round(performance.now() - started);

    let shown = 0;
    const collected = await collectRun(
      async (query, topK) => {
        const hits = await kb.search(query, { ...settings, mode, topK, snippetLength: 0, signal });
        return hits.map(({ documentId, score }) => ({ documentId, score }));
      },
      queries,
      {
        depth,
        signal,
        onQuery(done, total) {
          if (performance.now() - shown < 100) return;
          shown = performance.now();
          line.say(`Searching ${done.toLocaleString("en")}/${total.toLocaleString("en")} …`);
        },
      },
    );
    return { ...collected, indexMs };
  } finally {
    await kb.close();
  }
}

/** The search in words: mode, variant, settings and models. */
function describeSearch(options: EvalCommandOptions): string {
  const { mode = "hybrid", variant = "default", embeddingModel, reranker } = options;
  const settings = describeSettings(options);
  return [
    mode,
    ...(variant === "default" ? [] : [`variant ${variant}`]),
    ...(settings === "" ? [] : [settings]),
    ...(embeddingModel === undefined || mode === "lexical" ? [] : [`model ${embeddingModel}`]),
    ...(reranker === undefined ? [] : [`reranker ${reranker}`]),
  ].join(", ");
}

/** **Errors** `invalid-argument` for an option of questions. */
function refuseOption(option: string, value: string | undefined): void {
  if (value === undefined) return;
  throw new IbidError("invalid-argument", `${option} is for questions, and this is a test collection.`, {
    hint: `Leave ${option} out, or name a file of questions.`,
  });
}

const isBlank = ({ title, text }: CollectionDocument): boolean => title.trim() === "" && text.trim() === "";

function toChunk({ id, title, text }: CollectionDocument): Chunk {
  return {
    type: "text-chunk",
    id,
    documentId: id,
    uri: id,
    title,
    text,
    urtext: text,
    start: 0,
    end: text.length,
    index: 0,
    sectionId: "0",
    headings: [],
    metadata: {},
    origin: "user-content",
  };
}

/** Reasons why the figures are weaker than they look. */
function describeOddities({ documents, missing }: Collection, names: readonly string[], depth: number): string[] {
  const blank = documents.filter(isBlank).length;
  const beyond = names.filter((name) => Number(name.split("@")[1] ?? 0) > depth);
  return [
    ...(blank === 0 ? [] : [`${count(blank, "document")} without a word: no search can find them.`]),
    ...(missing.length === 0
      ? []
      : [`${count(missing.length, "document")} judged relevant, but not in the corpus: no search can find them.`]),
    ...(beyond.length === 0 ? [] : [`${beyond.join(", ")}: seen to depth ${depth} only; --depth looks further.`]),
  ];
}
