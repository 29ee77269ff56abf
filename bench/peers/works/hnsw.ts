// Approximate search by vector, each at recall@10 of .95 or more.
import { type Bar, type Bench, count, milliseconds, type Section } from "../bench.ts";
import { compete, type Entry, find, toFigures, toTable } from "../compete.ts";
import { createTruth, meanRecall } from "../truth.ts";

const labels = {
  "usearch-hnsw": "usearch, called directly",
  "python:faiss-hnsw": "FAISS HNSW (Debian)",
  "lancedb-hnsw": "LanceDB HNSW-SQ, refined ᵗ",
};

export async function run(bench: Bench): Promise<Section> {
  const size = Math.min(100_000, bench.sizes.at(-1)!);
  const entries = await compete(bench, {
    contestants: Object.keys(labels),
    count: size,
    texts: true,
    dimensions: bench.data.dimensions,
    topK: 10,
    turns: { rounds: 8, count: 24, budgetMs: 600 },
  });
  const truth = createTruth(bench.data, size, 10);
  const recall = new Map<Entry, number>(entries.map((entry) => [entry, meanRecall(truth, entry)]));
  const bars: Bar[] = entries.map((entry) => ({
    what: `${labels[entry.name as keyof typeof labels]}: recall@10`,
    wanted: "0.95",
    measured: recall.get(entry)!.toFixed(4),
    met: recall.get(entry)! >= 0.95,
  }));
  for (const { name, reopenMs } of entries) {
    if (reopenMs === null) continue;
    bars.push({
      what: `${labels[name as keyof typeof labels]}: warm start, first answer included`,
      wanted: "below 1 s",
      measured: `${milliseconds(reopenMs)} ms`,
      met: reopenMs < 1000,
    });
  }
  const [ours, direct] = [find(entries, "ibid-hnsw"), find(entries, "usearch-hnsw")];
  if (ours !== undefined && direct !== undefined)
    bars.push({
      what: "p50 against usearch called directly",
      wanted: "at most 1.10 ×",
      measured: `${(ours.query.p50 / direct.query.p50).toFixed(2)} ×`,
      met: ours.query.p50 <= 1.1 * direct.query.p50,
    });
  return {
    title: "Approximate search by vector",
    about: `${count(size)} vectors as above; M 16, ef 64 and efConstruction as each has it by itself (usearch 128, FAISS 40); LanceDB M 20, ef 100, refined three times over. Built with all threads, searched with one.`,
    tables: [toTable(`${count(size)} × ${bench.data.dimensions}`, entries, { name: "recall@10", of: recall }, labels)],
    bars,
    figures: toFigures(entries, recall),
  };
}
