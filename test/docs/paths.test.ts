import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

import { parseSource } from "../../scripts/prose/read-source.ts";

const root = join(import.meta.dirname, "../..");
const exists = (path: string): boolean => existsSync(join(root, path));
const list = (...patterns: readonly string[]): readonly string[] =>
  globSync([...patterns], { cwd: root, exclude: (path) => path.endsWith("node_modules") })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted();
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Paths that show a form, and name no file. */
const samples: ReadonlySet<string> = new Set([
  "src/paths.ts",
  "src/readers/pdf/a.ts",
  "bench/a.ts",
  "docs/decisions/a.md",
]);

/** Paths of the repository in a text. `docs/` stands for the reader's own folder in examples, so only its decisions count. */
function pathsIn(text: string): readonly string[] {
  const path = /(?<![\w/.@:<-])(?:\.\.?\/)*((?:src|test|scripts|bench|examples|docs\/decisions)\/[\w./<>*-]*\w)/gu;
  return Array.from(text.matchAll(path), ([, found = ""]) => found).filter((found) => !/[<*]/u.test(found));
}

/** Whether a path stands in the repository. A decision may be named by its number. */
function isThere(path: string): boolean {
  return exists(path) || (/^docs\/decisions\/\d{4}$/u.test(path) && list(`${path}-*.md`).length > 0);
}

/** Targets of links that are files. */
function linksIn(page: string, text: string): readonly string[] {
  return Array.from(text.matchAll(/\]\(([^)#:\s]+)(?:#[^)\s]*)?(?: "[^"\n]*")?\)/gu), ([, path = ""]) =>
    join(dirname(page), path),
  );
}

const commentsOf = (path: string): string =>
  parseSource(path, read(path))
    .comments.map(({ value }) => value)
    .join("\n");

const pages = list("*.md", "docs/**/*.md", "bench/**/*.md", "examples/**/*.md");
// A decision tells of its own day, and may name files of that day.
const livePages = pages.filter((page) => !page.startsWith("docs/decisions/") && page !== "CHANGELOG.md");
const programs = list("scripts/**/*.{ts,mjs,json}", ".ci/*", "package.json", "vitest.config.ts");
const sources = list("src/**/*.ts", "test/**/*.ts", "bench/**/*.ts", "examples/**/*.ts").filter(
  (path) => !path.startsWith("test/fixtures/"),
);

const missing = (texts: Iterable<readonly [string, string]>): readonly string[] =>
  Array.from(texts).flatMap(([place, text]) =>
    pathsIn(text)
      .filter((path) => !samples.has(path) && !isThere(path))
      .map((path) => `${place}: ${path}`),
  );

describe("paths of the repository", () => {
  it("pathsIn finds paths, and no addresses or patterns", () => {
    const text = "`src/a.ts`, [x](../test/b), https://c.example/src/d.ts, my/src/e.ts, src/**/f.ts, bench/<name>.ts.";
    expect(pathsIn(text)).toEqual(["src/a.ts", "test/b"]);
    expect(missing([["here", "See src/index.ts and test/no-such-folder."]])).toEqual(["here: test/no-such-folder"]);
    expect(missing([["here", "See docs/decisions/0015, docs/decisions/9999."]])).toEqual(["here: docs/decisions/9999"]);
  });

  it("pages name paths that exist", () => {
    expect(livePages.length).toBeGreaterThan(15);
    expect(missing(livePages.map((page) => [page, read(page)]))).toEqual([]);
  });

  it("pages link to files that exist, decisions included", () => {
    const links = pages.flatMap((page) => linksIn(page, read(page)).map((path) => ({ page, path })));
    expect(links.length).toBeGreaterThan(500);
    expect(links.filter(({ path }) => !exists(path))).toEqual([]);
  });

  it("scripts and checks name paths that exist", () => {
    expect(missing(programs.map((path) => [path, read(path)]))).toEqual([]);
  });

  it("comments name paths that exist", () => {
    // Few sources hold such a path anywhere, so few are parsed.
    const suspects = sources.filter((path) => missing([[path, read(path)]]).length > 0);
    expect(suspects.length).toBeGreaterThan(0);
    expect(missing(suspects.map((path) => [path, commentsOf(path)]))).toEqual([]);
  });
});
