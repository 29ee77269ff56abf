import fc from "fast-check";
import { expect, it } from "vitest";
import { displayWidth } from "../../src/cli/text-layout.ts";
import { createStreamWrapper } from "../../src/cli/wrap-stream.ts";

function wrapAll(parts: readonly string[], width: number): string {
  const wrapper = createStreamWrapper(width);
  return parts.map((part) => wrapper.push(part)).join("") + wrapper.end();
}

it("breaks lines between words, however they come", () => {
  expect(wrapAll(["one t", "wo th", "ree\nfour"], 8)).toBe("one two\nthree\nfour");
  expect(wrapAll(["  - item\n", "    code"], 80)).toBe("  - item\n    code");
  expect(wrapAll(["abcdefghij k"], 4)).toBe("abcdefghij\nk");
});

it("changes nothing but white space, and where a word fits every line does", () => {
  const parts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "東", " ", "\n"), maxLength: 6 }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(parts, fc.integer({ min: 2, max: 30 }), (pieces, width) => {
      const text = pieces.join("");
      const wrapped = wrapAll(pieces, width);
      expect(wrapped).toBe(wrapAll([text], width));
      expect(wrapped.replaceAll(/\s/gu, "")).toBe(text.replaceAll(/\s/gu, ""));
      expect(wrapAll([text], Infinity)).toBe(text.replace(/ +$/u, "").replaceAll(/ +\n/gu, "\n"));
      for (const line of wrapped.split("\n")) {
        const words = line.trim().split(/ +/u);
        expect(words.length === 1 || displayWidth(line) <= width).toBe(true);
      }
    }),
  );
});
