import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const [, section = ""] = read("docs/operations.md").split("## Costs");
const rows = section
  .split("\n## ", 1)[0]!
  .split("\n")
  .filter((line) => /^\| (?!work )[^-]/u.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

describe("the page of costs", () => {
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
