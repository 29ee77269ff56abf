import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Analyzer } from "../../src/contracts/analyzer.ts";
import { defaultAnalyzer } from "../../src/text/analyzer.ts";
import { cutSnippet } from "../../src/text/snippet.ts";
import { anyText, hostileTexts } from "./texts.ts";

const cut = (text: string, query: string, length: number): string =>
  cutSnippet(text, new Set(defaultAnalyzer.analyze(query)), defaultAnalyzer, length);

const prose =
  "The quick brown fox jumps over the lazy dog near the bank. Later the keys were rotated by an operator who used a command. And then nothing more happened all day.";

describe("cutSnippet", () => {
  it("shows where the most different terms stand together", () => {
    expect(cut(prose, "rotated key operator", 60)).toBe("…the keys were rotated by an operator who used a…");
    expect(cut("key key key key. And far away one key of an operator.", "key operator", 24)).toContain(
      "key of an operator",
    );
  });

  it("begins at the front when no term is found, and ends with the text when the last is", () => {
    expect(cut(prose, "zebra", 30)).toBe("The quick brown fox jumps…");
    expect(cut(prose, "day happened", 40)).toMatch(/^….*happened all day\.$/);
  });

  it("leaves a text that fits alone but for white space around it", () => {
    expect(cut("  a\n b \n", "b", 4)).toBe("a\n b");
    expect(cut("", "b", 10)).toBe("");
  });

  it("cuts between characters where there are no spaces", () => {
    const snippet = cut(
      "黑豹队的防守只丢了分在联赛中排名第六同时也以拦截领先国家橄榄球联盟并且四次入选职业碗",
      "橄榄球",
      12,
    );
    expect(snippet).toContain("橄榄球");
    expect(snippet.length).toBeLessThanOrEqual(12);
  });

  it("is a slice between marks, never too long, and never half a character", () => {
    fc.assert(
      fc.property(
        fc.array(anyText, { maxLength: 6 }),
        anyText,
        fc.integer({ min: 1, max: 80 }),
        (parts, query, length) => {
          const text = parts.join(" ").toWellFormed();
          const snippet = cut(text, query, length);
          expect(snippet.length).toBeLessThanOrEqual(length);
          expect(snippet.isWellFormed()).toBe(true);
          const slices = [/^$/g, /^…/g, /…$/g, /^…|…$/g].map((marks) => snippet.replaceAll(marks, ""));
          const fits = text.trim().length <= length;
          expect(fits ? snippet === text.trim() : slices.some((slice) => text.includes(slice))).toBe(true);
          // One code unit may be too little for a character.
          expect(snippet !== "" || text.trim() === "" || length === 1).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("does not cut a word of a script with spaces that fits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("alpha", "beta", "gamma", "delta"), { minLength: 20, maxLength: 60 }),
        fc.integer({ min: 12, max: 80 }),
        (words, length) => {
          const snippet = cut(words.join(" "), "gamma delta", length);
          for (const word of snippet.replaceAll("…", "").split(" "))
            expect(["alpha", "beta", "gamma", "delta"]).toContain(word);
        },
      ),
    );
  });

  it("is linear on hostile input", () => {
    for (const text of Object.values(hostileTexts(20_000)))
      expect(cut(text, text.slice(0, 50), 240).length).toBeLessThanOrEqual(240);
  });

  it("analyzes a word once for all texts, whatever the query, and shows the same [20]", () => {
    const analyzed: string[] = [];
    const counting: Analyzer = {
      ...defaultAnalyzer,
      analyze(text, language) {
        analyzed.push(text);
        return defaultAnalyzer.analyze(text, language);
      },
    };
    const terms = new Set(defaultAnalyzer.analyze("rotated key operator"));
    const first = cutSnippet(prose, terms, counting, 60);
    expect(new Set(analyzed).size).toBe(analyzed.length);
    const words = analyzed.length;
    expect(cutSnippet(prose, terms, counting, 60)).toBe(first);
    const others = new Set(defaultAnalyzer.analyze("lazy dog"));
    expect(cutSnippet(prose, others, counting, 60)).toBe(cut(prose, "lazy dog", 60));
    expect(analyzed.length).toBe(words);
    cutSnippet(prose, terms, counting, 60, "en");
    expect(analyzed.length).toBe(2 * words);
    expect(first).toBe(cut(prose, "rotated key operator", 60));
  });

  it("shows the same whether the words are known or not [20]", () => {
    const words = fc.constantFrom(
      "rotate",
      "rotated",
      "rotating",
      "key",
      "keys",
      "operator",
      "don't",
      "橄榄球",
      "over",
    );
    const text = fc.array(words, { minLength: 8, maxLength: 60 }).map((list) => list.join(" "));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), text, (texts, query) => {
        const kept: Analyzer = { ...defaultAnalyzer };
        const terms = new Set(defaultAnalyzer.analyze(query.slice(0, 20), "en"));
        for (const each of texts) {
          const shown = cutSnippet(each, terms, kept, 30, "en");
          expect(shown).toBe(cutSnippet(each, terms, { ...defaultAnalyzer }, 30, "en"));
          expect(shown).toBe(cutSnippet(each, terms, kept, 30, "en"));
        }
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity])("refuses the length %j", (length) => {
    expect(() => cut(prose, "fox", length)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});
