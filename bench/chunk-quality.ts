/**
 * The share of an answer that the chunks found for a question hold, and how little else. Each chunker has the same
 * sizes and the same budget of characters.
 *
 *     npx node bench/chunk-quality.ts <folder> [--budget 1500,3000] [--sizes 200,400,800,1500] [--all]
 *
 * The folder holds texts (`<name>.md`) and `questions.csv` (`question`, `references`: a JSON list of `start_index` and
 * `end_index`, `corpus_id`: a text's name), as in Chroma's chunking evaluation. All texts are searched at once, with
 * the defaults of a knowledge base. The chunks found are read from the top until the budget is used up.
 *
 * Recall, precision and intersection over union count characters, averaged over questions. **Source** Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval", 2024 (there by tokens).
 *
 * With `--all` every chunker that has sizes takes part; the semantic one with the hashing model, which knows no meaning but is there.
 *
 * LangChain's recursive splitter takes part when `npm --prefix bench/peers ci` has been run. Its chunks are looked up
 * in the text; those that are not in it verbatim are counted.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Papa from "papaparse";

import { createChunkFactory } from "../src/chunkers/create-chunk.ts";
import {
  type AsyncChunker,
  characters,
  type Chunker,
  createLineChunker,
  createMarkdownChunker,
  createRecursiveChunker,
  createSectionChunker,
  createSemanticChunker,
  createSentenceChunker,
  createSeparatorChunker,
  createTokenChunker,
} from "../src/chunkers/index.ts";
import { type TextDocument } from "../src/index.node.ts";
import { createHashingModel } from "../src/models/index.node.ts";
import { openKnowledgeBase } from "../src/index.node.ts";
import { createMarkdownReader } from "../src/readers/index.node.ts";
import { readDocument } from "../src/readers/read-document.ts";
import { loadPeer } from "./peer.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    budget: { type: "string", default: "1500,3000" },
    sizes: { type: "string", default: "200,400,800,1500" },
    all: { type: "boolean", default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error("usage: npx node bench/chunk-quality.ts <folder>");
const budgets = values.budget.split(",").map(Number);
const sizes = values.sizes.split(",").map(Number);

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Question {
  readonly text: string;
  readonly uri: string;
  readonly gold: readonly Span[];
}

const rows = Papa.parse<Record<string, string>>(readFileSync(join(folder, "questions.csv"), "utf8"), {
  header: true,
  skipEmptyLines: true,
}).data;

const documents: TextDocument[] = [];
for (const name of new Set(rows.map((row) => row["corpus_id"] ?? ""))) {
  const uri = `${name}.md`;
  const read = await readDocument([createMarkdownReader()], { uri, bytes: readFileSync(join(folder, uri)) });
  documents.push({ type: "text", id: uri, uri, origin: "user-content", ...read });
}
const textOf = new Map(documents.map(({ uri, text }) => [uri, text]));

/** The collection counts code points. */
function toUnits(text: string): (position: number) => number {
  const units: number[] = [];
  let at = 0;
  for (const character of text) {
    units.push(at);
    at += character.length;
  }
  return (position) => units[position] ?? text.length;
}

const unitsOf = new Map(documents.map(({ uri, text }) => [uri, toUnits(text)]));
const questions: readonly Question[] = rows.map((row) => {
  const uri = `${row["corpus_id"]}.md`;
  const units = unitsOf.get(uri) ?? ((position) => position);
  const references = JSON.parse(row["references"] ?? "[]") as readonly { start_index: number; end_index: number }[];
  return {
    text: row["question"] ?? "",
    uri,
    gold: union(references.map(({ start_index, end_index }) => ({ start: units(start_index), end: units(end_index) }))),
  };
});

