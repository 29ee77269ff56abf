import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { canonicalize } from "../../src/text/canonical-text.ts";
import { characters, codePoints, heuristicTokens } from "../../src/text/length.ts";

describe("canonicalize", () => {
  it("takes the byte order mark off and makes every newline \\n", () => {
    expect(canonicalize("\ufeffa\r\nb\rc\nd\r\r\ne")).toBe("a\nb\nc\nd\n\ne");
    expect(canonicalize("a\ufeffb")).toBe("a\ufeffb");
  });

  it("is idempotent and leaves no carriage return", () => {
    const text = fc
      .array(fc.constantFrom("\ufeff", "\r", "\n", "a", "😀"), { maxLength: 12 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (given) => {
        const once = canonicalize(given);
        expect(canonicalize(once)).toBe(once);
        expect(once).not.toMatch(/^\ufeff|\r/);
      }),
    );
  });
});

describe("length functions", () => {
  it("count UTF-16 code units, code points and heuristic tokens [T32]", () => {
    expect([characters("a😀b"), codePoints("a😀b"), heuristicTokens("a😀b")]).toEqual([4, 3, 1]);
    expect([characters(""), codePoints(""), heuristicTokens("")]).toEqual([0, 0, 0]);
    expect(["abcd", "abcde", "abcdefgh"].map(heuristicTokens)).toEqual([1, 2, 2]);
    expect([characters.name, codePoints.name, heuristicTokens.name]).toEqual([
      "characters",
      "code-points",
      "heuristic-tokens",
    ]);
  });

  it("count code points as the language does, lone surrogates included", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "\ud83d", "\ude00", "😀")), (parts) => {
        const text = parts.join("");
        expect(codePoints(text)).toBe(Array.from(text).length);
      }),
    );
  });

  it("never make a whole longer than its parts and one [T33]", () => {
    for (const length of [characters, codePoints, heuristicTokens]) {
      fc.assert(
        fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
          expect(length(a + b)).toBeLessThanOrEqual(length(a) + length(b) + 1);
        }),
        { numRuns: 50 },
      );
    }
  });
});
