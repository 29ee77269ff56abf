import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findSentences, openFenceAt } from "../../src/text/find-sentences.ts";

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

  it("know code by its document's fences, or by its signs [T46]", () => {
    const text = "---\ntitle: Keys\n---\n\nRotate them.\n\n```py\nkeys = load()\nrotate(keys)\n```\n\nDone.\n";
    const kinds = (start: number) =>
      findSentences(text.slice(start), { openFence: openFenceAt(text, start) }).map(({ kind }) => kind);
    expect(kinds(0)).toEqual(["markup", "prose", "code", "code", "prose"]);
    expect(kinds(text.indexOf("title"))).toEqual(["markup", "prose", "code", "code", "prose"]);
    expect(kinds(text.indexOf("rotate("))).toEqual(["code", "prose"]);
    expect(openFenceAt(text, text.indexOf("Done"))).toBe("");
    expect(openFenceAt("", 28)).toBe("");
    expect(openFenceAt("```\nx", 99)).toBe("```");
    expect(found('pipeline.connect("a.b", "c.d")')).toEqual(['code: pipeline.connect("a.b", "c.d")']);
    expect(found("Call `rotate(keys)` and see [the guide](/keys#rotate_all) (or ask us).")[0]).toMatch(/^prose/u);
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
