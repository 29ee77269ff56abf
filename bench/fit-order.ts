/**
 * Effect of the order of ingestion on ranking without an embedding model: nDCG@10 and recall@100 after settling.
 *
 *     npx node bench/fit-order.ts --data <folder> [--only cacm,vaswani] [--orders 3]
 *
 * `<folder>/retrieval/*` are test collections in BEIR's layout. Each order is ingested in twelve batches, settled after each. The first has 256 documents, the last
 * a twentieth of the collection. The order "once" is one batch. "relevant last" and "relevant first" put every judged document there.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { openKnowledgeBase } from "../src/index.node.ts";
import { createRandom } from "../src/testing/random.ts";
import { readCollection, scoreRanking, toChunk } from "./beir.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    only: { type: "string", default: "cacm,vaswani" },
    orders: { type: "string", default: "3" },
  },
});
const { data } = values;
if (data === undefined) throw new Error("usage: npx node bench/fit-order.ts --data <folder>");

type Chunks = readonly ReturnType<typeof toChunk>[];

console.log("| set | order | default | the store's own model alone |");
console.log("|---|---|---|---|");
for (const name of values.only.split(",")) await measure(name, readCollection(join(data, "retrieval", name)));

async function measure(name: string, { corpus, queries, judged }: ReturnType<typeof readCollection>): Promise<void> {
  const chunks = corpus.filter(({ title = "", text }) => `${title}${text}`.trim() !== "").map(toChunk);
  const relevant = new Set(queries.flatMap(({ _id }) => [...(judged.get(_id)?.keys() ?? [])]));
  const isRelevant = ({ documentId }: Chunks[number]): boolean => relevant.has(documentId);
  const others = chunks.filter((chunk) => !isRelevant(chunk));
  const wanted = chunks.filter(isRelevant);
  const orders: [string, readonly Chunks[]][] = [
    ["once", [chunks]],
    ["relevant last", inBatches([...others, ...wanted])],
    ["relevant first", inBatches([...wanted, ...others])],
  ];
  for (let seed = 1; seed <= Number(values.orders); seed++)
    orders.push([`shuffled ${seed}`, inBatches(shuffle(chunks, seed))]);
  const spread = { hybrid: [] as number[], dense: [] as number[] };
  for (const [order, batches] of orders) {
    await using kb = await openKnowledgeBase();
    for (const batch of batches) await kb.ingest([...batch], { settle: true });
    const cells: string[] = [];
    for (const mode of ["hybrid", "dense"] as const) {
      let [ndcg, recall] = [0, 0];
      for (const { _id, text } of queries) {
        const hits = await kb.search(text, { mode, topK: 100, snippetLength: 0 });
        const scored = scoreRanking([...new Set(hits.map(({ documentId }) => documentId))], judged.get(_id)!);
        ndcg += scored.ndcg / queries.length;
        recall += scored.recall / queries.length;
      }
      spread[mode].push(ndcg);
      cells.push(`${ndcg.toFixed(4)} / ${recall.toFixed(4)}`);
    }
    console.log(`| ${[name, order, ...cells].join(" | ")} |`);
  }
  const width = (of: readonly number[]): string => (Math.max(...of) - Math.min(...of)).toFixed(4);
  console.log(`| ${[name, "widest difference of nDCG@10", width(spread.hybrid), width(spread.dense)].join(" | ")} |`);
}

/** The first of 256, then growing ones, then one of a twentieth. */
function inBatches(chunks: Chunks): readonly Chunks[] {
  const last = Math.floor(chunks.length * 0.95);
  const cuts = [0, 256];
  for (let i = 1; i < 10; i++) cuts.push(256 + Math.round(((last - 256) * i) / 10));
  cuts.push(last, chunks.length);
  return cuts.slice(1).map((to, i) => chunks.slice(cuts[i], to));
}

function shuffle(chunks: Chunks, seed: number): Chunks {
  const random = createRandom(seed);
  const left = [...chunks];
  for (let i = left.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [left[i], left[j]] = [left[j]!, left[i]!];
  }
  return left;
}
