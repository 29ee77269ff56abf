/**
 * The figures of ranking in one table.
 *
 *     npm run bench:quality -- --data <folder> [--only vaswani,cacm,xquad-en,docs,chunks,reports,copies] [--model <folder>] [--cache <folder>]
 *         [--bm25 '{"naming":0}'] [--weights '{"lexical":0.7,"latent":0.3}']
 *
 * `<folder>/retrieval/*` are test collections in BEIR's layout, one document as one chunk: nDCG@10 / recall@100. `<folder>/docs-qa/haystack.jsonl` asks of
 * `<folder>/docs/haystack-docs`. Counted are answerable questions whose document is first or among five, and whose quote is among 1, 5 and 10 hits.
 * `<folder>/chunking` is Chroma's evaluation: the share of the answers' characters in the first 1,500. The last two are made here.
 * 70 reports carry company and year in their names, and 100 questions ask for a page. In the other corpus a tenth of the texts are copies.
 * `<folder>/models/all-minilm-l6-v2` is the embedding model; without it, or without its runtime, its columns stay empty. Vectors are kept in `--cache`, so
 * that a run that was stopped goes on.
 *
 * The runtime is `@huggingface/transformers`, as `npm run test:onnx` installs it; `IBID_TRANSFORMERS` names another folder.
 */
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Papa from "papaparse";

import type { EmbeddingModel } from "../src/contracts/embedding-model.ts";
import type { KnowledgeBase } from "../src/contracts/knowledge-base.ts";
import type { Bm25Options } from "../src/engine/bm25/bm25-settings.ts";
import type { FusionWeights, Hit, SearchOptions } from "../src/contracts/retriever.ts";
import { openKnowledgeBase } from "../src/index.node.ts";
import { createRandom } from "../src/testing/random.ts";
import { readCollection, scoreRanking, toChunk } from "./beir.ts";
import { isOnPage, questions as reportQuestions, reports } from "./generated-reports.ts";
import { openLocalModel } from "./local-model.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    only: { type: "string" },
    model: { type: "string" },
    bm25: { type: "string", default: "{}" },
    weights: { type: "string" },
    cache: { type: "string", default: join(tmpdir(), "ibid-bench-vectors") },
  },
});
const { data } = values;
/** Settings other than the defaults, to compare with. */
const bm25 = JSON.parse(values.bm25) as Bm25Options;
const weights = values.weights === undefined ? undefined : (JSON.parse(values.weights) as FusionWeights);
if (data === undefined) throw new Error("usage: npm run bench:quality -- --data <folder>");
const only = values.only?.split(",").map((name) => name.trim());
const isAsked = (name: string): boolean => only === undefined || only.includes(name);

/** The bars that decisions name, by set and column, in the order of a cell's figures. A figure below its bar is marked, and the run ends with 1. */
const bars: Readonly<Record<string, readonly number[]>> = {
  "vaswani default": [0.455],
  "cacm default": [0.535],
  "xquad-en default": [0.966],
  "vaswani dense": [0.433],
  "cacm dense": [0.425],
  "vaswani model": [0.51],
  "cacm model": [0.58],
  "xquad-en model": [0.974],
  "docs-qa/haystack default": [90, 100, 0, 95],
  "chunking default": [76.5],
  "generated reports default": [88, 36],
};

const model = await loadModel();
console.log("| set | measure | words | without a model | dense alone | with the model |");
console.log("|---|---|---|---|---|---|");
for (const name of ["vaswani", "cacm", "xquad-en", "xquad-de", "xquad-zh", "xquad-ar"]) {
  const folder = join(data, "retrieval", name);
  if (isAsked(name) && existsSync(folder)) await measureCollection(name, folder);
}
if (isAsked("docs")) {
  await measureDocs(data);
  await measureDocs(data, true);
}
if (isAsked("chunks")) await measureChunks(join(data, "chunking"));
if (isAsked("reports")) await measureReports();
if (isAsked("copies")) await measureCopies();

async function loadModel(): Promise<EmbeddingModel | undefined> {
  const opened = await openLocalModel(values.model ?? join(data!, "models", "all-minilm-l6-v2"), values.cache);
  if (opened === undefined) {
    console.error(
      "The columns of the model stay empty: there is no model, or no runtime (npm run test:onnx installs it).",
    );
  }
  return opened;
}

