// Cost against size: one base that grows, measured at each size in a process of its own.
//
//   npx node bench/growth.ts <folder in BEIR's layout> <folder of the base> [--sizes 1000,3000,10000,30000,100000] [--own-model] [--rounds 3]
//
// Sizes are chunks, and ascend to a million and beyond. The base and the figures are kept: a run that was stopped goes on, and a later one adds its sizes.
// Vectors of 384 numbers are given; --own-model takes the store's own model instead. Ingestion counts the documents since the size before, with settling and
// without the making of vectors. Memory is that of the process above an empty one, after all searches.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openKnowledgeBase } from "../src/index.node.ts";
import { recombine } from "./recombined.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: "string", default: "1000,3000,10000,30000,100000" },
    "own-model": { type: "boolean", default: false },
    rounds: { type: "string", default: "3" },
    measure: { type: "boolean", default: false },
  },
});
const [folder, target] = positionals;
if (folder === undefined || target === undefined) {
  throw new Error(
    "usage: npx node bench/growth.ts <folder> <folder of the base> [--sizes 1000,3000] [--own-model] [--rounds 3]",
  );
}
const { makeDocument, model, queries } = recombine(folder);
const modes = ["lexical", "dense", "hybrid"] as const;
const base = join(target, "base");

/** Figures of a mode of search. **Units** milliseconds. */
interface Searches {
  readonly p50: number;
  readonly p95: number;
  readonly processor: number;
}

/** Figures of a process that opens the base and searches. */
interface Measured {
  readonly openMs: number;
  readonly firstMs: number;
  readonly residentMB: number;
  readonly searches: Readonly<Record<(typeof modes)[number], Searches>>;
}

interface Row extends Measured {
  readonly chunks: number;
  readonly bytes: number;
  /** Chunks a second, by the clock and by the processor; absent where the base was there already. */
  readonly ingested?: { readonly clock: number; readonly processor: number };
}

/** Processor time of making vectors, which is none of the base's. **Units** milliseconds. */
let embedding = 0;
const processorMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};
const timed: typeof model = {
  ...model,
  async embed(...given) {
    const before = processorMs();
    const made = await model.embed(...given);
    embedding += processorMs() - before;
    return made;
  },
};
const open = () =>
  openKnowledgeBase(base, {
    operations: { events: false },
    ...(!values["own-model"] && { models: { embedding: timed } }),
  });

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))]!;

async function measure(): Promise<Measured> {
  const rest = process.memoryUsage().rss;
  let at = performance.now();
  const kb = await open();
  await kb.status();
  const openMs = performance.now() - at;
  at = performance.now();
  await kb.search(queries[0]!.text);
  const firstMs = performance.now() - at;
  const searches = new Map<string, Searches>();
  for (const mode of modes) {
    const times: number[] = [];
    let used = 0;
    for (let round = -1; round < Number(values.rounds); round++) {
      for (const { text } of queries) {
        embedding = 0;
        const cpu = process.cpuUsage();
        const began = performance.now();
        await kb.search(text, { mode, topK: 10 });
        if (round < 0) continue;
        times.push(performance.now() - began);
        used += processorMs(cpu) - embedding;
      }
    }
    searches.set(mode, { p50: quantile(times, 0.5), p95: quantile(times, 0.95), processor: used / times.length });
  }
  const residentMB = (process.memoryUsage().rss - rest) / 2 ** 20;
  await kb.close();
  return { openMs, firstMs, residentMB, searches: Object.fromEntries(searches) as unknown as Measured["searches"] };
}

/** Adds documents until there are so many chunks. **Shape** the figures of it; `undefined` where there were enough. */
async function grow(size: number): Promise<{ readonly chunks: number; readonly ingested: Row["ingested"] }> {
  const kb = await open();
  const before = await kb.status();
  const { documents } = before;
  let { chunks } = before;
  const cpu = process.cpuUsage();
  const began = performance.now();
  embedding = 0;
  // A run that was stopped may have stored some of a batch: its documents come again and change nothing.
  for (let first = documents; chunks < size;) {
    // A document has seven chunks, nearly.
    const count = Math.min(500, Math.max(1, Math.floor((size - chunks) / 7)));
    await kb.ingest(Array.from({ length: count }, (_, i) => makeDocument(first + i)));
    first += count;
    ({ chunks } = await kb.status());
  }
  await kb.ingest([], { settle: true });
  const added = chunks - before.chunks;
  const clock = (performance.now() - began) / 1000;
  const processor = (processorMs(cpu) - embedding) / 1000;
  await kb.close();
  return { chunks, ingested: added === 0 ? undefined : { clock: added / clock, processor: added / processor } };
}

function bytesIn(path: string): number {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** One measurement in a process of its own, which has nothing else in its memory. */
function measureApart(): Measured {
  const self = fileURLToPath(import.meta.url);
  const run = spawnSync(process.execPath, [self, ...process.argv.slice(2), "--measure"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (run.status !== 0) throw new Error(`The measurement ended with ${String(run.status ?? run.signal)}.`);
  return JSON.parse(run.stdout) as Measured;
}

function print(rows: readonly Row[]): void {
  const show = (number: number, digits = 1): string => number.toFixed(digits);
  console.log(
    "chunks | bytes a chunk | RSS MB | open, first ms | ingested/s clock, processor | p50 p95 processor ms: " +
      modes.join(", "),
  );
  for (const { chunks, bytes, residentMB, openMs, firstMs, ingested, searches } of rows) {
    const own = modes.map((mode) => {
      const { p50, p95, processor } = searches[mode];
      return [p50, p95, processor].map((each) => show(each, 2)).join(" ");
    });
    const rate = ingested === undefined ? "–" : `${show(ingested.clock, 0)}, ${show(ingested.processor, 0)}`;
    console.log(
      `${chunks} | ${show(bytes / chunks, 0)} | ${show(residentMB, 0)} | ${show(openMs)}, ${show(firstMs)} | ${rate} | ${own.join(" | ")}`,
    );
  }
  const [first, last] = [rows.at(-2), rows.at(-1)];
  if (first === undefined || last === undefined) return;
  const p50 = modes.map((mode) => `${mode} ${show(last.searches[mode].p50 / first.searches[mode].p50, 2)}`);
  const each = last.bytes / last.chunks / (first.bytes / first.chunks);
  console.log(
    `From ${first.chunks} to ${last.chunks}, ${show(last.chunks / first.chunks, 2)}-fold: p50 ${p50.join(", ")}; bytes a chunk ${show(each, 3)}`,
  );
}

if (values.measure) console.log(JSON.stringify(await measure()));
else {
  mkdirSync(target, { recursive: true });
  const kept = join(target, "growth.json");
  const rows = new Map<number, Row>(
    existsSync(kept) ? (JSON.parse(readFileSync(kept, "utf8")) as [number, Row][]) : [],
  );
  for (const size of values.sizes
    .split(",")
    .map(Number)
    .toSorted((a, b) => a - b)) {
    if (rows.has(size)) continue;
    const { chunks, ingested } = await grow(size);
    if (chunks > size * 1.1) {
      console.error(`The base has ${chunks} chunks already; ${size} needs a folder of its own.`);
      continue;
    }
    rows.set(size, { chunks, bytes: bytesIn(base), ...(ingested !== undefined && { ingested }), ...measureApart() });
    writeFileSync(kept, JSON.stringify([...rows]));
  }
  print([...rows.values()].toSorted((a, b) => a.chunks - b.chunks));
}
