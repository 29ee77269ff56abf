import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findSentences, readOpenFence } from "../../src/text/find-sentences.ts";

const found = (text: string, titles?: ReadonlySet<string>) =>
  findSentences(text, titles ? { titles } : {}).map(({ start, end, kind }) => `${kind}: ${text.slice(start, end)}`);

describe("sentences to quote", () => {
  it("tell prose from headings, tables, code and markup [T46]", () => {
    const text = `import { Tabs } from "tabs"

# Keys

Keys are rotated. They stay valid
for a day.

- First item.
- [x] Second item. With more.

> Quoted words.

| a | b |
|---|---|

\`\`\`js
rotate();
\`\`\`
<Tabs>
***
Last words.`;
    expect(found(text)).toEqual([
      'markup: import { Tabs } from "tabs"',
      "heading: # Keys",
      "prose: Keys are rotated.",
      "prose: They stay valid\nfor a day.",
      "prose: First item.",
      "prose: Second item.",
      "prose: With more.",
      "prose: Quoted words.",
      "table: | a | b |",
      "table: |---|---|",
      "code: rotate();",
      "markup: <Tabs>",
      "prose: Last words.",
    ]);
  });

  it("know a heading that stands as a plain line [T46]", () => {
    expect(found("Rotation\nKeys are rotated.", new Set(["Rotation"]))).toEqual([
      "heading: Rotation",
      "prose: Keys are rotated.",
    ]);
  });

  it("know code by its document's fences, or by its signs [T46]", async () => {
    const text = "---\ntitle: Keys\n---\n\nRotate them.\n\n```py\nkeys = load()\nrotate(keys)\n```\n\nDone.\n";
    const fenceAt = (whole: string, position: number) =>
      readOpenFence(async (start, end) => whole.slice(start, end), position);
    const kinds = async (start: number) =>
      findSentences(text.slice(start), { openFence: await fenceAt(text, start) }).map(({ kind }) => kind);
    expect(await kinds(0)).toEqual(["markup", "prose", "code", "code", "prose"]);
    expect(await kinds(text.indexOf("title"))).toEqual(["markup", "prose", "code", "code", "prose"]);
    expect(await kinds(text.indexOf("rotate("))).toEqual(["code", "prose"]);
    expect(await fenceAt(text, text.indexOf("Done"))).toBe("");
    expect(await fenceAt("", 28)).toBe("");
    expect(await fenceAt("```\nx", 99)).toBe("```");
    expect(found('pipeline.connect("a.b", "c.d")')).toEqual(['code: pipeline.connect("a.b", "c.d")']);
    expect(found("Call `rotate(keys)` and see [the guide](/keys#rotate_all) (or ask us).")[0]).toMatch(/^prose/u);
  });

  it("are in a fence that is found from pieces of any length as from the whole text [T46]", async () => {
    const bits = ["```\n", "``", "`", "~~~\n", "---\n", "---", "\n", "a b\n", "  ```js\n", "````\n", "\t~~~~", "é👍"];
    const long = [`${"x".repeat(399)}\`\`\``, `${"x".repeat(500)}\n`, `${" ".repeat(398)}\`\`\`\n`];
    const text = fc.array(fc.constantFrom(...bits, ...long), { maxLength: 14 }).map((parts) => parts.join(""));
    const length = fc.constantFrom(1, 2, 7, 150, 399, 400, 401, 10_000);
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), length, fc.boolean(), async (body, at, pieceLength, isFront) => {
        const whole = isFront ? `---\n${body}` : body;
        const position = at % (whole.length + 5);
        const read = async (start: number, end: number) => whole.slice(start, end);
        expect(await readOpenFence(read, position, 0, pieceLength)).toBe(plainOpenFence(whole, position));
      }),
    );
  });

  it("are in order, apart, trimmed, and lose no letter but markers' [L1]", () => {
    const lines = fc.constantFrom(
      "Keys rotate. Again!",
      "# Title",
      "| cell |",
      "- item",
      "```",
      "",
      "日本語。もう一つ。",
      "<Tag>",
      "> quote",
      "1. one",
      "a".repeat(500),
    );
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 20 }), (all) => {
        const text = all.join("\n");
        let at = 0;
        for (const { start, end } of findSentences(text)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
          expect(text.slice(at, start)).toMatch(/^[\s>*\-1.`]*$/u);
          at = end;
        }
      }),
    );
  });
});

/** Finds the fence line by line, in the whole text. */
function plainOpenFence(text: string, position: number): string {
  let fence = text.startsWith("---\n") ? "---" : "";
  if (position === 0) return fence;
  let start = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (start >= Math.min(position, text.length)) break;
    start += line.length + 1;
    const shown = line.slice(0, 400);
    const opening = /^[ \t]*(`{3,}|~{3,})/u.exec(shown)?.[1] ?? "";
    if (index === 0 && fence === "---") continue;
    if (fence === "") fence = opening;
    else if (fence === "---" ? shown.trim() === "---" : opening.startsWith(fence)) fence = "";
  }
  return fence;
}