function union(spans: readonly Span[]): readonly Span[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

const sizeOf = (spans: readonly Span[]): number => spans.reduce((sum, { start, end }) => sum + end - start, 0);

function common(a: readonly Span[], b: readonly Span[]): number {
  let sum = 0;
  for (const x of a) for (const y of b) sum += Math.max(0, Math.min(x.end, y.end) - Math.max(x.start, y.start));
  return sum;
}

interface Scores {
  recall: number;
  precision: number;
  iou: number;
}

async function measure(chunker: Chunker | AsyncChunker): Promise<{ chunks: number; scores: readonly Scores[] }> {
  await using kb = await openKnowledgeBase({ chunker });
  const { chunks } = await kb.ingest(documents, { settle: true });
  const sums = budgets.map(() => ({ recall: 0, precision: 0, iou: 0 }));
  for (const { text, uri, gold } of questions) {
    const hits = await kb.search(text, { topK: 60 });
    for (const [i, budget] of budgets.entries()) {
      let left = budget;
      const found: (Span & { uri: string })[] = [];
      for (const { source } of hits) {
        const length = Math.min(left, source.end - source.start);
        if (length <= 0) break;
        found.push({ uri: source.uri, start: source.start, end: source.start + length });
        left -= length;
      }
      const here = union(found.filter((span) => span.uri === uri));
      const elsewhere = sizeOf(found.filter((span) => span.uri !== uri));
      const right = common(here, gold);
      const shown = sizeOf(here) + elsewhere;
      const sum = sums[i]!;
      sum.recall += right / sizeOf(gold);
      sum.precision += shown === 0 ? 0 : right / shown;
      sum.iou += right / (shown + sizeOf(gold) - right);
    }
  }
  const mean = (value: number): number => value / questions.length;
  return {
    chunks,
    scores: sums.map(({ recall, precision, iou }) => ({
      recall: mean(recall),
      precision: mean(precision),
      iou: mean(iou),
    })),
  };
}

type RecursiveSplitter = new (options: { chunkSize: number; chunkOverlap: number }) => {
  splitText(text: string): Promise<string[]>;
};

/** Chunks of a splitter that gives strings, placed by looking for them where the one before began. */
async function placed(Splitter: RecursiveSplitter, size: number, overlap: number): Promise<[Chunker, () => number]> {
  let lost = 0;
  const cut = new Map<string, readonly Span[]>();
  for (const [uri, text] of textOf) {
    const spans: Span[] = [];
    let from = 0;
    for (const piece of await new Splitter({ chunkSize: size, chunkOverlap: overlap }).splitText(text)) {
      const start = text.indexOf(piece, from);
      if (start < 0) lost += 1;
      else spans.push({ start, end: start + piece.length });
      if (start >= 0) from = start + 1;
    }
    cut.set(uri, spans);
  }
  const chunker: Chunker = {
    fingerprint: `langchain ${size} ${overlap}`,
    chunk: (document) => {
      const make = createChunkFactory(document);
      return (cut.get(document.uri) ?? []).map(({ start, end }) => make(start, end));
    },
  };
  return [chunker, () => lost];
}

const percent = (value: number): string => (value * 100).toFixed(1);
const LangChain = (await loadPeer<{ RecursiveCharacterTextSplitter: RecursiveSplitter }>("@langchain/textsplitters"))
  ?.RecursiveCharacterTextSplitter;
if (LangChain === undefined) console.error("LangChain is left out: run npm --prefix bench/peers ci.");
console.log(`${questions.length} questions, ${documents.length} texts; recall / precision / IoU in percent`);
console.log(`| chunker | size/overlap | chunks |${budgets.map((budget) => ` ${budget} characters |`).join("")}`);
console.log(`|---|---|---|${budgets.map(() => "---|").join("")}`);
for (const size of sizes) {
  for (const overlap of [0, Math.round(size / 8)]) {
    const contestants: [string, Chunker | AsyncChunker, () => number][] = [
      ["sections", createSectionChunker({ maxSize: size, overlap }), () => 0],
      ["recursive", createRecursiveChunker({ maxSize: size, overlap }), () => 0],
    ];
    if (values.all) {
      contestants.push(
        ["Markdown", createMarkdownChunker({ maxSize: size, overlap }), () => 0],
        [
          "budget",
          createTokenChunker({ maxTokens: size, overlapTokens: overlap, minTokens: size / 5, length: characters }),
          () => 0,
        ],
        ["sentences", createSentenceChunker({ sentences: 1000, maxSize: size, overlap }), () => 0],
        ["separators", createSeparatorChunker({ maxSize: size, overlap }), () => 0],
        ["lines", createLineChunker({ maxTokens: size, overlapTokens: overlap, length: characters }), () => 0],
        [
          "meaning (hash embedding)",
          createSemanticChunker({ model: createHashingModel(), maxSize: size, overlap, percentile: 80 }),
          () => 0,
        ],
      );
    }
    if (LangChain !== undefined) contestants.push(["LangChain recursive", ...(await placed(LangChain, size, overlap))]);
    for (const [name, chunker, lost] of contestants) {
      const { chunks, scores } = await measure(chunker);
      const cells = scores.map((s) => ` ${percent(s.recall)} / ${percent(s.precision)} / ${percent(s.iou)} |`).join("");
      const note = lost() === 0 ? "" : ` (${lost()} not in the text)`;
      console.log(`| ${name} | ${size}/${overlap} | ${chunks}${note} |${cells}`);
    }
  }
}
