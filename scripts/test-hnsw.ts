// Runs the tests of the HNSW index with the native library: installs it (compat/usearch), which `npm test` does without.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, "compat", "usearch");
if (!existsSync(join(folder, "node_modules", "usearch"))) {
  const npm = process.env["npm_execpath"];
  if (npm === undefined) throw new Error("Run this through npm: `npm run test:hnsw`.");
  execFileSync(process.execPath, [npm, "ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
}
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const run = spawnSync(process.execPath, [vitest, "run", "test/hnsw", "test/contracts/hnsw-store.test.ts"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, IBID_USEARCH: folder },
});
process.exitCode = run.status ?? 1;
