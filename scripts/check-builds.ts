// Builds an application with each tool that people build with, from the packed package and without any setting for it. Then it runs what was built, as the tool
// documents. One file, or a folder of its own, is moved elsewhere first; others have their dependencies beside them. Each ingests files of eight formats, finds all of
// them, and answers with a citation.
//
//   npm run check:builds                      all tools
//   npm run check:builds -- next vite         only these
//   npm run check:builds -- --keep            leaves the folders
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { animals, writeSampleFiles } from "./builds/sample-files.ts";
import { type Build, builds } from "./builds/builds.ts";
import { npm } from "./packed.ts";
import { root } from "./subpaths.ts";

/** Time of one command. **Units** milliseconds. */
const longest = 1_800_000;

const asked = process.argv.slice(2).filter((each) => !each.startsWith("--"));
const isKept = process.argv.includes("--keep");
const unknown = asked.filter((name) => !builds.some((build) => build.name.startsWith(name)));
if (unknown.length > 0) {
  console.error(`There is no build ${unknown.join(", ")}. Known: ${builds.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), "ibid-builds-"));
npm(root, "pack", "--pack-destination", work);
const tarball = join(work, readdirSync(work).find((file) => file.endsWith(".tgz")) ?? "");
writeSampleFiles(join(work, "files"));

let failed = 0;
/** The folder of the last build by its project: two builds of one tool share an installation. */
let last: { readonly project: string; readonly folder: string } | undefined;
for (const build of builds) {
  if (asked.length > 0 && !asked.some((name) => build.name.startsWith(name))) continue;
  const started = Date.now();
  try {
    console.log(`✓ ${build.name}: ${await check(build)}, ${((Date.now() - started) / 1000).toFixed(0)} s`);
  } catch (error) {
    failed++;
    console.log(`✗ ${build.name}: ${error instanceof Error ? error.message.slice(-3000) : String(error)}`);
  }
}
if (!isKept) rmSync(work, { recursive: true, force: true });
else console.log(`Kept ${work}`);
process.exitCode = failed === 0 ? 0 : 1;

async function check(build: Build): Promise<string> {
  const folder = last?.project === build.project ? last.folder : install(build);
  last = { project: build.project, folder };
  for (const [file, content] of Object.entries(build.files)) write(join(folder, file), content);
  for (const command of build.build) run(folder, command);
  const place = mkdtempSync(join(work, "run-"));
  for (const [from, to] of Object.entries(build.moved ?? {}))
    cpSync(join(folder, from), join(place, to), { recursive: true, verbatimSymlinks: true });
  const cwd = build.moved === undefined ? folder : place;
  const result = build.isServer ? await askServer(build, cwd) : JSON.parse(lastLine(run(cwd, build.start, build.env)));
  return judge(result as ProbeResult, build);
}

interface ProbeResult {
  /** Rule that refused a note with a secret. */
  readonly kept: string;
  readonly found: Readonly<Record<string, boolean>>;
  readonly headings: readonly string[];
  readonly answer: string;
  /** Status of the service's answer. */
  readonly served: number;
  readonly citations: number;
  readonly warnings: readonly string[];
}

function judge({ kept, found, headings, answer, served, citations, warnings }: ProbeResult, build: Build): string {
  const missing = Object.keys(animals).filter((file) => found[file] !== true);
  if (missing.length > 0) throw new Error(`not found: ${missing.join(", ")}; warnings: ${warnings.join("; ")}`);
  if (headings.at(-1) !== "class Sleep")
    throw new Error(`code was read without its sections: ${JSON.stringify(headings)}`);
  if (citations === 0 || !answer.includes("nine hours")) throw new Error(`the answer is "${answer}"`);
  if (kept !== "github") throw new Error(`the note with a secret was not refused by its rule: ${kept}`);
  if (served !== 200) throw new Error(`the service answered with ${served}`);
  const hasWorker = !warnings.includes("IBID_NO_WORKER");
  if (!hasWorker && build.worker !== "none") throw new Error("the reading worker was left behind");
  return `8 formats, answered, ${hasWorker ? "files read in a worker" : "files read in the process"}`;
}

function install(build: Build): string {
  const folder = join(work, build.project);
  mkdirSync(folder, { recursive: true });
  write(
    join(folder, "package.json"),
    JSON.stringify({ name: "app", private: true, type: "module", ...build.manifest }),
  );
  run(folder, ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline", tarball, ...build.packages]);
  cpSync(join(root, "scripts", "builds", "probe.js"), join(folder, build.probe));
  return folder;
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|INIT_CWD$|NODE_PATH$|NODE_OPTIONS$)/iu.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    CI: "true",
    NO_COLOR: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    ASTRO_TELEMETRY_DISABLED: "1",
    NUXT_TELEMETRY_DISABLED: "1",
    DO_NOT_TRACK: "1",
    IBID_FILES: join(work, "files"),
    IBID_ANIMALS: JSON.stringify(animals),
    ...more,
  };
}

function run(cwd: string, [command, ...args]: readonly string[], env?: Readonly<Record<string, string>>): string {
  try {
    const options = { cwd, env: environment(env), encoding: "utf8", maxBuffer: 1 << 26, timeout: longest } as const;
    return execFileSync(command ?? "", args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout, stderr, code, message } = error as Error & { stdout?: string; stderr?: string; code?: string };
    // A command that did not run at all has no output.
    if (stdout === undefined || stderr === undefined)
      throw new Error(`${command} ${args.join(" ")}: ${message}`, { cause: error });
    const ended = code === "ETIMEDOUT" ? ` was ended after ${longest / 60_000} minutes: the machine is too busy` : "";
    throw new Error(`${command} ${args.join(" ")}${ended}\n${stdout.slice(-1500)}\n${stderr.slice(-1500)}`, {
      cause: error,
    });
  }
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

async function askServer(build: Build, cwd: string): Promise<unknown> {
  const port = await freePort();
  const [command = "", ...args] = build.start.map((each) => each.replace("PORT", String(port)));
  const env = environment({ PORT: String(port), HOST: "127.0.0.1", HOSTNAME: "127.0.0.1", ...build.env });
  const server = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let printed = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (data: Buffer) => (printed += String(data)));
  try {
    for (let tries = 0; ; tries++) {
      try {
        const response = await fetch(`http://127.0.0.1:${port}/probe`, { signal: AbortSignal.timeout(120_000) });
        const text = await response.text();
        if (response.ok) return JSON.parse(text);
        throw new Error(`${response.status} ${text.slice(0, 1000)}\n${printed.slice(-2000)}`);
      } catch (error) {
        const isDown = error instanceof TypeError && server.exitCode === null;
        if (!isDown || tries > 120) throw new Error(`${String(error)}\n${printed.slice(-2000)}`, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  } finally {
    end(server);
  }
}

/** Ends the server with the processes that it started. */
function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