/** Searches in the order of the table's columns. Without a model, the last two are left out. */
async function columns(
  fill: (kb: KnowledgeBase) => Promise<void>,
  measure: (search: (query: string, options: SearchOptions) => Promise<readonly Hit[]>) => Promise<string>,
): Promise<readonly string[]> {
  const cells: string[] = [];
  for (const [embedding, modes] of [
    [null, ["lexical", "hybrid"]],
    [model, ["dense", "hybrid"]],
  ] as const) {
    if (embedding === undefined) {
      cells.push("", "");
      continue;
    }
    await using kb = await openKnowledgeBase(undefined, {
      search: { bm25 },
      ...(embedding !== null && { models: { embedding } }),
    });
    await fill(kb);
    for (const mode of modes) {
      const fixed = { mode, ...(mode === "hybrid" && weights && { weights }) };
      cells.push(await measure((query, options) => kb.search(query, { ...fixed, ...options })));
    }
  }
  return cells;
}

function print(name: string, measure: string, cells: readonly string[]): void {
  const marked = cells.map((cell, at) => {
    const figures = cell.split(" / ").map(Number.parseFloat);
    const missed = (bars[`${name} ${["words", "default", "dense", "model"][at]}`] ?? []).filter(
      (bar, i) => figures[i]! < bar,
    );
    if (missed.length === 0) return cell;
    process.exitCode = 1;
    return `${cell} (below ${missed.join(", ")})`;
  });
  console.log(`| ${[name, measure, ...marked].join(" | ")} |`);
}

async function measureCollection(name: string, folder: string): Promise<void> {
  const { corpus, queries, judged } = readCollection(folder);
  const chunks = corpus.filter(({ title = "", text }) => `${title}${text}`.trim() !== "").map(toChunk);
  const cells = await columns(
    async (kb) => void (await kb.ingest(chunks, { settle: true })),
    async (search) => {
      const sums = { ndcg: 0, recall: 0 };
      for (const { _id, text } of queries) {
        const hits = await search(text, { topK: 100, snippetLength: 0 });
        const ranking = [...new Set(hits.map(({ documentId }) => documentId))];
        const { ndcg, recall } = scoreRanking(ranking, judged.get(_id)!);
        sums.ndcg += ndcg / queries.length;
        sums.recall += recall / queries.length;
      }
      return `${sums.ndcg.toFixed(4)} / ${sums.recall.toFixed(4)}`;
    },
  );
  print(name, "nDCG@10 / recall@100", cells);
}

interface DocsQuestion {
  readonly question: string;
  readonly answerable: boolean;
  readonly uris?: readonly string[];
  readonly spans?: readonly { readonly uri: string; readonly quote: string }[];
}

