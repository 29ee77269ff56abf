import { readdir, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { IbidError } from "../contracts/errors.ts";

/** Names of files with rules for agents. **Source** the documentation of Claude Code, AGENTS.md, Cursor, GitHub Copilot, Gemini CLI, Cline and Windsurf, November 2026. */
const names: ReadonlySet<string> = new Set([
  "CLAUDE.md",
  "CLAUDE.local.md",
  "AGENTS.md",
  "AGENTS.override.md",
  "GEMINI.md",
  ".cursorrules",
  ".clinerules",
  ".windsurfrules",
  "copilot-instructions.md",
]);
const folders = [join(".cursor", "rules"), join(".claude", "rules"), join(".github", "instructions"), ".clinerules"];
const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", "dist"]);

/** Finds the files of rules below a folder. **Shape** sorted. **Errors** `not-found`. */
export async function ruleFiles(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new IbidError("not-found", `${path} cannot be read.`, { uri: path, hint: "Name a folder or a file.", cause });
  });
  if (!found.isDirectory()) return [path];
  const files: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const at = join(folder, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) await walk(at);
      else if (entry.isFile() && (names.has(basename(at)) || isInRules(at))) files.push(at);
    }
  };
  await walk(path);
  return files.toSorted();
}

const isInRules = (path: string): boolean =>
  /\.mdc?$/u.test(path) && folders.some((folder) => `${sep}${path}`.includes(`${sep}${folder}${sep}`));
