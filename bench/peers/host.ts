// The process of one contestant: it reads its data, indexes and answers on request, and times itself.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { Batch, Contestant, CreateContestant, Passage, Query } from "./contestant.ts";
import type { IndexReply, MemoryReply, QueryReply, ReopenReply, Request, Spec } from "./protocol.ts";

// Stdout is for replies; what libraries print goes where it disturbs nobody.
console.log = console.error;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function receive<Message>(): Promise<Message | undefined> {
  const { value, done } = await lines.next();
  return done === true ? undefined : (JSON.parse(value) as Message);
}

function send(reply: unknown): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

function readFloats(path: string, from: number, count: number): Float32Array {
  const floats = new Float32Array(count);
  const bytes = new Uint8Array(floats.buffer);
  const file = openSync(path, "r");
  try {
    for (let done = 0; done < bytes.length;) {
      const read = readSync(file, bytes, done, Math.min(bytes.length - done, 1 << 26), from * 4 + done);
      if (read === 0) throw new Error(`${path} has no floats ${from} to ${from + count}.`);
      done += read;
    }
  } finally {
    closeSync(file);
  }
  return floats;
}

function readLines<Value>(path: string): Value[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Value);
}

function* readBatches(spec: Spec): Generator<Batch> {
  const { count, dimensions, batchSize } = spec;
  for (let from = 0; from < count; from += batchSize) {
    const rows = Math.min(batchSize, count - from);
    yield {
      passages:
        spec.passages === null
          ? Array.from({ length: rows }, (_, i): Passage => ({
              id: String(from + i),
              text: "",
              slot: (from + i) % 1000,
            }))
          : readLines<Passage>(join(spec.passages, `${from / batchSize}.jsonl`)).slice(0, rows),
      vectors:
        spec.vectors === null ? new Float32Array(0) : readFloats(spec.vectors, from * dimensions, rows * dimensions),
      dimensions,
    };
  }
}

function readQueries(spec: Spec): Query[] {
  const texts = readLines<{ text: string; below?: number }>(spec.queryTexts);
  const { dimensions, queryVectors } = spec;
  const vectors = queryVectors === null ? undefined : readFloats(queryVectors, 0, texts.length * dimensions);
  return texts.map((query, i) => ({
    ...query,
    vector: vectors?.slice(i * dimensions, (i + 1) * dimensions) ?? new Float32Array(0),
  }));
}

async function measureMemory(): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await wait(40);
    least = Math.min(least, process.memoryUsage.rss());
  }
  return least;
}

function processorTime(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

async function index(contestant: Contestant, spec: Spec): Promise<IndexReply> {
  const before = await measureMemory();
  let ms = 0;
  let cpuMs = 0;
  const time = async (work: () => void | Promise<void>): Promise<void> => {
    const cpu = process.cpuUsage();
    const started = performance.now();
    await work();
    ms += performance.now() - started;
    cpuMs += processorTime(cpu);
  };
  for (const batch of readBatches(spec)) {
    const shaped = contestant.shape(batch);
    await time(() => contestant.add(shaped));
  }
  await time(() => contestant.finish?.());
  return { ms, cpuMs, before };
}

async function answer(
  contestant: Contestant,
  queries: readonly unknown[],
  { from, count, budgetMs }: Extract<Request, { op: "query" }>,
): Promise<QueryReply> {
  const ms: number[] = [];
  const ids: (readonly string[])[] = [];
  let spent = 0;
  const cpu = process.cpuUsage();
  for (let i = 0; i < count && (i === 0 || spent < budgetMs); i++) {
    const query = queries[(from + i) % queries.length];
    const started = performance.now();
    const found = await contestant.query(query);
    const took = performance.now() - started;
    spent += took;
    ms.push(took);
    ids.push(found);
  }
  return { ms, cpuMs: processorTime(cpu), ids };
}

async function reopen(contestant: Contestant, queries: readonly unknown[]): Promise<ReopenReply> {
  if (contestant.reopen === undefined) return { ms: null };
  const started = performance.now();
  await contestant.reopen(queries[0]);
  return { ms: performance.now() - started };
}

async function perform(request: Request): Promise<object> {
  switch (request.op) {
    case "index":
      return index(contestant, spec);
    case "query":
      return answer(contestant, queries, request);
    case "memory":
      return { bytes: await measureMemory() } satisfies MemoryReply;
    case "reopen":
      return reopen(contestant, queries);
    case "close":
      await contestant.close?.();
      return { closed: true };
  }
}

const spec = (await receive<Spec>())!;
const { create } = (await import(`./contestants/${spec.contestant}.ts`)) as { create: CreateContestant };
const contestant = await create(spec);
const queries = readQueries(spec).map((query) => contestant.shapeQuery(query));
send({ ready: true });
for (;;) {
  const request = await receive<Request>();
  if (request === undefined) break;
  try {
    send(await perform(request));
  } catch (error) {
    send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  if (request.op === "close") break;
}
process.exit(0);
