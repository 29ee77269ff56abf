/**
 * Runs the samples of the documentation as a reader would, and compares what they print with what the page shows.
 *
 *     npm run docs:samples                      every page but those that say `samples: nightly`; needs npm run build
 *     npm run docs:samples -- --slice           two pages, for every change
 *     npm run docs:samples -- --all             every page, over the packed package with packages from the registry
 *     npm run docs:samples -- --page install    pages whose path has that text
 *     npm run docs:samples -- --update          writes what is printed into the pages
 *
 * A page that says `<!-- samples: nightly, with cargo -->` is run where that program is, and named where it is not.
 *
 * A page is one session in an empty folder. Each fence of ` ```sh ` says what it is: in a fence, ` ```sh run ` runs in a shell, ` ```sh run fails ` must fail, and
 * ` ```text output ` after it is what it prints. ` ```ts file=ask.ts ` writes a file. ` ```sh install ` is done before the session,
 * or with --all by npm. Times, ids and dates may differ.
 *
 * A port that a page names is another, free one while its session runs, so that two runs on one machine do not meet. Output shows the page's.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** A fence of a page, in order. `start` and `end` are of its text in the page. */
interface Fence {
  readonly line: number;
  readonly language: string;
  readonly marks: readonly string[];
  readonly code: string;
  readonly start: number;
  readonly end: number;
}

interface Printed {
  readonly text: string;
  readonly code: number;
}

const root = join(import.meta.dirname, "..");
const slice = ["README.md", "docs/tutorials/first-answer.md"];
const separator = "\u001e";
/** Variables by which this machine reaches the registry of packages. */
const wayToRegistry = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir)|npm_config_(?:registry|userconfig))$/iu.test(
      name,
    ),
  ),
);

/** Fences of a page. **Errors** a mark that is not known. */
export function findFences(page: string, text: string): readonly Fence[] {
  return Array.from(text.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gmsu), (match) => {
    const [, language = "", rest = "", code = ""] = match;
    const marks = rest.trim() === "" ? [] : rest.trim().split(/\s+/u);
    const line = text.slice(0, match.index).split("\n").length;
    const unknown = marks.find((mark) => !/^(?:run|fails|install|output|no-run|file=\S+)$/u.test(mark));
    if (unknown !== undefined) throw new Error(`${page}:${line}: a fence has the mark "${unknown}", which is none.`);
    // The commands of the README have no marks: scripts/check-pack.ts runs them as they stand.
    if (["sh", "js"].includes(language) && marks.length === 0 && page !== "README.md")
      throw new Error(`${page}:${line}: a sample has no mark, so nothing runs it. Add run, install or no-run.`);
    const start = match.index + `\`\`\`${language}${rest}\n`.length;
    return { line, language, marks, code, start, end: start + code.length };
  });
}

/** A text in which times, ids, dates, sizes of files and the folder of the session are always the same. */
export function steady(text: string): string {
  return text
    .replaceAll(/\b\d{8}T\d{9}Z\b/gu, "<time>")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?/gu, "<time>")
    .replaceAll(/\b20\d\d-\d\d-\d\d\b/gu, "<date>")
    .replaceAll(/(?<![\w.])\d+(?:\.\d+)? ?(?:ms|s|µs|seconds?)\b/gu, "<duration>")
    .replaceAll(/(?<![\w.])\d+(?:\.\d+)? (?:[kKM]i?B|bytes)\b/gu, "<size>")
    .replaceAll(/\b[\da-f]{8,}(?:-[\da-f]{4,})*\b/gu, "<id>")
    .replaceAll(/[ \t]+$/gmu, "")
    .trimEnd();
}

/** Ports that samples listen at or call, as the page names them. A port of 0 is any free one already. */
export function findPorts(samples: readonly string[]): readonly string[] {
  const named = samples.flatMap((code) =>
    Array.from(
      code.matchAll(/(?:--(?:metrics-)?port[= ]|\bport: ?|\blocalhost:|\b127\.0\.0\.1:)(\d+)\b/gu),
      ([, port]) => port!,
    ),
  );
  return [...new Set(named)].filter((port) => Number(port) > 0);
}

