// Runs the tests of spans and metrics with OpenTelemetry's own SDK: installs it (compat/opentelemetry), which `npm test` does without.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, "compat", "opentelemetry");
if (!existsSync(join(folder, "node_modules", "@opentelemetry", "sdk-trace-base"))) {
  const npm = process.env["npm_execpath"];
  if (npm === undefined) throw new Error("Run this through npm: `npm run test:otel`.");
  execFileSync(process.execPath, [npm, "ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
}
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const run = spawnSync(process.execPath, [vitest, "run", "test/integrations/opentelemetry"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, IBID_OTEL: folder },
});
process.exitCode = run.status ?? 1;
