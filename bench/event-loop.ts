// Delay of the event loop while a knowledge base works in the same process.
//
//   npx node bench/event-loop.ts <folder in BEIR's layout> [documents] [megabytes of Markdown] [--own-model]
//
// A timer of ten milliseconds tells how late it is, by the clock and by this thread's processor time since it ran last. The clock has the delays of the
// machine's other work in it; the processor time has no waiting for the disk. Each line is one work. The bar: .99 quantile 20 ms, greatest 100 ms; for searches, greatest 30 ms.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openKnowledgeBase } from "../src/index.node.ts";
import { readCollection } from "./beir.ts";

const { positionals } = parseArgs({ allowPositionals: true });
const [folder, documents = "1500", megabytes = "28"] = positionals;
if (folder === undefined) {
  throw new Error("usage: npx node bench/event-loop.ts <folder in BEIR's layout> [documents] [megabytes]");
}
const { corpus, queries } = readCollection(folder);
const texts = corpus.map(({ text }) => text.trim()).filter((text) => text !== "");

/** Lehmer's generator. */
function createRandom(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function paragraphs(count: number, seed: number): string[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => texts[Math.floor(random() * texts.length)]!);
}

function writeMarkdown(bytes: number): string {
  const parts: string[] = [];
  for (let size = 0, n = 0; size < bytes; n++) {
    const part = `## Part ${n}\n\n${paragraphs(6, n + 1_000_000).join("\n\n")}`;
    parts.push(part);
    size += Buffer.byteLength(part) + 2;
  }
  return parts.join("\n\n");
}

interface Delays {
  readonly clock: number[];
  readonly processor: number[];
}

/** Runs a work beside the timer. */
async function watch(work: () => Promise<unknown>): Promise<Delays & { readonly seconds: number }> {
  const delays: Delays = { clock: [], processor: [] };
  let then = performance.now();
  let used = process.threadCpuUsage();
  let timer: NodeJS.Timeout;
  const tick = (): void => {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(used);
    delays.clock.push(Math.max(0, now - then - 10));
    delays.processor.push((user + system) / 1000);
    then = performance.now();
    used = process.threadCpuUsage();
    timer = setTimeout(tick, 10);
  };
  timer = setTimeout(tick, 10);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  // The last turn counts, too.
  await new Promise((resolve) => void setTimeout(resolve, 15));
  clearTimeout(timer);
  return { ...delays, seconds };
}

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))] ?? 0;

const base = mkdtempSync(join(tmpdir(), "ibid-event-loop-"));
const kb = await openKnowledgeBase(base, { operations: { events: false } });
const made = Array.from({ length: Number(documents) }, (_, i) => ({
  uri: `recombined/${i}.txt`,
  text: paragraphs(18, i + 1).join("\n\n"),
  metadata: { even: i % 2 === 0 },
}));
const upload = writeMarkdown(Number(megabytes) * 1_000_000);

const works: readonly (readonly [name: string, work: () => Promise<unknown>])[] = [
  [`ingestion of ${documents} texts`, () => kb.ingest(made)],
  ["settling: merges and the first fit", () => kb.ingest([], { settle: true })],
  [
    `upload of ${megabytes} MB of Markdown`,
    () => kb.ingest([{ uri: "large.md", bytes: new TextEncoder().encode(upload) }]),
  ],
  ["settling: merges and a refit", () => kb.ingest([], { settle: true })],
  ["the first pattern", () => kb.search("f[a-z]+uency", { mode: "regex" })],
  [
    "1,000 awaited searches",
    async () => {
      for (let i = 0; i < 1000; i++) await kb.search(queries[i % queries.length]!.text);
    },
  ],
  ["an answer", () => kb.ask(queries[0]!.text)],
  ["a purge of the upload", () => kb.delete("large.md", { purge: true })],
  ["settling after it", () => kb.ingest([], { settle: true })],
];

console.log("ms                                     clock p99     max   processor p99     max    seconds");
for (const [name, work] of works) {
  const { clock, processor, seconds } = await watch(work);
  const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);
  const cells = [quantile(clock, 0.99), most(clock), quantile(processor, 0.99), most(processor)];
  console.log(
    `${name.padEnd(38)} ${cells.map((cell, i) => cell.toFixed(0).padStart(i === 2 ? 15 : i === 0 ? 9 : 7)).join(" ")} ${seconds.toFixed(1).padStart(10)}`,
  );
}
const { chunks } = await kb.status();
console.log(`${chunks} chunks at the end`);
await kb.close();
rmSync(base, { recursive: true });