/** A text with each port of the first list replaced by the one at its place in the second. */
export function replacePorts(text: string, from: readonly string[], to: readonly string[]): string {
  if (from.length === 0) return text;
  const by = new Map(from.map((port, i) => [port, to[i]!]));
  return text.replaceAll(new RegExp(`(?<![\\d.])(?:${from.join("|")})(?![\\d.]\\d|\\d)`, "gu"), (port) =>
    by.get(port)!,
  );
}

/** So many ports of this machine at which nobody listens. */
export async function findFreePorts(count: number): Promise<readonly string[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => String((server.address() as AddressInfo).port));
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

/** Makes the folder of a session, with ibid in it. */
function makeProject(packed: string | undefined): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ibid-samples-")));
  const project = join(folder, "project");
  mkdirSync(project);
  if (packed === undefined) {
    const modules = join(project, "node_modules");
    mkdirSync(join(modules, ".bin"), { recursive: true });
    symlinkSync(root, join(modules, "ibid"));
    // npm marks the file as a program when it installs the package.
    writeFileSync(join(modules, ".bin/ibid"), `#!/bin/sh\nexec node "${join(root, "dist/cli/bin.js")}" "$@"\n`, {
      mode: 0o755,
    });
    for (const name of [
      "ai",
      "zod",
      "openai",
      "@ai-sdk",
      "@langchain",
      "@modelcontextprotocol",
      "@electric-sql",
      "hono",
    ])
      symlinkSync(join(root, "node_modules", name), join(modules, name));
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  }
  return project;
}

/** Runs a page's session. **Shape** the output of each command, by the fence's place. */
async function runSession(
  page: string,
  fences: readonly Fence[],
  packed: string | undefined,
): Promise<ReadonlyMap<Fence, Printed>> {
  const project = makeProject(packed);
  const isUsed = ({ marks }: Fence): boolean => marks.includes("run") || marks.some((mark) => mark.startsWith("file="));
  const shown = findPorts(fences.filter(isUsed).map(({ code }) => code));
  const free = await findFreePorts(shown.length);
  const script = ["set -o pipefail"];
  const steps: Fence[] = [];
  for (const fence of fences) {
    const file = fence.marks.find((mark) => mark.startsWith("file="))?.slice("file=".length);
    if (file !== undefined) {
      const text = Buffer.from(replacePorts(fence.code, shown, free)).toString("base64");
      script.push(`mkdir -p "$(dirname '${file}')" && echo ${text} | base64 -d > '${file}'`);
    } else if (fence.marks.includes("run") || (fence.marks.includes("install") && packed !== undefined)) {
      const code = fence.marks.includes("install")
        ? fence.code.replaceAll(/(?<=npm install [^\n]*)\bibid\b/gu, packed ?? "")
        : replacePorts(fence.code, shown, free);
      script.push(
        `printf '${separator}%d${separator}' ${steps.length}`,
        `trap 'code=$?' ERR; code=0\n${code}`,
        `printf '${separator}%d${separator}' "$code"; trap - ERR`,
      );
      steps.push(fence);
    }
  }
  try {
    const done = spawnSync("bash", ["-c", `exec 2>&1\n${script.join("\n")}`], {
      cwd: project,
      encoding: "utf8",
      maxBuffer: 64 * 2 ** 20,
      // Pages install packages of others, which takes long on a machine with other work.
      timeout: 2_700_000,
      // A group of its own, which ends with the session. The types do not know that spawnSync can make one.
      ...({ detached: true } as object),
      env: {
        PATH: [join(project, "node_modules/.bin"), join(root, "node_modules/.bin"), process.env["PATH"]].join(":"),
        HOME: join(project, ".."),
        LANG: "C.UTF-8",
        NO_COLOR: "1",
        CI: "true",
        IBID_DOCS: join(root, "docs"),
        npm_config_fund: "false",
        npm_config_audit: "false",
        npm_config_update_notifier: "false",
        npm_config_cache: process.env["npm_config_cache"] ?? join(process.env["HOME"] ?? "", ".npm"),
        ...wayToRegistry,
        ...rustFolders(),
      },
    });
    endGroup(done.pid);
    const parts = done.stdout.split(separator);
    const printed = new Map<Fence, Printed>();
    for (const [index, fence] of steps.entries()) {
      const text = parts[index * 4 + 2];
      const code = parts[index * 4 + 3];
      if (text === undefined || code === undefined)
        throw new Error(`${page}:${fence.line}: the session ended before this sample:\n${done.stdout.slice(-2000)}`);
      const asShown = replacePorts(text.replaceAll(project, "/home/ada/project"), free, shown);
      printed.set(fence, { text: asShown, code: Number(code) });
    }
    return printed;
  } finally {
    rmSync(join(project, ".."), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Ends servers that a session left in the background: `kill %1` reaches npx only where no shell controls jobs. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid);
  } catch {
    // Nobody is left.
  }
}

