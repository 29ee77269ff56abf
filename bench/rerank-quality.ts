import { writeChunks } from "../src/testing/store-fixtures.ts";
// Worth and cost of `reranker: "proximity"`, which ranks passages higher that have the query's words near one another.
// Prints nDCG@10 of the default hybrid search and of the lexical one, without it and with it. Also prints how many
// queries gain and lose, and the standard error of the difference.
//
//   npx node bench/rerank-quality.ts <folder in BEIR's layout> [<folder>…]
//
// One document is one chunk. "halves" are the differences of the odd queries and of the even ones. Times are medians of a whole search without snippets.
import { basename } from "node:path";
import { createGate, operator } from "../src/access/gate.ts";
import type { Retriever, SearchMode } from "../src/contracts/retriever.ts";
import { latentSemanticModel } from "../src/engine/latent/latent-semantic-model.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { createRetriever } from "../src/search/create-retriever.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { type Item, readCollection, scoreRanking, toChunk } from "./beir.ts";

const modes: readonly SearchMode[] = ["hybrid", "lexical"];
const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error("usage: npx node bench/rerank-quality.ts <folder> [<folder>…]");
  process.exitCode = 2;
}

for (const folder of folders) {
  const { corpus, queries, judged } = readCollection(folder);
  const gate = createGate();
  const store = createMemoryStore({ analyzer: languageAnalyzer, corpusModel: latentSemanticModel });
  const chunks = corpus
    .filter(({ title = "", text }) => `${title}${text}`.trim() !== "")
    .map((item) => ({ ...toChunk(item), language: languageAnalyzer.languageOf?.(item.text) ?? "" }));
  await writeChunks(
    store,
    gate.write(operator, "deployment"),
    chunks.map((chunk) => ({ chunk, embeddings: [] })),
  );
  await store.upkeep!.settle();
  const scopes = gate.read(operator, ["deployment"]);
  const plain = createRetriever({ store, analyzer: languageAnalyzer });
  const nearer = createRetriever({ store, analyzer: languageAnalyzer, reranker: "proximity" });

  const run = async (retriever: Retriever, mode: SearchMode, { _id, text }: Item): Promise<[number, number]> => {
    const started = performance.now();
    const hits = await retriever.retrieve(scopes, text, { mode, topK: 10, snippetLength: 0 });
    const took = performance.now() - started;
    const ranking = hits.map(({ chunkId }) => chunkId);
    return [scoreRanking(ranking, judged.get(_id) ?? new Map()).ndcg, took];
  };

  for (const mode of modes) {
    const before: number[] = [];
    const gains: number[] = [];
    const times: { readonly plain: number[]; readonly nearer: number[] } = { plain: [], nearer: [] };
    for (const query of queries) {
      const [without, withoutTime] = await run(plain, mode, query);
      const [score, time] = await run(nearer, mode, query);
      before.push(without);
      gains.push(score - without);
      times.plain.push(withoutTime);
      times.nearer.push(time);
    }
    const gain = mean(gains);
    const error = Math.sqrt(mean(gains.map((each) => (each - gain) * (each - gain))) / gains.length);
    const halves = [0, 1].map((half) => signed(mean(gains.filter((_, index) => index % 2 === half))));
    console.log(
      `${basename(folder).padEnd(14)} ${mode.padEnd(8)} nDCG@10 ${mean(before).toFixed(4)} ${(mean(before) + gain).toFixed(4)}  ` +
        `${signed(gain)} ± ${error.toFixed(4)}, halves ${halves.join(" ")}; ` +
        `${gains.filter((each) => each > 0).length} gain, ${gains.filter((each) => each < 0).length} lose of ${queries.length}; ` +
        `${median(times.plain).toFixed(2)} → ${median(times.nearer).toFixed(2)} ms`,
    );
  }
  await store.close();
}

function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(4)}`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  return values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)] ?? Number.NaN;
}
