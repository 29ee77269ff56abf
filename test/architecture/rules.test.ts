import { describe, expect, it } from "vitest";

import { parseModule } from "./modules.ts";
import type { Module } from "./modules.ts";
import { rules } from "./rules.ts";

const sources = (files: Readonly<Record<string, string>>): Module[] =>
  Object.entries(files).map(([path, source]) => parseModule(path, source));

/** For each rule, sources that break it, each with sources beside them that keep it. */
const broken: Readonly<
  Record<keyof typeof rules, readonly (readonly [bad: Record<string, string>, good: Record<string, string>])[]>
> = {
  importsFollowTheTable: [
    [
      { "contracts/a.ts": 'import { b } from "../text/b.ts";' },
      { "text/b.ts": 'import { a } from "../contracts/a.ts";' },
    ],
    [
      { "chunkers/a.ts": 'import type { B } from "../search/b.ts";' },
      { "stores/a.ts": 'import { b } from "../engine/bm25/b.ts";' },
    ],
    [
      { "search/a.ts": 'export { b } from "../stores/b.ts";' },
      { "ingest/a.ts": 'export { b } from "../stores/b.ts";' },
    ],
    [
      { "readers/a.ts": 'const b = await import("../chunkers/b.ts");' },
      { "readers/a.ts": 'const b = await import("../text/b.ts");' },
    ],
    [{ "index.ts": 'export { b } from "./readers/b.ts";' }, { "readers/index.ts": 'export { b } from "./b.ts";' }],
    [
      { "testing/a.ts": 'import { b } from "../stores/b.ts";' },
      { "testing/a.ts": 'import { b } from "../access/gate.ts";' },
    ],
    [
      { "integrations/tools/a.ts": 'import { b } from "../../knowledge-base/b.ts";' },
      { "integrations/tools/a.ts": 'import type { B } from "../../contracts/b.ts";' },
    ],
    [
      { "ingest/a.ts": 'import { b } from "../knowledge-base/b.ts";' },
      { "knowledge-base/a.ts": 'import { b } from "../ingest/b.ts";' },
    ],
    [
      { "text/a.ts": 'type B = typeof import("../engine/b.ts");' },
      { "text/a.ts": 'type B = typeof import("../contracts/b.ts");' },
    ],
    [
      { "text/a.ts": 'import\n  type { B }\n  from\n  "../engine/b.ts";' },
      { "text/a.ts": '// import { b } from "../engine/b.ts";\nconst text = `import { b } from "../engine/b.ts"`;' },
    ],
    [
      { "stores/a.ts": 'new Worker(new URL("../ingest/b.ts", import.meta.url));' },
      { "stores/a.ts": 'new Worker(new URL("./b.ts", import.meta.url));' },
    ],
  ],
  everyRoomIsInTheTable: [[{ "attic/a.ts": "" }, { "stores/a.ts": "" }]],
  theWholeIsSmall: [
    [
      Object.fromEntries(Array.from({ length: 19 }, (_, i) => [`room-${i}/a.ts`, ""])),
      Object.fromEntries(Array.from({ length: 18 }, (_, i) => [`room-${i}/a.ts`, ""])),
    ],
    [
      Object.fromEntries(
        Array.from({ length: 86 }, (_, i) => [`from-${i % 9}/a${i}.ts`, `import "../to-${Math.floor(i / 9)}/b.ts";`]),
      ),
      Object.fromEntries(
        Array.from({ length: 85 }, (_, i) => [`from-${i % 9}/a${i}.ts`, `import "../to-${Math.floor(i / 9)}/b.ts";`]),
      ),
    ],
  ],
  importsResolve: [
    [{ "text/a.ts": 'import { b } from "./b.ts";' }, { "text/a.ts": 'import { b } from "./b.ts";', "text/b.ts": "" }],
  ],
  noCycles: [
    [
      {
        "text/a.ts": 'import { b } from "./b.ts";',
        "text/b.ts": 'import { c } from "./c.ts";',
        "text/c.ts": 'import type { A } from "./a.ts";',
      },
      {
        "text/a.ts": 'import { b } from "./b.ts"; import { c } from "./c.ts";',
        "text/b.ts": 'import { c } from "./c.ts";',
        "text/c.ts": "",
      },
    ],
  ],
  threeFoldersDeep: [[{ "readers/pdf/parts/more/a.ts": "" }, { "readers/pdf/parts/a.ts": "" }]],
  noStarExports: [
    [{ "text/a.ts": 'export * from "./b.ts";' }, { "text/index.node.ts": 'export * from "./index.ts";' }],
    [{ "text/index.node.ts": 'export * from "./b.ts";' }, { "index.node.ts": 'export * from "./index.ts";' }],
    [{ "text/index.ts": 'export type * from "./b.ts";' }, { "text/index.ts": 'export type { B } from "./b.ts";' }],
    [{ "text/a.ts": 'export * as b from "./b.ts";' }, { "text/a.ts": "// export * from here\nexport { b };" }],
  ],
  entryFilesAreForOutside: [
    [
      { "text/a.ts": 'import { b } from "./index.ts";', "text/index.ts": "" },
      { "text/index.node.ts": 'export * from "./index.ts";', "text/index.ts": "" },
    ],
    [
      { "server/a.ts": 'import { b } from "../access/index.ts";' },
      { "cli/a.ts": 'import { b } from "../access/index.ts";' },
    ],
  ],
  noDefaultExports: [
    [{ "text/a.ts": "export default 1;" }, { "text/a.ts": 'const text = "export default 1";' }],
    [
      { "text/a.ts": "export { a as default };" },
      { "text/a.ts": 'import b, { default as c } from "./b.ts";'.replace("default as c", "c") },
    ],
  ],
  packagesOnlyAtTheirEdges: [
    [
      { "stores/a.ts": 'import { readFile } from "node:fs";' },
      { "stores/sqlite/a.ts": 'import { readFile } from "node:fs";' },
    ],
    [
      { "readers/a.ts": 'import type { Token } from "markdown-it";' },
      { "readers/markdown/a.ts": 'import type { Token } from "markdown-it";' },
    ],
    [
      { "readers/pdf/a.ts": 'import { parse } from "htmlparser2";' },
      { "readers/html/a.ts": 'import { parse } from "htmlparser2/deep";' },
    ],
    [
      { "runtime/a.ts": 'import { Worker } from "node:worker_threads";' },
      { "runtime/thread.ts": 'import { Worker } from "node:worker_threads";' },
    ],
    [{ "text/a.ts": 'import "some-polyfill";' }, { "cli/a.ts": 'import "commander";' }],
  ],
  machineOnlyAtTheEdges: [
    [{ "text/a.ts": "const x = process.env;" }, { "text/a.ts": "const x = child.process.env; // process.env" }],
    [{ "text/a.ts": "const x = Buffer.from([1]);" }, { "readers/pdf/a.ts": "const x = Buffer.from([1]);" }],
    [{ "text/a.ts": "const x = `${process.env}`;" }, { "text/a.ts": "const x = `process.env`;" }],
  ],
  theRootLoadsNoPackage: [
    [
      { "index.ts": 'export { a } from "./models/a.ts";', "models/a.ts": 'import { b } from "ai";' },
      { "index.ts": 'export { a } from "./models/a.ts";', "models/a.ts": 'import type { B } from "ai";' },
    ],
  ],
  everyEdgeIsUsed: [
    [
      { "stores/memory/a.ts": "", "stores/blobs/a.ts": "" },
      {
        "stores/sqlite/a.ts": "",
        "stores/blobs/a.ts": "",
        "stores/postgres/a.ts": "",
        "stores/hnsw/a.ts": "",
        "stores/redis/a.ts": "",
        "stores/mongodb/a.ts": "",
        "stores/duckdb/a.ts": "",
      },
    ],
  ],
  authorityOnlyForMaintenance: [
    [{ "search/a.ts": "const all = systemAuthority();" }, { "knowledge-base/a.ts": "const all = systemAuthority();" }],
  ],
  gatesAreHandedIn: [
    [{ "ingest/a.ts": "const gate = createGate();" }, { "knowledge-base/open/a.ts": "const gate = createGate();" }],
    [{ "server/a.ts": "createGate({})" }, { "access/index.ts": 'export { createGate } from "./gate.ts";' }],
  ],
  noProxies: [[{ "text/a.ts": "return new Proxy(a, {});" }, { "text/a.ts": "// new Proxy(a)" }]],
  filesAreShort: [[{ "text/a.ts": "let a = 1;\n".repeat(451) }, { "text/a.ts": "let a = 1;\n\n// why\n".repeat(450) }]],
  functionsAreShort: [
    [
      { "text/a.ts": `function long(a: { b: number }) {\n${"  a();\n".repeat(119)}}\nfunction next() {}` },
      { "text/a.ts": `function short() {\n${"  a();\n".repeat(118)}}\n${"a();\n".repeat(20)}` },
    ],
  ],
  namesAreKebabCase: [
    [{ "text/camelCase.ts": "" }, { "text/kebab-case.ts": "" }],
    [{ "text/other.node.ts": "" }, { "text/index.node.ts": "" }],
    [{ "Text/a.ts": "" }, { "text/a2.ts": "" }],
  ],
  namesSayWhatTheyMean: [
    [{ "text/string-utils.ts": "" }, { "text/sentences.ts": "" }],
    [{ "stores/a.ts": "export class StoreManager {}" }, { "stores/a.ts": "export function managerOf() {}" }],
    [{ "stores/a.ts": "export interface IStore {}" }, { "stores/a.ts": "export interface IndexView {}" }],
    [{ "stores/a.ts": "export type TenantId = string;" }, { "stores/a.ts": "type TenantId = string;" }],
  ],
  publicNamesAreDocumented: [
    [
      { "index.ts": 'export { a } from "./text/a.ts";', "text/a.ts": "export function a() {}" },
      {
        "index.ts": 'export { a } from "./text/a.ts";',
        "text/a.ts": "/** Returns nothing. */\nexport function a() {}\nexport const b = 1;",
      },
    ],
    [
      {
        "text/index.ts": 'export { type B } from "./a.ts";',
        "text/a.ts": 'export type { B } from "./b.ts";',
        "text/b.ts": "export interface B {}",
      },
      {
        "text/index.ts": 'export { type B } from "./a.ts";',
        "text/a.ts": 'export type { B } from "./b.ts";',
        "text/b.ts": "/** Holds nothing. */\nexport interface B {}",
      },
    ],
    [
      { "testing/index.ts": 'export { gone } from "./a.ts";', "testing/a.ts": "" },
      { "testing/index.ts": "// nothing yet" },
    ],
  ],
};

