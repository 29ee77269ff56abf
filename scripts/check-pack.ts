// Packs ibid as it would be published, installs it into an empty project, and checks what a user gets:
// the files and their size, what gets installed, the types, the doors, and the command line.
// To check more, add a consumer to `consumers` or a step to `checks`.
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

interface Consumer {
  readonly name: string;
  readonly source: string;
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

/** Programs that must typecheck against the published types, with `skipLibCheck` off. */
const consumers: readonly Consumer[] = [
  {
    name: "node",
    source:
      'import * as ibid from "ibid";\nimport * as server from "ibid/server";\nimport * as testing from "ibid/testing";\nexport const doors = [ibid, server, testing];\n',
    compilerOptions: { module: "nodenext", lib: ["es2024", "esnext.disposable"], types: ["node"] },
  },
  {
    name: "browser",
    source:
      'import * as ibid from "ibid";\nimport * as server from "ibid/server";\nexport const doors = [ibid, server];\n',
    compilerOptions: {
      module: "esnext",
      moduleResolution: "bundler",
      customConditions: ["browser"],
      lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
      types: [],
    },
  },
  {
    // What most frameworks on Node set: TypeScript then asks for no condition that says so.
    name: "bundler",
    source: 'import { openKnowledgeBase } from "ibid";\nexport const kb = openKnowledgeBase("./kb");\n',
    compilerOptions: {
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["es2024", "dom", "dom.iterable"],
      types: [],
    },
  },
];

/** Doors and what importing them may load: never a third-party package, and from the public door no Node builtin either. */
const doors: readonly { readonly entry: string; readonly builtins: boolean }[] = [
  { entry: "ibid", builtins: true },
  { entry: "./node_modules/ibid/dist/index.js", builtins: false },
];

const root = join(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const work = mkdtempSync(join(tmpdir(), "ibid-pack-"));
const project = join(work, "project");
const installed = join(project, "node_modules", "ibid");

const checks: readonly (readonly [string, () => string])[] = [
  ["pack and install", packAndInstall],
  ["published files", checkFiles],
  ["installed packages", checkDependencies],
  ["package metadata (publint)", checkMetadata],
  ["types", checkTypes],
  ["what the doors load", checkDoors],
  ["contract packs over what the door makes", checkPacks],
  ["a file read in a worker", checkWorker],
  ["a service asked over HTTP", checkService],
  ["command line", checkCommandLine],
  ["command line on an old Node", checkOldNode],
];

try {
  for (const [name, check] of checks) console.log(`✓ ${name}: ${check()}`);
} finally {
  if (process.env["IBID_KEEP_PACK"] === undefined) rmSync(work, { recursive: true, force: true });
  else console.log(`Kept ${work}`);
}

function packAndInstall(): string {
  npm(root, "pack", "--pack-destination", work);
  const tarball = tarballPath();
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  npm(project, "install", "--prefer-offline", "--no-audit", "--no-fund", tarball);
  return `${tarball.slice(work.length + 1)}, ${kilobytes(statSync(tarball).size)} packed`;
}

function checkFiles(): string {
  const files = filesIn(installed).filter((file) => !file.startsWith("node_modules/"));
  const expected = /^(dist\/.+\.(js|d\.ts|json|wasm|html|css|svg)|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
  const stray = files.filter((file) => !expected.test(file));
  assert(stray.length === 0, `files that do not belong into the package: ${stray.join(", ")}`);
  const size = files.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);
  return `${files.length} files, ${kilobytes(size)}`;
}

function checkDependencies(): string {
  const lock = JSON.parse(readFileSync(join(project, "node_modules", ".package-lock.json"), "utf8")) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const packages = Object.entries(lock.packages);
  const scripted = packages.filter(([, entry]) => entry.hasInstallScript === true).map(([path]) => path);
  assert(scripted.length === 0, `install scripts: ${scripted.join(", ")}`);
  const unwanted = packages
    .map(([path]) => path)
    .filter((path) => /\/(node-(linux|darwin|win)-|@ai-sdk\/|typescript$|vitest$)/.test(path));
  assert(unwanted.length === 0, `users should not get ${unwanted.join(", ")}`);
  const size = filesIn(join(project, "node_modules")).reduce(
    (sum, file) => sum + statSync(join(project, "node_modules", file)).size,
    0,
  );
  return `${packages.length} packages, ${kilobytes(size)}`;
}

function checkMetadata(): string {
  return node(root, join(root, "node_modules", "publint", "src", "cli.js"), "run", tarballPath(), "--strict")
    .trim()
    .split("\n")
    .slice(-1)
    .join("");
}

function checkTypes(): string {
  // Only the consumer that asks for Node's types can see them.
  mkdirSync(join(project, "node_modules", "@types"), { recursive: true });
  symlinkSync(
    join(root, "node_modules", "@types", "node"),
    join(project, "node_modules", "@types", "node"),
    "junction",
  );
  for (const { name, source, compilerOptions } of consumers) {
    const folder = join(project, name);
    mkdirSync(folder);
    writeFileSync(join(folder, "main.ts"), source);
    const options = { target: "es2024", strict: true, noEmit: true, skipLibCheck: false, ...compilerOptions };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["main.ts"] }));
    node(folder, join(root, "node_modules", "typescript", "bin", "tsc"), "-p", ".");
  }
  return consumers.map((consumer) => consumer.name).join(", ");
}

