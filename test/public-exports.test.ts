import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { parseModule, readModules, resolveImport } from "./architecture/modules.ts";
import type { Module } from "./architecture/modules.ts";

const modules = new Map(
  readModules(fileURLToPath(new URL("../src", import.meta.url))).map((module) => [module.path, module]),
);

/** What a door lets out under which name, types marked as such, in alphabetical order. */
function namesOf(modules: ReadonlyMap<string, Module>, path: string): readonly string[] {
  const module = modules.get(path);
  if (module === undefined) return [];
  const { code, source } = module;
  const names = new Set<string>();
  for (const [, kind, name] of code.matchAll(
    /^export\s+(?:async\s+)?(function\*?|class|const|interface|type)\s+([\w$]+)/gmu,
  )) {
    names.add(kind === "interface" || kind === "type" ? `type ${name}` : `${name}`);
  }
  for (const [, allTypes, list = ""] of code.matchAll(/\bexport\s+(type\s+)?\{([^}]*)\}/gu)) {
    for (const part of list.split(",")) {
      const [, oneType, inner, outer] = /^\s*(type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/u.exec(part) ?? [];
      const name = outer ?? inner;
      if (name !== undefined) names.add(allTypes === undefined && oneType === undefined ? name : `type ${name}`);
    }
  }
  for (const match of code.matchAll(/\bexport\b(\s+type\b)?\s*\*\s*from\s*["']/gu)) {
    const from = source.slice(match.index + match[0].length).split(/["']/u)[0] ?? "";
    const target = resolveImport(module, { from, typeOnly: false });
    for (const name of namesOf(modules, target ?? ""))
      names.add(match[1] === undefined || name.startsWith("type ") ? name : `type ${name}`);
  }
  return [...names].toSorted((a, b) => {
    const [left, right] = [a.replace("type ", ""), b.replace("type ", "")];
    return left < right ? -1 : left > right ? 1 : 0;
  });
}

/** A change here is a change of what people may rely on: plan it, note it in the changelog, then accept it with `npx vitest run test/public-exports -u`. */
describe("what the doors let out is what was planned", () => {
  it.each([
    ["index.ts", "ibid in any runtime"],
    ["node.ts", "ibid on Node"],
    ["testing/index.ts", "ibid testing"],
    ["server/index.ts", "ibid server"],
  ])("%s", async (door, title) => {
    const names = namesOf(modules, door);
    expect(names.length).toBeGreaterThan(5);
    await expect(`${names.join("\n")}\n`).toMatchFileSnapshot(`public-exports/${title.replaceAll(" ", "-")}.txt`);
  });

  it("Node's door has everything that the other has", () => {
    const node = new Set(namesOf(modules, "node.ts"));
    expect(namesOf(modules, "index.ts").filter((name) => !node.has(name))).toEqual([]);
  });

  it("run time agrees with what is written", async () => {
    const loaded = {
      "index.ts": await import("../src/index.ts"),
      "node.ts": await import("../src/index.node.ts"),
      "testing/index.ts": await import("../src/testing/index.ts"),
      "server/index.ts": await import("../src/server/index.node.ts"),
    };
    for (const [door, names] of Object.entries(loaded)) {
      const written = namesOf(modules, door).filter((name) => !name.startsWith("type "));
      expect({ door, names: new Set(Object.keys(names)) }).toEqual({ door, names: new Set(written) });
    }
  });

  it("the list is read right", () => {
    const house = new Map(
      [
        parseModule(
          "index.ts",
          'export { a, type B, c as d } from "./x.ts";\nexport type { E } from "./x.ts";\nexport const f = 1; // export const g = 2;',
        ),
        parseModule("node.ts", 'export * from "./index.ts";\nexport interface H {}\nexport type * from "./y.ts";'),
        parseModule("y.ts", "export const i = 1;\nexport type J = 2;"),
      ].map((module) => [module.path, module]),
    );
    expect(namesOf(house, "node.ts")).toEqual(["type B", "type E", "type H", "type J", "a", "d", "f", "type i"]);
  });
});
