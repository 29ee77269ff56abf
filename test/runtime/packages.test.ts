import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { findPackage, loadModule } from "../../src/runtime/packages.ts";
import { version } from "../../src/runtime/version.ts";

const project = mkdtempSync(join(tmpdir(), "ibid-packages-"));

function install(name: string, manifest: object, files: Readonly<Record<string, string>>): void {
  const folder = join(project, "node_modules", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0", ...manifest }));
  for (const [file, code] of Object.entries(files)) writeFileSync(join(folder, file), code);
}

install("@peer/old", { main: "index.js" }, { "index.js": "exports.answer = 41;" });
install("@peer/new", { type: "module", exports: "./index.js" }, { "index.js": "export const answer = 42;" });

describe("findPackage", () => {
  it("finds a package from a folder below its own, by path or by address, as CommonJS or ES module", () => {
    const below = join(project, "src", "deep", "main.js");
    for (const place of [below, pathToFileURL(below).href]) {
      const answers = ["@peer/old", "@peer/new"].map((name) => {
        const { answer } = loadModule(findPackage(name, [undefined, place])!) as { readonly answer: number };
        return answer;
      });
      expect(answers).toEqual([41, 42]);
    }
  });

  it("goes through the places in order, and finds nothing where there is nothing", () => {
    const nowhere = join(tmpdir(), "nowhere", "main.js");
    const there = join(project, "main.js");
    expect(findPackage("@peer/old", [nowhere])).toBeUndefined();
    expect(findPackage("@peer/old/package.json", [nowhere, there])).toBe(
      join(project, "node_modules", "@peer", "old", "package.json"),
    );
  });
});

describe("version", () => {
  it("is the version of package.json", () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as object;
    expect(manifest).toMatchObject({ version });
  });
});
