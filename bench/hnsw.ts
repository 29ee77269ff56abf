// The HNSW index against the exact scan: from which size on it wins, what it costs, what it misses, and what `usearch` called directly does.
//
//   npm ci --prefix compat/usearch && npx node bench/hnsw.ts [rows...]
//
// Vectors are drawn around 400 Gaussian centres, 384 dimensions, normalised; queries too. Searches are for ten, one at a time, on one thread.
// The ways of searching take turns of twenty searches, and every turn another one begins; before each turn, 64 MB that nobody needs go through the
// caches, so that all ways find them alike, whoever's turn it was. Times are the middle of three times 200 searches, after 200 that are not
// counted; the processor's are means, which other programs on the machine disturb less. "its graph" is the share of a search that passes in the library:
// the rest is candidates, exact scores, what the store checks, and reading ten chunks. Graphs are built by as many threads as there are.
//
// `usearch` is called directly in two ways. "as it comes" is what somebody has who does without ibid: the standard settings of its JavaScript (32-bit
// coordinates, connectivity 16, expansions 128 and 64) over the same vectors, by inner product, which spares it the lengths. "our file" is the very graph
// that the HNSW index searches, loaded a second time, asked with bytes that were made before. Both give keys and distances, no chunks, nothing
// checked, nothing scored exactly.
//
// Recall is that of the ten against the exact scan's ten. SPREAD as in exact-search.ts. Default: 1,000 to 300,000 rows.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate, operator } from "../src/access/gate.ts";
import { withHnsw } from "../src/stores/candidates/usearch/hnsw-store.ts";
import { encode, type IndexFacts } from "../src/stores/candidates/usearch/hnsw-index.ts";
import {
  createCodes,
  loadUsearch,
  type NativeIndex,
  type UsearchLibrary,
} from "../src/stores/candidates/usearch/load-usearch.ts";
import type { KnowledgeStore } from "../src/contracts/knowledge-store.ts";
import type { VectorQuery } from "../src/contracts/vector-store.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";

const dimensions = 384;
const version = { provider: "bench", model: "clusters", dimensions, fingerprint: "" };
const gate = createGate();
const into = gate.write(operator, "deployment");
const from = gate.read(operator, ["deployment"]);
const library = await loadUsearch(join(import.meta.dirname, "..", "compat", "usearch"));
const spread = Number(process.env["SPREAD"] ?? 1);

/** Lehmer's generator: the same vectors every time. */
let seed = 7;
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}

function gaussian(): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

const centres = Array.from({ length: 400 }, () => Float32Array.from({ length: dimensions }, gaussian));

