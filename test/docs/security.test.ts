import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = read("docs/security.md");
const promises = page
  .slice(page.indexOf("## Promises"), page.indexOf("## Not promised"))
  .split("\n")
  .filter((line) => line.startsWith("- "));

/** A test or a group of tests: the text before its function. */
const title = /\(\s*"((?:[^"\\]|\\.)*)",\s*(?:\{[^}]*\},\s*)?(?:async\s*)?\(/gu;
const titlesOf = (path: string): readonly string[] => [...read(path).matchAll(title)].map(([, text]) => text!);

/** The faults of a promise: a file or title of a test that is not there, or no test at all. */
function faultsOf(promise: string): readonly string[] {
  const links = [...promise.matchAll(/\]\(\.\.\/(?<path>test\/[^\s)]+)(?: "(?<title>[^"]*)")?\)/gu)];
  if (links.length === 0) return ["it names no test"];
  return links.flatMap(({ groups }) => {
    const { path = "", title: named } = groups!;
    if (!existsSync(new URL(`../../${path}`, import.meta.url))) return [`there is no ${path}`];
    if (named === undefined) return [`the link to ${path} names no title of a test`];
    return titlesOf(path).includes(named) ? [] : [`${path} has no test "${named}"`];
  });
}

describe("the promises of docs/security.md", () => {
  it("begin with a name, and each name stands once", () => {
    const names = promises.map((line) => /^- \*\*(.+?)\.\*\* /u.exec(line)?.[1]);
    expect(names.length).toBeGreaterThan(20);
    expect(names).not.toContain(undefined);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(promises.map((line) => [/\*\*(.+?)\.\*\*/u.exec(line)?.[1] ?? line, line] as const))(
    "name tests that are there, by their files and titles: %s",
    (_, line) => {
      expect(faultsOf(line)).toEqual([]);
    },
  );

  it("have a check that sees a missing file, a missing title and a promise without a test", () => {
    expect(faultsOf("- **A.** It holds.")).toEqual(["it names no test"]);
    expect(faultsOf("- **A.** [a](../test/none.test.ts)")).toEqual(["there is no test/none.test.ts"]);
    expect(faultsOf("- **A.** [a](../test/docs/security.test.ts)")).toHaveLength(1);
    expect(faultsOf('- **A.** [a](../test/docs/security.test.ts "holds nothing")')).toHaveLength(1);
  });
});
