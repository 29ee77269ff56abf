import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const [, section = ""] = read("docs/operations.md").split("## Costs");
const rows = section
  .split("\n##", 1)[0]!
  .split("\n")
  .filter((line) => /^\| (?!work )[^-]/u.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

const [, stepsSection = ""] = section.split("\n### Steps\n");
const steps = stepsSection
  .split("\n")
  .filter((line) => /^\| (?!step )[^-]/u.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

describe("the page of costs", () => {
  it("has a cost of each step, and a test that counts it [18.8]", () => {
    expect(steps.map(([, step]) => step)).toEqual(["read", "cut", "embed", "store", "search", "ask"]);
    for (const [, step, cost, counted = ""] of steps) {
      expect([step, cost === ""]).toEqual([step, false]);
      const [, path = ""] = /\]\(\.\.\/(test\/[^)]+)\)/u.exec(counted) ?? [];
      const titles = Array.from(counted.matchAll(/"([^"]+)"/gu), ([, title = ""]) => title);
      expect(titles.length).toBeGreaterThan(0);
      for (const title of titles) expect(read(path)).toContain(`("${title}`);
    }
  });

  it("has every kind of search, with its time and what it does about it [E45 E47]", () => {
    const works = rows.map(([, work]) => work);
    expect(works).toEqual(expect.arrayContaining(["vector search", "text search", "pattern search", "hybrid search"]));
    for (const [, work, time] of rows) expect([work, time === ""]).toEqual([work, false]);
  });

  it.each(rows.map(([, work = "", , , , stated = ""]) => [work, stated]))(
    "%s: the source says so itself [E47]",
    (_, stated) => {
      const paths = Array.from(stated.matchAll(/\]\(\.\.\/([^)]+)\)/gu), ([, path = ""]) => path);
      expect(paths.length).toBeGreaterThan(0);
      for (const path of paths) expect(read(path)).toContain("**Cost**");
    },
  );
});
