// Quotations without a model: how often they hold the whole of a passage that answers.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import type { Citation } from "../../src/contracts/answer.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import type { Figure } from "./report.ts";

interface Question {
  readonly question: string;
  readonly answerable: boolean;
  /** Any of them answers. */
  readonly spans?: readonly { readonly uri: string; readonly quote: string }[];
}

/** Every set of `docs-qa` whose pages lie in `docs`: a gold span counts when it stands wholly within one quotation. */
export async function measureQuotations(data: string): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const file of readdirSync(join(data, "docs-qa")).filter((name) => name.endsWith(".jsonl"))) {
    const set = file.replace(".jsonl", "");
    const questions = readFileSync(join(data, "docs-qa", file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Question);
    figures.push(...(await measureSet(`docs-qa/${set}`, join(data, "docs"), questions)));
  }
  return figures;
}

async function measureSet(set: string, folder: string, questions: readonly Question[]): Promise<readonly Figure[]> {
  const answerable = questions.filter((one) => one.answerable);
  const tops = new Set(answerable.flatMap(({ spans = [] }) => spans.map(({ uri }) => uri.split("/")[0]!)));
  await using kb = await openKnowledgeBase();
  const texts = new Map<string, string>();
  for (const path of [...tops].flatMap((top) => listFiles(join(folder, top)))) {
    const uri = relative(folder, path);
    const text = readFileSync(path, "utf8").replaceAll("\r\n", "\n");
    texts.set(uri, text);
    await kb.ingest({ uri, text, mediaType: "text/mdx" });
  }
  let [first, either, characters, longest, ms, asked] = [0, 0, 0, 0, 0, 0];
  for (const { question, spans = [] } of answerable) {
    const started = performance.now();
    const { citations } = await kb.ask(question);
    ms += performance.now() - started;
    asked += 1;
    const holds = ({ uri, start, end }: Citation): boolean =>
      spans.some((span) => span.uri === uri && texts.get(uri)!.slice(start, end).includes(span.quote));
    if (citations[0] && holds(citations[0])) first += 1;
    if (citations.some(holds)) either += 1;
    const length = citations.reduce((sum, { start, end }) => sum + end - start, 0);
    characters += length;
    longest = Math.max(longest, length);
  }
  const size = answerable.length;
  return [
    { name: "a gold span in the quotations", set, size, value: either, atLeast: Math.round(0.54 * size) },
    { name: "a gold span in the first quotation", set, size, value: first },
    { name: "mean characters", set, size, value: characters / size },
    { name: "most characters", set, size, value: longest, atMost: 700 },
    { name: "milliseconds a question", set, size, value: ms / asked },
  ];
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.mdx?$/u.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
