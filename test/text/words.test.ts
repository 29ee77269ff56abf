import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { segmentWords } from "../../src/text/words.ts";
import { anyText, hostileTexts } from "./texts.ts";

const words = (text: string): string[] =>
  [...segmentWords(text)].map((word) => (word.kind === "run" ? `<${word.text}>` : word.text));

describe("segmentWords", () => {
  it("keeps a word with an apostrophe, underscores, and numbers with separators whole", () => {
    expect(words("I don't like l’homme, 'quoted' words' snake_case __init__ 3.14 1,234,567 1.2.3")).toEqual([
      "I",
      "don't",
      "like",
      "l’homme",
      "quoted",
      "words",
      "snake_case",
      "init",
      "3.14",
      "1,234,567",
      "1.2.3",
    ]);
  });

  it("separates at everything else", () => {
    expect(words("well-known a/b x.y [1,2,3] 12,34 1234,567 1,2345 end. \u{1F600}f(x)=y")).toEqual([
      "well",
      "known",
      "a",
      "b",
      "x",
      "y",
      "1",
      "2",
      "3",
      "12",
      "34",
      "1234",
      "567",
      "1",
      "2345",
      "end",
      "f",
      "x",
      "y",
    ]);
  });

  it("gives scripts without spaces as runs, apart from what they stand beside", () => {
    expect(words("2015年黑豹队的API，ひらがなとカタカナー ﾊﾟﾝ ภาษาไทย ๒๕ 한국어를 3월 ខ្មែរ")).toEqual([
      "2015",
      "<年黑豹队的>",
      "API",
      "<ひらがなとカタカナー>",
      "<ﾊﾟﾝ>",
      "<ภาษาไทย>",
      "๒๕",
      "<한국어를>",
      "3",
      "<월>",
      "<ខ្មែរ>",
    ]);
  });

  it("keeps marks, joiners and soft hyphens inside words", () => {
    expect(words("cafe\u0301s می\u200cخواهم co\u00adoperate العَرَبِيَّة हिन्दी")).toEqual([
      "cafe\u0301s",
      "می\u200cخواهم",
      "co\u00adoperate",
      "العَرَبِيَّة",
      "हिन्दी",
    ]);
  });

  it("gives slices in order, and leaves no letter or digit between them", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let last = 0;
        for (const word of segmentWords(text)) {
          expect(word.start).toBeGreaterThanOrEqual(last);
          expect(word.end).toBeGreaterThan(word.start);
          expect(text.slice(word.start, word.end)).toBe(word.text);
          expect(text.slice(last, word.start)).not.toMatch(/(?![\uff9e\uff9f])[\p{L}\p{N}]/u);
          last = word.end;
        }
        expect(text.slice(last)).not.toMatch(/(?![\uff9e\uff9f])[\p{L}\p{N}]/u);
      }),
      { numRuns: 1000 },
    );
  });

  it("is linear on hostile input", () => {
    for (const text of Object.values(hostileTexts(100_000))) {
      let end = 0;
      for (const word of segmentWords(text)) ({ end } = word);
      expect(end).toBeLessThanOrEqual(text.length);
    }
  });
});