function draw(): Float32Array {
  const centre = centres[Math.floor(random() * centres.length)]!;
  const vector = centre.map((value) => value + spread * gaussian());
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

const idOf = (row: number): string => `c${String(row).padStart(7, "0")}`;

async function fill(store: KnowledgeStore, vectors: readonly Float32Array[]): Promise<void> {
  const rows = vectors.length;
  for (let at = 0; at < rows; at += 1000) {
    const count = Math.min(1000, rows - at);
    const entries = Array.from({ length: count }, (_, i) => {
      const text = `Chunk number ${at + i}.`;
      const documentId = `d${Math.floor((at + i) / 100)}`;
      const chunk = {
        type: "text-chunk",
        id: idOf(at + i),
        documentId,
        uri: `${documentId}.txt`,
        title: "",
        text,
        urtext: text,
        start: 0,
        end: text.length,
        index: i % 100,
        sectionId: "0",
        headings: [],
        metadata: { half: i % 2, thousandth: i % 1000 },
        origin: "user-content",
      } as const;
      return { chunk, embeddings: [{ version, embedding: vectors[at + i]! }] };
    });
    await store.upsert(into, entries);
  }
  await store.settle();
}

/** The library, watched: how long the last search took in it. */
let inLibrary = 0;
const watched: UsearchLibrary = {
  Index: class extends library.Index {
    override search(...asked: Parameters<NativeIndex["search"]>): ReturnType<NativeIndex["search"]> {
      const started = performance.now();
      const found = super.search(...asked);
      inLibrary = performance.now() - started;
      return found;
    }
  },
};

/** `usearch` as it comes: it takes numbers of 32 bits, and has standard settings. */
interface FloatIndex {
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  search(vector: Float32Array, k: number, threads: number): { readonly keys: BigUint64Array };
}
const FloatIndex = library.Index as unknown as new (settings: object) => FloatIndex;

interface Way {
  readonly label: string;
  readonly work: (i: number) => unknown;
  readonly times: number[];
  readonly shares: number[];
  cpu: number;
}

const turn = 20;
const counted = 3;
const others = new Float64Array(8 << 20);
let sum = 0;

/** Every way of searching, in turns, over all queries; the first time is not counted. */
async function measure(works: readonly (readonly [string, (i: number) => unknown])[], runs: number): Promise<Way[]> {
  const ways = works.map(([label, work]): Way => ({ label, work, times: [], shares: [], cpu: 0 }));
  for (let at = 0; at < (1 + counted) * runs; at += turn) {
    const first = (at / turn) % ways.length;
    for (const way of [...ways.slice(first), ...ways.slice(0, first)]) {
      // One of each cache line.
      for (let i = 0; i < others.length; i += 8) sum += others[i]!;
      const before = process.cpuUsage();
      for (let i = at; i < at + turn; i++) {
        inLibrary = Number.NaN;
        const started = performance.now();
        await way.work(i % runs);
        if (at < runs) continue;
        way.times.push(performance.now() - started);
        way.shares.push(inLibrary);
      }
      const { user, system } = process.cpuUsage(before);
      if (at >= runs) way.cpu += (user + system) / 1000 / runs / counted;
    }
  }
  return ways;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

async function timed<Result>(label: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  const [wall, processor] = [(performance.now() - started) / 1000, (user + system) / 1e6];
  console.log(`  ${label.padEnd(40)} ${wall.toFixed(2).padStart(8)} s ${processor.toFixed(2).padStart(8)} processor`);
  return result;
}

async function run(rows: number): Promise<void> {
  seed = 7;
  console.log(`${rows} rows`);
  const queries = Array.from({ length: 200 }, draw);
  const vectors = Array.from({ length: rows }, draw);
  const folder = mkdtempSync(join(tmpdir(), "ibid-bench-"));
  const exact = createMemoryStore();
  await timed("fill the memory store", () => fill(exact, vectors));
  const search = (store: KnowledgeStore, i: number, more: Partial<VectorQuery> = {}) =>
    store.search(from, { embedding: queries[i]!, version, topK: 10, ...more });

  const open = () => withHnsw(exact, { folder, startAt: 1, usearch: watched });
  const store = await open();
  await timed("first search (exact), graph, files", async () => {
    await search(store, 0);
    await store.settle();
  });
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  console.log(`  ${"files".padEnd(40)} ${(bytes / 1e6).toFixed(1).padStart(8)} MB`);

  const direct = new FloatIndex({ dimensions, metric: "ip", quantization: "f32" });
  await timed("graph of usearch as it comes", async () => {
    for (let at = 0; at < rows; at += 1000) {
      const some = vectors.slice(at, at + 1000);
      const flat = new Float32Array(some.length * dimensions);
      some.forEach((vector, i) => flat.set(vector, i * dimensions));
      direct.add(
        BigUint64Array.from(some, (_, i) => BigInt(at + i)),
        flat,
        0,
      );
    }
  });
  const names = readdirSync(folder);
  const readName = (end: string): string =>
    join(
      folder,
      names.find((name) => name.endsWith(end))!,
    );
  const facts = JSON.parse(readFileSync(readName(".json"), "utf8")) as IndexFacts;
  const ours = new library.Index({
    dimensions,
    metric: "ip",
    quantization: "i8",
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 64,
  });
  ours.load(readName(".usearch"));
  const codes = queries.map((query) => {
    const made = createCodes(dimensions);
    encode(query, facts.step, made, 0);
    return made;
  });
  const idOfKey = new Map(facts.keys.map((key, i) => [key, facts.ids[i]!]));

  const wanted: Set<string>[] = [];
  for (let i = 0; i < queries.length; i++) {
    wanted.push(new Set((await search(exact, i)).map(({ chunk }) => chunk.id)));
  }
  const recall = async (label: string, find: (i: number) => Promise<readonly string[]>): Promise<void> => {
    let common = 0;
    for (let i = 0; i < queries.length; i++) common += (await find(i)).filter((id) => wanted[i]!.has(id)).length;
    console.log(`  ${`recall@10, ${label}`.padEnd(40)} ${(common / (10 * queries.length)).toFixed(4).padStart(8)}`);
  };
  await recall("HNSW", async (i) => (await search(store, i)).map(({ chunk }) => chunk.id));
  await recall("usearch as it comes", async (i) =>
    Array.from(direct.search(queries[i]!, 10, 1).keys, (key) => idOf(Number(key))),
  );
  await recall("usearch, our file", async (i) =>
    Array.from(ours.search(codes[i]!, 10, 1).keys, (key) => idOfKey.get(Number(key))!),
  );

  const filter = { op: "eq", key: "half", value: 1 } as const;
  const rare = { op: "eq", key: "thousandth", value: 1 } as const;
  const ways = await measure(
    [
      ["exact scan", (i: number) => search(exact, i)],
      ["HNSW", (i: number) => search(store, i)],
      ["usearch directly, as it comes", (i: number) => direct.search(queries[i]!, 10, 1)],
      ["usearch directly, our file", (i: number) => ours.search(codes[i]!, 10, 1)],
      ["exact scan, a filter that keeps half", (i: number) => search(exact, i, { filter })],
      ["HNSW, a filter that keeps half", (i: number) => search(store, i, { filter })],
      ["exact scan, a filter that keeps 0.1 %", (i: number) => search(exact, i, { filter: rare })],
      ["HNSW, a filter that keeps 0.1 %", (i: number) => search(store, i, { filter: rare })],
    ],
    queries.length,
  );
  for (const { label, times, shares, cpu } of ways) {
    const share = shares.some(Number.isNaN) ? "" : ` ${middle(shares).toFixed(3).padStart(8)} its graph`;
    console.log(
      `  ${label.padEnd(40)} ${middle(times).toFixed(3).padStart(8)} ms p50 ${cpu.toFixed(3).padStart(8)} processor${share}`,
    );
  }

  const [, hnsw, ...directly] = ways;
  for (const { label, times, cpu } of directly.slice(0, 2)) {
    const ratio = middle(hnsw!.times) / middle(times);
    console.log(
      `  ${`HNSW over ${label}`.padEnd(40)} ${ratio.toFixed(2).padStart(8)} x  p50 ${(hnsw!.cpu / cpu).toFixed(3).padStart(8)} processor`,
    );
  }

  const again = await timed("open again and read the graph", async () => {
    const warm = await open();
    await search(warm, 0);
    return warm;
  });
  await again.close();
  rmSync(folder, { recursive: true, force: true });
}

const sizes = process.argv.slice(2).map(Number);
console.log(`Node ${process.versions.node}, ${process.arch}`);
for (const rows of sizes.length > 0 ? sizes : [1000, 3000, 10_000, 30_000, 100_000, 300_000]) await run(rows);
