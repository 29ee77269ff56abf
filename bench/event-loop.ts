// Delay of the event loop while a knowledge base works in the same process.
//
//   npx node bench/event-loop.ts <folder in BEIR's layout> [documents, default 1500] [megabytes of Markdown, default 28] [--stacks] [--only <part of a work's name>] [--base <folder>]
//
// A timer of ten milliseconds tells how late it is by the clock, which has the delays of the machine's other work in it. Each turn of the event loop tells its
// processor time, which has no waiting for the disk. Turns below .3 ms are not counted. Each line is one work. The bar: .99 quantile 20 ms, greatest 100 ms; for searches, greatest 30 ms.
// With --base, the knowledge base is kept in that folder. Where it is there already, works before the one of --only are not done again.
// With --stacks, the functions of the longest turn of each work follow, with their milliseconds; the profiler makes all of them longer.
import { type Profiler, Session } from "node:inspector/promises";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openKnowledgeBase } from "../src/index.node.ts";
import { startService } from "../src/server/index.node.ts";
import { readCollection } from "./beir.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { stacks: { type: "boolean" }, only: { type: "string" }, base: { type: "string" } },
});
const [folder, documents = "1500", megabytes = "28"] = positionals;
const key = "event-loop-event-loop";
if (folder === "put") {
  // The client of the service: a process of its own, so that its work is not counted.
  const [, url, file] = positionals;
  const headers = { authorization: `Bearer ${key}`, "content-type": "text/markdown" };
  const answer = await fetch(`${url}document?uri=put.md&scope=user:writer`, {
    method: "PUT",
    headers,
    body: readFileSync(file!),
  });
  if (!answer.ok) throw new Error(await answer.text());
  process.exit();
}
if (folder === undefined) {
  throw new Error(
    "usage: npx node bench/event-loop.ts <folder in BEIR's layout> [documents] [megabytes] [--stacks] [--only <name>] [--base <folder>]",
  );
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

function writeMarkdown(bytes: number, seed: number): string {
  const parts: string[] = [];
  for (let size = 0, n = 0; size < bytes; n++) {
    const part = `## Part ${n}\n\n${paragraphs(6, n + seed).join("\n\n")}`;
    parts.push(part);
    size += Buffer.byteLength(part) + 2;
  }
  return parts.join("\n\n");
}

interface Delays {
  readonly clock: number[];
  readonly processor: number[];
}

/** A turn of the event loop, in microseconds of the clock that profiles have. */
interface Turn {
  readonly from: number;
  readonly to: number;
  readonly processor: number;
}

/** Turns that take less are not counted: an idle loop has many. **Units** milliseconds. */
const leastTurn = 0.3;

const microseconds = (): number => Number(process.hrtime.bigint() / 1000n);

/** The functions of a turn, indented by who called them, with their milliseconds. Those below a tenth of the turn are left out. */
function describeTurn({ nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile, turn: Turn): string {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const spent = new Map<number, number>();
  let at = startTime;
  samples.forEach((sample, i) => {
    const took = timeDeltas[i]!;
    at += took;
    if (at < turn.from || at > turn.to) return;
    for (let node: number | undefined = sample; node !== undefined; node = parents.get(node))
      spent.set(node, (spent.get(node) ?? 0) + took);
  });
  const known = new Map(nodes.map((node) => [node.id, node]));
  const least = (spent.get(nodes[0]!.id) ?? 0) / 10;
  const lines: string[] = [];
  function describe(id: number, depth: number): void {
    const { callFrame, children = [] } = known.get(id)!;
    const file = callFrame.url.slice(callFrame.url.lastIndexOf("/") + 1);
    lines.push(
      `${" ".repeat(depth)}${(spent.get(id)! / 1000).toFixed(0)} ${callFrame.functionName || "anonymous"} ${file}:${callFrame.lineNumber + 1}`,
    );
    for (const child of children.toSorted((a, b) => (spent.get(b) ?? 0) - (spent.get(a) ?? 0)))
      if ((spent.get(child) ?? 0) > least) describe(child, depth + 1);
  }
  if (least > 0) describe(nodes[0]!.id, 0);
  return lines.join("\n");
}

/** Runs a work beside the timer. */
async function watch(
  work: () => Promise<unknown>,
): Promise<Delays & { readonly seconds: number; readonly stack: string }> {
  const delays: Delays = { clock: [], processor: [] };
  const session = values.stacks === true ? new Session() : undefined;
  session?.connect();
  await session?.post("Profiler.enable");
  await session?.post("Profiler.setSamplingInterval", { interval: 500 });
  await session?.post("Profiler.start");
  let longest: Turn = { from: 0, to: 0, processor: 0 };
  let goesOn = true;
  let from = microseconds();
  let used = process.threadCpuUsage();
  const turn = (): void => {
    if (!goesOn) return;
    const { user, system } = process.threadCpuUsage(used);
    const processor = (user + system) / 1000;
    if (processor >= leastTurn) delays.processor.push(processor);
    const to = microseconds();
    if (processor > longest.processor) longest = { from, to, processor };
    from = to;
    used = process.threadCpuUsage();
    setImmediate(turn);
  };
  setImmediate(turn);
  let then = performance.now();
  let timer: NodeJS.Timeout;
  const tick = (): void => {
    const now = performance.now();
    delays.clock.push(Math.max(0, now - then - 10));
    then = performance.now();
    timer = setTimeout(tick, 10);
  };
  timer = setTimeout(tick, 10);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  // The last turn counts, too.
  await new Promise((resolve) => void setTimeout(resolve, 15));
  goesOn = false;
  clearTimeout(timer);
  const profiled = await session?.post("Profiler.stop");
  session?.disconnect();
  return { ...delays, seconds, stack: profiled === undefined ? "" : describeTurn(profiled.profile, longest) };
}

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))] ?? 0;

