// The cost of events. The same searches run with and without them, turn by turn in one process, so other work on the
// machine falls on both.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "../src/index.node.ts";

const root = mkdtempSync(join(tmpdir(), "ibid-bench-events-"));
const words = "heron otter vole newt kite reed river bank stone moss fern oak".split(" ");
const texts = Array.from({ length: 500 }, (_, i) => ({
  uri: `t${i}`,
  text: Array.from({ length: 60 }, (__, j) => words[(i * 7 + j * j * 3 + j) % words.length]).join(" "),
}));

async function prepare(name: string): Promise<string> {
  const folder = join(root, name);
  const kb = await openKnowledgeBase(folder, { operations: { events: false } });
  await kb.ingest(texts, { settle: true });
  await kb.close();
  return folder;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(0.95 * values.length) - 1] ?? 0;

const [off, on] = [await prepare("off"), await prepare("on")];
const without = await openKnowledgeBase(off, { operations: { events: false } });
const including = await openKnowledgeBase(on, { operations: { events: true } });
const took = { without: [] as number[], including: [] as number[] };
for (let round = 0; round < 1500; round++) {
  const query = `${words[round % words.length]} ${words[(round * 5 + 1) % words.length]}`;
  for (const [name, kb] of round % 2 === 0
    ? ([
        ["without", without],
        ["including", including],
      ] as const)
    : ([
        ["including", including],
        ["without", without],
      ] as const)) {
    const started = performance.now();
    await kb.search(query);
    if (round >= 200) took[name].push(performance.now() - started);
  }
}
await Promise.all([without.close(), including.close()]);
console.log(
  `a search      without ${median(took.without).toFixed(3)} ms, with ${median(took.including).toFixed(3)} ms (median)`,
);
console.log(
  `              without ${p95(took.without).toFixed(3)} ms, with ${p95(took.including).toFixed(3)} ms (p95)`,
);

const once = { without: [] as number[], including: [] as number[] };
for (let round = 0; round < 30; round++) {
  for (const [name, folder, events] of [
    ["without", off, false],
    ["including", on, true],
  ] as const) {
    const started = performance.now();
    const kb = await openKnowledgeBase(folder, { operations: { events } });
    await kb.search("heron reed");
    await kb.close();
    if (round >= 3) once[name].push(performance.now() - started);
  }
}
console.log(
  `open to close without ${median(once.without).toFixed(2)} ms, with ${median(once.including).toFixed(2)} ms (median)`,
);
rmSync(root, { recursive: true });
