// The machine and the versions of a measurement.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, totalmem, type as system, release } from "node:os";
import { join } from "node:path";
import { python } from "./play.ts";

export interface Machine {
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  /** Contestants by name. */
  readonly versions: Readonly<Record<string, string>>;
}

export function describeMachine(): Machine {
  return { ...describeHost(), versions: { ibid: describeCommit(), ...readDependencies(), ...askPython() } };
}

/** The machine and the state of ibid, without the contestants. */
export function describeHost(): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: readSystem(),
    node: process.versions.node,
    versions: { ibid: describeCommit() },
  };
}

function readDependencies(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return dependencies;
}

function readSystem(): string {
  try {
    return /^PRETTY_NAME="(.+)"$/mu.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? system();
  } catch {
    return `${system()} ${release()}`;
  }
}

function describeCommit(): string {
  const { stdout } = spawnSync("git", ["describe", "--always", "--dirty"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  return stdout?.trim() || "unknown";
}

function askPython(): Record<string, string> {
  const versions: Record<string, string> = {};
  for (const name of ["numpy", "faiss"]) {
    const { status, stdout } = spawnSync(python, ["-c", `import ${name}; print(${name}.__version__)`], {
      encoding: "utf8",
    });
    if (status === 0) versions[`${name} (Python)`] = stdout.trim();
  }
  return versions;
}
