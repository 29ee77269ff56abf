// Runs the tests on the oldest Node that ibid supports: installs that version, pinned in `compat/node-floor`, and
// starts vitest with it. Where there is no package for the platform, point IBID_FLOOR_NODE at a node of that version.
//
//   npm run test:floor                    every test
//   npm run test:floor -- slice           the parts that depend most on Node: stores, SQLite, the command line, whole programs
//   npm run test:floor -- test/readers    these tests
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const slice = [
  "test/stores/lifecycle.test.ts",
  "test/stores/batches.test.ts",
  "test/stores/directories.test.ts",
  "test/stores/sqlite/file.test.ts",
  "test/cli/usage.test.ts",
  "test/cli/keeping.test.ts",
  "test/end-to-end/asking.test.ts",
  "test/text/words.test.ts",
  "test/text/decode-text.test.ts",
];

const root = join(import.meta.dirname, "..");
const floorFolder = join(root, "compat", "node-floor");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { engines: { node: string } };
const floor = manifest.engines.node.slice(">=".length);

const node = process.env["IBID_FLOOR_NODE"] ?? findNode() ?? installNode();
const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
if (version !== `v${floor}`) throw new Error(`Expected Node v${floor} and found ${version} at ${node}.`);
console.log(`Testing on Node ${version}`);

// First on the PATH too, so that the processes which tests start are of the same version.
const path = [dirname(node), process.env["PATH"] ?? ""].join(delimiter);
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const chosen = process.argv.slice(2).flatMap((word) => (word === "slice" ? slice : [word]));
const missing = slice.filter((file) => !existsSync(join(root, file)));
if (missing.length > 0) throw new Error(`The slice names tests that do not exist: ${missing.join(", ")}.`);
const run = spawnSync(node, [vitest, "run", ...chosen], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: path },
});
process.exitCode = run.status ?? 1;

function findNode(): string | undefined {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const folder = join(floorFolder, "node_modules", `node-${platform}-${process.arch}`);
  const binary = join(folder, "bin", platform === "win" ? "node.exe" : "node");
  if (!existsSync(binary)) return undefined;
  const installed = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return installed.version === floor ? binary : undefined;
}

function installNode(): string {
  const npm = process.env["npm_execpath"];
  if (npm === undefined) throw new Error("Run this through npm: `npm run test:floor`.");
  execFileSync(process.execPath, [npm, "ci", "--no-audit", "--no-fund"], { cwd: floorFolder, stdio: "inherit" });
  const binary = findNode();
  if (binary === undefined) {
    throw new Error(
      `npm has no Node ${floor} for ${process.platform}-${process.arch}: install it and set IBID_FLOOR_NODE to its path.`,
    );
  }
  return binary;
}
