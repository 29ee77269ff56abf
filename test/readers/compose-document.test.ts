import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { buildSections } from "../../src/readers/build-sections.ts";
import { composeDocument } from "../../src/readers/compose-document.ts";
import { checkBlocks, checkSourceMap, checkTree } from "../../src/testing/tree-checks.ts";
import { locate } from "../../src/text/locate.ts";

const part = {
  text: "# In\nwords\n",
  root: buildSections("# In\nwords\n", "in.md", [{ title: "In", level: 1, start: 0, contentStart: 4 }]),
  sourceMap: { lines: "text" },
  blocks: [
    { kind: "heading", start: 0, end: 4 },
    { kind: "paragraph", start: 5, end: 10 },
  ],
} as const;

describe("a document put together from pieces [E2 E8 L1]", () => {
  it("sets pieces apart, nests a part's sections below its level, and finds its lines", () => {
    const document = composeDocument();
    document.heading("Mail", 1);
    document.write("  Hello.\n");
    document.part("in.md", part, 1);
    document.heading("After", 2);
    const { text, root, sourceMap, blocks } = document.finish("Mail");
    expect(text).toBe("Mail\n\nHello.\n\n# In\nwords\n\n\nAfter");
    expect(root.children.map(({ title, level }) => [title, level])).toEqual([["Mail", 1]]);
    expect(root.children[0]?.children.map(({ title, level }) => [title, level])).toEqual([
      ["In", 2],
      ["After", 2],
    ]);
    expect(blocks.map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual([
      ["heading", "Mail"],
      ["paragraph", "Hello."],
      ["heading", "# In"],
      ["paragraph", "words"],
      ["heading", "After"],
    ]);
    const place = (of: string): unknown => locate({ text, root, sourceMap }, text.indexOf(of), text.indexOf(of) + 3);
    expect(place("words")).toEqual({ part: "in.md", line: 2, headings: ["Mail", "In"], sectionId: "0.0.0" });
    expect(place("Hello")).toEqual({ headings: ["Mail"], sectionId: "0.0", isInContainer: true });
    expect(place("After")).toEqual({ headings: ["Mail", "After"], sectionId: "0.0.1" });
  });

  it("ends a part's sections with it, or lets the last go on when it is open", () => {
    const outlineOf = (ending?: "open" | "closed"): string[] => {
      const document = composeDocument();
      document.part("in.md", part, 0, ending);
      document.write("more");
      const { text, root } = document.finish("");
      return root.children.map(({ start, end }) => text.slice(start, end));
    };
    expect(outlineOf()).toEqual(["# In\nwords\n"]);
    expect(outlineOf("open")).toEqual(["# In\nwords\n\n\nmore"]);
  });

  it("includes what is the document's own without a place of its own", () => {
    const document = composeDocument();
    document.heading("Mail", 1);
    document.include(part, 1);
    document.write("more");
    const { text, root, sourceMap, blocks } = document.finish("Mail");
    expect(text).toBe("Mail\n\n# In\nwords\n\n\nmore");
    expect(sourceMap).toEqual({ lines: "none" });
    expect(locate({ text, root, sourceMap }, text.indexOf("more")).headings).toEqual(["Mail", "In"]);
    expect(blocks.map(({ kind }) => kind)).toEqual(["heading", "heading", "paragraph", "paragraph"]);
  });

  it("numbers slides where they begin", () => {
    const document = composeDocument();
    document.startSlide(1);
    document.write("one");
    document.startSlide(2);
    document.heading("Two", 1);
    const { text, root, sourceMap } = document.finish("");
    expect(locate({ text, root, sourceMap }, 0).slide).toBe(1);
    expect(locate({ text, root, sourceMap }, text.indexOf("Two")).slide).toBe(2);
  });

  it("keeps where the rows of a table begin", () => {
    const document = composeDocument();
    document.write("Before.");
    document.write("| a |\n| 1 |", { kind: "table", bodyStart: 6 });
    const { text, blocks } = document.finish("");
    expect(blocks[1]).toEqual({ kind: "table", start: 9, end: 20, bodyStart: 15 });
    expect(text.slice(15)).toBe("| 1 |");
  });

  it("keeps tree, blocks and map whole, whatever is written", () => {
    const piece = fc.oneof(
      fc.record({ kind: fc.constant("write" as const), text: fc.string({ unit: "binary" }) }),
      fc.record({ kind: fc.constant("heading" as const), text: fc.string(), level: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ kind: fc.constant("part" as const), level: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ kind: fc.constant("slide" as const) }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const document = composeDocument();
        for (const [i, given] of pieces.entries()) {
          if (given.kind === "write") document.write(given.text);
          else if (given.kind === "heading") document.heading(given.text, given.level);
          else if (given.kind === "part") document.part(`part ${i}`, part, given.level);
          else document.startSlide(i + 1);
        }
        const { text, root, sourceMap, blocks } = document.finish("all");
        checkTree(root, text);
        checkBlocks(blocks, text);
        checkSourceMap(sourceMap, text);
      }),
    );
  });
});
