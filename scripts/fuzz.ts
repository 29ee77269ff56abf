// Reads thousands of broken files of every kind. Each must give a valid document or a refusal: no crash, no hang, no
// growing memory. Odd files are broken in their structure and written again whole (ZIP members and XML, PDF objects,
// tokens), even ones in their bytes.
//
//   npm run fuzz                                              20,000 files of each family
//   npm run fuzz -- --family html,pdf --seed 7 --count 1000
//   npm run fuzz -- --family html --seed 7 --only 345         one file again, with the whole error
//
// Failing files are kept in fuzz-failures/, beside the command that repeats them. The exit code is 1 after a failure.
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createReaders } from "../src/readers/create-readers.ts";
import { families, type FuzzFamily } from "../test/fuzz/families.ts";
import { judge } from "../test/fuzz/judge.ts";

/**
 * Processor time of one file beyond which it counts as a hang. A reading takes milliseconds. The parser of code counts
 * its steps, not the time. It gives up on broken code after some two seconds, and later on a busy machine.
 */
const slowMs = 5000;
/** Wall time after which a file is killed. Other work on the machine must not look like a hang. */
const killMs = 60_000;
/** How much more a reader may hold after all files than after the first tenth of them. */
const growthBytes = 64 * 1024 * 1024;
const heapMebibytes = 768;
const folder = join(import.meta.dirname, "..", "fuzz-failures");

/** A message of a child process. */
type Report =
  | { readonly kind: "begins"; readonly index: number }
  | {
      readonly kind: "done";
      readonly index: number;
      readonly outcome: string;
      readonly ms: number;
      readonly stumbled?: string;
    }
  | { readonly kind: "failed"; readonly index: number; readonly error: string }
  | { readonly kind: "heap"; readonly index: number; readonly bytes: number }
  | { readonly kind: "stray"; readonly index: number; readonly error: string };

interface Task {
  readonly family: string;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
}

const { values } = parseArgs({
  options: {
    family: { type: "string" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "20000" },
    only: { type: "string" },
    child: { type: "string" },
  },
});
const wholeNumber = (name: string, text: string): number => {
  if (!/^\d+$/u.test(text)) throw new Error(`--${name} is ${text}; it must be a whole number.`);
  return Number(text);
};
const seed = wholeNumber("seed", values.seed);
const chosen = (values.family?.split(",") ?? families.map(({ name }) => name)).map(find);

if (values.child !== undefined) await runChild(JSON.parse(values.child) as Task);
else if (values.only !== undefined) for (const family of chosen) await replay(family, wholeNumber("only", values.only));
else {
  let failures = 0;
  for (const family of chosen) failures += await run(family, wholeNumber("count", values.count));
  if (failures > 0) process.exitCode = 1;
}

function find(name: string): FuzzFamily {
  const family = families.find((each) => each.name === name);
  if (family === undefined)
    throw new Error(`There is no family ${name}; there are ${families.map((each) => each.name).join(", ")}.`);
  return family;
}

async function replay(family: FuzzFamily, index: number): Promise<void> {
  const file = family.file(seed, index);
  console.log(
    `${family.name} ${seed} ${index}: ${file.uri}, ${file.bytes.length} bytes, kept in ${keep(family, index, "")}`,
  );
  const started = performance.now();
  console.log(await judge(createReaders(), file), `${(performance.now() - started).toFixed(0)} ms`);
}

