// Time of hybrid searches over that of their legs, in one process, in turns: processor and clock.
//
//   npx node bench/hybrid-time.ts <folder in BEIR's layout> <folder of the base> [documents] [rounds] [--own-model]
//
// The base is built once and kept. A run that was stopped goes on where it stood, and more documents are added to those that are there. Documents have
// about seven chunks of recombined texts. Vectors of 384 numbers lie around 400 centres, by a hash of the text; --own-model takes the store's own model instead.
// Each question is asked of every work before the next one, so that the machine does the same to all. The bar is the larger of 1.05 times the legs together
// and the legs and 1 ms.
import { parseArgs } from "node:util";
import type { FusionName } from "../src/contracts/retriever.ts";
import { openKnowledgeBase } from "../src/index.node.ts";
import { recombine } from "./recombined.ts";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { "own-model": { type: "boolean" } } });
const [folder, base, wanted = "1000", rounds = "5"] = positionals;
if (folder === undefined || base === undefined) {
  throw new Error(
    "usage: npx node bench/hybrid-time.ts <folder> <folder of the base> [documents] [rounds] [--own-model]",
  );
}
const { makeDocument, model, queries } = recombine(folder);

const kb = await openKnowledgeBase(base, {
  operations: { events: false },
  ...(values["own-model"] !== true && { models: { embedding: model } }),
});
for (let at = (await kb.status()).documents; at < Number(wanted);) {
  const batch = Array.from({ length: Math.min(500, Number(wanted) - at) }, (_, i) => makeDocument(at + i));
  await kb.ingest(batch);
  at += batch.length;
  if (at % 5000 === 0) console.error(`${at} of ${wanted} documents`);
}
await kb.ingest([], { settle: true });
const { chunks } = await kb.status();

interface Work {
  readonly name: string;
  readonly options: object;
}

const fusions: readonly FusionName[] = ["best", "absolute", "halves", "rrf"];
const filter = { even: true };
const topK = 10;

function worksFor(more: object, suffix: string): { readonly legs: readonly Work[]; readonly hybrids: readonly Work[] } {
  return {
    legs: (["lexical", "dense"] as const).map((mode) => ({
      name: `${mode}${suffix}`,
      options: { mode, topK, ...more },
    })),
    hybrids: fusions.map((fusion) => ({
      name: `hybrid, ${fusion}${suffix}`,
      options: { mode: "hybrid", topK, fusion, ...more },
    })),
  };
}

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))]!;

/** The thread's time is as old as the last tick of the scheduler, up to 4 ms, unless the process is asked for its own. */
function threadUsage(since?: NodeJS.CpuUsage): NodeJS.CpuUsage {
  process.cpuUsage();
  return process.threadCpuUsage(since);
}

interface Measured {
  readonly clock: number[];
  processor: number;
}

async function measure(works: readonly Work[]): Promise<ReadonlyMap<string, Measured>> {
  const measured = new Map(works.map(({ name }): [string, Measured] => [name, { clock: [], processor: 0 }]));
  for (let round = -2; round < Number(rounds); round++) {
    for (const { text } of queries) {
      for (const { name, options } of works) {
        const before = threadUsage();
        const started = performance.now();
        await kb.search(text, options);
        const clock = performance.now() - started;
        const { user, system } = threadUsage(before);
        if (round < 0) continue;
        measured.get(name)!.clock.push(clock);
        measured.get(name)!.processor += (user + system) / 1000;
      }
    }
  }
  return measured;
}

console.log(`${chunks} chunks, top ${topK}, ${queries.length} questions, ${rounds} rounds; ms a question`);
for (const [more, suffix] of [
  [{}, ""],
  [{ filter }, ", filtered"],
] as const) {
  const { legs, hybrids } = worksFor(more, suffix);
  const measured = await measure([...legs, ...hybrids]);
  const asked = Number(rounds) * queries.length;
  const figures = ({ name }: Work) => {
    const { clock, processor } = measured.get(name)!;
    return { processor: processor / asked, p50: quantile(clock, 0.5), p95: quantile(clock, 0.95) };
  };
  const sum = { processor: 0, p50: 0, p95: 0 };
  for (const leg of legs) {
    const own = figures(leg);
    for (const part of ["processor", "p50", "p95"] as const) sum[part] += own[part];
  }
  for (const work of [...legs, ...hybrids]) {
    const { processor, p50, p95 } = figures(work);
    const isLeg = legs.includes(work);
    const bar = (part: "processor" | "p50"): number => Math.max(1.05 * sum[part], sum[part] + 1);
    const ratios = `of the legs ${(processor / sum.processor).toFixed(2)} ${(p50 / sum.p50).toFixed(2)} ${(p95 / sum.p95).toFixed(2)}`;
    const held = processor <= bar("processor") && p50 <= bar("p50") && p95 <= 1.15 * sum.p95 ? "held" : "missed";
    console.log(
      `${work.name.padEnd(28)} processor ${processor.toFixed(2)}  p50 ${p50.toFixed(2)}  p95 ${p95.toFixed(2)}${isLeg ? "" : `  ${ratios}  ${held}`}`,
    );
  }
}
await kb.close();
