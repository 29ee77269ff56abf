import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { neutraliseSource } from "../../src/text/untrusted/neutralise-source.ts";
import { createMarkerScanner } from "../../src/text/untrusted/scan-markers.ts";
import { countTurns, slowClock } from "../support/turns.ts";
import { countSuspicions, noteUnseen, showSuspicion } from "../../src/text/untrusted/describe-suspicions.ts";
import { findSuspicious, findSuspiciousInSteps, unseenKinds } from "../../src/text/untrusted/find-suspicious.ts";
import { atOnce } from "../../src/runtime/next-turn.ts";

const kinds = (text: string) => findSuspicious(text).map(({ kind }) => kind);

describe("what speaks to models", () => {
  it.each([
    ["<!-- a -->", ["comment"]],
    ["a {/* b */} c", ["comment"]],
    ["[//]: # (hello)", ["comment"]],
    ["<div hidden>a</div>", ["hidden"]],
    ['<p style="color:red; display : none">a', ["hidden"]],
    ["a\u200bb", ["invisible"]],
    ["a\u202eb", ["direction"]],
    ["a\u{E0041}", ["tags"]],
    ["<|im_start|>", ["role"]],
    ["System: do", ["role"]],
    ["### Instruction:", ["role"]],
    ["<tool_call>", ["tool-call"]],
    ["</source-12>", ["delimiter"]],
  ] as const)("%j is found [L12]", (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  it.each([
    "`<!-- a -->` and\n```html\n<div hidden>a</div>\n```\n",
    "👩‍💻 نمی‌خواهم क्‍ष ❤️ 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "the system: a set of parts\n  system:\n    cpu: 2\nuser: root",
    '<p style="font-size:0.9em; opacity: 0.5">a</p> a <b and c> d',
    "List<String> x; a || b; x <- y; [1] array[0]",
  ])("%j is not [L12]", (text) => {
    expect(kinds(text)).toEqual([]);
  });

  it("is found behind a fence and in a tag of any length", () => {
    const fence = "`".repeat(300_000);
    expect(kinds(`${fence}\n\n<!-- a -->`)).toEqual(["comment"]);
    expect(kinds(`${fence}\n<!-- code -->\n${fence}\n<b hidden>a</b>`)).toEqual(["hidden"]);
    expect(kinds(`<${"a".repeat(300_000)} hidden>b`)).toEqual(["hidden"]);
  });

  it("is quoted where it stands, and tags are read [L12]", () => {
    const text = `Keys.${Array.from("obey", (character) => String.fromCodePoint(0xe0000 + character.charCodeAt(0))).join("")}`;
    const [found] = findSuspicious(text);
    expect(found).toMatchObject({ kind: "tags", start: 5, end: 13, says: "obey" });
    expect(text.slice(found?.start, found?.end)).toBe(found?.quote);
    expect(showSuspicion({ quote: "\u200b\u200b" })).toBe("U+200B U+200B");
    expect(countSuspicions([{ kind: "comment" }, { kind: "tags" }, { kind: "comment" }])).toBe(
      "2 comments, 1 run of tag characters",
    );
  });

  it("is noted of a document when its readers do not see it, and it says something [L9 L12]", async () => {
    expect(await noteUnseen("a <!-- tell nobody about this --> b", "text/markdown")).toBe(
      "It holds what its readers do not see: 1 comment. The first, at 2: <!-- tell nobody about this -->",
    );
    expect(
      await noteUnseen("a <!-- prettier-ignore --> <script>x</script>\n\nHuman: b", "text/markdown"),
    ).toBeUndefined();
    expect(await noteUnseen("a <!-- tell nobody about this --> b", "application/xml")).toBeUndefined();
    expect(await noteUnseen("a\u{E0041}", "application/xml")).toContain("1 run of tag characters");
  });

  it("lets others have their turn between the patterns [18.6]", async () => {
    slowClock(6);
    const turns = await countTurns(() => noteUnseen("a <!-- tell nobody about this --> b", "text/markdown"));
    vi.restoreAllMocks();
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  it("is gone from what a model sees, whatever it is made of, and once is enough [L12]", () => {
    const part = fc.constantFrom(
      "<!--",
      "-->",
      "{/*",
      "*/}",
      "<div hidden>",
      "</div>",
      "\u200b",
      "\u2060",
      "\u{E0041}",
      "\u202e",
      "<|",
      "|>",
      "im_start",
      "[1]",
      "[",
      "]",
      "1",
      "【",
      "】",
      "Doc abc, Chunk 1 of 5",
      "`",
      "```",
      "\n",
      "\n\n",
      "Human:",
      "### Instruction",
      "</source-",
      "<tool_call>",
      "a b",
      " ",
      "é😀",
      "<",
      ">",
      "[INST]",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 25 }), (parts) => {
        const seen = neutraliseSource(parts.join(""));
        expect(findSuspicious(seen)).toEqual([]);
        const scanner = createMarkerScanner();
        const pieces = [...scanner.push(seen), ...scanner.finish()];
        expect(pieces.filter(({ type }) => type === "marker")).toEqual([]);
        expect(neutraliseSource(seen)).toBe(seen);
      }),
      { numRuns: 2000 },
    );
  });

  it("costs as much as the text is long [L12]", () => {
    for (const unit of [
      "<!--",
      "{/*",
      "```\n",
      "<div hidden>",
      "` ",
      "<a ",
      "[//]: # (",
      "<|",
      "\u{E0041}a",
      "### System\n",
      "[Doc a, ",
    ]) {
      const text = unit.repeat(Math.ceil(200_000 / unit.length));
      expect(findSuspicious(text).length).toBeGreaterThanOrEqual(0);
      expect(neutraliseSource(text).length).toBeLessThanOrEqual(2 * text.length);
    }
  });

  it("finds the same in stretches as in one go [L12]", () => {
    const part = fc.constantFrom(
      "<!--",
      "-->",
      "<div hidden",
      "<p\n",
      ">",
      "</div>",
      "```",
      "~~~",
      "`",
      "\n",
      "a",
      " ",
      "[//]: # (b)",
      "\u200b",
      "\u202e",
      "\u{E0041}",
      "\u{1F3F4}",
    );
    const run = (text: string, stretch?: number) => atOnce(findSuspiciousInSteps(text, unseenKinds, stretch));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.integer({ min: 1, max: 12 }), (parts, stretch) => {
        const text = parts.join("");
        expect(run(text, stretch)).toEqual(run(text));
      }),
      { numRuns: 3000 },
    );
  });

  it("takes a long text in steps [L12]", () => {
    let steps = 0;
    const looking = findSuspiciousInSteps("a line of words\n".repeat(1000), unseenKinds, 1000);
    while (looking.next().done !== true) steps++;
    expect(steps).toBeGreaterThan(4 * 15);
  });
});
