/**
 * Cost of a refit of the store's own model, and what searches notice of it.
 *
 *     npx node bench/fit-cost.ts [chunks...]        10,000 and 100,000 without an argument
 *
 * Generated passages of 60 words, of 200 topics and a Zipf vocabulary, lie in a folder. One document is then deleted, which makes a refit due, and the base is settled while
 * searches go on. Figures are the settling's wall clock and processor time, and p50, p95 and the longest of the searches. The last one is the longest turn of the event loop
 * in processor time, which work of other processes does not lengthen.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openKnowledgeBase } from "../src/index.node.ts";
import { createRandom } from "../src/testing/random.ts";

const sizes = process.argv.slice(2).map(Number);
const random = createRandom(5);
const word = (rank: number): string => `w${rank.toString(36)}`;
/** Ranks with probability falling as one over the rank. */
const zipf = (most: number): number => Math.floor(Math.exp(random.next() * Math.log(most)));

function passage(topic: number): string {
  const words = Array.from({ length: 60 }, (_, i) =>
    i % 3 === 0 ? word(40_000 + topic * 40 + zipf(40)) : word(zipf(40_000)),
  );
  return words.join(" ");
}

console.log(
  "| chunks | settling, s | processor, s | searches at rest, p50 / p95 / longest, ms | meanwhile | longest turn, ms of processor |",
);
console.log("|--:|--:|--:|---|---|--:|");
for (const size of sizes.length === 0 ? [10_000, 100_000] : sizes) await measure(size);

async function measure(size: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-fit-"));
  try {
    await using kb = await openKnowledgeBase(join(folder, "kb"));
    function* documents() {
      for (let i = 0; i < size; i++) yield { uri: `p/${i}.txt`, text: passage(i % 200) };
    }
    await kb.ingest([...documents()], { settle: true });
    const search = async (): Promise<number> => {
      const began = performance.now();
      await kb.search(`${word(40_000 + Math.floor(random.next() * 200) * 40)} ${word(zipf(2000))}`, { topK: 10 });
      return performance.now() - began;
    };
    const atRest: number[] = [];
    for (let i = 0; i < 200; i++) {
      atRest.push(await search());
      await pause(2);
    }
    await kb.delete("p/0.txt");
    const before = process.cpuUsage();
    const began = performance.now();
    const turns = watchTurns();
    const state = { isDone: false };
    const settled = Promise.resolve(kb.ingest([], { settle: true })).then(() => (state.isDone = true));
    const meanwhile: number[] = [];
    while (!state.isDone) {
      meanwhile.push(await search());
      await pause(20);
    }
    await settled;
    const longest = turns.stop();
    const wall = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(before);
    const { fit } = await kb.status();
    if (fit?.isDue !== false) throw new Error("The base has not settled.");
    const row = [
      size,
      wall.toFixed(1),
      ((user + system) / 1e6).toFixed(1),
      describe(atRest),
      describe(meanwhile),
      longest.toFixed(0),
    ];
    console.log(`| ${row.join(" | ")} |`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describe(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(0);
  return `${at(0.5)} / ${at(0.95)} / ${at(1)}`;
}

/** **Shape** `stop` returns the most processor time, in milliseconds, between two looks of a timer that is due all the time. */
function watchTurns(): { stop(): number } {
  let longest = 0;
  let last = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.cpuUsage();
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return longest;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
