import { writeChunks } from "../src/testing/store-fixtures.ts";
// Exact search among dense vectors: the kernel alone, and `store.search()` as a whole.
//
//   npx node bench/exact-search.ts [rows...]
//
// Vectors are drawn around 400 Gaussian centres, 384 dimensions, normalised; queries too. One run on one thread
// measures a plain loop over a Float32Array, the memory's bandwidth, and the whole search. The first pass runs with and
// without digits in turns. Default: 1,000, 10,000 and 100,000 rows.
import { searchVectors } from "../test/support/search-legs.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assembleWat } from "../scripts/assemble-wat.ts";
import { createGate, operator } from "../src/access/gate.ts";
import { openSqliteStore } from "../src/stores/sqlite/sqlite-store.ts";
import type { Store } from "../src/contracts/store.ts";
import type { ChunkEntry } from "../src/contracts/document-store.ts";
import type { Filter } from "../src/contracts/filter.ts";
import { batchRows } from "../src/engine/kernels/code-layout.ts";
import { codeMemory } from "../src/engine/kernels/code-memory.ts";
import type { CodeTable } from "../src/engine/kernels/code-table.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";

const dimensions = 384;
const version = { provider: "bench", model: "clusters", dimensions, fingerprint: "" };
const gate = createGate();
const into = gate.write(operator, "deployment");
const from = gate.read(operator, ["deployment"]);

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

/** A point near some centre, of length 1. */
function draw(): Float32Array {
  const centre = centres[Math.floor(random() * centres.length)]!;
  const vector = centre.map((value) => value + spread * gaussian());
  let sum = 0;
  for (const value of vector) sum += value * value;
  return vector.map((value) => value / Math.sqrt(sum));
}

/** How far points lie from their centre, in standard deviations of the centres. */
const spread = Number(process.env["SPREAD"] ?? 1);

interface Times {
  /** Processor time of the work itself. */
  readonly best: number;
  readonly p50: number;
  readonly p95: number;
}

/** One run of each after the other, so that the machine does the same to all. */
async function measureInTurns(works: readonly ((run: number) => unknown)[], runs: number): Promise<Times[]> {
  const times = works.map((): number[] => []);
  for (let i = 0; i < runs + 20; i++) {
    for (const [place, work] of works.entries()) {
      const started = performance.now();
      await work(i);
      if (i >= 20) times[place]!.push(performance.now() - started);
    }
  }
  return times.map((own) => {
    own.sort((a, b) => a - b);
    return { best: own[0]!, p50: own[runs >> 1]!, p95: own[Math.floor(runs * 0.95)]! };
  });
}

async function measure(work: (run: number) => unknown, runs: number): Promise<Times> {
  const [times] = await measureInTurns([work], runs);
  return times!;
}

function report(label: string, { best, p50, p95 }: Times, note = ""): void {
  const [a, b, c] = [best, p50, p95].map((ms) => ms.toFixed(3).padStart(8));
  console.log(`  ${label.padEnd(44)} ${a} ms best ${b} p50 ${c} p95  ${note}`);
}

/** The obvious version: one sum per row, and the best ten kept in order. */
function plainLoop(rows: Float32Array, query: Float32Array, k: number): { score: number; row: number }[] {
  const best: { score: number; row: number }[] = [];
  for (let row = 0; row * dimensions < rows.length; row++) {
    let score = 0;
    for (let i = 0; i < dimensions; i++) score += rows[row * dimensions + i]! * query[i]!;
    if (best.length === k && score <= best[k - 1]!.score) continue;
    best.push({ score, row });
    best.sort((a, b) => b.score - a.score);
    best.length = Math.min(best.length, k);
  }
  return best;
}