async function measureDocs(folder: string, merge = false): Promise<void> {
  const questions = readFileSync(join(folder, "docs-qa", "haystack.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as DocsQuestion)
    .filter(({ answerable }) => answerable);
  const squeeze = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();
  const cells = await columns(
    async (kb) => void (await kb.ingest(join(folder, "docs", "haystack-docs"), { settle: true })),
    async (search) => {
      const counts = { "doc@1": 0, "doc@5": 0, "span@1": 0, "span@5": 0, "span@10": 0 };
      const ofFive = { characters: 0, documents: 0 };
      for (const { question, uris = [], spans = [] } of questions) {
        // Joined hits among ten may have more parts than among five.
        const [hits, five] = await Promise.all(
          [10, 5].map((topK) => search(question, { topK, merge, snippetLength: 0 })),
        );
        const isDocument = ({ source }: Hit): boolean =>
          uris.some((uri) => source.uri.endsWith(uri) || source.uri.endsWith(uri.replace(/^[^/]+\//u, "")));
        const holds = ({ text }: Hit): boolean => spans.some(({ quote }) => squeeze(text).includes(squeeze(quote)));
        counts["doc@1"] += Number(five!.slice(0, 1).some(isDocument));
        counts["doc@5"] += Number(five!.some(isDocument));
        counts["span@1"] += Number(five!.slice(0, 1).some(holds));
        counts["span@5"] += Number(five!.some(holds));
        counts["span@10"] += Number(hits!.some(holds));
        ofFive.characters += five!.reduce((sum, { text }) => sum + text.length, 0) / questions.length;
        ofFive.documents += new Set(five!.map(({ documentId }) => documentId)).size / questions.length;
      }
      const means = `${Math.round(ofFive.characters)} / ${ofFive.documents.toFixed(2)}`;
      return `${Object.values(counts).join(" / ")}; ${means}`;
    },
  );
  const measure = `doc@1 / @5 / span@1 / @5 / @10 of ${questions.length}; mean characters / documents among five`;
  print(merge ? "docs-qa/haystack, merged" : "docs-qa/haystack", measure, cells);
}

/** Code points of the collection as UTF-16 positions. */
function toUnits(text: string): readonly number[] {
  const units: number[] = [];
  let at = 0;
  for (const character of text) {
    units.push(at);
    at += character.length;
  }
  return [...units, at];
}

async function measureChunks(folder: string): Promise<void> {
  const rows = Papa.parse<Record<string, string>>(readFileSync(join(folder, "questions.csv"), "utf8"), {
    header: true,
    skipEmptyLines: true,
  }).data;
  const names = [...new Set(rows.map((row) => row["corpus_id"] ?? ""))];
  const units = new Map(names.map((name) => [name, toUnits(readFileSync(join(folder, `${name}.md`), "utf8"))]));
  const cells = await columns(
    async (kb) => {
      await kb.ingest(
        names.map((name) => join(folder, `${name}.md`)),
        { settle: true },
      );
    },
    async (search) => {
      let recall = 0;
      for (const row of rows) {
        const name = row["corpus_id"] ?? "";
        const gold = new Set<number>();
        const references = JSON.parse(row["references"] ?? "[]") as { start_index: number; end_index: number }[];
        for (const { start_index, end_index } of references)
          for (let at = units.get(name)![start_index]!; at < units.get(name)![end_index]!; at++) gold.add(at);
        let left = 1500;
        let found = 0;
        for (const { source } of await search(row["question"] ?? "", { topK: 20, snippetLength: 0 })) {
          const end = Math.min(source.end, source.start + left);
          left -= end - source.start;
          if (!source.uri.endsWith(`${name}.md`)) continue;
          for (let at = source.start; at < end; at++) found += Number(gold.delete(at));
        }
        recall += found / (found + gold.size);
      }
      return ((100 * recall) / rows.length).toFixed(1);
    },
  );
  print("chunking", `recall in 1,500 characters, ${rows.length} questions`, cells);
}

/** Asks for a page of one of 70 generated reports, which only its name tells from the others. */
async function measureReports(): Promise<void> {
  const cells = await columns(
    async (kb) => void (await kb.ingest(reports, { settle: true })),
    async (search) => {
      const counts = { "report@5": 0, "page@5": 0, "page@20": 0 };
      for (const question of reportQuestions) {
        const hits = await search(question.text, { topK: 20, snippetLength: 0 });
        counts["report@5"] += Number(hits.slice(0, 5).some(({ source }) => source.uri === question.uri));
        for (const k of [5, 20] as const) {
          counts[`page@${k}`] += Number(hits.slice(0, k).some(({ source }) => isOnPage(question, source)));
        }
      }
      return Object.values(counts).join(" / ");
    },
  );
  print("generated reports", `report@5 / page@5 / page@20 of ${reportQuestions.length}`, cells);
}

/** Searches 1,000 passages of one title, a tenth of them exact copies. The figures are the share of distinct texts among ten hits, and whether the first copy leads. */
async function measureCopies(): Promise<void> {
  const random = createRandom(7);
  const words = Array.from({ length: 400 }, (_, i) => `term${i}`);
  const passage = (): string => Array.from({ length: 40 }, () => random.pick(words)).join(" ");
  const texts = Array.from({ length: 900 }, passage);
  for (let i = 0; i < 100; i++) texts.push(texts[Math.floor(random.next() * 90)]!);
  const title = "Passage";
  const documents = texts.map((text, i) => ({ uri: `p/${String(i).padStart(4, "0")}.txt`, title, text }));
  await using kb = await openKnowledgeBase();
  await kb.ingest(documents, { settle: true });
  let distinct = 0;
  let first = 0;
  for (let i = 0; i < 90; i++) {
    const query = texts[i]!.split(" ").slice(0, 6).join(" ");
    const hits = await kb.search(query, { topK: 10 });
    distinct += new Set(hits.map(({ text }) => text)).size / hits.length / 90;
    first += Number(hits[0]?.source.uri === documents[texts.indexOf(hits[0]!.text)]?.uri) / 90;
  }
  print("copies", "distinct of ten / first copy first", ["", `${distinct.toFixed(3)} / ${first.toFixed(3)}`, "", ""]);
}
