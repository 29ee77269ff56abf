// Runs a benchmark, and keeps what it printed as a raw result: bench/results/<name>.json.
//
//   npx node bench/record.ts <name> [--data <folder>] -- <command> [arguments...]
//
// The result has the command, the machine, the state of ibid, the seconds, the code of the exit and the lines of both outputs. The folder of the data stands as <folder>.
// A command that fails its bars is kept like any other, with its code; it is the code of this one too.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeHost } from "./peers/machine.ts";

const split = process.argv.indexOf("--");
const { positionals, values } = parseArgs({
  args: process.argv.slice(2, split === -1 ? undefined : split),
  allowPositionals: true,
  options: { data: { type: "string" } },
});
const [name] = positionals;
const [command, ...given] = split === -1 ? [] : process.argv.slice(split + 1);
if (name === undefined || positionals.length > 1 || !/^[a-z-]+$/u.test(name) || command === undefined) {
  console.error("usage: npx node bench/record.ts <name> [--data <folder>] -- <command> [arguments...]");
  process.exit(2);
}

const { data } = values;
const shown = (text: string): string => (data === undefined ? text : text.replaceAll(data, "<folder>"));
const host = describeHost();
const started = performance.now();
const { code, lines } = await run(command, given);
const results = join(import.meta.dirname, "results");
mkdirSync(results, { recursive: true });
const result = {
  command: shown([command, ...given].join(" ")),
  machine: host,
  seconds: Math.round((performance.now() - started) / 1000),
  exitCode: code,
  output: lines.map(shown),
};
writeFileSync(join(results, `${name}.json`), `${JSON.stringify(result, null, 1)}\n`);
process.exitCode = code;

function run(program: string, args: readonly string[]): Promise<{ code: number; lines: readonly string[] }> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const [stream, shownOn] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    stream.setEncoding("utf8");
    stream.on("data", (part: string) => {
      text += part;
      shownOn.write(part);
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit) => resolve({ code: exit ?? 1, lines: text.trimEnd().split("\n") }));
  });
}
