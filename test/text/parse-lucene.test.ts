import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IbidError } from "../../src/contracts/errors.ts";
import { isWithinEdits } from "../../src/runtime/edit-distance.ts";
import { luceneWords, parseLucene } from "../../src/text/parse-lucene.ts";
import { plainEditDistance } from "./plain-edit-distance.ts";

describe("Lucene's syntax [E25]", () => {
  it("reads each sign as what it says", () => {
    expect(parseLucene(String.raw`keys +rotate -"old way" begin* near~ near~0.8 near~1 a\*b \"q x-y C++`)).toEqual([
      { occurs: "should", kind: "word", text: "keys" },
      { occurs: "must", kind: "word", text: "rotate" },
      { occurs: "not", kind: "phrase", text: "old way" },
      { occurs: "should", kind: "prefix", text: "begin" },
      { occurs: "should", kind: "fuzzy", text: "near" },
      { occurs: "should", kind: "fuzzy", text: "near", nearness: 0.8 },
      { occurs: "should", kind: "fuzzy", text: "near", nearness: 1 },
      { occurs: "should", kind: "word", text: "a*b" },
      { occurs: "should", kind: "word", text: '"q' },
      { occurs: "should", kind: "word", text: "x-y" },
      { occurs: "should", kind: "word", text: "C++" },
    ]);
    expect(parseLucene(" \t\n")).toEqual([]);
  });

  it.each([
    ['keys "open', 5],
    ["keys +", 5],
    ["keys - old", 5],
    ["*", 0],
    ["keys ~2", 5],
    ["be*gin", 2],
    ["near~7", 5],
    ["near~x", 5],
    ['a "  "', 2],
    ["-old -older", 0],
  ])("says where %s does not parse", (query, position) => {
    expect(() => parseLucene(query)).toThrow(
      expect.objectContaining({ code: "invalid-argument", details: { position } }) as Error,
    );
  });

  it("never fails in any other way, and escapes make every text a word", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", " ", "+", "-", '"', "*", "~", "\\", "1", "é") }),
        (query) => {
          let refused: unknown;
          try {
            parseLucene(query);
          } catch (error) {
            refused = error;
          }
          expect(refused === undefined || IbidError.isInstance(refused, "invalid-argument")).toBe(true);
          const word = query.replaceAll(/\s/gu, "");
          const escaped = Array.from(word, (sign) => `\\${sign}`).join("");
          expect(luceneWords(parseLucene(escaped))).toBe(word);
        },
      ),
    );
  });

  it("what is excluded is not what it asks for", () => {
    expect(luceneWords(parseLucene('+a -b "c d" e* f~1'))).toBe("a c d e f");
  });
});

describe("words that are written nearly alike", () => {
  it("counts as the whole matrix does [E25]", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.nat(3), (a, b, limit) => {
        expect(isWithinEdits(a, b, limit)).toBe(plainEditDistance(a, b) <= limit);
      }),
      { numRuns: 2000 },
    );
    expect(isWithinEdits("retrieval", "retreival", 1)).toBe(true);
    expect(isWithinEdits("kitten", "sitting", 2)).toBe(false);
  });
});