/** Sums 64 bytes a step: as little work as reading can be. */
const readLoop = `(module (memory (export "memory") 1)
  (func (export "read") (param $at i32) (param $end i32) (result i32) (local $a v128) (local $b v128)
    loop $step
      local.get $a local.get $at v128.load           i32x4.add local.set $a
      local.get $b local.get $at v128.load offset=16 i32x4.add local.set $b
      local.get $a local.get $at v128.load offset=32 i32x4.add local.set $a
      local.get $b local.get $at v128.load offset=48 i32x4.add local.set $b
      local.get $at i32.const 64 i32.add local.tee $at local.get $end i32.lt_u br_if $step
    end
    local.get $a local.get $b i32x4.add i32x4.extract_lane 0))`;

/** In GB/s, over more than the caches hold. A copy reads and writes. */
async function measureBandwidth(): Promise<{ read: number; copy: number }> {
  const bytes = 160e6;
  const copied = new Float32Array(bytes / 4);
  const copy = await measure(() => copied.copyWithin(0, copied.length >> 1), 20);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(assembleWat(readLoop)));
  const memory = exports["memory"] as WebAssembly.Memory;
  memory.grow(Math.ceil(bytes / 65_536));
  new Uint8Array(memory.buffer).fill(1);
  const readAll = exports["read"] as (at: number, end: number) => number;
  const read = await measure(() => readAll(0, bytes), 20);
  return { read: bytes / read.p50 / 1e6, copy: bytes / copy.p50 / 1e6 };
}

function toEntry(i: number, embedding: Float32Array): ChunkEntry {
  const text = `Chunk number ${i} of the benchmark.`;
  return {
    chunk: {
      type: "text-chunk",
      id: `c${String(i).padStart(7, "0")}`,
      documentId: `d${Math.floor(i / 100)}`,
      uri: `d${Math.floor(i / 100)}.txt`,
      title: "",
      text,
      urtext: text,
      start: 0,
      end: text.length,
      index: i % 100,
      sectionId: "0",
      headings: [],
      metadata: { half: i % 2, twentieth: i % 20, thousandth: i % 1000 },
      origin: "user-content",
    },
    embeddings: [{ version, embedding }],
  };
}

async function fill(store: Store, vectors: readonly Float32Array[]): Promise<void> {
  for (let at = 0; at < vectors.length; at += 1000) {
    await writeChunks(
      store,
      into,
      vectors.slice(at, at + 1000).map((vector, i) => toEntry(at + i, vector)),
    );
  }
  await store.upkeep!.settle();
}

/** Made-up rows that no bound lets through: their slopes and residuals are 0. */
function makeTable(rows: number): CodeTable {
  const memory = codeMemory();
  const table = memory.allocate(dimensions, rows);
  table.fill((bytes) => bytes.fill(0));
  table.write(0, ({ codes }) => codes.forEach((_, i) => (codes[i] = (i * 7919) % 255)));
  memory.reserve(dimensions, rows);
  return table;
}

function over(leastMs: number, { p50 }: Times): string {
  return ratio("x the time to read", p50 / leastMs);
}

