/**
 * Wesichain's `index_and_query`: documents to embeddings to retrieval in memory, with an embedder that needs no key.
 *
 * | Wesichain | ibid |
 * |---|---|
 * | `HashEmbedder` | `createHashingModel()` |
 * | `InMemoryVectorStore` | `openKnowledgeBase()` without a folder |
 * | `TextLoader`, `PdfLoader` | readers, chosen by what the bytes are |
 * | `TextSplitter(chunk_size, overlap)` | `createWindowChunker({ size, overlap })` |
 * | `Indexer`: batch, then one `add` | `kb.ingest` |
 * | `Retriever` | `kb.search(query, { mode: "dense" })` |
 * | `MetadataFilter::Eq`, `Range`, `All` | `{ topic: "storage" }`, `{ year: { gte: 2024 } }`, both in one object |
 * | `SearchResult { document, score }` | a hit, with the place of its words |
 *
 *     npm run build && npx node examples/seeds/wesichain-index-and-query.ts
 */
import { openKnowledgeBase } from "ibid";
import { createWindowChunker } from "ibid/chunkers";
import { createHashingModel } from "ibid/models";
import { check } from "../check.ts";

const kb = await openKnowledgeBase({
  models: { embedding: createHashingModel() },
  chunker: createWindowChunker({ size: 80, overlap: 16 }),
});

const started = performance.now();
const { embedded } = await kb.ingest([
  {
    uri: "rust.txt",
    text: "Ownership is how Rust manages memory: every value has one owner, and is dropped when its owner goes out of scope.",
    metadata: { topic: "languages", year: 2021 },
  },
  {
    uri: "vectors.txt",
    text: "A vector store keeps embeddings and finds those nearest to a query by cosine similarity.",
    metadata: { topic: "storage", year: 2024 },
  },
  {
    uri: "queues.txt",
    text: "A bounded queue refuses work when it is full, instead of keeping it until memory ends.",
    metadata: { topic: "storage", year: 2020 },
  },
]);
console.log(`indexed ${embedded} windows in ${(performance.now() - started).toFixed(1)} ms`);
check("windows of 80 with 16 shared", embedded, 6);

const asked = performance.now();
const hits = await kb.search("Which store finds embeddings by cosine similarity?", { mode: "dense", topK: 3 });
console.log(`asked in ${(performance.now() - asked).toFixed(1)} ms`);
for (const { score, text, source } of hits) console.log(`${score.toFixed(3)} ${source.uri} ${JSON.stringify(text)}`);
check("the nearest", hits[0]?.source.uri, "vectors.txt");
check(
  "best first, within the cosine's bounds",
  hits.every(({ score }, i) => score >= -1 && score <= (hits[i - 1]?.score ?? 1)),
  true,
);
check("embeddings are stripped", hits[0]?.embedding, undefined);

const filtered = await kb.search("memory", { mode: "dense", filter: { topic: "storage", year: { lt: 2024 } } });
check("filtered", [...new Set(filtered.map(({ source }) => source.uri))], ["queues.txt"]);

const floor = hits[1]?.score ?? 0;
const above = await kb.search("Which store finds embeddings by cosine similarity?", { mode: "dense", minScore: floor });
check("the threshold is inclusive", above.length, 2);
check("none match: an empty list", await kb.search("memory", { mode: "dense", filter: { topic: "birds" } }), []);
await kb.close();
