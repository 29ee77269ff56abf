import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { adapters, longFiles, starExports, typeCycles } from "./house.ts";
import { readModules, resolveImport } from "./modules.ts";
import { rules } from "./rules.ts";

const at = (path: string): string => new URL(`../../${path}`, import.meta.url).pathname;
const modules = readModules(at("src"));

describe("the house keeps its rules [W4 E1 E42 E43 E44 E46]", () => {
  it("there is something to look at", () => {
    expect(modules.length).toBeGreaterThan(100);
    expect(modules.flatMap(({ imports }) => imports).length).toBeGreaterThan(400);
  });

  it.each(Object.entries(rules))("%s", (_, rule) => {
    expect(rule(modules)).toEqual([]);
  });

  it("every adapter has its contract packs run, under its own name", () => {
    for (const [name, { packs, noContract }] of Object.entries(adapters)) {
      const path = at(`test/${packs}`);
      expect(existsSync(path), `${name}: ${packs}`).toBe(true);
      const text = readFileSync(path, "utf8");
      expect(text, `${packs} imports adapters/${name}`).toContain(`adapters/${name}/`);
      expect(text.includes("runPack("), `${packs} runs a pack, or says why there is none`).toBe(
        noContract === undefined,
      );
    }
  });

  it("what tests share hooks into no file by itself: it is loaded once for all of a process", () => {
    const shared = readdirSync(at("test"), { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
    );
    const hooks = /^(?:before|after)(?:All|Each)\(/mu;
    expect(shared.filter((name) => hooks.test(readFileSync(join(at("test"), name), "utf8")))).toEqual([]);
    expect(hooks.test("const a = 1;\nafterEach(() => {});\n")).toBe(true);
  });

  it("exceptions are still needed", () => {
    const paths = new Set(modules.map(({ path }) => path));
    for (const path of [...Object.keys(longFiles), ...Object.keys(starExports)]) expect(paths).toContain(path);
    const importsOf = (path: string): readonly string[] =>
      modules
        .filter((module) => module.path === path)
        .flatMap((module) => module.imports.flatMap((each) => resolveImport(module, each) ?? []));
    for (const cycle of Object.keys(typeCycles)) {
      const members = cycle.split(" ");
      for (const member of members) expect(importsOf(member).filter((path) => members.includes(path))).not.toEqual([]);
    }
    const rooms = new Set(modules.map(({ path }) => path.split("/").slice(0, 2).join("/")));
    for (const name of Object.keys(adapters)) expect(rooms).toContain(`adapters/${name}`);
  });

  it("ARCHITECTURE.md knows every room, and names files that are there", () => {
    const text = readFileSync(at("ARCHITECTURE.md"), "utf8");
    const rows = Array.from(text.matchAll(/^\| `([^|]*)` \|[^|]*\|([^|]*)\|/gmu), ([, rooms = "", files = ""]) => ({
      rooms,
      files,
    }));
    const described = rows.flatMap(({ rooms }) => rooms.split("`, `").map((room) => room.replace(/\/.*$/u, "")));
    const rooms = new Set(modules.map(({ path }) => path.split("/")[0]));
    expect(new Set(described)).toEqual(rooms);
    const paths = new Set(modules.map(({ path }) => path));
    for (const { rooms: room, files } of rows) {
      for (const [, file = ""] of files.matchAll(/`([\w.-]+\.ts)`/gu)) {
        expect(paths).toContain(room.endsWith("/") ? `${room}${file}` : file);
      }
    }
  });
});
