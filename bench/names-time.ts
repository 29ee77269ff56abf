// Processor time of the words leg with names, documents and headings, over the time of words alone, in turns.
//
//   npx node bench/names-time.ts <folder in BEIR's layout> [chunks] [chunks a document] [other checkout]
//
// Chunks have a title, a heading and a file name. Ratios are those of the best turns, which other work on the machine moves least. With another checkout, its
// words alone take their turns, too.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createGate, operator } from "../src/access/gate.ts";
import { wordsAlone } from "../src/engine/bm25/bm25-settings.ts";
import { findSubject } from "../src/search/find-subject.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { writeChunks } from "../src/testing/store-fixtures.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { searchWords } from "../test/support/search-legs.ts";
import { readCollection, toChunk } from "./beir.ts";

const [folder, chunks = "50000", perDocument = "10", against] = process.argv.slice(2);
if (folder === undefined) {
  throw new Error("usage: npx node bench/names-time.ts <folder> [chunks] [chunks a document] [other checkout]");
}
const { corpus, queries } = readCollection(folder);
const texts = corpus.map(({ text }) => text).filter((text) => text.trim() !== "");

interface Checkout {
  readonly createMemoryStore: typeof createMemoryStore;
  readonly createGate: typeof createGate;
  readonly operator: typeof operator;
}
const here: Checkout = { createMemoryStore, createGate, operator };

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

/** A store, and the proof by which it is read: each checkout takes that of its own gate. */
async function fill(bm25: object, parts = here) {
  const store = parts.createMemoryStore({ analyzer: languageAnalyzer, bm25 });
  const gate = parts.createGate();
  for (let at = 0; at < Number(chunks); at += 1000) {
    const entries = Array.from({ length: 1000 }, (_, i) => ({ chunk: makeChunk(at + i), embeddings: [] }));
    await writeChunks(store, gate.write(parts.operator, "deployment"), entries);
  }
  await store.upkeep!.settle();
  return { store, from: gate.read(parts.operator, ["deployment"]) };
}

const stores = new Map([
  ["names", await fill({})],
  ["words alone", await fill(wordsAlone)],
]);
if (against !== undefined) {
  const load = (path: string): Promise<object> => import(pathToFileURL(join(resolve(against), "src", path)).href);
  const there = { ...(await load("stores/memory/memory-store.ts")), ...(await load("access/gate.ts")) } as Checkout;
  stores.set("words alone there", await fill(wordsAlone, there));
}
const best = new Map([...stores.keys()].map((name) => [name, Infinity]));
for (let turn = 0; turn < 20; turn++) {
  for (const [name, { store, from }] of stores) {
    const { user } = process.threadCpuUsage();
    for (const { text } of queries) {
      await searchWords(store, from, { text: findSubject(text, languageAnalyzer).text, topK: 10 });
    }
    best.set(name, Math.min(best.get(name)!, (process.threadCpuUsage().user - user) / 1000 / queries.length));
  }
}
for (const [name, ms] of best) {
  console.log(`${name.padEnd(18)} ${ms.toFixed(3)} ms a question, ratio ${(best.get("names")! / ms).toFixed(2)}`);
}
for (const { store } of stores.values()) await store.close();
