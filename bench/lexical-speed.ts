import { writeChunks } from "../src/testing/store-fixtures.ts";
// Time of a search by words: BM25 over a collection's own passages, and over more of them made by joining halves of
// two. The question is asked as it is, and without its function words.
//
//   npx node bench/lexical-speed.ts <folder in BEIR's layout> [passages]
//
// "postings" is how many entries a question's lists have together: the work of scoring every chunk, and the most that
// skipping could save.
import { searchWords } from "../test/support/search-legs.ts";
import { createGate, operator } from "../src/access/gate.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { findSubject } from "../src/search/find-subject.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { readCollection, toChunk } from "./beir.ts";

const [folder, passages = "100000"] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: npx node bench/lexical-speed.ts <folder> [passages]");
  process.exit(2);
}

const { corpus, queries } = readCollection(folder);
const own = corpus.map(({ text }) => text).filter((text) => text.trim() !== "");
/** Half of one passage and half of another, chosen by two strides that visit all pairs before they repeat. */
const textOf = (i: number): string => {
  if (i < own.length) return own[i]!;
  const [a, b] = [own[(i * 7) % own.length]!, own[(i * 13 + Math.floor(i / own.length)) % own.length]!];
  return `${a.slice(0, a.length / 2)} ${b.slice(b.length / 2)}`;
};

const store = createMemoryStore({ analyzer: languageAnalyzer });
const gate = createGate();
const into = gate.write(operator, "deployment");
const from = gate.read(operator, ["deployment"]);
const count = Number(passages);
let started = performance.now();
for (let at = 0; at < count; at += 1000) {
  const chunks = Array.from({ length: Math.min(1000, count - at) }, (_, i) => ({
    ...toChunk({ _id: `c${at + i}`, text: textOf(at + i) }),
    language: "en",
  }));
  await writeChunks(
    store,
    into,
    chunks.map((chunk) => ({ chunk, embeddings: [] })),
  );
}
await store.upkeep!.settle();
console.log(`${count} passages indexed in ${Math.round(performance.now() - started)} ms`);

for (const [name, ask] of [
  ["as asked", (text: string) => text],
  ["subject", (text: string) => findSubject(text, languageAnalyzer).text],
] as const) {
  const times: number[] = [];
  let postings = 0;
  for (const measured of [false, false, true, true, true]) {
    for (const { text } of queries) {
      const query = ask(text);
      started = performance.now();
      const { terms } = await searchWords(store, from, { text: query, topK: 10 });
      if (!measured) continue;
      times.push(performance.now() - started);
      postings += terms.reduce((sum, { chunks }) => sum + chunks, 0);
    }
  }
  times.sort((a, b) => a - b);
  const quantile = (share: number): string => times[Math.floor(times.length * share)]!.toFixed(2);
  console.log(
    `${name.padEnd(9)} p50 ${quantile(0.5)} ms, p95 ${quantile(0.95)} ms, ${Math.round(postings / times.length)} postings a question`,
  );
}
await store.close();
