import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { root } from "./subpaths.ts";

/** Outcome of one proof of test/designs. */
export interface ProofOutcome {
  readonly item: string;
  readonly title: string;
  /** Absent when it holds. */
  readonly failure?: string;
  readonly ms: number;
}

/** Packs ibid as for publishing, and installs it into an empty project. **Shape** the path of the tarball. */
export function packAndInstall(work: string, project: string): string {
  npm(root, "pack", "--pack-destination", work);
  const tarball = readdirSync(work).find((file) => file.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no tarball");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  npm(project, "install", "--prefer-offline", "--no-audit", "--no-fund", join(work, tarball));
  return join(work, tarball);
}

/** Optional peers that some proofs need, in the versions of compat/engines. */
const engines = ["usearch@2.26.2", "@duckdb/node-api@1.5.6-r.1"];

/** Runs the proofs of test/designs over the package that is installed in a project, in one process. */
export function runProofs(project: string): readonly ProofOutcome[] {
  npm(project, "install", "--prefer-offline", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", ...engines);
  cpSync(join(root, "test", "designs"), join(project, "designs"), { recursive: true });
  const printed = node(project, "--disable-warning=ExperimentalWarning", join("designs", "run.ts"));
  return printed
    .split("\n")
    .filter((line) => line.startsWith('{"item"'))
    .map((line) => JSON.parse(line) as ProofOutcome);
}

export function npm(cwd: string, ...args: string[]): string {
  const script = process.env["npm_execpath"];
  if (script === undefined) throw new Error("This script runs through npm only: `npm run …`.");
  return node(cwd, script, ...args);
}

export function node(cwd: string, ...args: string[]): string {
  return run(cwd, process.execPath, args);
}

/** Lines of a shell as a user types them; the first that fails ends them. */
export function shell(cwd: string, lines: string): string {
  return run(cwd, "sh", ["-ec", lines]);
}

function run(cwd: string, command: string, args: readonly string[]): string {
  // Not npm's own variables: a nested npm must look at its own folder. Node stays first on the PATH.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_PATH$)/i.test(name)),
  );
  env["PATH"] = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  try {
    return execFileSync(command, args, {
      cwd,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 1 << 26,
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    if (error instanceof Error) error.message += `\n${stdout ?? ""}${stderr ?? ""}`;
    throw error;
  }
}
