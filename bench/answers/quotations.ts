// Quotations without a model: how often they hold the whole of a passage that answers.
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import type { Citation } from "../../src/contracts/answer.ts";
import type { TextInput } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import { openLocalModel } from "../local-model.ts";
import { measureLocalTier, type PlacedQuestion } from "./local-tier.ts";
import { readManualPages } from "./answerable-sets.ts";
import { manualQuestions } from "./manual-questions.ts";
import type { Figure } from "./report.ts";

interface Question {
  readonly question: string;
  readonly answerable: boolean;
  /** Any of them answers. */
  readonly spans?: readonly { readonly uri: string; readonly quote: string }[];
}

/** Least share of the questions: 62 of the 115 of `docs-qa`. The manual's is what it had before tables and code counted for less. */
const usualBar = 0.54;
const manualBar = 0.5;

/**
 * Every set of `docs-qa` whose pages lie in `docs`, and the manual of this repository. A gold span counts when it stands wholly within one quotation.
 *
 * `<data>/models/all-minilm-l6-v2` adds the figures of the local tier, where its runtime is installed.
 */
export async function measureQuotations(data: string): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const cache = join(tmpdir(), "ibid-bench-vectors");
  const model = await openLocalModel(join(data, "models", "all-minilm-l6-v2"), cache);
  if (model === undefined)
    console.error("The local model is left out: it or its runtime (npm run test:onnx) is missing.");
  for (const file of readdirSync(join(data, "docs-qa")).filter((name) => name.endsWith(".jsonl"))) {
    const set = file.replace(".jsonl", "");
    const questions = readFileSync(join(data, "docs-qa", file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Question);
    const pages = readPages(join(data, "docs"), questions);
    figures.push(...(await measureSet(`docs-qa/${set}`, pages, questions, model)));
  }
  const questions = manualQuestions.map(({ question, places }) => ({
    question,
    answerable: true,
    spans: places.map(([uri, quote]) => ({ uri, quote })),
  }));
  return [...figures, ...(await measureSet("manual", readManualPages(), questions, model))];
}

/** Pages of the folders that the spans name. */
function readPages(folder: string, questions: readonly Question[]): readonly TextInput[] {
  const tops = new Set(questions.flatMap(({ spans = [] }) => spans.map(({ uri }) => uri.split("/")[0]!)));
  return [...tops]
    .flatMap((top) => listFiles(join(folder, top)))
    .map((path) => ({
      uri: relative(folder, path),
      text: readFileSync(path, "utf8").replaceAll("\r\n", "\n"),
      mediaType: "text/mdx",
    }));
}

async function measureSet(
  set: string,
  pages: readonly TextInput[],
  questions: readonly Question[],
  model: EmbeddingModel | undefined,
): Promise<readonly Figure[]> {
  const answerable = questions.filter((one) => one.answerable);
  const texts = new Map(pages.map(({ uri, text }) => [uri, text]));
  for (const { uri, quote } of answerable.flatMap(({ spans = [] }) => spans)) {
    if (texts.get(uri)?.includes(quote) !== true) throw new Error(`${uri} no longer says "${quote}".`);
  }
  const isHeld = (
    spans: Question["spans"] = [],
    { uri, start, end }: Pick<Citation, "uri" | "start" | "end">,
  ): boolean => spans.some((span) => span.uri === uri && texts.get(uri)!.slice(start, end).includes(span.quote));
  await using kb = await openKnowledgeBase();
  await kb.ingest(pages);
  let [first, either, rows, characters, longest, ms, asked] = [0, 0, 0, 0, 0, 0, 0];
  const joined = { first: 0, either: 0 };
  for (const { question, spans } of answerable) {
    const started = performance.now();
    const { citations } = await kb.ask(question);
    ms += performance.now() - started;
    asked += 1;
    const holds = (citation: Citation): boolean => isHeld(spans, citation);
    if (citations[0] && holds(citations[0])) first += 1;
    if (citations.some(holds)) either += 1;
    const { citations: fromJoined } = await kb.ask(question, { merge: true });
    if (fromJoined[0] && holds(fromJoined[0])) joined.first += 1;
    if (fromJoined.some(holds)) joined.either += 1;
    if (/^\|/mu.test(citations[0]?.quote ?? "")) rows += 1;
    const length = citations.reduce((sum, { start, end }) => sum + end - start, 0);
    characters += length;
    longest = Math.max(longest, length);
  }
  const size = answerable.length;
  const atLeast = Math.round((set === "manual" ? manualBar : usualBar) * size);
  const placed = answerable.map(({ question, spans }): PlacedQuestion => ({
    question,
    holds: (place) => isHeld(spans, place),
  }));
  return [
    { name: "a gold span in the quotations", set, size, value: either, atLeast },
    { name: "a gold span in the first quotation", set, size, value: first },
    { name: "a gold span in the quotations, hits joined", set, size, value: joined.either, atLeast },
    { name: "a gold span in the first quotation, hits joined", set, size, value: joined.first },
    { name: "rows of a table in the first quotation", set, size, value: rows },
    { name: "mean characters", set, size, value: characters / size },
    { name: "most characters", set, size, value: longest, atMost: 700 },
    { name: "milliseconds a question", set, size, value: ms / asked },
    ...(model ? await measureLocalTier(set, pages, placed, model, atLeast + 1) : []),
  ];
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.mdx?$/u.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
