import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { segmentSentences } from "../../src/text/sentences.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The sentences of the first paragraph under the title. */
function firstParagraph(): readonly string[] {
  const [, paragraph = ""] = read("README.md").split(/\n{2,}/u);
  return segmentSentences(paragraph).map(({ start, end }) => paragraph.slice(start, end).trim());
}

/** Rows of the table: a sentence, and the tests that hold it. */
function heldSentences(): readonly {
  readonly sentence: string;
  readonly tests: readonly (readonly [string, string])[];
}[] {
  const [, section = ""] = read("docs/principles.md").split("## The first paragraph\n");
  const rows = section
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1);
  return rows.map((row) => {
    const [, sentence = "", tests = ""] = row.split(" | ").join("|").split("|");
    const named = [...tests.matchAll(/\]\(\.\.\/([^)]+)\): "([^"]+)"/gu)];
    return { sentence: sentence.trim(), tests: named.map(([, path = "", title = ""]) => [path, title] as const) };
  });
}

describe("the README's first paragraph", () => {
  it("has no sentence that no test holds [S12]", () => {
    const held = heldSentences();
    expect(held.map(({ sentence }) => sentence)).toEqual(firstParagraph());
    for (const { sentence, tests } of held) {
      expect({ sentence, isHeld: tests.length > 0 }).toEqual({ sentence, isHeld: true });
      for (const [path, title] of tests) {
        const isThere = existsSync(join(root, path)) && read(path).includes(title);
        expect({ path, title, isThere }).toEqual({ path, title, isThere: true });
      }
    }
  });
});
