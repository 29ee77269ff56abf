import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { listStable } from "../../scripts/surface.ts";
import { root, subpaths } from "../../scripts/subpaths.ts";
import { findDeclaration, isMarked } from "./declarations.ts";
import { exportsOf, modules, parseModule, readSurface } from "./read-surface.ts";
import { readTable, tableFile, writeTable } from "./table.ts";

const surface = readSurface();
const table = readTable();
const mostRootNames = 60;

/** Each public name with its declaration and its stability. */
const exported = new Set(surface.map(({ subpath, name }) => `${subpath} ${name}`));
const known = table.filter(({ subpath, name }) => exported.has(`${subpath} ${name}`));
const declared = known.map((row) => {
  const { nodeSource } = subpaths.find(({ specifier }) => specifier === row.subpath)!;
  return { row, found: findDeclaration(modules, nodeSource.replace("src/", ""), row.name) };
});

describe("the table of public names", () => {
  it("has every name that the subpaths export, and no other: run `npm run surface` after a change", () => {
    const plain = table.map(({ name, kind, subpath, runtime }) => ({ name, kind, subpath, runtime }));
    const sort = (names: readonly object[]): readonly string[] => names.map((name) => JSON.stringify(name)).toSorted();
    expect(sort(plain)).toEqual(sort(surface));
    expect(readFileSync(tableFile, "utf8")).toBe(writeTable(table));
  });

  it("agrees with the modules that are loaded", async () => {
    for (const { specifier, source, nodeSource } of subpaths) {
      for (const [file, isNode] of [
        [source, false],
        [nodeSource, true],
      ] as const) {
        const loaded = (await import(pathToFileURL(join(root, file)).href)) as object;
        const values = table
          .filter((row) => row.subpath === specifier && row.kind === "value" && (isNode || row.runtime === "any"))
          .map(({ name }) => name);
        expect({ file, names: Object.keys(loaded).toSorted() }).toEqual({ file, names: values.toSorted() });
      }
    }
  });

  it(`has at most ${mostRootNames} names at the root, all of them stable`, () => {
    const names = table.filter(({ subpath }) => subpath === "ibid");
    expect(names.length).toBeLessThanOrEqual(mostRootNames);
    expect(names.filter(({ stability }) => stability !== "stable")).toEqual([]);
  });

  it("gives each name to one subpath", () => {
    const names = table.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it("marks every name that is not stable as experimental, and no other [S12]", () => {
    const wrong = declared.filter(({ row, found }) => isMarked(found) !== (row.stability === "experimental"));
    expect(wrong.map(({ row, found }) => `${row.name} in ${found.path}`)).toEqual([]);
    const places = new Set(declared.map(({ found }) => `${found.path}:${found.commentAt}`));
    const stray = [...modules.values()].flatMap(({ path, source }) =>
      [...source.matchAll(/\/\*\*(?:[^*]|\*(?!\/))*\*\//gu)]
        .filter(([comment]) => /^\s*\* @experimental$/mu.test(comment))
        .flatMap(({ index }) => (places.has(`${path}:${index}`) ? [] : [`${path}:${index}`])),
    );
    expect(stray).toEqual([]);
  });

  it("gives every public name a doc comment", () => {
    expect(declared.filter(({ found }) => found.comment === "").map(({ row }) => row.name)).toEqual([]);
  });

  it("is what docs/stability.md promises, and nothing else [S12]", () => {
    const page = readFileSync(join(root, "docs/stability.md"), "utf8");
    expect(page).toBe(listStable(page));
    const listed = [...page.matchAll(/^\| `[^`]+` \|(.*)\|$/gmu)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/gu)].map(([, name]) => name),
    );
    const stable = table.filter(({ stability }) => stability === "stable").map(({ name }) => name);
    expect(new Set(listed)).toEqual(new Set(stable));
    expect(listed.length).toBe(stable.length);
    expect(stable.length).toBeGreaterThan(50);
  });
});

describe("subpaths", () => {
  it("are the same in package.json and in the paths of tsconfig.json", () => {
    const config = readFileSync(join(root, "tsconfig.json"), "utf8");
    const paths = JSON.parse(/"paths": (\{[^}]*\})/u.exec(config)![1]!) as Record<string, readonly string[]>;
    expect(paths).toEqual(
      Object.fromEntries(subpaths.map(({ specifier, nodeSource }) => [specifier, [`./${nodeSource}`]])),
    );
  });
});

describe("reading exports", () => {
  const files = new Map(
    [
      parseModule(
        "index.ts",
        'export { a, type B, c as d } from "./x.ts";\nexport type { E } from "./x.ts";\nexport const f = 1; // export const g = 2;',
      ),
      parseModule("node.ts", 'export * from "./index.ts";\nexport interface H {}\nexport type * from "./y.ts";'),
      parseModule(
        "x.ts",
        "/** One. */\nexport function c() {}\n/**\n * Two.\n *\n * @experimental\n */\nexport type B = 1;\n",
      ),
      parseModule("y.ts", "export const i = 1;\nexport type J = 2;"),
    ].map((module) => [module.path, module]),
  );

  it("tells types from values, follows lists and stars, and leaves comments out", () => {
    const names = [...exportsOf(files, "node.ts")].map(([name, kind]) => `${kind} ${name}`).toSorted();
    expect(names).toEqual(["type B", "type E", "type H", "type J", "type i", "value a", "value d", "value f"]);
  });

  it("finds the declaration behind a name, and its mark", () => {
    expect(findDeclaration(files, "node.ts", "d")).toMatchObject({ path: "x.ts", comment: "/** One. */\n" });
    expect(isMarked(findDeclaration(files, "node.ts", "d"))).toBe(false);
    expect(isMarked(findDeclaration(files, "index.ts", "B"))).toBe(true);
    expect(() => findDeclaration(files, "index.ts", "a")).toThrow("x.ts exports a");
  });
});
