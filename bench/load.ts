// Searches during ingestion and re-embedding: p95 beside p95 at rest in one run, and whether they ever see half a
// document. Then a burst of documents through the durable queue: its memory, and whether all of them arrive.
//   npx node bench/load.ts [documents, default 500] [burst, default 10000]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "../src/index.node.ts";
import { openIngestionQueue } from "../src/ingest/index.node.ts";
import { createHashingModel } from "../src/models/index.node.ts";
import { documentsOf, linesHandler, readUntil, slowly, type Reading } from "../test/support/load-world.ts";

const [documents = 500, burst = 10_000] = process.argv.slice(2).map(Number);
const root = mkdtempSync(join(tmpdir(), "ibid-bench-load-"));
const handlers = [linesHandler];
const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? 0;

async function measure(work: (start: (name: string) => void) => Promise<void>, kb: Parameters<typeof readUntil>[0]) {
  const phases = new Map<string, Reading>();
  for (const name of ["at rest", "while ingesting", "while re-embedding"])
    phases.set(name, { took: [], broken: [], versions: new Set() });
  let now = "at rest";
  const over = new AbortController();
  const one = async (first: number): Promise<void> => {
    while (!over.signal.aborted) {
      const phase = now;
      await readUntil(kb, documents, () => over.signal.aborted || now !== phase, phases.get(phase)!, first);
    }
  };
  const readers = [0, 1, 2, 3].map(one);
  await work((name) => (now = name));
  over.abort();
  await Promise.all(readers);
  return phases;
}

const location = join(root, "kb");
const old = createHashingModel({ dimensions: 128 });
const first = await openKnowledgeBase(location, { reading: { handlers }, models: { embedding: old } });
await first.ingest(documentsOf(documents, 0), { settle: true });
await first.close();

const embeddingModel = slowly(createHashingModel({ dimensions: 256 }), 20);
const kb = await openKnowledgeBase(location, {
  reading: { handlers },
  models: { embedding: embeddingModel, formerEmbeddings: [old] },
});
const phases = await measure(async (start) => {
  await new Promise((resolve) => void setTimeout(resolve, 5000));
  start("while re-embedding");
  await kb.reembed({ batchSize: 64 });
  start("while ingesting");
  for (let version = 1; version <= 3; version++) await kb.ingest(documentsOf(documents, version));
}, kb);
await kb.close();

const rest = phases.get("at rest")!;
console.log(`${documents} documents of 6 chunks, 4 readers in the same thread`);
for (const [name, { took, broken, versions }] of phases) {
  const [p50, p95] = [quantile(took, 0.5), quantile(took, 0.95)];
  const ratio = `p50 ${(p50 / quantile(rest.took, 0.5)).toFixed(2)}, p95 ${(p95 / quantile(rest.took, 0.95)).toFixed(2)} of rest`;
  console.log(
    `${name.padEnd(20)} ${took.length} searches, p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms (${ratio}), ${versions.size} versions seen, ${broken.length} broken`,
  );
  if (broken.length > 0) {
    console.error(broken.slice(0, 5).join("\n"));
    process.exitCode = 1;
  }
}

const queued = join(root, "queue");
const target = await openKnowledgeBase(queued, { models: { embedding: null }, operations: { events: false } });
const queue = await openIngestionQueue(target, queued);
const megabytes = (): number => process.memoryUsage().rss / 2 ** 20;
const samples: number[] = [];
let refused = 0;
let deepest = 0;
const text = "The heron waits at the river while the otter swims by. ".repeat(20);
const began = performance.now();
for (let i = 0; i < burst; i++) {
  const input = { uri: `${i}.txt`, text: `Number ${i}. ${text}` };
  if ((await queue.enqueue(input)) === false) {
    refused++;
    await queue.enqueueWhenRoom(input);
  }
  if (i % Math.ceil(burst / 20) === 0) {
    samples.push(megabytes());
    deepest = Math.max(deepest, (await queue.depth()).depth);
  }
}
await queue.drained();
samples.push(megabytes());
const { indexed, failed, depth } = await queue.depth();
const held = (await target.status()).documents;
const half = samples.length >> 1;
console.log(
  `burst of ${burst}: ${indexed} indexed, ${failed} failed, ${depth} left, ${held} documents, ${refused} refused and sent again, at most ${deepest} waiting, ${((performance.now() - began) / 1000).toFixed(0)} s`,
);
console.log(
  `resident memory: ${samples[0]!.toFixed(0)} MB at the start, ${Math.max(...samples.slice(0, half)).toFixed(0)} at most in the first half, ${Math.max(...samples.slice(half)).toFixed(0)} in the second`,
);
await queue.close();
await target.close();
if (indexed !== burst || held !== burst) process.exitCode = 1;
rmSync(root, { recursive: true });
