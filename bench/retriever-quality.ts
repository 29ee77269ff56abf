import { writeChunks } from "../src/testing/store-fixtures.ts";
// Effects of retrievers around the built-in one on the hits.
//
//   npx node bench/retriever-quality.ts <folder in BEIR's layout> [<folder>…]
//
// First with one document as one chunk: nDCG@10 and Recall@10 of the default search, without duplicates and
// diversified. Then, where ids are ARTICLE-NUMBER as in XQuAD, with articles as documents and paragraphs as chunks,
// over five hits. Counted are questions with a hit that covers the judged paragraph. Also counted are those where an
// answer without a model begins with a sentence of it. The number of hits and their characters follow.
import { basename } from "node:path";
import { createGate, operator } from "../src/access/gate.ts";
import { answerQuestion } from "../src/answers/answer-question.ts";
import type { Answer } from "../src/contracts/answer.ts";
import type { Chunk } from "../src/contracts/chunk.ts";
import type { TextDocument } from "../src/contracts/document.ts";
import type { Retriever } from "../src/contracts/retriever.ts";
import { latentSemanticModel } from "../src/engine/latent/latent-semantic-model.ts";
import { compressHits, diversify, dropDuplicates, expandHits } from "../src/search/index.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { createRetriever } from "../src/search/create-retriever.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { type Collection, type Item, readCollection, scoreRanking, toChunk } from "./beir.ts";

const analyzer = languageAnalyzer;
const gate = createGate();
const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error("usage: npx node bench/retriever-quality.ts <folder> [<folder>…]");
  process.exitCode = 2;
}

for (const folder of folders) {
  const collection = readCollection(folder);
  await rankings(basename(folder), collection);
  if (collection.corpus.every(({ _id }) => /^\d+-\d+$/u.test(_id))) await places(basename(folder), collection);
}

async function rankings(name: string, { corpus, queries, judged }: Collection): Promise<void> {
  const store = createMemoryStore({ analyzer, corpusModel: latentSemanticModel });
  const entries = corpus
    .filter(({ title = "", text }) => `${title}${text}`.trim() !== "")
    .map((item) => ({ chunk: { ...toChunk(item), language: analyzer.languageOf?.(item.text) ?? "" }, embeddings: [] }));
  await writeChunks(store, gate.write(operator, "deployment"), entries);
  await store.upkeep!.settle();
  const scopes = gate.read(operator, ["deployment"]);
  const base = createRetriever({ store, analyzer });
  const retrievers: Readonly<Record<string, Retriever>> = {
    "as it is": base,
    dropDuplicates: dropDuplicates(base),
    ...Object.fromEntries([0.9, 0.8, 0.7, 0.5].map((lambda) => [`diversify ${lambda}`, diversify(base, { lambda })])),
  };
  for (const [label, retriever] of Object.entries(retrievers)) {
    let ndcg = 0;
    let recall = 0;
    for (const { _id, text } of queries) {
      const hits = await retriever.retrieve(scopes, text, { topK: 10, snippetLength: 0 });
      const score = scoreRanking(
        hits.map(({ chunkId }) => chunkId),
        judged.get(_id) ?? new Map(),
      );
      ndcg += score.ndcg / queries.length;
      recall += score.recall / queries.length;
    }
    console.log(`${name.padEnd(9)} ${label.padEnd(16)} nDCG@10 ${ndcg.toFixed(4)} Recall@10 ${recall.toFixed(4)}`);
  }
  await store.close();
}

async function places(name: string, { corpus, queries, judged }: Collection): Promise<void> {
  const store = createMemoryStore({ analyzer, corpusModel: latentSemanticModel });
  const articles = new Map<string, Item[]>();
  for (const item of corpus) {
    const article = item._id.split("-")[0] ?? "";
    articles.set(article, [...(articles.get(article) ?? []), item]);
  }
  const where = new Map<string, { readonly uri: string; readonly start: number; readonly end: number }>();
  for (const [uri, items] of articles) {
    const chunks: Chunk[] = [];
    let text = "";
    for (const item of items) {
      if (text !== "") text += "\n\n";
      const [start, end] = [text.length, text.length + item.text.length];
      text += item.text;
      where.set(item._id, { uri, start, end });
      const language = analyzer.languageOf?.(item.text) ?? "";
      chunks.push({ ...toChunk(item), documentId: uri, uri, start, end, index: chunks.length, language });
    }
    await store.replace(gate.write(operator, "deployment"), {
      document: articleOf(uri, text),
      chunks: chunks.map((chunk) => ({ chunk, embeddings: [] })),
      contentHash: "0".repeat(64),
      metadataHash: "0".repeat(64),
      fingerprint: "",
      bytes: text.length,
      folder: null,
    });
  }
  await store.upkeep!.settle();
  const scopes = gate.read(operator, ["deployment"]);
  const base = createRetriever({ store, analyzer });
  const around = { documents: store, analyzer };
  const retrievers: Readonly<Record<string, Retriever>> = {
    "as it is": base,
    dropDuplicates: dropDuplicates(base),
    diversify: diversify(base),
    merge: { retrieve: (proof, query, options) => base.retrieve(proof, query, { ...options, merge: true }) },
    "expandHits 1": expandHits(base, { ...around, neighbours: 1 }),
    compressHits: compressHits(base, around),
  };
  for (const [label, retriever] of Object.entries(retrievers)) {
    const sums = { covered: 0, cited: 0, hits: 0, characters: 0 };
    for (const { _id, text: question } of queries) {
      const wanted = [...(judged.get(_id)?.keys() ?? [])].map((id) => where.get(id));
      const meets = (uri: string, start: number, end: number): boolean =>
        wanted.some((place) => place?.uri === uri && place.start < end && start < place.end);
      const hits = await retriever.retrieve(scopes, question, { explain: true });
      sums.hits += hits.length;
      for (const { text } of hits) sums.characters += text.length;
      sums.covered += Number(hits.some(({ source }) => meets(source.uri, source.start, source.end)));
      const answer = await answerOf(question, hits);
      const [first] = answer?.citations ?? [];
      sums.cited += Number(first !== undefined && meets(first.uri, first.start, first.end));
    }
    const share = (count: number): string => `${((100 * count) / queries.length).toFixed(1)} %`;
    console.log(
      `${name.padEnd(9)} ${label.padEnd(16)} covered ${share(sums.covered)}, cited ${share(sums.cited)}, ` +
        `${(sums.hits / queries.length).toFixed(2)} hits, ${Math.round(sums.characters / queries.length)} characters`,
    );
  }
  await store.close();

  async function answerOf(question: string, hits: Awaited<ReturnType<Retriever["retrieve"]>>) {
    const documents = {
      read: (id: string, _: unknown, start: number, end: number) => store.readText(scopes, id, start, end),
    };
    let answer: Answer | undefined;
    for await (const event of answerQuestion({ question, hits, grounding: "permissive", documents, analyzer }))
      if (event.type === "answer") answer = event.answer;
    return answer;
  }
}

function articleOf(uri: string, text: string): TextDocument {
  return {
    type: "text",
    id: uri,
    uri,
    title: "",
    mediaType: "text/plain",
    text,
    metadata: {},
    origin: "user-content",
    root: { id: "0", title: "", level: 0, start: 0, contentStart: 0, end: text.length, children: [] },
    sourceMap: { lines: "text" },
  };
}
