// Bundles the files of `tsc` into a few for Node. Finding and reading hundreds one by one takes half of a short
// command's time (docs/decisions/0024). The unbundled files stay for other runtimes and for bundlers, so that a page
// loads only what it uses.
//
// Every subpath is an input of one bundle, so that their code is shared. Only the module that made a proof of the gate
// recognises it. Packages that are ES modules stay outside; the others are bundled, because no bundler makes one file
// for ES modules of them (docs/decisions/0168).
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { type InputOptions, type Plugin, rolldown } from "rolldown";
import { schemaOfConfig } from "../src/cli/config.ts";
import { configOptions } from "../src/server/config-options.ts";
import { root, subpaths } from "./subpaths.ts";
import { grammarModule, treeSitterModule } from "./tree-sitter-module.ts";

const dist = join(root, "dist");
const packages = join(root, "node_modules");
const emitted = (source: string): string => join(root, source.replace("src/", "dist/").replace(/\.ts$/u, ".js"));

/** Packages whose code is in the bundle: CommonJS, or in need of a file beside it. */
const bundled = [
  "@orama/stemmers",
  // It loads a package that is CommonJS. Bundlers for pages find it among the dependencies.
  "@secretlint/core",
  // A part of it: the whole package has 6 MB.
  "@zip.js/zip.js",
  "boundary",
  "debug",
  "ignore",
  "ipaddr.js",
  "jsonc-parser",
  "modern-tar",
  "ms",
  "pend",
  "picomatch",
  "structured-source",
  "undici",
  "web-tree-sitter",
  "yaml",
  "yauzl",
];
const inBundle = (id: string): boolean => bundled.some((name) => id === name || id.startsWith(`${name}/`));

/** Programs that are started by their file. Each is one file that needs no other: bundlers copy it alone. */
const programs: Readonly<Record<string, string>> = {
  "./read-worker.ts": emitted("src/readers/worker/read-worker.ts"),
  "./store-thread-program.ts": emitted("src/stores/sqlite/store-thread-program.ts"),
  "./seal-program.ts": emitted("src/stores/postgres/seal-program.ts"),
  "./run-in-thread.ts": emitted("src/models/transformers/run-in-thread.ts"),
};
const programFile = (source: string): string => basename(source).replace(/\.ts$/u, ".mjs");

/** Packages with code in the bundle, for their licences. */
const used = new Set(["@cursorless/tree-sitter-wasms", "@vscode/tree-sitter-wasm", "web-tree-sitter"]);

const grammarPrefix = "\0grammar:";

/** Grammars that a package holds beside its own code, with their projects and licences. */
const grammarNotices: Readonly<Record<string, string>> = {
  "@cursorless/tree-sitter-wasms": [
    "Grammars in this package that the bundle holds:",
    "- Kotlin: https://github.com/fwcd/tree-sitter-kotlin, MIT, Copyright (c) 2018-2021 Max Brunsfeld, (c) 2021 fwcd",
    "- Swift: https://github.com/alex-pinkus/tree-sitter-swift, MIT, Copyright (c) 2021 alex-pinkus",
    "- Scala: https://github.com/tree-sitter/tree-sitter-scala, MIT, Copyright (c) 2018 Max Brunsfeld and GitHub",
    "- Dart: https://github.com/UserNobody14/tree-sitter-dart, MIT, Copyright (c) 2020-2022 UserNobody14 and others",
    "- R: https://github.com/r-lib/tree-sitter-r, MIT, Copyright (c) 2024 tree-sitter-r authors",
    "- Elixir: https://github.com/elixir-lang/tree-sitter-elixir, Apache License 2.0",
    "- HCL: https://github.com/tree-sitter-grammars/tree-sitter-hcl, Apache License 2.0",
    "The text of the MIT licence stands below, at @vscode/tree-sitter-wasm.",
  ].join("\n"),
};
const treeSitterFile = emitted("src/readers/code/tree-sitter.ts");

