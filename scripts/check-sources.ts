// Types, lint, format and prose, side by side. Prints what each found; the exit code is 1 when one of them failed.
//
//   npm run check
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./subpaths.ts";

const bin = (name: string): string => join(root, "node_modules", ".bin", name);
const checks: Readonly<Record<string, readonly string[]>> = {
  types: [bin("tsc"), "-p", "tsconfig.json"],
  "types of the page": [bin("tsc"), "-p", "page/tsconfig.json"],
  lint: [bin("oxlint")],
  format: [bin("oxfmt"), "--check"],
  prose: [process.execPath, "scripts/check-prose.ts"],
};

const failed: string[] = [];
await Promise.all(
  Object.entries(checks).map(async ([name, [command = "", ...args]]) => {
    const started = performance.now();
    const { code, output } = await run(command, args);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${code === 0 ? "✓" : "✗"} ${name}, ${seconds} s`);
    if (code === 0) return;
    failed.push(name);
    console.log(output.trim());
  }),
);
if (failed.length > 0) {
  console.log(`Failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

function run(command: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, shell: process.platform === "win32" });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