const base = values.base ?? mkdtempSync(join(tmpdir(), "ibid-event-loop-"));
const kb = await openKnowledgeBase(base, { operations: { events: false } });
const isMade = (await kb.status()).chunks > 0;
const made = Array.from({ length: Number(documents) }, (_, i) => ({
  uri: `recombined/${i}.txt`,
  text: paragraphs(18, i + 1).join("\n\n"),
  metadata: { even: i % 2 === 0 },
}));
const upload = new TextEncoder().encode(writeMarkdown(Number(megabytes) * 1_000_000, 1_000_000));
const sent = join(base, "put.md");
writeFileSync(sent, writeMarkdown(Number(megabytes) * 1_000_000, 3_000_000));

const limits = { requestsPerMinute: 1_000_000, answerTimeoutMs: 600_000 };
const service = await startService(kb, {
  port: 0,
  keys: [{ name: "writer", key, userId: "writer", write: true }],
  limits,
});

const works: readonly (readonly [name: string, work: () => Promise<unknown>])[] = [
  [`ingestion of ${documents} texts`, () => kb.ingest(made)],
  ["settling: merges and the first fit", () => kb.ingest([], { settle: true })],
  [`upload of ${megabytes} MB of Markdown`, () => kb.ingest([{ uri: "large.md", bytes: upload }])],
  ["settling: merges and a refit", () => kb.ingest([], { settle: true })],
  ["the first pattern", () => kb.search("f[a-z]+uency", { mode: "regex" })],
  [
    "1,000 awaited searches",
    async () => {
      for (let i = 0; i < 1000; i++) await kb.search(queries[i % queries.length]!.text);
    },
  ],
  [
    "100 looks at the status",
    async () => {
      for (let i = 0; i < 100; i++) await kb.status();
    },
  ],
  ["an answer", () => kb.ask(queries[0]!.text)],
  ["a purge of the upload", () => kb.delete("large.md", { purge: true })],
  ["settling after it", () => kb.ingest([], { settle: true })],
  [
    `PUT of ${megabytes} MB over HTTP`,
    async () => {
      const client = fork(new URL(import.meta.url).pathname, ["put", service.url, sent]);
      const [code] = (await once(client, "exit")) as [number | null];
      if (code !== 0) throw new Error("The upload failed.");
    },
  ],
];

const lastWatched = works.findLastIndex(([name]) => name.includes(values.only ?? ""));
console.log("ms                                     clock p99     max   processor p99     max    seconds");
for (const [name, work] of works) {
  if (!name.includes(values.only ?? "")) {
    // Works before the one that is watched make the base that it finds.
    if (!isMade && works.slice(0, lastWatched).some(([each]) => each === name)) await work();
    continue;
  }
  const { clock, processor, seconds, stack } = await watch(work);
  const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);
  const cells = [quantile(clock, 0.99), most(clock), quantile(processor, 0.99), most(processor)];
  console.log(
    `${name.padEnd(38)} ${cells.map((cell, i) => cell.toFixed(0).padStart(i === 2 ? 15 : i === 0 ? 9 : 7)).join(" ")} ${seconds.toFixed(1).padStart(10)}`,
  );
  if (stack !== "") console.log(stack);
}
const { chunks } = await kb.status();
console.log(`${chunks} chunks at the end`);
await service.stop();
await kb.close();
if (values.base === undefined) rmSync(base, { recursive: true });
