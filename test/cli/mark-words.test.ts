import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutAroundMatches, findQueryWords, wrapMarked } from "../../src/cli/mark-words.ts";
import { defaultAnalyzer } from "../../src/text/analyzer.ts";

const mark = (text: string): string => `<${text}>`;
const markQuery = (text: string, query: string, width = Infinity): readonly string[] =>
  wrapMarked(text, findQueryWords(text, new Set(defaultAnalyzer.analyze(query)), defaultAnalyzer), mark, width);

describe("matched words", () => {
  it("are those that share a term with the query, whatever their form", () => {
    expect(markQuery("Rotate the KEYS: a key, keyboard.", "rotate key")).toEqual([
      "<Rotate> the <KEYS>: a <key>, keyboard.",
    ]);
    expect(markQuery("東京都に住む", "東京").join("")).toContain("<");
    expect(markQuery("nothing here", "else")).toEqual(["nothing here"]);
  });

  it("keep their marks when a line breaks in them", () => {
    expect(wrapMarked("see abcdefgh now", [{ start: 4, end: 12 }], mark, 5)).toEqual([
      "see",
      "<abcde>",
      "<fgh>",
      "now",
    ]);
    expect(wrapMarked("a b c", [{ start: 0, end: 3 }], mark, 1)).toEqual(["<a>", "<b>", "c"]);
  });
});

describe("cutAroundMatches", () => {
  it("shows the first match with what is around it", () => {
    const text = `${"before ".repeat(40)}ERR_ONE and ERR_TWO ${"after ".repeat(40)}`;
    const matches = [/ERR_ONE/, /ERR_TWO/].map((pattern) => {
      const start = text.search(pattern);
      return { start, end: start + 7 };
    });
    const cut = cutAroundMatches(text, matches, 60);
    expect(cut.text).toBe("…before before ERR_ONE and ERR_TWO after after after after…");
    expect(cut.matches.map(({ start, end }) => cut.text.slice(start, end))).toEqual(["ERR_ONE", "ERR_TWO"]);
  });

  it("always shows the first match whole", () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", "b", "\n"), minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 40 }), (text, a, b, length) => {
        const start = a % text.length;
        const end = start + 1 + (b % (text.length - start));
        const cut = cutAroundMatches(text, [{ start, end }], length);
        const [match] = cut.matches;
        expect(match && cut.text.slice(match.start, match.end)).toBe(text.slice(start, end).replaceAll("\n", " "));
      }),
    );
  });
});
