import { writeChunks } from "../src/testing/store-fixtures.ts";
// How well words find things, by analyzer: nDCG@10 and Recall@100 of the lexical leg per test collection, and which languages its documents were taken for.
//
//   npx node bench/lexical-quality.ts <folder in BEIR's layout> [<folder>…]
//
// One document is one chunk, ranked by the engine with its defaults, so that the figures are those of the analyzer alone.
import { searchWords } from "../test/support/search-legs.ts";
import { basename } from "node:path";
import { createGate, operator } from "../src/access/gate.ts";
import type { Analyzer } from "../src/contracts/analyzer.ts";
import type { Chunk } from "../src/contracts/chunk.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { findSubject } from "../src/search/find-subject.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { createAnalyzer, defaultAnalyzer } from "../src/text/analyzer.ts";
import { readCollection, scoreRanking, toChunk } from "./beir.ts";

const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error("usage: npx node bench/lexical-quality.ts <folder> [<folder>…]");
  process.exitCode = 2;
}
const analyzers: readonly (readonly [string, Analyzer])[] = [
  ["stem: none", createAnalyzer({ stem: "none" })],
  ["stem: light", createAnalyzer({ stem: "light" })],
  ["core", defaultAnalyzer],
  ["Node", languageAnalyzer],
];

for (const folder of folders) {
  const { corpus, queries, judged } = readCollection(folder);
  const chunks = corpus.filter(({ text }) => text.trim() !== "").map((item) => toChunk(item));
  for (const [name, analyzer] of analyzers) {
    const store = createMemoryStore({ analyzer });
    const gate = createGate();
    const started = performance.now();
    await writeChunks(
      store,
      gate.write(operator, "deployment"),
      chunks.map((chunk) => ({ chunk, embeddings: [] })),
    );
    await store.upkeep!.settle();
    const ms = performance.now() - started;
    const scopes = gate.read(operator, ["deployment"]);
    const sum = { ndcg: 0, recall: 0, whole: 0 };
    for (const query of queries) {
      const grades = judged.get(query._id) ?? new Map<string, number>();
      const rank = async (text: string): Promise<ReturnType<typeof scoreRanking>> => {
        const { matches } = await searchWords(store, scopes, { text, topK: 100 });
        return scoreRanking(
          matches.map(({ chunk }) => chunk.id),
          grades,
        );
      };
      const { ndcg, recall } = await rank(findSubject(query.text, analyzer).text);
      sum.ndcg += ndcg;
      sum.recall += recall;
      sum.whole += (await rank(query.text)).ndcg;
    }
    const mean = (value: number): string => (value / queries.length).toFixed(4);
    console.log(
      `${basename(folder).padEnd(10)} ${name.padEnd(12)} nDCG@10 ${mean(sum.ndcg)} (with function words ${mean(sum.whole)})  Recall@100 ${mean(sum.recall)}  ${describeLanguages(chunks, analyzer)}  ${ms.toFixed(0)} ms`,
    );
    await store.close();
  }
}

function describeLanguages(chunks: readonly Chunk[], analyzer: Analyzer): string {
  const counts = new Map<string, number>();
  for (const { text } of chunks) {
    const language = analyzer.languageOf?.(text) || "?";
    counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([language, count]) => `${language} ${count}`)
    .join(", ");
}
