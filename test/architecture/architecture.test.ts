import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { longFiles, longFunctions, rooms, testFolders } from "./rooms.ts";
import { readModules } from "./modules.ts";
import { arrowsOf, functionsOf, rules } from "./rules.ts";

const at = (path: string): string => new URL(`../../${path}`, import.meta.url).pathname;
const modules = readModules(at("src"));

describe("the sources keep the table of rooms [W4 E1 E42 E43 E44 E46]", () => {
  it("the reader of modules finds the sources", () => {
    expect(modules.length).toBeGreaterThan(100);
    expect(modules.flatMap(({ imports }) => imports).length).toBeGreaterThan(400);
    expect(arrowsOf(modules).size).toBeGreaterThan(60);
  });

  it.each(Object.entries(rules))("%s", (_, rule) => {
    expect(rule(modules)).toEqual([]);
  });

  it("the table has no arrow upward, so no circle", () => {
    const order = Object.keys(rooms);
    const upward = Object.entries(rooms).flatMap(([room, { imports }]) =>
      imports.filter((other) => order.indexOf(other) >= order.indexOf(room)).map((other) => `${room} → ${other}`),
    );
    expect(upward).toEqual([]);
  });

  it("no statement of SQLite binds a bare limit, which would be planned anew each time", () => {
    const bare = modules
      .filter(
        ({ path, source }) =>
          path.startsWith("stores/sqlite/") &&
          /(?:LIMIT|OFFSET) (?:[?:@]|\$\w)(?!\w* \+ 0)/u.test(source.replaceAll(/^\s*\*.*$/gmu, "")),
      )
      .map(({ path }) => path);
    expect(bare).toEqual([]);
  });

  it("one file reads the clock of the machine", () => {
    const clock = /\bDate\.now\b|\bnew Date\(\)|\bDate\(\)/u;
    const comment = /\/\*[^]*?\*\/|\/\/.*$/gmu;
    const readers = modules
      .map(({ path }) => path)
      // A contract pack runs without the parts of `src`.
      .filter((path) => !path.startsWith("testing/"))
      .filter((path) => clock.test(readFileSync(at(join("src", path)), "utf8").replaceAll(comment, "")));
    expect(readers).toEqual(["runtime/platform-clock.ts"]);
  });

  it("zod is imported by its name z: esbuild leaves a namespace unmade that a part loaded later shares", () => {
    const paths = modules.map(({ path }) => path);
    const texts = paths.map((path) => readFileSync(at(join("src", path)), "utf8"));
    expect(paths.filter((_, index) => /import (?:type )?\* as \w+ from "zod/u.test(texts[index]!))).toEqual([]);
    expect(texts.filter((text) => text.includes('import { z } from "zod"')).length).toBeGreaterThan(10);
  });

  it("the table allows nothing that no file uses", () => {
    const arrows = arrowsOf(modules);
    const unused = Object.entries(rooms).flatMap(([room, { imports }]) =>
      imports.map((other) => `${room} → ${other}`).filter((arrow) => !arrows.has(arrow)),
    );
    // Entry files name each type where it is declared, which may be in either room.
    expect(unused.filter((arrow) => !arrow.startsWith("index"))).toEqual([]);
  });

  it("modules that tests share register no hooks: a process loads them once", () => {
    const shared = readdirSync(at("test"), { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
    );
    const hooks = /^(?:before|after)(?:All|Each)\(/mu;
    expect(shared.filter((name) => hooks.test(readFileSync(join(at("test"), name), "utf8")))).toEqual([]);
    expect(hooks.test("const a = 1;\nafterEach(() => {});\n")).toBe(true);
  });

  it("tests lie in folders of rooms, or in a folder of the list", () => {
    const folders = (path: string): readonly string[] =>
      readdirSync(at(path), { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? each.name : []));
    const allowed = [...folders("src"), ...Object.keys(testFolders)];
    expect(folders("test").filter((name) => !allowed.includes(name))).toEqual([]);
    expect(allowed.filter((name) => !folders("test").includes(name))).toEqual([]);
    expect(Object.keys(testFolders).filter((name) => name in rooms)).toEqual([]);
  });

  it("exceptions are still needed", () => {
    const byPath = new Map(modules.map((module) => [module.path, module]));
    for (const path of Object.keys(longFiles)) expect(byPath.has(path)).toBe(true);
    for (const each of Object.keys(longFunctions)) {
      const [path = "", name] = each.split(":");
      expect(functionsOf(byPath.get(path)?.code ?? "").map((found) => found.name)).toContain(name);
    }
  });

  it("ARCHITECTURE.md prints the table, and names files that are there", () => {
    const text = readFileSync(at("ARCHITECTURE.md"), "utf8");
    const rows = Array.from(
      text.matchAll(/^\| `([\w-]+)\/?` \|([^|]*)\|([^|]*)\|([^|]*)\|$/gmu),
      ([, room = "", holds = "", rule = "", imports = ""]) => ({ room, holds, rule: rule.trim(), imports }),
    );
    expect(Object.fromEntries(rows.map(({ room, rule }) => [room, rule]))).toEqual(
      Object.fromEntries(
        Object.entries(rooms)
          .filter(([room]) => !room.endsWith(".ts"))
          .map(([room, { rule }]) => [room, rule]),
      ),
    );
    const paths = new Set(modules.map(({ path }) => path));
    const folders = new Set(
      modules.flatMap(({ path }) => path.split("/").map((_, i, parts) => parts.slice(0, i).join("/"))),
    );
    for (const { room, holds, imports } of rows) {
      const said = [...imports.matchAll(/[\w-]+/gu)].map(([name]) => name);
      expect(new Set(said), `imports of ${room}`).toEqual(new Set(rooms[room]?.imports));
      for (const [, name = ""] of holds.matchAll(/`([\w./-]+)`/gu)) {
        const known = name.endsWith("/") ? folders.has(`${room}/${name.slice(0, -1)}`) : paths.has(`${room}/${name}`);
        expect(known, `${room}: ${name}`).toBe(true);
      }
    }
  });
});