describe.each(Object.entries(broken))("the rule %s", (name, samples) => {
  const rule = rules[name as keyof typeof rules];
  it.each(samples)("finds %j", (bad) => {
    expect(rule(sources(bad))).not.toEqual([]);
  });
  it.each(samples)("accepts its neighbour %#", (_, good) => {
    expect(rule(sources(good))).toEqual([]);
  });
});

describe("the reader of modules", () => {
  it("finds every form of import, types included", () => {
    const { imports } = parseModule(
      "a/b.ts",
      'import a, { type B } from "./1.ts";\nimport type { C } from "./2.ts";\nexport { d } from \'./3.ts\';\nexport type { E } from "./4.ts";\nimport "./5.ts";\nconst f = await import("./6.ts");\nimport * as g from "./7.ts";',
    );
    expect(imports.map(({ from, typeOnly }) => `${from}${typeOnly ? " type" : ""}`).toSorted()).toEqual([
      "./1.ts",
      "./2.ts type",
      "./3.ts",
      "./4.ts type",
      "./5.ts",
      "./6.ts",
      "./7.ts",
    ]);
  });

  it("reads nothing in strings, templates, comments and regular expressions", () => {
    const { imports, code } = parseModule(
      "a.ts",
      'const a = /["\'`]/u; const b = "/*"; import { c } from "./c.ts"; const d = `${`}`} ${{ e: "`" }["e"]} import "./no.ts"`; /* import "./no.ts" */ const f = 4 / 2 / 1; import "./g.ts"; // "',
    );
    expect(imports.map(({ from }) => from)).toEqual(["./c.ts", "./g.ts"]);
    expect(code).not.toContain("no.ts");
  });
});
