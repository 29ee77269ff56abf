import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { IbidError } from "../../src/contracts/errors.ts";
import { compileLinearRegex } from "../../src/text/patterns/linear-regex.ts";
import { anyPattern, anyText } from "./any-regex.ts";
import { fewer } from "../support/runs.ts";

const matchesOf = (pattern: string, text: string, ignoreCase = false): string[] =>
  compileLinearRegex(pattern, { ignoreCase })
    .findAll(text)
    .map(({ start, end }) => text.slice(start, end));

const native = (pattern: string, text: string, ignoreCase: boolean): { start: number; end: number }[] =>
  [...text.matchAll(new RegExp(pattern, ignoreCase ? "gimu" : "gmu"))]
    .filter(([found]) => found !== "")
    .map((found) => ({ start: found.index, end: found.index + found[0].length }));

const failure = (pattern: string): IbidError => {
  try {
    compileLinearRegex(pattern);
  } catch (error) {
    return error as IbidError;
  }
  throw new Error("It compiled.");
};

describe("compileLinearRegex", () => {
  it("prefers as JavaScript does: leftmost, then the first way [E26]", () => {
    expect(matchesOf("a|ab", "abab")).toEqual(["a", "a"]);
    expect(matchesOf("ab|a", "abaab")).toEqual(["ab", "a", "ab"]);
    expect(matchesOf("a+?", "aaa")).toEqual(["a", "a", "a"]);
    expect(matchesOf("<.+?>", "<a><b>")).toEqual(["<a>", "<b>"]);
    expect(matchesOf("<.+>", "<a><b>")).toEqual(["<a><b>"]);
    expect(matchesOf("(?:|a)*", "aa")).toEqual(["aa"]);
    expect(matchesOf("(?:|a)?", "aa")).toEqual(["a", "a"]);
    expect(matchesOf("(?<year>\\d{4})-(\\d\\d)", "on 2024-05, 1999-12")).toEqual(["2024-05", "1999-12"]);
  });

  it("takes ^ and $ at lines, and dots up to their ends", () => {
    expect(matchesOf("^.*$", "one\ntwo\r\n\u2028three")).toEqual(["one", "two", "three"]);
    expect(matchesOf("\\bword\\b", "word sword word.")).toEqual(["word", "word"]);
  });

  it("folds case as JavaScript does", () => {
    expect(matchesOf("straße|ſ|k", "STRASSE Straße s \u212a", true)).toEqual(["S", "S", "S", "Straße", "s", "\u212a"]);
  });

  it("leaves empty matches out, though they count for a test", () => {
    const regex = compileLinearRegex("x*");
    expect(regex.findAll("axxb")).toEqual([{ start: 1, end: 3 }]);
    expect(regex.test("")).toBe(true);
    expect(compileLinearRegex("x+").test("abc")).toBe(false);
  });

  it("never splits a surrogate pair", () => {
    expect(matchesOf(".", "a😀")).toEqual(["a", "😀"]);
    expect(matchesOf("[\ud83d\udc00]|\ud83d", "😀")).toEqual([]);
    expect(matchesOf("\\ud83d\\ude00", "x😀")).toEqual(["😀"]);
    expect(matchesOf("\\u{1F600}+", "😀😀")).toEqual(["😀😀"]);
  });

  it("finds what JavaScript finds, on any pattern and text", () => {
    fc.assert(
      fc.property(anyPattern, anyText, fc.boolean(), (source, subject, ignoreCase) => {
        const regex = compileLinearRegex(source, { ignoreCase });
        expect(regex.findAll(subject)).toEqual(native(source, subject, ignoreCase));
        // V8 lets \B hold inside a surrogate pair, where no match may begin.
        if (source.includes("\\B") && /[\ud800-\udbff][\udc00-\udfff]/.test(subject)) return;
        expect(regex.test(subject)).toBe(new RegExp(source, ignoreCase ? "imu" : "mu").test(subject));
      }),
      { numRuns: fewer(1500, 5000) },
    );
  });

  it("finds the same in a long text, block by block", () => {
    const unit = "a😀bb 12\n";
    for (const length of [4090, 4095, 4096, 4097, 9000]) {
      const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      for (const pattern of ["[^]+", "b+|😀", "\\d+\\n?", "^a", "😀.*$", "(?:.|\\n){100}"]) {
        expect(compileLinearRegex(pattern).findAll(text)).toEqual(native(pattern, text, false));
      }
    }
  });

  it.each([
    ["(a+)+$", "!", 0],
    ["(a*)*[b]", "", 0],
    ["(a|aa)+$", "!", 0],
    ["([a-z]+)*[=]", "!", 0],
    ["(?:a?){50}a{50}[b]", "", 0],
    // No literal to look for first; each match alone is linear, and all of them together must be.
    ["[^]*z|a", "", 100_000],
    ["(?:.*[z])?a", "", 100_000],
  ])("comes back from %s on a hundred thousand characters", (pattern, tail, count) => {
    expect(compileLinearRegex(pattern).findAll("a".repeat(100_000) + tail).length).toBe(count);
  });

  it("comes back where state sets hardly repeat", () => {
    let state = 1;
    const noise = Array.from({ length: 20_000 }, () =>
      (state = (state * 48_271) % 2_147_483_647) % 2 === 0 ? "a" : "b",
    ).join("");
    expect(compileLinearRegex("(?:a|b)*a(?:a|b){300}[cd]").test(noise)).toBe(false);
    const matching = `${noise}a${"b".repeat(300)}c`;
    expect(compileLinearRegex("(?:a|b)*a(?:a|b){300}[cd]").findAll(matching)).toEqual([
      { start: 0, end: matching.length },
    ]);
    expect(compileLinearRegex("a(?:a|b){300}").findAll(noise)).toEqual(native("a(?:a|b){300}", noise, false));
  });

  it.each([
    ["x(?=a)", /ahead/, 1],
    ["(?<!a)b", /behind/, 0],
    ["(a)\\1", /back/, 3],
    ["(?<n>a)\\k<n>", /back/, 7],
    ["a(?i:b)", /[Ff]lags/, 1],
    ["[(?i:]\\(?(?-s:b)", /[Ff]lags/, 9],
  ])("refuses %s, saying what and where", (pattern, what, position) => {
    const error = failure(pattern);
    expect(error).toMatchObject({ code: "invalid-regex", details: { position } });
    expect(error.message).toMatch(what);
    expect(error.message).toContain(`position ${position}`);
    expect(error.hint).toBeDefined();
  });

  it.each(["(secret", "[z-secret]", "secret\\", "secret**", "{secret}", "\\p{secret}"])(
    "refuses the malformed %s without repeating it [L10]",
    (pattern) => {
      const error = failure(pattern);
      expect(error.code).toBe("invalid-regex");
      expect(`${error.message} ${error.hint} ${JSON.stringify(error.details)} ${String(error.cause)}`).not.toContain(
        "secret",
      );
    },
  );

  it.each([
    ["(?:(?:a{100}){100}){100}"],
    ["a{999999999}"],
    [`${"(".repeat(300)}a${")".repeat(300)}`],
    ["a".repeat(10_001)],
    [Array.from({ length: 1001 }, (_, i) => `\\u{${(0x4e00 + i).toString(16)}}`).join("")],
  ])("refuses a pattern that would grow too large (case %#)", (pattern) => {
    expect(failure(pattern).code).toBe("invalid-regex");
  });

  it("does not mistake a class or an escape for flags", () => {
    expect(matchesOf("[(?i:]+|\\(\\?i:", "(?i:")).toEqual(["(?i:"]);
    expect(matchesOf("\\((?:i:)", "(i:")).toEqual(["(i:"]);
  });

  it("takes repetitions of nothing for nothing", () => {
    expect(compileLinearRegex("(?:(?:){1000000000}){1000000000}a").findAll("a")).toEqual([{ start: 0, end: 1 }]);
    expect(compileLinearRegex("((?:a{0}){1000000}){1000000}").test("")).toBe(true);
  });

  it("refuses an unknown option", () => {
    expect(() => compileLinearRegex("a", { flags: "g" } as object)).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  });
});
