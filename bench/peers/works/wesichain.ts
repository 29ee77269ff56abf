// Wesichain's own benchmarks: batch indexing and query at 1,000 and 10,000 documents, with memory before and after. A
// Python baseline has the same chunks and the same embeddings. Hybrid search and HNSW are no part of this claim.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bar, type Bench, count, type Section } from "../bench.ts";
import { compete, type Entry, fasterBar, find, toFigures, toTable } from "../compete.ts";
import { batchSize } from "../data.ts";
import { loadModels } from "../ibid.ts";
import { createTruth, meanRecall } from "../truth.ts";

const labels = {
  "ibid-memory": "**ibid**, vectors given",
  "ibid-embedding": "**ibid**, embedding included",
  "python:numpy": "Python baseline (NumPy), vectors given",
};
const dimensions = 256;
const sizes = [1000, 10_000];

export async function run(bench: Bench): Promise<Section> {
  const data = await embed(bench);
  const tables = [];
  const bars: Bar[] = [];
  const figures = [];
  for (const size of sizes) {
    const entries = await compete(
      { ...bench, data },
      {
        contestants: Object.keys(labels),
        count: size,
        texts: true,
        dimensions,
        topK: 10,
        turns: { rounds: 8, count: 24, budgetMs: 600 },
        indexings: 3,
      },
    );
    const truth = createTruth(data, size, 10);
    const recall = new Map<Entry, number>(entries.map((entry) => [entry, meanRecall(truth, entry)]));
    tables.push(toTable(`${count(size)} documents`, entries, { name: "recall@10", of: recall }, labels));
    tables.push({
      title: `${count(size)} documents: resident memory, MB`,
      columns: ["", "before indexing", "after"],
      rows: entries.map(({ name, memoryBefore, memory }) => [
        labels[name as keyof typeof labels],
        (memoryBefore / 1e6).toFixed(0),
        ((memoryBefore + memory) / 1e6).toFixed(0),
      ]),
    });
    figures.push(toFigures(entries, recall));
    bars.push(
      ...fasterBar(
        `${count(size)}: query p50 against the Python baseline`,
        1,
        "p50",
        find(entries, "python:numpy"),
        find(entries, "ibid-memory"),
      ),
    );
  }
  return {
    title: "Wesichain's benchmarks",
    about:
      "Deterministic hash embedding of 256 dimensions, no keys; one document is one chunk. Both contestants are exact. ibid also indexes words, as always; the Python baseline keeps a matrix and no texts. Hybrid search and HNSW are no part of these claims.",
    tables,
    bars,
    figures,
  };
}

/** The hashing model's vectors in the files that every contestant reads, Python's too. */
async function embed({ data }: Bench): Promise<Bench["data"]> {
  const { createHashingModel } = await loadModels();
  const model = createHashingModel({ dimensions });
  const folder = join(data.folder, "hashed");
  mkdirSync(folder, { recursive: true });
  const write = async (name: string, texts: readonly string[]): Promise<string> => {
    const { embeddings } = await model.embed(texts, { purpose: "document" });
    const all = new Float32Array(texts.length * dimensions);
    embeddings.forEach((embedding, i) => all.set(embedding as Float32Array, i * dimensions));
    const path = join(folder, name);
    writeFileSync(path, new Uint8Array(all.buffer));
    return path;
  };
  const passages = readFileSync(join(data.passages, "0.jsonl"), "utf8")
    .split("\n")
    .slice(0, Math.max(...sizes, batchSize))
    .map((line) => (JSON.parse(line) as { text: string }).text);
  return {
    ...data,
    dimensions,
    vectors: await write("passages.f32", passages),
    queryVectors: await write(
      "queries.f32",
      data.queries.map(({ text }) => text),
    ),
  };
}
