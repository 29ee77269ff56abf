import { writeChunks } from "../src/testing/store-fixtures.ts";
// How well the top score of the default search separates a collection's questions from those of others: the area under
// the ROC curve (AUC).
//
//   npx node bench/off-topic.ts <folder in BEIR's layout> <folder> [<folder>…]
//
// Up to 100 questions of each collection, evenly chosen, are asked of every other one. Two folders whose names begin alike (`cacm`, `cacm-raw`) are taken for the same texts.
import { basename } from "node:path";
import { createGate, operator } from "../src/access/gate.ts";
import { latentSemanticModel } from "../src/engine/latent/latent-semantic-model.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { createRetriever } from "../src/search/create-retriever.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { type Item, readCollection, toChunk } from "./beir.ts";

const folders = process.argv.slice(2);
if (folders.length < 2) {
  console.error("usage: npx node bench/off-topic.ts <folder> <folder> [<folder>…]");
  process.exit(2);
}

const gate = createGate();
const into = gate.write(operator, "deployment");
const from = gate.read(operator, ["deployment"]);
const collections = folders.map((folder) => ({ name: basename(folder), ...readCollection(folder) }));

for (const { name, corpus, queries } of collections) {
  const store = createMemoryStore({ analyzer: languageAnalyzer, corpusModel: latentSemanticModel });
  const chunks = corpus.filter(({ text }) => text.trim() !== "").map((item) => toChunk(item));
  await writeChunks(
    store,
    into,
    chunks.map((chunk) => ({ chunk, embeddings: [] })),
  );
  await store.upkeep!.settle();
  const retriever = createRetriever({ store, analyzer: languageAnalyzer });
  const topScores = async (questions: readonly Item[]): Promise<number[]> => {
    const scores: number[] = [];
    for (const { text } of choose(questions)) {
      const [best] = await retriever.retrieve(from, text, { topK: 1, snippetLength: 0 });
      scores.push(best?.score ?? 0);
    }
    return scores;
  };
  const own = await topScores(queries);
  for (const other of collections) {
    if (other.name.startsWith(name) || name.startsWith(other.name)) continue;
    console.log(`${name.padEnd(10)} ${other.name.padEnd(10)} AUC ${areaUnder(own, await topScores(other.queries))}`);
  }
  await store.close();
}

function choose(questions: readonly Item[]): readonly Item[] {
  const step = Math.max(1, Math.floor(questions.length / 100));
  return questions.filter((_, i) => i % step === 0).slice(0, 100);
}

/** The share of pairs in which the own question scores higher; a tie is half. **Source** Mann and Whitney (1947). */
function areaUnder(own: readonly number[], others: readonly number[]): string {
  let won = 0;
  for (const a of own) for (const b of others) won += a > b ? 1 : a === b ? 0.5 : 0;
  return (won / own.length / others.length).toFixed(3);
}
