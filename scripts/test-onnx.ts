// Runs the tests of models in this process with the package that runs them: installs it (compat/transformers, 474 MB), which `npm test` does without.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, "compat", "transformers");
if (!existsSync(join(folder, "node_modules", "@huggingface", "transformers"))) {
  const npm = process.env["npm_execpath"];
  if (npm === undefined) throw new Error("Run this through npm: `npm run test:onnx`.");
  execFileSync(process.execPath, [npm, "ci", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
    // The runtime for processors ships in its package; its install script would fetch a graphics card's from elsewhere.
    env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: "skip" },
  });
}
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const run = spawnSync(
  process.execPath,
  [vitest, "run", "test/contracts/onnx-models.test.ts", "test/models/local-models.test.ts"],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, IBID_TRANSFORMERS: folder },
  },
);
process.exitCode = run.status ?? 1;
