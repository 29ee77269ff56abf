// ibid beside those whom a user would otherwise pick: the same passages, vectors and queries, in one run.
//
//   npm run build && npm --prefix bench/peers ci
//   npx node bench/peers/run.ts --data <folder> [--only exact,bm25,…] [--sizes 1000,10000,100000] [--out bench/RESULTS.md]
//
// `--out` writes the tables there, and all figures to results/peers.json beside it.
// <folder> holds retrieval/vaswani, retrieval/cacm (BEIR's layout) and docs (Markdown pages). Never part of the tests.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Bench, Section, Work } from "./bench.ts";
import { prepareData, readSources } from "./data.ts";
import { describeGrowth } from "./growth.ts";
import { describeMachine } from "./machine.ts";
import { python } from "./play.ts";
import { renderReport } from "./report.ts";

const works = ["wesichain", "exact", "bm25", "knowledge-base", "ingest"];

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    only: { type: "string", default: works.join(",") },
    sizes: { type: "string", default: "1000,10000,100000" },
    out: { type: "string" },
    scratch: { type: "string", default: join(tmpdir(), "ibid-peers") },
  },
});

const here = import.meta.dirname;
const chosen = values.only.split(",");
const sizes = values.sizes.split(",").map(Number);
if (values.data === undefined || chosen.some((name) => !works.includes(name)) || !sizes.every((size) => size >= 100))
  fail(
    `usage: bench/peers/run.ts --data <folder> [--only ${works.join(",")}] [--sizes 1000,10000,100000] [--out <file>]`,
  );
if (!existsSync(join(here, "../../dist/node/index.js"))) fail("ibid is not built: npm run build");
if (!existsSync(join(here, "node_modules"))) fail("the peers are not installed: npm --prefix bench/peers ci");

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function canImport(module: string): boolean {
  const there = spawnSync(python, ["-c", `import ${module}`]).status === 0;
  if (!there) console.error(`Left out: ${python} has no ${module}. On Debian: apt-get install python3-${module}`);
  return there;
}

const started = performance.now();
const log = (line: string): void =>
  console.error(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${line}`);
mkdirSync(values.scratch, { recursive: true });
const sources = readSources(values.data!);
const data = await prepareData(
  join(values.scratch, "data-1"),
  sources,
  Math.max(...sizes, sources.judged.corpus.length),
  384,
);
log("data ready");

const bench: Bench = {
  data,
  sizes: sizes.toSorted((a, b) => a - b),
  collectionSize: sources.judged.corpus.length,
  scratch: join(values.scratch, "work"),
  documents: join(values.data!, "docs"),
  numpy: canImport("numpy"),
  faiss: canImport("faiss"),
  log,
};

const sections = new Map<string, Section>();
for (const name of works.filter((work) => chosen.includes(work))) {
  const { run } = (await import(`./works/${name}.ts`)) as { run: Work };
  log(`— ${name}`);
  sections.set(name, await run(bench));
}
const growth = describeGrowth(sections);
if (growth !== undefined) sections.set("growth", growth);
rmSync(bench.scratch, { recursive: true, force: true });
const machine = describeMachine();
const commandFor = (only: string): string =>
  `npx node bench/peers/run.ts --data <folder> --only ${only} --sizes ${values.sizes}`;
const report = renderReport(sections, machine, commandFor(values.only), commandFor);
if (values.out === undefined) console.log(report);
else {
  const results = join(dirname(values.out), "results");
  mkdirSync(results, { recursive: true });
  writeFileSync(values.out, report);
  writeFileSync(
    join(results, "peers.json"),
    `${JSON.stringify({ machine, command: commandFor(values.only), sections: Object.fromEntries(sections) }, null, 1)}\n`,
  );
}
