// How well the built-in search finds things without a model of meaning: nDCG@10 and Recall@100 of each mode per test collection, with the hashing model.
//
//   npx node bench/search-quality.ts <folder in BEIR's layout> [<folder>…]
//
// One document is one chunk, so that the figures are those of the ranking alone.
import { basename } from "node:path";
import { createGate, operator } from "../src/access/gate.ts";
import type { Chunk } from "../src/contracts/chunk.ts";
import type { SearchMode } from "../src/contracts/retriever.ts";
import { createEmbedder } from "../src/embeddings/create-embedder.ts";
import { createHashingModel } from "../src/embeddings/hashing-model.ts";
import { createRetriever } from "../src/retrieval/create-retriever.ts";
import { createMemoryStore } from "../src/stores/memory-store.ts";
import { type Item, readCollection, scoreRanking } from "./beir.ts";

const modes: readonly SearchMode[] = ["lexical", "dense", "hybrid"];
const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error("usage: npx node bench/search-quality.ts <folder> [<folder>…]");
  process.exitCode = 2;
}

for (const folder of folders) {
  const { corpus, queries, judged } = readCollection(folder);
  const gate = createGate();
  const store = createMemoryStore();
  const embedder = createEmbedder(createHashingModel(), { secret: store.secret });
  const chunks = corpus.filter(({ text }) => text.trim() !== "").map(toChunk);
  const { version, embeddings } = await embedder.embed(chunks, { purpose: "document" });
  await store.upsert(
    gate.write(operator, "deployment"),
    chunks.map((chunk, i) => ({ chunk, embeddings: [{ version, embedding: embeddings[i] ?? [] }] })),
  );
  const retriever = createRetriever({ store, embedder });
  const scopes = gate.read(operator, ["deployment"]);

  for (const mode of modes) {
    const sum = { ndcg: 0, recall: 0 };
    for (const query of queries) {
      const hits = await retriever.retrieve(scopes, query.text, { mode, topK: 100 });
      const { ndcg, recall } = scoreRanking(
        hits.map(({ chunkId }) => chunkId),
        judged.get(query._id) ?? new Map(),
      );
      sum.ndcg += ndcg;
      sum.recall += recall;
    }
    const mean = (value: number): string => (value / queries.length).toFixed(4);
    console.log(
      `${basename(folder).padEnd(10)} ${mode.padEnd(8)} nDCG@10 ${mean(sum.ndcg)}  Recall@100 ${mean(sum.recall)}  ${queries.length} queries`,
    );
  }
  await store.close();
}

function toChunk({ _id, title = "", text }: Item, index: number): Chunk {
  return {
    type: "text-chunk",
    id: _id,
    documentId: _id,
    uri: _id,
    title,
    text,
    urtext: text,
    start: 0,
    end: text.length,
    index,
    sectionId: "0",
    headings: [],
    metadata: {},
    origin: "user-content",
  };
}
