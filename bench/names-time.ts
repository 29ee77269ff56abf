// Processor time of the words leg with names, documents and headings, over the time of words alone, in turns.
//
//   npx node bench/names-time.ts <folder in BEIR's layout> [chunks] [chunks a document]
//
// Chunks have a title, a heading and a file name. The ratio is that of the best turns, which other work on the machine moves least.
import { createGate, operator } from "../src/access/gate.ts";
import { wordsAlone } from "../src/engine/bm25/bm25-settings.ts";
import { findSubject } from "../src/search/find-subject.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { writeChunks } from "../src/testing/store-fixtures.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { searchWords } from "../test/support/search-legs.ts";
import { readCollection, toChunk } from "./beir.ts";

const [folder, chunks = "50000", perDocument = "10"] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: npx node bench/names-time.ts <folder> [chunks] [chunks a document]");
const { corpus, queries } = readCollection(folder);
const texts = corpus.map(({ text }) => text).filter((text) => text.trim() !== "");
const gate = createGate();
const from = gate.read(operator, ["deployment"]);

function makeChunk(i: number) {
  const text = texts[(i * 7) % texts.length]!;
  const document = Math.floor(i / Number(perDocument));
  const start = (i % Number(perDocument)) * 3000;
  return {
    ...toChunk({ _id: `c${i}`, text }),
    documentId: `d${document}`,
    uri: `reports/annual-d${document}.md`,
    title: text.slice(0, 20),
    headings: [text.slice(20, 60)],
    start,
    end: start + text.length,
    language: "en",
  };
}

async function fill(bm25: object) {
  const store = createMemoryStore({ analyzer: languageAnalyzer, bm25 });
  for (let at = 0; at < Number(chunks); at += 1000) {
    const entries = Array.from({ length: 1000 }, (_, i) => ({ chunk: makeChunk(at + i), embeddings: [] }));
    await writeChunks(store, gate.write(operator, "deployment"), entries);
  }
  await store.upkeep!.settle();
  return store;
}

const stores = { names: await fill({}), "words alone": await fill(wordsAlone) };
const best = { names: Infinity, "words alone": Infinity };
for (let turn = 0; turn < 12; turn++) {
  for (const name of ["names", "words alone"] as const) {
    const { user } = process.cpuUsage();
    for (const { text } of queries) {
      await searchWords(stores[name], from, { text: findSubject(text, languageAnalyzer).text, topK: 10 });
    }
    best[name] = Math.min(best[name], (process.cpuUsage().user - user) / 1000 / queries.length);
  }
}
for (const [name, ms] of Object.entries(best)) console.log(`${name.padEnd(12)} ${ms.toFixed(3)} ms a question`);
console.log(`ratio        ${(best.names / best["words alone"]).toFixed(2)}`);
for (const store of Object.values(stores)) await store.close();
