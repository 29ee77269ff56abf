// Packs ibid as for publishing, installs it into an empty project, and checks files and sizes, installed packages,
// types, subpaths, and the command line. To check more, add a consumer to `consumers` or a step to `checks`.
import { spawnSync } from "node:child_process";
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
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { deadLinks } from "./pack-docs.ts";
import { node, npm, packAndInstall, shell } from "./packed.ts";
import { checkPage } from "./seeds-page.ts";
import { root, subpaths } from "./subpaths.ts";

interface Consumer {
  readonly name: string;
  readonly source: string;
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

/** A program that imports these subpaths, and has the types that they declare at hand. */
const importAll = (specifiers: readonly string[]): string =>
  [
    ...specifiers.map((specifier, i) => `import * as part${i} from "${specifier}";`),
    `export const parts = [${specifiers.map((_, i) => `part${i}`).join(", ")}];\n`,
  ].join("\n");
const everySubpath = subpaths.map(({ specifier }) => specifier);

/** Subpaths that are made of a package: importing them loads it, and their types are its types. */
const madeOfPackages: Readonly<Record<string, readonly string[]>> = {
  "ibid/langchain": ["@langchain/core"],
  "ibid/server": ["zod"],
};
/** The types of an optional package are there only where the package is. */
const withoutOptional = everySubpath.filter((specifier) => specifier !== "ibid/langchain");

/** Programs that must typecheck against the published types. `skipLibCheck` is off, except in what the documentation shows. */
const consumers: readonly Consumer[] = [
  {
    name: "node16",
    source: importAll(withoutOptional),
    compilerOptions: {
      module: "node16",
      moduleResolution: "node16",
      lib: ["es2024", "esnext.disposable"],
      types: ["node"],
    },
  },
  {
    name: "nodenext",
    source: importAll(withoutOptional),
    compilerOptions: { module: "nodenext", lib: ["es2024", "esnext.disposable"], types: ["node"] },
  },
  {
    name: "browser",
    source: `${importAll(withoutOptional)}
import { openKnowledgeBase } from "ibid";
import { createMemoryStore } from "ibid/stores";
export const made = [openKnowledgeBase(), createMemoryStore()];
`,
    compilerOptions: {
      module: "esnext",
      moduleResolution: "bundler",
      customConditions: ["browser"],
      lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
      // The types of the MCP package name Node's, and declarations are checked here.
      types: ["node"],
    },
  },
  {
    // The setting of most frameworks on Node. TypeScript then asks for no condition `node`.
    name: "bundler",
    source: `${importAll(withoutOptional)}
import { openKnowledgeBase } from "ibid";
import { openFileBlobStore } from "ibid/stores";
export const made = [openKnowledgeBase("./kb"), openFileBlobStore("./blobs")];
`,
    compilerOptions: {
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["es2024", "dom", "dom.iterable"],
      types: ["node"],
    },
  },
];

/** Longest time from an empty folder and the tarball to the first cited answer. **Units** milliseconds. */
const firstMinuteMs = 60_000;
/** Two screens of fifty lines. */
const mostReadmeLines = 100;

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
/** A line with a mistake, and what the compiler has to say of it. */
const mistakes: readonly (readonly [string, RegExp])[] = [
  ["openKnowledgeBase({ ingest: {} });", /'ingest' does not exist in type 'OpenOptions'/],
  ['openKnowledgeBase("./kb", { modls: {} });', /Did you mean to write 'models'/],
  ["openKnowledgeBase({ models: { chat: 3 } });", /'number' is not assignable to type 'AnyChatModel/],
  [
    "openKnowledgeBase({ chunker: { fingerprint: 1, chunk: () => [] } });",
    /'number' is not assignable to type 'string/,
  ],
  ['kb.search("keys", { topk: 3 });', /Did you mean to write 'topK'/],
  ['kb.ask("keys", { grounding: "stric" });', /Did you mean '"strict"'/],
];

const work = mkdtempSync(join(tmpdir(), "ibid-pack-"));
const project = join(work, "project");
let tarball = "";
const installed = join(project, "node_modules", "ibid");

const checks: readonly (readonly [string, () => string | Promise<string>])[] = [
  ["pack and install", install],
  ["published files", checkFiles],
  ["links of the documentation", checkLinks],
  ["files that every bundler can follow", checkFollowed],
  ["installed packages", checkDependencies],
  ["package metadata (publint)", checkMetadata],
  ["types", checkTypes],
  ["the documented tsconfig", checkDocumentedProject],
  ["mistakes as the compiler names them", checkMistakes],
  ["the README's first minute and its program, in an empty folder", checkFirstMinute],
  ["modules that each subpath loads", checkLoaded],
  ["a gate from ibid/access over a store from ibid/stores", checkGate],
  ["contract packs over a packed store", checkPacks],
  ["a bundle for a browser", checkBrowserBundle],
  ["a file read in a worker", checkWorker],
  ["the items of the five designs", () => checkPage(project)],
  ["a service asked over HTTP", checkService],
  ["command line", checkCommandLine],
  ["questions asked in a folder of documents", checkEvaluation],
  ["command line on an old Node", checkOldNode],
];

try {
  for (const [name, check] of checks) console.log(`✓ ${name}: ${await check()}`);
} finally {
  if (process.env["IBID_KEEP_PACK"] === undefined) rmSync(work, { recursive: true, force: true });
  else console.log(`Kept ${work}`);
}

function install(): string {
  tarball = packAndInstall(work, project);
  return `${basename(tarball)}, ${kilobytes(statSync(tarball).size)} packed`;
}

function checkFiles(): string {
  const files = filesIn(installed).filter((file) => !file.startsWith("node_modules/"));
  const expected =
    /^(dist\/.+\.(js|mjs|d\.ts|json|wasm|html|css|svg)|dist\/node\/LICENSES\.txt|dist\/docs\/((errors|explanation|guides|library|migrate|tutorials)\/)?[a-z-]+\.md|package\.json|README\.md|LICENSE)$/;
  const stray = files.filter((file) => !expected.test(file));
  assert(stray.length === 0, `files that do not belong into the package: ${stray.join(", ")}`);
  const size = files.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);
  return `${files.length} files, ${kilobytes(size)}`;
}

function checkLinks(): string {
  const files = new Set(filesIn(installed));
  const dead = deadLinks(files, (path) => readFileSync(join(installed, path), "utf8"));
  assert(dead.length === 0, `links that lead nowhere: ${dead.join(", ")}`);
  const pages = [...files].filter((path) => path.startsWith("dist/docs/")).length;
  assert(pages > 70, `the package has ${pages} pages of documentation`);
  return `${pages} pages`;
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

/**
 * A bundler follows imports of literals, and addresses of files that are there. It does not follow `createRequire`, an import of what is only known at run time,
 * or a package that the manifest does not name.
 */
function checkFollowed(): string {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    dependencies: object;
    peerDependencies: object;
  };
  const named = [...Object.keys(dependencies), ...Object.keys(peerDependencies), "ibid"];
  const files = filesIn(join(installed, "dist")).filter((file) => /\.m?js$/u.test(file));
  // The command line imports configurations. No application bundles it.
  const followed = new Set(files.filter((file) => !file.startsWith("cli/")));
  const own = /\bfrom "\.\.\/node\/([^"]+)"|import\("\.\.\/node\/([^"]+)"\)/gu;
  const ofCommands = [...readFileSync(join(installed, "dist", "cli", "bin.js"), "utf8").matchAll(own)].map(
    ([, a, b]) => `node/${a ?? b}`,
  );
  for (const file of ofCommands) if (/\/main-/u.test(file)) followed.delete(file);
  for (const file of followed) {
    const code = readFileSync(join(installed, "dist", file), "utf8");
    const refuse = (rule: RegExp, why: string): void =>
      assert(!rule.test(code), `dist/${file} ${why}: ${rule.exec(code)?.[0].slice(0, 100)}`);
    refuse(/createRequire|\b__require\(/u, "requires modules");
    refuse(/import \* as \w+ from "zod/u, "imports zod as a namespace, which one file of esbuild leaves unmade");
    // A comment or a text may hold the word; a call has a name behind its parenthesis.
    refuse(/(?<![.\w"'`*])import\(\s*(?:\/\*.*?\*\/\s*)?[A-Za-z_$]/u, "imports a computed name");
    for (const [, first = ""] of code.matchAll(/new URL\(([^,()]*(?:\([^()]*\))?[^,()]*),\s*import\.meta\.url/gu)) {
      const literal = /^[`"'](\.\.?\/[\w./-]+)[`"']$/u.exec(first)?.[1];
      assert(literal !== undefined, `dist/${file} has the address of a computed file: new URL(${first}, …)`);
      assert(files.includes(join(file, "..", literal)), `dist/${file} names ${literal}, which is not there`);
    }
    for (const [, id = ""] of code.matchAll(/^(?:import|export)\b[^"'`;]*\bfrom "([^"]+)"/gmu)) {
      const isKnown =
        id.startsWith(".") || isBuiltin(id) || named.some((name) => id === name || id.startsWith(`${name}/`));
      assert(isKnown, `dist/${file} imports ${id}, which package.json does not name`);
      assert(!file.endsWith(".mjs") || isBuiltin(id), `dist/${file} is copied alone, and imports ${id}`);
    }
  }
  return `${followed.size} files`;
}

function checkMetadata(): string {
  return node(root, join(root, "node_modules", "publint", "src", "cli.js"), "run", tarball, "--strict")
    .trim()
    .split("\n")
    .slice(-1)
    .join("");
}

function checkTypes(): string {
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

/** Runs the first commands of the README as they stand, but for the package's name, which is the tarball. */
function checkFirstMinute(): string {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const lines = readme.trimEnd().split("\n").length;
  assert(lines <= mostReadmeLines, `README.md has ${lines} lines; two screens have ${mostReadmeLines}`);
  const commands = /```sh\n(npm install ibid\n.*?)```/su.exec(readme)?.[1];
  assert(commands !== undefined, "README.md does not begin with npm install ibid");
  const empty = join(work, "empty");
  mkdirSync(empty);
  const started = performance.now();
  const printed = shell(
    empty,
    commands.replace("npm install ibid", `npm install --no-audit --no-fund ${JSON.stringify(tarball)}`),
  );
  const ms = performance.now() - started;
  assert(
    printed.includes("Signing keys are rotated every ninety days. [1]") && /\[1\]\s+keys\.md/u.test(printed),
    `the README's commands give no cited answer:\n${printed}`,
  );
  assert(ms <= firstMinuteMs, `the first cited answer takes ${Math.round(ms / 1000)} s`);
  const program = /```ts\n(.*?)```/su.exec(readme)?.[1];
  assert(program !== undefined, "README.md shows no program");
  writeFileSync(join(empty, "main.ts"), program);
  const answered = shell(empty, "npm pkg set type=module && node main.ts");
  assert(
    answered.includes("[1] keys.md:0-43 Signing keys are rotated every ninety days."),
    `the README's program gives no cited answer:\n${answered}`,
  );
  return `a cited answer after ${(ms / 1000).toFixed(1)} s, ${lines} lines`;
}

/** The program of the README, in a project with the tsconfig that docs/library.md shows, and with nothing installed but ibid. */
function checkDocumentedProject(): string {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const config = /```json\n(\{\n {2}"compilerOptions".*?\n\})\n```/su.exec(read("docs/library.md"))?.[1];
  const program = /```ts\n(.*?)```/su.exec(read("README.md"))?.[1];
  assert(config !== undefined, "docs/library.md shows no tsconfig");
  assert(program !== undefined, "README.md shows no program");
  const folder = join(work, "documented");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(installed, join(folder, "node_modules", "ibid"), "junction");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "documented", private: true, type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), config);
  writeFileSync(join(folder, "main.ts"), program);
  writeFileSync(join(folder, "subpaths.ts"), importAll(withoutOptional));
  node(folder, join(root, "node_modules", "typescript", "bin", "tsc"), "-p", ".", "--noEmit");
  return "strict, no package besides ibid";
}

function checkMistakes(): string {
  const folder = join(work, "documented");
  const lines = mistakes.map(([line]) => line);
  const begin = 'import { openKnowledgeBase } from "ibid"; const kb = await openKnowledgeBase(); ';
  writeFileSync(join(folder, "main.ts"), `${begin}${lines.join("\n")}\n`);
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", ".", "--noEmit", "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
  });
  mistakes.forEach(([line, said], i) => {
    const own = stdout.split(/^(?=\S)/mu).filter((message) => message.startsWith(`main.ts(${i + 1},`));
    assert(
      own.some((message) => said.test(message)),
      `of ${line} the compiler says: ${own.join("")}`,
    );
  });
  return `${mistakes.length} lines`;
}

function checkLoaded(): string {
  // An optional package of one subpath.
  mkdirSync(join(project, "node_modules", "@langchain"), { recursive: true });
  symlinkSync(
    join(root, "node_modules", "@langchain", "core"),
    join(project, "node_modules", "@langchain", "core"),
    "junction",
  );
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
  const home = pathToFileURL(installed).href + "/dist/";
  const list = (entry: string): readonly string[] => JSON.parse(node(project, spy, entry)) as string[];
  const refuse = (entry: string, foreign: readonly string[]): void =>
    assert(
      foreign.length === 0,
      `importing ${entry} loads ${foreign.slice(0, 5).join(", ")} (${foreign.length} in all)`,
    );

  const counts = everySubpath.map((specifier) => {
    const loaded = list(specifier);
    const own = loaded.filter((url) => url.startsWith(home));
    assert(own.length > 0, `importing ${specifier} loads nothing`);
    const packages = madeOfPackages[specifier] ?? [];
    // A package that may be loaded brings its own dependencies.
    if (packages.length === 0)
      refuse(
        specifier,
        loaded.filter((url) => !url.startsWith(home) && !url.startsWith("node:")),
      );
    for (const name of packages)
      assert(
        loaded.some((url) => url.includes(`/node_modules/${name}/`)),
        `importing ${specifier} does not load ${name}: take it off the list`,
      );
    return `${specifier} ${own.length}`;
  });
  // For any runtime: not even a module of Node's.
  const other = `./node_modules/ibid/${subpaths[0]!.file}`;
  refuse(
    other,
    list(other).filter((url) => !url.startsWith(home)),
  );
  return counts.join(", ");
}

/**
 * Only the module that made a proof recognises it. With two copies of that module in the package, this store would
 * refuse the gate's proofs.
 */
function checkGate(): string {
  const script = join(project, "gate.mjs");
  writeFileSync(
    script,
    `import { openKnowledgeBase } from "ibid";
import { createGate, operator } from "ibid/access";
import { createMemoryStore } from "ibid/stores";
import { openSqliteStore } from "ibid/stores/sqlite";
import { createRetriever } from "ibid/search";
for (const store of [createMemoryStore(), await openSqliteStore("gate.sqlite")]) {
  const kb = await openKnowledgeBase({ store });
  await kb.ingest({ uri: "keys.txt", text: "Keys are rotated every ninety days." });
  const proof = createGate().read(operator, ["deployment"]);
  const hits = await createRetriever({ store }).retrieve(proof, "rotated keys", { mode: "lexical" });
  console.log(hits.map((hit) => hit.source.uri).join());
  await kb.close();
}
`,
  );
  const found = node(project, script).trim().split("\n").join(" ");
  assert(found === "keys.txt keys.txt", `the search found ${found}`);
  return found;
}

function checkPacks(): string {
  const script = join(project, "packs.mjs");
  writeFileSync(
    script,
    `import { createMemoryStore } from "ibid/stores";
import { createStorePack } from "ibid/testing";
const cases = createStorePack({ create: async () => createMemoryStore() });
for (const { run } of cases) await run();
console.log(cases.length + " cases");
`,
  );
  return node(project, script).trim();
}

/** A bundler that asks for the condition `browser` finds the code for any runtime, and no package. */
async function checkBrowserBundle(): Promise<string> {
  const entry = join(project, "page.mjs");
  writeFileSync(entry, 'export { openKnowledgeBase } from "ibid";\nexport { createMemoryStore } from "ibid/stores";\n');
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    cwd: project,
    onLog: () => {},
    external: (id) => !id.startsWith(".") && !id.startsWith("/") && !id.startsWith("ibid") && !/^[a-z]:/iu.test(id),
  });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  const chunks = output.filter((file) => file.type === "chunk");
  const names = new Set(chunks.map(({ fileName }) => fileName));
  const foreign = chunks.flatMap(({ imports, dynamicImports }) =>
    [...imports, ...dynamicImports].filter((name) => !names.has(name)),
  );
  assert(foreign.length === 0, `a page would have to load ${foreign.join(", ")}`);
  const exported = chunks
    .find(({ isEntry }) => isEntry)
    ?.exports.toSorted()
    .join(", ");
  assert(exported === "createMemoryStore, openKnowledgeBase", `the bundle has ${exported}`);
  return `${exported}, ${chunks.length} files`;
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

/** A stranger's first evaluation: documents, suggested questions, a gate that passes, and one that fails. */
function checkEvaluation(): string {
  const folder = join(project, "evaluation");
  mkdirSync(join(folder, "docs"), { recursive: true });
  writeFileSync(
    join(folder, "docs", "keys.md"),
    "# Keys\n\n## Rotation\n\nKeys rotate every ninety days, on a Monday.\n\n## Storage\n\nSpare keys are kept in the vault below the weir.\n",
  );
  const bin = join(installed, "dist", "cli", "bin.js");
  const ibid = (...args: string[]): string => node(folder, bin, ...args);
  ibid("ingest", "docs");
  ibid("eval", "suggest", "--out", "questions.jsonl");
  const passed = JSON.parse(ibid("eval", "questions.jsonl", "--min", "success@5=1", "--json")) as { questions: number };
  assert(passed.questions === 2, `two headings gave ${passed.questions} questions`);
  const questions = readFileSync(join(folder, "questions.jsonl"), "utf8").replace("ninety days", "hundred days");
  writeFileSync(join(folder, "questions.jsonl"), questions);
  try {
    ibid("eval", "questions.jsonl", "--min", "success@5=1", "--html", "report.html", "--junit", "report.xml");
  } catch (error) {
    const { status, stderr } = error as { status?: number; stderr?: string };
    assert(status === 1 && stderr?.includes("success@5 is 0.5000, below 1.") === true, `the gate says: ${stderr}`);
    assert(readFileSync(join(folder, "report.html"), "utf8").includes("does not say"), "the report names no reason");
    assert(readFileSync(join(folder, "report.xml"), "utf8").includes("<failure"), "JUnit's XML has no failure");
    return "two suggested questions pass the gate, a wrong one fails it";
  }
  throw new Error("a gate that is not met passed");
}

/** The refusal is one sentence, for the command line and for the library, in memory too. */
function checkOldNode(): string {
  const start = (name: string, program: string): string => {
    const file = join(project, name);
    const pretend =
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2", bun: undefined } });\n';
    writeFileSync(file, pretend + program);
    return file;
  };
  const bin = pathToFileURL(join(installed, "dist", "cli", "bin.js")).href;
  const library = start(
    "old-node-library.mjs",
    'const { openKnowledgeBase } = await import("ibid");\nawait openKnowledgeBase().catch(({ message }) => console.log(message));\n',
  );
  const refusal = "ibid needs Node.js 22.23.3 or newer and found 20.20.2";
  const said = node(project, library).trim();
  assert(said === `${refusal}.`, `an old Node gets from the library: ${said}`);
  try {
    node(project, start("old-node.mjs", `await import(${JSON.stringify(bin)});\n`));
  } catch (error) {
    const { status, stderr } = error as { status?: number; stderr?: string };
    assert(status === 1 && stderr !== undefined && stderr.startsWith(refusal), `an old Node gets: ${stderr}`);
    assert(stderr.trim().split("\n").length === 1, `an old Node gets more than one line: ${stderr}`);
    return stderr.trim();
  }
  throw new Error("ibid started on an old Node");
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
