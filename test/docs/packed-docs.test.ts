import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  changeLinks,
  deadLinks,
  packDocs,
  packedPath,
  packPage,
  pages,
  shownPackage,
  sourceOf,
} from "../../scripts/pack-docs.ts";
import { root } from "../../scripts/subpaths.ts";

it("every link of the packed pages leads to a file of the package, and every link of the README to an address", () => {
  const target = mkdtempSync(join(tmpdir(), "ibid-pack-docs-"));
  onTestFinished(() => rmSync(target, { recursive: true, force: true }));
  packDocs(target);
  const files = new Set(pages().map((path) => packedPath(path)!));
  expect(files.size).toBeGreaterThan(70);
  const read = (path: string): string => readFileSync(join(path === "README.md" ? root : target, path), "utf8");
  expect(deadLinks(files, read)).toEqual([]);
});

it("a link to a heading leads to a heading that the packed page has", () => {
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/gu, "-");
  const anchors = (text: string): ReadonlySet<string> =>
    new Set(
      Array.from(text.replaceAll(/^```.*?^```/gmsu, "").matchAll(/^#{1,6} (.+)$/gmu), ([, heading = ""]) =>
        slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")),
      ),
    );
  const texts = new Map(pages().map((path) => [path, readFileSync(join(root, path), "utf8")]));
  const missing: string[] = [];
  for (const [path, text] of texts) {
    changeLinks(text, ({ target, heading }, whole) => {
      const wanted = target === "" ? path : (sourceOf(target) ?? join(path, "..", target));
      const page = texts.get(wanted);
      if (heading !== "" && page !== undefined && !anchors(page).has(heading.slice(1)))
        missing.push(`${path}: ${target}${heading}`);
      return whole;
    });
  }
  expect(missing).toEqual([]);
});

it("a link to something that the package leaves out becomes its words and its path; code stays as it is", () => {
  const page = [
    "[chunk-laws](../test/chunkers/chunk-laws.test.ts) and [the laws](../test/chunkers/chunk-laws.test.ts).",
    "`[code](../test/a.ts)` and [words](../GLOSSARY.md#words), [limits](limits.md), [out](https://example.com).",
    "```md\n[fenced](../test/a.ts)\n```",
  ].join("\n");
  expect(packPage("docs/guarantees.md", page)).toBe(
    [
      "`test/chunkers/chunk-laws.test.ts` and the laws (`test/chunkers/chunk-laws.test.ts`).",
      "`[code](../test/a.ts)` and [words](glossary.md#words), [limits](limits.md), [out](https://example.com).",
      "```md\n[fenced](../test/a.ts)\n```",
    ].join("\n"),
  );
});

it("a packed page has no marks by which its samples are run, and the names of their files", () => {
  const page =
    "```sh run fails\nibid list\n```\n\n```text output\nrun\n```\n\n```ts file=a.ts\n```\n\n```ts no-run\n```\n\n```sh install\n```\n";
  expect(packPage("docs/limits.md", page)).toBe(
    "```sh\nibid list\n```\n\n```text\nrun\n```\n\n```ts file=a.ts\n```\n\n```ts\n```\n\n```sh\n```\n",
  );
});

it("an address of the package names its page in the repository", () => {
  expect(sourceOf(`${shownPackage}dist/docs/guides/deploy.md`)).toBe("docs/guides/deploy.md");
  expect(sourceOf(`${shownPackage}dist/docs/glossary.md`)).toBe("GLOSSARY.md");
  expect(sourceOf("https://example.com/limits.md")).toBeUndefined();
});