async function run(rows: number): Promise<void> {
  console.log(`${rows.toLocaleString("en")} rows of ${dimensions} dimensions`);
  const vectors = Array.from({ length: rows }, draw);
  const queries = Array.from({ length: 200 }, draw);
  const matrix = new Float32Array(rows * dimensions);
  vectors.forEach((vector, row) => matrix.set(vector, row * dimensions));
  const runs = Math.max(20, Math.min(400, Math.round(4e6 / rows)));
  const query = (i: number): Float32Array => queries[i % queries.length]!;

  const plain = await measure((i) => plainLoop(matrix, query(i), 10), Math.max(10, runs >> 3));
  report("plain loop over a Float32Array", plain);

  const bandwidth = await measureBandwidth();
  const leastMs = (rows * dimensions) / bandwidth.read / 1e6;
  console.log(
    `  memory: ${bandwidth.read.toFixed(1)} GB/s reading, ${bandwidth.copy.toFixed(1)} GB/s copying; ` +
      `reading a byte a coordinate takes ${leastMs.toFixed(3)} ms`,
  );

  const memory = codeMemory();
  const [woven, whole] = [makeTable(rows), makeTable(rows)];
  const started = performance.now();
  memory.weave(woven, rows);
  const weaving = performance.now() - started;
  memory.flags.fill(1);
  const none = { tau: 1, more: 1, margin: 0 };
  const bounds = { coarse: none, fine: none, scaled: false, shrink: 0, bound: 1 };
  const scan = (table: CodeTable) => (): void => {
    for (let at = 0; at < rows; at += batchRows) memory.scan(table, at, Math.min(batchRows, rows - at), bounds);
  };
  const [bySeven, byAll] = await measureInTurns([scan(woven), scan(whole)], runs);
  report(`first pass by 7 bits of the query (SIMD: ${memory.simd})`, bySeven!, over(leastMs, bySeven!));
  report("first pass by all its bits", byAll!, over(leastMs, byAll!));
  console.log(`  ${"weaving, once".padEnd(44)} ${weaving.toFixed(1).padStart(9)} ms`);
  memory.free(woven);
  memory.free(whole);

  const store = createMemoryStore();
  const filling = performance.now();
  await fill(store, vectors);
  console.log(`  ${"indexing, vectors given".padEnd(44)} ${(performance.now() - filling).toFixed(0).padStart(9)} ms`);
  const search = (i: number, filter?: Filter) =>
    searchVectors(store, from, { embedding: query(i), version, topK: 10, ...(filter === undefined ? {} : { filter }) });
  const first = performance.now();
  await search(0);
  console.log(`  ${"first search".padEnd(44)} ${(performance.now() - first).toFixed(1).padStart(9)} ms`);
  const unfiltered = await measure((i) => search(i), runs);
  report(
    "store.search(), top 10 with their chunks",
    unfiltered,
    `${ratio("x the plain loop", plain.p50 / unfiltered.p50)}, ${over(leastMs, unfiltered)}`,
  );
  for (const [key, share] of [
    ["half", "50 %"],
    ["twentieth", "5 %"],
    ["thousandth", "0.1 %"],
  ] as const) {
    const filtered = await measure((i) => search(i, { op: "eq", key, value: 0 }), runs);
    report(`store.search(), filter of ${share}`, filtered, ratio("x unfiltered p95", filtered.p95 / unfiltered.p95));
  }
  for (let i = 0; i < 20; i++) {
    const expected = plainLoop(matrix, query(i), 10).map(({ row }) => row);
    const got = (await search(i)).map(({ chunk }) => Number(chunk.id.slice(1)));
    if (expected.join() !== got.join()) throw new Error(`Query ${i}: ${got.join()} instead of ${expected.join()}.`);
  }
  await store.close();
  await runDurable(vectors, query(0));
}

/** The same in a file: writing, and the first answer after it was opened again. */
async function runDurable(vectors: readonly Float32Array[], embedding: Float32Array): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-bench-"));
  try {
    const path = join(folder, "ibid.sqlite");
    const store = await openSqliteStore(path);
    const started = performance.now();
    await fill(store, vectors);
    console.log(`  ${"SQLite: indexing".padEnd(44)} ${(performance.now() - started).toFixed(0).padStart(8)} ms`);
    await store.close();
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const opened = performance.now();
      const again = await openSqliteStore(path);
      await searchVectors(again, from, { embedding, version, topK: 10 });
      times.push(performance.now() - opened);
      await again.close();
    }
    times.sort((a, b) => a - b);
    const [best, p50, p95] = [times[0]!, times[2]!, times[4]!];
    report("SQLite: open and first search, warm page cache", { best, p50, p95 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function ratio(what: string, value: number): string {
  return `${value.toFixed(2)} ${what}`;
}

const sizes = process.argv.slice(2).map(Number);
console.log(`Node ${process.versions.node}, ${process.arch}`);
for (const rows of sizes.length > 0 ? sizes : [1_000, 10_000, 100_000]) await run(rows);
