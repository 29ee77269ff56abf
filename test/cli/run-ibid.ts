import { spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { main } from "../../src/cli/main.ts";

export const executable = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a process needs, and nothing of the caller's settings. */
export function bareEnv(home: string): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, HOME: home };
}

/** Runs the real command line in a process of its own. Nothing of the caller's settings reaches it. */
export function runIbid(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [executable, ...args], {
      cwd,
      env: { ...bareEnv(cwd), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line in this process: all but the start of a process, which would take most of the time. One after the other, because
 * the working folder is the process's.
 */
export function callIbid(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const call = async (): Promise<Finished> => {
    const [stdout, stderr] = [new PassThrough({ highWaterMark: 1 << 26 }), new PassThrough()];
    const read = (stream: PassThrough): string => (stream.read() as Buffer | null)?.toString() ?? "";
    const before = { cwd: process.cwd(), env: process.env };
    process.chdir(cwd);
    // Commands leave nothing in the home of the caller.
    process.env = { ...process.env, XDG_STATE_HOME: join(cwd, ".state"), ...env };
    try {
      const code = await main(args, { stdout, stderr });
      return { code, stdout: read(stdout), stderr: read(stderr) };
    } finally {
      process.chdir(before.cwd);
      process.env = before.env;
    }
  };
  const result = last.then(call);
  last = result.catch(() => {});
  return result;
}

/** Starts it for tests that have a say while it runs. */
export function startIbid(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const given = { ...process.env, ...env };
  return spawn(process.execPath, [executable, ...args], { cwd, env: given, stdio: ["ignore", "pipe", "pipe"] });
}

export async function makeFolder(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ibid-cli-")));
  await writeFiles(folder, files);
  return folder;
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** One object a line. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