function checkDoors(): string {
  const spy = join(project, "list-loaded.mjs");
  writeFileSync(
    spy,
    [
      'import { registerHooks } from "node:module";',
      "const loaded = [];",
      "registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });",
      "await import(process.argv[2]);",
      "console.log(JSON.stringify(loaded));",
    ].join("\n"),
  );
  const counts = doors.map(({ entry, builtins }) => {
    const loaded = JSON.parse(node(project, spy, entry)) as string[];
    const home = pathToFileURL(installed).href + "/dist/";
    const foreign = loaded.filter((url) => !url.startsWith(home) && !(builtins && url.startsWith("node:")));
    assert(
      foreign.length === 0,
      `importing ${entry} loads ${foreign.slice(0, 5).join(", ")} (${foreign.length} in all)`,
    );
    assert(loaded.length > 0, `importing ${entry} loads nothing`);
    return `${entry} ${loaded.length} modules`;
  });
  return counts.join(", ");
}

/** A permission is known by the module that made it: were it in the package twice, every store would refuse the packs'. */
function checkPacks(): string {
  const script = join(project, "packs.mjs");
  writeFileSync(
    script,
    `import { createMemoryStore } from "ibid/stores";
import { createVectorStorePack } from "ibid/testing";
const cases = createVectorStorePack({ create: async () => createMemoryStore() });
for (const { run } of cases) await run();
console.log(cases.length + " cases");
`,
  );
  return node(project, script).trim();
}

function checkWorker(): string {
  const program = join(project, "read-in-worker.mjs");
  writeFileSync(
    program,
    [
      'import { openKnowledgeBase } from "ibid";',
      "const kb = await openKnowledgeBase({ reading: { worker: true } });",
      'await kb.ingest({ uri: "a.md", text: "# Keys", mediaType: "text/markdown" });',
      'console.log((await kb.document("a.md")).root.children[0].title);',
    ].join("\n"),
  );
  const title = node(project, program).trim();
  assert(title === "Keys", `the worker gave ${title}`);
  return title;
}

/** Also by way of a framework's bundle for other runtimes, which is made of the other file. */
function checkService(): string {
  const program = join(project, "serve.mjs");
  writeFileSync(
    program,
    [
      'import { openKnowledgeBase } from "ibid";',
      'import { createHandler, startService } from "ibid/server";',
      'import * as elsewhere from "./node_modules/ibid/dist/server/index.js";',
      "const kb = await openKnowledgeBase();",
      'await kb.ingest({ uri: "a.txt", text: "Keys are rotated every ninety days." });',
      "const service = await startService(kb, { port: 0 });",
      "const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: 'rotated keys?' }) };",
      "const served = await (await fetch(service.url + 'rag/query', post)).json();",
      "await service.stop();",
      "for (const make of [createHandler, elsewhere.createHandler]) {",
      "  const response = await make(kb)(new Request('http://localhost/rag/query', post), { remoteAddress: '127.0.0.1' });",
      "  if ((await response.json()).response !== served.response) throw new Error('not the same');",
      "}",
      "await kb.close();",
      "console.log(served.response);",
    ].join("\n"),
  );
  const said = node(project, program).trim();
  assert(said === "Keys are rotated every ninety days.", `the service said ${said}`);
  return said;
}

function checkCommandLine(): string {
  const version = npm(project, "exec", "--", "ibid", "--version").trim();
  assert(version.includes(manifest.version), `ibid --version says ${version}`);
  return version;
}

function checkOldNode(): string {
  const bin = pathToFileURL(join(installed, "dist", "cli", "bin.js")).href;
  const pretend = join(project, "old-node.mjs");
  writeFileSync(
    pretend,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });\nawait import(${JSON.stringify(bin)});\n`,
  );
  try {
    node(project, pretend);
  } catch (error) {
    const { status, stderr } = error as { status?: number; stderr?: string };
    assert(status === 1 && stderr !== undefined && stderr.includes("18.20.8"), `an old Node gets: ${stderr}`);
    assert(stderr.trim().split("\n").length === 1, `an old Node gets more than one line: ${stderr}`);
    return stderr.trim();
  }
  throw new Error("ibid started on an old Node");
}

function tarballPath(): string {
  const tarball = readdirSync(work).find((file) => file.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no tarball");
  return join(work, tarball);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}

function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

function npm(cwd: string, ...args: string[]): string {
  const script = process.env["npm_execpath"];
  if (script === undefined) throw new Error("Run this through npm: `npm run check:pack`.");
  return node(cwd, script, ...args);
}

function node(cwd: string, ...args: string[]): string {
  // Not npm's own variables: a nested npm must look at its own folder. Node stays first on the PATH.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_PATH$)/i.test(name)),
  );
  env["PATH"] = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  try {
    return execFileSync(process.execPath, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    if (error instanceof Error) error.message += `\n${stdout ?? ""}${stderr ?? ""}`;
    throw error;
  }
}
