// Kills a process that works on a store, hundreds of times, at random moments and at failpoints around every write and
// sync. After each death the store must open, the doctor must find nothing, every acknowledged document must be whole,
// and no purged byte may be left. At the end of each run the state is that of an undisturbed one, scores included. A
// histogram of the places of death ends the output. The exit code is 1 after a fault, or when a failpoint was never
// hit.
//
//   npm run crash                               300 deaths
//   npm run crash -- --kills 1000 --seed 7
//   npm run crash -- --keep faults              puts the knowledge base of every fault there, as the dead process left it
import { parseArgs } from "node:util";
import { failpoints, raiseStorm, type StormReport } from "../test/crash/storm.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    seed: { type: "string" },
    length: { type: "string" },
    keep: { type: "string" },
  },
});
const kills = Number(values.kills ?? 300);
const seed = Number(values.seed ?? 1);
const length = Number(values.length ?? 100);

const started = performance.now();
let shown = 0;
let told = 0;
const report = await raiseStorm({
  kills,
  seed,
  length,
  ...(values.keep !== undefined && { keepIn: values.keep }),
  onKill({ kills: died, runs, faults }) {
    for (const fault of faults.slice(told)) console.error(`  ${fault}`);
    told = faults.length;
    if (died < shown + 25) return;
    shown = died;
    console.error(`${died} deaths, ${runs} runs to the end, ${faults.length} faults`);
  },
});

print("At failpoints", report.failpoints, failpoints);
print("At random moments, by what was passed last", report.random, []);
const missed = failpoints.filter((failpoint) => !report.failpoints.has(failpoint));
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `\n${report.kills} deaths and ${report.runs} runs to the end in ${seconds} s; ${report.faults.length} faults; seed ${seed}.`,
);
for (const fault of report.faults) console.log(`  ${fault}`);
if (missed.length > 0) console.log(`Never hit: ${missed.join(", ")}`);
process.exitCode = report.faults.length > 0 || missed.length > 0 ? 1 : 0;

function print(title: string, tally: StormReport["random"], all: readonly string[]): void {
  const rows = [...new Set([...all, ...[...tally.keys()].toSorted()])].map(
    (name) => [name.replace("|", ", "), tally.get(name) ?? 0] as const,
  );
  const width = Math.max(...rows.map(([name]) => name.length));
  console.log(`\n${title}`);
  for (const [name, count] of rows)
    console.log(`  ${name.padEnd(width)}  ${String(count).padStart(4)}  ${"#".repeat(count)}`);
}