/** All files of a family; a child that dies or hangs is replaced behind the file that did it. */
async function run(family: FuzzFamily, count: number): Promise<number> {
  const started = performance.now();
  const outcomes = new Map<string, number>();
  const stumbles = new Map<string, number>();
  const strays = new Map<string, number>();
  const add = (tally: Map<string, number>, key: string): void => void tally.set(key, (tally.get(key) ?? 0) + 1);
  let failures = 0;
  let slowest = { ms: 0, index: 0 };
  let growth = 0;
  const fail = (index: number, why: string): void => {
    failures++;
    const path = keep(family, index, why);
    if (failures <= 20)
      console.log(
        `  ✗ ${family.name} ${index}: ${why.split("\n", 1)[0]}\n    npm run fuzz -- --family ${family.name} --seed ${seed} --only ${index}   (${path})`,
      );
  };

  for (let from = 0; from < count;) {
    let at = from;
    let isDone = true;
    let killed = false;
    let first: number | undefined;
    const child = start({ family: family.name, seed, from, to: count });
    let watch = setTimeout(() => {}, 0);
    const end = await new Promise<string>((resolve) => {
      child.on("message", (message) => {
        const report = message as Report;
        if (report.kind === "begins") {
          [at, isDone] = [report.index, false];
          clearTimeout(watch);
          watch = setTimeout(() => {
            killed = true;
            child.kill("SIGKILL");
          }, killMs);
          return;
        }
        if (report.kind === "stray") return add(strays, report.error);
        if (report.kind === "heap") {
          if (report.index >= count / 10) first ??= report.bytes;
          growth = Math.max(growth, report.bytes - (first ?? report.bytes));
          return;
        }
        isDone = true;
        clearTimeout(watch);
        if (report.kind === "failed") return fail(report.index, report.error);
        add(outcomes, report.outcome);
        if (report.stumbled !== undefined) add(stumbles, report.stumbled);
        if (report.ms > slowest.ms) slowest = report;
        if (report.ms > slowMs) fail(report.index, `took ${report.ms.toFixed(0)} ms of processor time`);
      });
      child.on("exit", (code, signal) => resolve(signal ?? String(code)));
    });
    clearTimeout(watch);
    if (!isDone) fail(at, killed ? `was not read within ${killMs / 1000} s` : `ended its process with ${end}`);
    else if (end !== "0") fail(at, `ended its process with ${end}, after it was read`);
    from = isDone && end === "0" ? count : at + 1;
  }
  if (growth > growthBytes) fail(count, `the heap grew by ${(growth / 2 ** 20).toFixed(0)} MiB`);

  const seconds = (performance.now() - started) / 1000;
  const listed = (tally: Map<string, number>): string =>
    Array.from(tally, ([key, times]) => `${key} ${times}`).join(", ");
  console.log(
    `${failures === 0 ? "✓" : "✗"} ${family.name}: ${count} files, ${failures} failed; ${listed(outcomes)}; slowest ${slowest.ms.toFixed(0)} ms (${slowest.index}), heap +${(growth / 2 ** 20).toFixed(0)} MiB, ${seconds.toFixed(0)} s`,
  );
  // These are no failures: a library's error became a refusal, and an unhandled one changed nothing. They are printed
  // all the same.
  if (stumbles.size > 0) console.log(`    refused because of: ${listed(stumbles)}`);
  if (strays.size > 0) console.log(`    rejected and caught by nobody: ${listed(strays)}`);
  return failures;
}

function start(task: Task): ChildProcess {
  return fork(fileURLToPath(import.meta.url), ["--child", JSON.stringify(task)], {
    execArgv: ["--expose-gc", `--max-old-space-size=${heapMebibytes}`],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

async function runChild({ family: name, seed, from, to }: Task): Promise<void> {
  const family = find(name);
  const readers = createReaders();
  const say = (report: Report): Promise<void> =>
    new Promise((resolve, reject) =>
      process.send?.(report, (error: Error | null) => (error ? reject(error) : resolve())),
    );
  let at = from;
  process.on(
    "unhandledRejection",
    (error) => void say({ kind: "stray", index: at, error: String(error).slice(0, 80) }),
  );
  process.on("disconnect", () => process.exit());
  for (let index = from; index < to; index++) {
    at = index;
    const file = family.file(seed, index);
    await say({ kind: "begins", index });
    const before = process.cpuUsage();
    try {
      const { outcome, stumbled } = await judge(readers, file);
      const { user, system } = process.cpuUsage(before);
      await say({
        kind: "done",
        index,
        outcome,
        ms: (user + system) / 1000,
        ...(stumbled !== undefined && { stumbled }),
      });
    } catch (error) {
      await say({ kind: "failed", index, error: error instanceof Error ? describe(error) : String(error) });
    }
    if (index % 250 === 249) {
      globalThis.gc?.();
      await say({ kind: "heap", index, bytes: heldBytes() });
    }
  }
  process.exit(0);
}

/**
 * Memory that the program holds, without that of WebAssembly. That one never shrinks, so it shows the largest file and
 * no leak.
 */
function heldBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function describe(error: Error): string {
  const own = `${error.message}\n${error.stack ?? ""}`;
  return error.cause instanceof Error ? `${own}\n${describe(error.cause)}` : own;
}

/** The file, and what was wrong with it. */
function keep(family: FuzzFamily, index: number, why: string): string {
  const { uri, bytes } = family.file(seed, index);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${family.name}-${seed}-${index}${extname(uri)}`);
  writeFileSync(path, bytes);
  if (why !== "")
    writeFileSync(`${path}.txt`, `npm run fuzz -- --family ${family.name} --seed ${seed} --only ${index}\n\n${why}\n`);
  return path;
}
