import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openKnowledgeBase } from "ibid";

/** A number as a vector, without chance: its cosines with others are known. */
const vectorOf = (n: number): number[] => Array.from({ length: 16 }, (_, k) => Math.sin((n + 1) * (k + 1)));
const cosine = (a: readonly number[], b: readonly number[]): number => {
  const dot = (x: readonly number[], y: readonly number[]): number => x.reduce((sum, one, i) => sum + one * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};
const numbered = {
  provider: "own",
  model: "numbers",
  kind: "dense",
  dimensions: 16,
  embed: async (inputs: readonly unknown[]) => ({
    embeddings: inputs.map((input) =>
      vectorOf(Number(/\d+(?!.*\d)/su.exec(typeof input === "string" ? input : (input as { text: string }).text)?.[0])),
    ),
  }),
} as const;

/** Indexes so many chunks and puts queries: the time of each, the memory, and whether what was found is exact. */
async function bench(count: number) {
  const kb = await openKnowledgeBase({ models: { embedding: numbered } });
  const before = process.memoryUsage().rss;
  const started = performance.now();
  const { chunks } = await kb.ingest({
    uri: "all",
    chunks: Array.from({ length: count }, (_, i) => ({ text: `chunk ${i}` })),
  });
  const indexing = performance.now() - started;
  const memory = process.memoryUsage().rss;
  const asked = performance.now();
  const queries = [3, 77, 500];
  const found = [];
  for (const query of queries)
    found.push(await kb.search(`chunk ${query}`, { mode: "dense", topK: 10, explain: true }));
  const querying = (performance.now() - asked) / queries.length;
  await kb.close();
  const exact = queries.map((query) =>
    Array.from({ length: count }, (_, i) => cosine(vectorOf(query), vectorOf(i)))
      .toSorted((a, b) => b - a)
      .slice(0, 10),
  );
  return { chunks, indexing, querying, before, memory, found, exact };
}
const ran = new Map<number, Promise<Awaited<ReturnType<typeof bench>>>>();

/** The bench of that many chunks, run once for all proofs. A process of its own has no memory but what the bench takes. */
export function measure(count: number): Promise<Awaited<ReturnType<typeof bench>>> {
  const known = ran.get(count) ?? runApart(count);
  ran.set(count, known);
  return known;
}

async function runApart(count: number): Promise<Awaited<ReturnType<typeof bench>>> {
  const args = ["--disable-warning=ExperimentalWarning", fileURLToPath(import.meta.url), String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
  return JSON.parse(stdout) as Awaited<ReturnType<typeof bench>>;
}

if (import.meta.main) console.log(JSON.stringify(await bench(Number(process.argv[2]))));
