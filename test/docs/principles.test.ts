import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = read("docs/principles.md");
const laws = Array.from(page.matchAll(/^### (\d+)\. ([^\n]+)\n(.*?)(?=^##)/gmsu), ([, number, name, body = ""]) => ({
  number: Number(number),
  name,
  tests: Array.from(body.matchAll(/\]\(\.\.\/(test\/[^)]+)\)/gu), ([, path = ""]) => path),
}));

describe("the page of principles", () => {
  it("lists the twelve laws in order", () => {
    expect(laws.map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  it.each(laws)("$number, $name: names tests that cite the law", ({ number, tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const path of tests) {
      const titles = read(path).match(/\[[A-Z]\d+(?:[ ,]+[A-Z]\d+)*\]/gu) ?? [];
      expect([path, titles.some((title) => new RegExp(`\\bL${number}\\b`, "u").test(title))]).toEqual([path, true]);
    }
  });

  it("links only to files of the repository", () => {
    const links = Array.from(page.matchAll(/\]\(([^)#:]+)/gu), ([, path = ""]) => path);
    expect(links.filter((path) => !existsSync(new URL(`../../docs/${path}`, import.meta.url)))).toEqual([]);
  });
});