const parts: Plugin = {
  name: "ibid",
  resolveId(id) {
    if (id.startsWith("grammar:")) return `\0${id}`;
    // Its file for browsers is the same code as an ES module.
    if (id === "yaml") return join(packages, "yaml", "browser", "index.js");
    if (id === "jsonc-parser") return join(packages, "jsonc-parser", "lib", "esm", "main.js");
    return undefined;
  },
  load(id) {
    if (id.startsWith(grammarPrefix)) return grammarModule(id.slice(grammarPrefix.length));
    if (id === treeSitterFile) return treeSitterModule();
    return undefined;
  },
  transform(code, id) {
    const name = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//u.exec(id)?.[1];
    if (name !== undefined) used.add(name);
    // CommonJS asks for Node's modules by `require`, which an ES module lacks.
    let changed =
      name === undefined
        ? code
        : code.replaceAll(/\brequire\((["'])(?:node:)?([\w/]+)\1\)/gu, (call, _, id: string) =>
            isBuiltin(`node:${id}`) ? `process.getBuiltinModule("node:${id}")` : call,
          );
    // unpdf makes it and leaves it unused.
    changed = changed.replace(
      /process\.getBuiltinModule\(([`"'])module\1\)\.createRequire\(import\.meta\.url\)/u,
      "undefined",
    );
    // It colours lines by this package where there is one, and ibid shows none of them.
    if (name === "debug") changed = changed.replace(/\brequire\((["'])supports-color\1\)/u, "undefined");
    for (const source of Object.keys(programs)) {
      changed = changed.replaceAll(
        `new URL("${source}", import.meta.url)`,
        `new URL("./${programFile(source)}", import.meta.url)`,
      );
    }
    return changed === code ? undefined : { code: changed, map: null };
  },
};

const settings = {
  platform: "node",

  checks: { ineffectiveDynamicImport: false },
  plugins: [parts],
  external: (id: string) => isPackage(id) && !inBundle(id),
} satisfies InputOptions;

const entries = subpaths.map(({ nodeFile, nodeSource }) => [
  nodeFile.replace(/^dist\//u, "").replace(/\.js$/u, ""),
  emitted(nodeSource),
]);

const bundle = await rolldown({
  ...settings,
  input: { ...Object.fromEntries(entries), "cli/bin": emitted("src/cli/bin.ts") },
});
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "node/[name]-[hash].js",
  sourcemap: false,
  // Code that three inputs load goes into one chunk: without it, `import "ibid"` reads 60 files. The chunk has the dependencies of its code too, so that no two
  // chunks need each other, which would leave a constant without its value. The service's code stays out: it loads packages, and `import "ibid"` loads none.
  codeSplitting: {
    groups: [
      { name: "shared", tags: ["$initial"], minShareCount: 3, test: (id) => !id.startsWith(join(dist, "server")) },
    ],
  },
});
await bundle.close();

for (const [source, input] of Object.entries(programs)) {
  // Every package is in it, because a bundler copies the file alone. Optional ones are looked for when they are needed.
  const program = await rolldown({ ...settings, input, external: (id) => isBuiltin(id) });
  await program.write({
    file: join(dist, "node", programFile(source)),
    format: "esm",
    sourcemap: false,
    minify: true,
    codeSplitting: false,
  });
  await program.close();
}

// Unbundled files stay where an entry for other runtimes loads them, and types where a type of an entry names them.
const kept = new Set([
  ...output.map(({ fileName }) => join(dist, fileName)),
  ...Object.keys(programs).map((source) => join(dist, "node", programFile(source))),
  ...reach(
    subpaths.map(({ file }) => join(root, file)),
    (path) => path,
  ),
  ...reach(
    subpaths.flatMap(({ source, nodeSource }) =>
      [source, nodeSource].map((each) => emitted(each).replace(/js$/u, "d.ts")),
    ),
    (path) => path.replace(/\.js$/u, ".d.ts"),
  ),
]);
for (const entry of readdirSync(dist, { withFileTypes: true, recursive: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isFile()) continue;
  if (!kept.has(path.replace(/\.map$/u, ""))) rmSync(path);
  else if (path.endsWith(".js") && !path.startsWith(join(dist, "node")) && !path.startsWith(join(dist, "cli"))) {
    await takeIn(path);
    nameProgram(path);
  }
}

writeFileSync(join(dist, "node", "LICENSES.txt"), licences([...used].toSorted()));

// Editors complete ibid.config.json by it: { "$schema": "./node_modules/ibid/dist/config.schema.json" }.
writeFileSync(join(dist, "config.schema.json"), `${JSON.stringify(schemaOfConfig(configOptions), undefined, 2)}\n`);

function isPackage(id: string): boolean {
  return (
    !id.startsWith(".") &&
    !id.startsWith("/") &&
    !id.startsWith("\0") &&
    !id.startsWith("grammar:") &&
    !/^[a-z]:/iu.test(id)
  );
}

/** Files that these import, and so on, themselves included. `toFile` names the file behind an import of a `.js` or `.ts`. */
function reach(from: readonly string[], toFile: (path: string) => string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...from];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    for (const [, id] of readFileSync(path, "utf8").matchAll(/(?:from|import)[\s(]*"(\.[^"]+)"/gu))
      open.push(toFile(join(path, "..", (id as string).replace(/\.ts$/u, ".js"))));
  }
  return found;
}

/** Puts the code of bundled packages into an unbundled file that imports them, and leaves its other imports alone. */
async function takeIn(path: string): Promise<void> {
  const imports = [...readFileSync(path, "utf8").matchAll(/\bfrom "([^."][^"]*)"/gu)].map(([, id]) => id as string);
  if (!imports.some(inBundle)) return;
  const file = await rolldown({
    ...settings,
    input: path,
    external: (id) => id !== path && !inBundle(id) && !id.includes("node_modules"),
  });
  await file.write({ file: path, format: "esm", sourcemap: false });
  await file.close();
}

/** Leads a file that is not bundled to the program that it starts. */
function nameProgram(path: string): void {
  const code = readFileSync(path, "utf8");
  const changed = code.replaceAll(/new URL\("(\.\/[\w-]+\.ts)", import\.meta\.url\)/gu, (all, source: string) => {
    if (!Object.hasOwn(programs, source)) return all;
    const file = relative(dirname(path), join(dist, "node", programFile(source))).replaceAll("\\", "/");
    return `new URL("${file}", import.meta.url)`;
  });
  if (changed !== code) writeFileSync(path, changed);
}

/** The licences of packages whose code is in the bundle, as they ask. **Errors** for a package without one. */
function licences(names: readonly string[]): string {
  const sections = names.map((name) => {
    const folder = join(packages, name);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
    const file = readdirSync(folder).find((each) => /^licen[cs]e/iu.test(each));
    if (file === undefined)
      throw new Error(`${name} has no file of its licence; write it into scripts/bundle-node.ts.`);
    const notice = grammarNotices[name];
    const own = readFileSync(join(folder, file), "utf8").trim();
    return `${name} ${version}\n\n${own}\n${notice === undefined ? "" : `\n${notice}\n`}`;
  });
  return `The files of this folder contain code of these packages.\n\n${sections.join(`\n${"-".repeat(80)}\n\n`)}`;
}
