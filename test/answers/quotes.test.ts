import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createQuoteChecker } from "../../src/answers/citations/check-quotes.ts";
import { locateWords } from "../../src/answers/citations/locate-words.ts";
import { collect, createScriptedModel, documents, faults } from "./support.ts";

const answerOf = async (pieces: readonly string[] | string) =>
  await collect({ model: createScriptedModel(typeof pieces === "string" ? [pieces] : pieces).model });

describe("what a model quotes", () => {
  it("stays in its quotation marks when the source has those very words [L2]", async () => {
    for (const said of [
      'It says: "Keys are rotated every 90 days" [1].',
      "It says: “Keys are rotated every 90 days.” [1]",
      'As "keys are rotated every 90 days," the page says [1].',
      "It says: „Keys are rotated … the rotate command“ [1].",
      '"Keys are rotated every 90 days [1]."',
    ]) {
      const { answer, events } = await answerOf(said);
      expect(answer).toMatchObject({ text: said, removedQuotes: [], removedMarkers: [] });
      expect(faults({ answer, events })).toEqual([]);
    }
  });

  it("loses its quotation marks when the source does not, and is reported [L2]", async () => {
    const { answer, events } = await answerOf(
      'The page says "Keys are rotated every 90 weeks" [1]. Backups "run" nightly.',
    );
    expect(answer).toMatchObject({
      text: 'The page says Keys are rotated every 90 weeks. Backups "run" nightly.',
      removedQuotes: ["Keys are rotated every 90 weeks"],
      removedMarkers: ["[1]"],
      grounded: false,
    });
    expect(faults({ answer, events })).toEqual([]);
  });

  it("must stand in the source that is cited for it, not in another [L2]", async () => {
    const { answer } = await answerOf("“They are kept for 30 days” [1]. “They are kept for 30 days” [2].");
    expect(answer.text).toBe("They are kept for 30 days. “They are kept for 30 days” [1].");
    expect(answer).toMatchObject({ removedMarkers: ["[1]"], citations: [{ uri: "backups.md" }] });
    expect(answer.removedQuotes).toEqual(["They are kept for 30 days"]);
  });

  it("is cited where it stands, with the sentence around it [L2]", async () => {
    const { answer } = await answerOf('Keys and rotation and keys: "stay valid" [1].');
    expect(answer.citations[0]?.quote).toBe("Old keys stay valid for 24 hours.");
    // The other carried the verdict.
    expect(answer.citations[1]?.quote).toBe("Keys are rotated every 90 days.");
    const both = 'Both "Keys are rotated" and "stay valid" are said [1].';
    expect((await answerOf(both)).answer.text).toBe(both.replace("[1]", "[1][2]"));
  });

  it("may be the asker's own words, or nobody's in particular [L2]", async () => {
    for (const said of [
      'The question "How often are keys rotated" has an answer: every 90 days [1].',
      'Keys are "magic".',
    ])
      expect((await answerOf(said)).answer).toMatchObject({ text: said, removedQuotes: [] });
  });

  it("is not looked for in code, nor are inches and open ends quotes [L2]", async () => {
    for (const said of [
      'Run `rotate "every minute"` for keys [1].',
      'A 5" disk and a 3" disk hold keys [1].',
      'Keys are rotated, "he said\nKeys [1].',
      '```\nsay "no such words" [1]\n```',
    ])
      expect((await answerOf(said)).answer.removedQuotes).toEqual([]);
  });

  it("becomes no unchecked marker by losing its quotation marks [L2 L12]", async () => {
    const { answer, events } = await answerOf("Keys “[2” “]” are rotated [1], [“2”] [1].");
    expect(faults({ answer, events })).toEqual([]);
    expect(answer).toMatchObject({ citations: [{ marker: "[1]" }], removedMarkers: ["[2]"] });
    expect(answer.text).not.toContain("2");
  });

  it("holds to law 2 whatever is quoted and however it arrives [L2 L12]", async () => {
    const part = fc.constantFrom(
      '"',
      "“",
      "”",
      "«",
      "»",
      "Keys are rotated",
      "nonsense",
      " [1]",
      "[2]",
      "[9]",
      "[",
      "]",
      "1",
      " ",
      ". ",
      "\n",
      "`",
      "```",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 25 }), fc.boolean(), async (parts, whole) => {
        expect(faults(await answerOf(whole ? [parts.join("")] : parts))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("never changes a word, however its pieces are cut [L2]", () => {
    const part = fc.constantFrom('"', "“", "”", "a b", "x", " ", ". ", "\n", "`", "-");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.boolean(), (parts, holds) => {
        const checker = createQuoteChecker(() => holds);
        const pieces = parts.map((text) => ({ type: "text" as const, text }));
        const out = [...checker.push(pieces), ...checker.finish()];
        const words = out.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
        const bare = (text: string): string => text.replaceAll(/["“”]/gu, "");
        expect(bare(words)).toBe(bare(parts.join("")));
        expect(holds ? words : "").toBe(holds ? parts.join("") : "");
      }),
    );
  });
});

describe("words are located", () => {
  const text = "The operator's “rotate”   command\nstarts — slowly. Then it stops.";
  it.each([
    ['The operator’s "rotate" command starts', 0, 40],
    ["the operator's “rotate”", 0, 23],
    ["starts - slowly", 34, 49],
    ["slowly. … it stops!", 43, 64],
    ["Starts", 34, 40],
    ["low", undefined, undefined],
    ["Rotate Command", undefined, undefined],
    ["slowly … starts", undefined, undefined],
    ["…", undefined, undefined],
    ["", undefined, undefined],
  ])("%s", (quote, start, end) => {
    expect(locateWords(text, quote)).toEqual(start === undefined ? undefined : { start, end: end ?? 0 });
  });

  it("wherever a document has them, whatever stands in them", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.string({ minLength: 1, maxLength: 20 }), (before, quote) => {
        const words = quote.trim().replaceAll(/…|\.{3}/gu, "");
        fc.pre(/\p{L}/u.test(words));
        expect(locateWords(`${before} ${words} end`, words)).toBeDefined();
      }),
    );
    expect(locateWords(documents["keys"] ?? "", "(a+)+$")).toBeUndefined();
  });
});
