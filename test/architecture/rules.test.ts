import { describe, expect, it } from "vitest";

import { parseModule } from "./modules.ts";
import type { Module } from "./modules.ts";
import { rules } from "./rules.ts";

const house = (files: Readonly<Record<string, string>>): Module[] =>
  Object.entries(files).map(([path, source]) => parseModule(path, source));

/** For each rule, houses that break it: each must be told. And beside each, one that does not. */
const broken: Readonly<
  Record<keyof typeof rules, readonly (readonly [bad: Record<string, string>, good: Record<string, string>])[]>
> = {
  importsFollowTheTable: [
    [
      { "contracts/a.ts": 'import { b } from "../text/b.ts";' },
      { "text/b.ts": 'import { a } from "../contracts/a.ts";' },
    ],
    [
      { "chunks/a.ts": 'import type { B } from "../retrieval/b.ts";' },
      { "stores/a.ts": 'import { b } from "../indexes/b.ts";' },
    ],
    [
      { "retrieval/a.ts": 'export { b } from "../stores/b.ts";' },
      { "pipeline/a.ts": 'export { b } from "../stores/b.ts";' },
    ],
    [
      { "documents/a.ts": 'const b = await import("../chunks/b.ts");' },
      { "documents/a.ts": 'const b = await import("../text/b.ts");' },
    ],
    [
      { "adapters/pdf/a.ts": 'import { b } from "../html/b.ts";' },
      { "adapters/pdf/a.ts": 'import { b } from "../../documents/b.ts";' },
    ],
    [
      { "adapters/pdf/a.ts": 'import { b } from "../../stores/b.ts";' },
      { "adapters/sqlite/a.ts": 'import { b } from "../../stores/b.ts";' },
    ],
    [
      { "adapters/files/a.ts": 'import { b } from "../../documents/b.ts";' },
      { "adapters/files/a.ts": 'import { b } from "../../text/b.ts";' },
    ],
    [
      { "index.ts": 'export { b } from "./adapters/pdf/b.ts";' },
      { "node.ts": 'export { b } from "./adapters/pdf/b.ts";' },
    ],
    [
      { "testing/a.ts": 'import { b } from "../stores/b.ts";' },
      { "testing/a.ts": 'import { b } from "../access/gate.ts";' },
    ],
    [
      { "tools/a.ts": 'import { b } from "../knowledge-base/b.ts";' },
      { "tools/a.ts": 'import type { B } from "../contracts/b.ts";' },
    ],
    [
      { "pipeline/a.ts": 'import { b } from "../knowledge-base/b.ts";' },
      { "knowledge-base/a.ts": 'import { b } from "../pipeline/b.ts";' },
    ],
    [
      { "text/a.ts": 'type B = typeof import("../kernels/b.ts");' },
      { "text/a.ts": 'type B = typeof import("../contracts/b.ts");' },
    ],
    [
      { "text/a.ts": 'import\n  type { B }\n  from\n  "../kernels/b.ts";' },
      { "text/a.ts": '// import { b } from "../kernels/b.ts";\nconst text = `import { b } from "../kernels/b.ts"`;' },
    ],
    [
      { "stores/a.ts": 'new Worker(new URL("../pipeline/b.ts", import.meta.url));' },
      { "stores/a.ts": 'new Worker(new URL("./b.ts", import.meta.url));' },
    ],
  ],
  everyFolderIsInTheTable: [[{ "attic/a.ts": "" }, { "stores/a.ts": "" }]],
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
  threeFoldersDeep: [[{ "adapters/pdf/parts/more/a.ts": "" }, { "adapters/pdf/parts/a.ts": "" }]],
  noStarExports: [
    [{ "text/a.ts": 'export * from "./b.ts";' }, { "node.ts": 'export * from "./index.ts";' }],
    [{ "text/public.ts": 'export type * from "./b.ts";' }, { "contracts/public.ts": 'export type * from "./a.ts";' }],
    [{ "text/a.ts": 'export * as b from "./b.ts";' }, { "text/a.ts": "// export * from here\nexport { b };" }],
  ],
  onlyDoorsReadWhatIsPublic: [
    [
      { "text/a.ts": 'import { b } from "./public.ts";', "text/public.ts": "" },
      { "index.ts": 'export * from "./text/public.ts";', "text/public.ts": "" },
    ],
  ],
  noDefaultExports: [
    [{ "text/a.ts": "export default 1;" }, { "text/a.ts": 'const text = "export default 1";' }],
    [
      { "text/a.ts": "export { a as default };" },
      { "text/a.ts": 'import b, { default as c } from "./b.ts";'.replace("default as c", "c") },
    ],
  ],
  packagesOnlyAtTheEdges: [
    [
      { "stores/a.ts": 'import { readFile } from "node:fs";' },
      { "adapters/sqlite/a.ts": 'import { readFile } from "node:fs";' },
    ],
    [
      { "documents/a.ts": 'import type { Token } from "markdown-it";' },
      { "adapters/markdown/a.ts": 'import type { Token } from "markdown-it";' },
    ],
    [{ "text/a.ts": 'import "some-polyfill";' }, { "cli/a.ts": 'import "some-polyfill";' }],
  ],
  machineOnlyAtTheEdges: [
    [{ "text/a.ts": "const x = process.env;" }, { "text/a.ts": "const x = child.process.env; // process.env" }],
    [{ "text/a.ts": "const x = Buffer.from([1]);" }, { "adapters/pdf/a.ts": "const x = Buffer.from([1]);" }],
    [{ "text/a.ts": "const x = `${process.env}`;" }, { "text/a.ts": "const x = `process.env`;" }],
  ],
  theDoorLoadsNoPackage: [
    [
      { "index.ts": 'export { a } from "./adapters/ai-sdk/a.ts";', "adapters/ai-sdk/a.ts": 'import { b } from "ai";' },
      {
        "index.ts": 'export { a } from "./adapters/ai-sdk/a.ts";',
        "adapters/ai-sdk/a.ts": 'import type { B } from "ai";',
      },
    ],
  ],
  everyAdapterEarnsItsFolder: [
    [
      { "adapters/pdf/a.ts": 'import { b } from "../../text/b.ts";' },
      { "adapters/pdf/a.ts": "", "adapters/pdf/b.ts": 'import { c } from "unpdf";' },
    ],
    [{ "adapters/web/a.ts": "const x = mine.fetch(1);" }, { "adapters/web/a.ts": "const x = await fetch(address);" }],
  ],
  everyAdapterIsDeclared: [[{ "adapters/odd/a.ts": "" }, { "adapters/pdf/a.ts": "" }]],
  authorityOnlyForMaintenance: [
    [
      { "retrieval/a.ts": "const all = systemAuthority();" },
      { "knowledge-base/a.ts": "const all = systemAuthority();" },
    ],
  ],
  filesAreShort: [[{ "text/a.ts": "let a = 1;\n".repeat(301) }, { "text/a.ts": "let a = 1;\n\n// why\n".repeat(300) }]],
  namesAreKebabCase: [
    [{ "text/camelCase.ts": "" }, { "text/kebab-case.ts": "" }],
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
        "text/a.ts": "/** Says what. */\nexport function a() {}\nexport const b = 1;",
      },
    ],
    [
      {
        "node.ts": 'export { type B } from "./text/a.ts";',
        "text/a.ts": 'export type { B } from "./b.ts";',
        "text/b.ts": "export interface B {}",
      },
      {
        "node.ts": 'export { type B } from "./text/a.ts";',
        "text/a.ts": 'export type { B } from "./b.ts";',
        "text/b.ts": "/** Says what. */\nexport interface B {}",
      },
    ],
    [
      {
        "index.ts": 'export * from "./text/public.ts";',
        "text/public.ts": 'export { a } from "./a.ts";',
        "text/a.ts": "export function a() {}",
      },
      {
        "index.ts": 'export * from "./text/public.ts";',
        "text/public.ts": 'export { a } from "./a.ts";',
        "text/a.ts": "/** Says what. */\nexport function a() {}",
      },
    ],
    [
      { "testing/index.ts": 'export { gone } from "./a.ts";', "testing/a.ts": "" },
      { "testing/index.ts": "// nothing yet" },
    ],
  ],
};

describe.each(Object.entries(broken))("the rule %s", (name, houses) => {
  const rule = rules[name as keyof typeof rules];
  it.each(houses)("tells %j", (bad) => {
    expect(rule(house(bad))).not.toEqual([]);
  });
  it.each(houses)("is content beside it %#", (_, good) => {
    expect(rule(house(good))).toEqual([]);
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

  it("is not led astray by strings, templates, comments and regular expressions", () => {
    const { imports, code } = parseModule(
      "a.ts",
      'const a = /["\'`]/u; const b = "/*"; import { c } from "./c.ts"; const d = `${`}`} ${{ e: "`" }["e"]} import "./no.ts"`; /* import "./no.ts" */ const f = 4 / 2 / 1; import "./g.ts"; // "',
    );
    expect(imports.map(({ from }) => from)).toEqual(["./c.ts", "./g.ts"]);
    expect(code).not.toContain("no.ts");
  });
});
