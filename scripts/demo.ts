// The main job on real input: ingests this project's own documentation, searches it, and answers a question with citations.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const documents = ["README.md", "ARCHITECTURE.md", "GLOSSARY.md", "CONTRIBUTING.md", "docs"];
const commands = [
  ["ingest", ...documents],
  ["search", "how is a hidden document kept from moving a score?", "--top-k", "3"],
  ["ask", "Why does ibid not use FTS5?"],
  ["status"],
];

for (const command of commands) {
  const shown = command.map((word) => (/[\s?*]/u.test(word) ? `"${word}"` : word)).join(" ");
  process.stdout.write(`\n$ ibid ${shown}\n`);
  const { status } = spawnSync(process.execPath, [join(root, "src/cli/bin.ts"), ...command], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
