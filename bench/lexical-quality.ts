// How well the default analyzer finds things with plain BM25: nDCG@10 and Recall@100 per test collection.
//
//   node bench/lexical-quality.ts <folder> [<folder>…]
//
// Folders in BEIR's layout (`beir.ts`).
import { basename } from "node:path";
import type { Analyzer } from "../src/contracts/analyzer.ts";
import { createAnalyzer, defaultAnalyzer } from "../src/text/analyzer.ts";
import { readCollection, scoreRanking } from "./beir.ts";

const k1 = 1.2;
const b = 0.75;

const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error("Usage: node bench/lexical-quality.ts <folder> [<folder>…]");
  process.exitCode = 2;
}
const analyzers: readonly (readonly [string, Analyzer])[] = [
  ["default", defaultAnalyzer],
  ["stem: none", createAnalyzer({ stem: "none" })],
];
for (const folder of folders) {
  for (const [name, analyzer] of analyzers) {
    const started = performance.now();
    const { ndcg, recall, queries, terms } = evaluate(folder, analyzer);
    const ms = (performance.now() - started).toFixed(0);
    console.log(
      `${basename(folder).padEnd(10)} ${name.padEnd(12)} nDCG@10 ${ndcg.toFixed(4)}  Recall@100 ${recall.toFixed(4)}  ${queries} queries  ${terms} terms/document  ${ms} ms`,
    );
  }
}

function evaluate(
  folder: string,
  analyzer: Analyzer,
): { ndcg: number; recall: number; queries: number; terms: string } {
  const { corpus, queries: questions, judged } = readCollection(folder);
  const postings = new Map<string, [document: number, frequency: number][]>();
  const lengths: number[] = [];
  for (const [document, item] of corpus.entries()) {
    const terms = analyzer.analyze(item.title ? `${item.title}\n${item.text}` : item.text);
    lengths.push(terms.length);
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, frequency] of counts) {
      const list = postings.get(term);
      if (list) list.push([document, frequency]);
      else postings.set(term, [[document, frequency]]);
    }
  }
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const average = total / corpus.length;

  let ndcg = 0;
  let recall = 0;
  let queries = 0;
  for (const query of questions) {
    queries++;
    const scores = new Map<number, number>();
    for (const term of new Set(analyzer.analyze(query.text))) {
      const list = postings.get(term) ?? [];
      const idf = Math.log(1 + (corpus.length - list.length + 0.5) / (list.length + 0.5));
      for (const [document, frequency] of list) {
        const norm = k1 * (1 - b + (b * lengths[document]!) / average);
        scores.set(document, (scores.get(document) ?? 0) + (idf * frequency * (k1 + 1)) / (frequency + norm));
      }
    }
    const ranked = [...scores].sort((x, y) => y[1] - x[1] || (corpus[x[0]]!._id < corpus[y[0]]!._id ? -1 : 1));
    const score = scoreRanking(
      ranked.map(([document]) => corpus[document]!._id),
      judged.get(query._id) ?? new Map(),
    );
    ndcg += score.ndcg;
    recall += score.recall;
  }
  return { ndcg: ndcg / queries, recall: recall / queries, queries, terms: average.toFixed(1) };
}