/** Where rustup and cargo keep programs and settings: the session has another home. */
function rustFolders(): NodeJS.ProcessEnv {
  const { HOME = "", RUSTUP_HOME = join(HOME, ".rustup"), CARGO_HOME = join(HOME, ".cargo") } = process.env;
  return existsSync(CARGO_HOME) ? { RUSTUP_HOME, CARGO_HOME } : {};
}

/** The program that a page wants and this machine has not. */
function missingProgram(text: string): string | undefined {
  const [, program] = /<!-- samples: nightly, with (\w+) -->/u.exec(text) ?? [];
  if (program === undefined || spawnSync(program, ["--version"]).error === undefined) return undefined;
  return program;
}

/** Packs the package once. */
function pack(): string {
  const folder = mkdtempSync(join(tmpdir(), "ibid-packed-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const said = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root, encoding: "utf8" });
  return join(folder, said.trim().split("\n").at(-1) ?? "");
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      slice: { type: "boolean" },
      all: { type: "boolean" },
      page: { type: "string" },
      update: { type: "boolean" },
    },
  });
  const packed = values.all === true ? pack() : undefined;
  const pages = (values.slice === true ? slice : globSync(["README.md", "docs/**/*.md"], { cwd: root }).toSorted())
    .filter((path) => !path.startsWith("docs/decisions/") && path.includes(values.page ?? ""))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
    .filter(({ text }) => values.all === true || values.page !== undefined || !/<!-- samples: nightly\b/u.test(text));
  const failures: string[] = [];
  let samples = 0;
  for (const { path, text } of pages) {
    const fences = findFences(path, text);
    if (!fences.some(({ marks }) => marks.includes("run"))) continue;
    const program = missingProgram(text);
    if (program !== undefined) {
      console.log(`${path.padEnd(48)} left out: there is no ${program} on this machine`);
      continue;
    }
    const started = performance.now();
    const printed = await runSession(path, fences, packed);
    let next = text;
    for (const [index, fence] of [...fences.entries()].toReversed()) {
      const came = printed.get(fence);
      if (came === undefined) continue;
      if (fence.marks.includes("run")) samples += 1;
      if ((came.code !== 0) !== fence.marks.includes("fails")) {
        failures.push(`${path}:${fence.line}: ended with ${came.code}:\n${came.text}`);
        continue;
      }
      const shown = fences[index + 1];
      if (!shown?.marks.includes("output")) continue;
      if (steady(shown.code) === steady(came.text)) continue;
      if (values.update === true)
        next = `${next.slice(0, shown.start)}${came.text.trimEnd()}\n${next.slice(shown.end)}`;
      else failures.push(`${path}:${shown.line}: shows\n${shown.code}\nand the sample printed\n${came.text}`);
    }
    if (next !== text) writeFileSync(join(root, path), next);
    console.log(`${path.padEnd(48)} ${Math.round(performance.now() - started)} ms`);
  }
  for (const failure of failures) console.error(failure);
  console.log(`${samples} samples run, ${failures.length} differ`);
  if (failures.length > 0) {
    console.error("Look at each, then write what is printed into the pages: npm run docs:samples -- --update");
    process.exitCode = 1;
  }
}

if (import.meta.main) await main();
