import { describe, expect, it } from "vitest";
import { locateVerbatim } from "../../src/answers/citations/locate-verbatim.ts";
import { locateWords } from "../../src/answers/citations/locate-words.ts";
import { findQuotedWords } from "../../src/answers/given/find-quoted-words.ts";
import { createRandom } from "../../src/testing/random.ts";
import { fewer } from "../support/runs.ts";

const text =
  "Signing keys live ninety days; it's a rule.\nTo rotate a key, revoke the old one – and issue “another”.\n鍵は二つあります。";

describe("quoted words", () => {
  it.each([
    ["Signing keys live ninety days", "Signing keys live ninety days"],
    ["a  rule. To\nrotate", "a rule.\nTo rotate"],
    ["it’s a rule", "it's a rule"],
    ['issue "another"', "issue “another”"],
    [
      "Signing keys … revoke the old one",
      "Signing keys live ninety days; it's a rule.\nTo rotate a key, revoke the old one",
    ],
    ["鍵は二つ", "鍵は二つ"],
  ])("%j are found", (quote, found) => {
    const place = locateVerbatim(text, quote);
    expect(place && text.slice(place.start, place.end)).toBe(found);
  });

  it.each([
    "",
    " ",
    "signing keys",
    "keys live ninet",
    "igning keys",
    "old one - and",
    "key; revoke",
    "revoke … Signing",
    "ke…s",
  ])("%j are not found", (quote) => {
    expect(locateVerbatim(text, quote)).toBeUndefined();
  });

  it("of any number and length are found, and not where the last one differs", () => {
    const words = Array.from({ length: 12_000 }, (_, i) => `word${i}`);
    const [long, last] = [words.join("\n"), "q".repeat(60_000)];
    const within = `First ${long} ${last} end.`;
    for (const locate of [locateVerbatim, locateWords]) {
      const place = locate(within, `${words.join(" ")} ${last}`);
      expect(place).toEqual({ start: 6, end: 6 + long.length + 1 + last.length });
      expect(locate(within, `${words.join(" ")} ${last}q`)).toBeUndefined();
      expect(locate(within, words.join(" ").replace("word7000 ", "word7001 "))).toBeUndefined();
    }
  });

  it("with one character altered, dropped or added are not found", () => {
    const random = createRandom(16);
    const words = text.split(/\s+/u).slice(0, 19);
    for (let turn = 0; turn < fewer(500, 5000); turn++) {
      const from = random.below(words.length - 3);
      const quote = words.slice(from, from + 3 + random.below(words.length - from - 3)).join(" ");
      expect(locateVerbatim(text, quote)).toBeDefined();
      const inside = [...quote.matchAll(/\p{L}/gu)].map(({ index }) => index);
      const at = random.pick(inside);
      const letter = quote[at]!;
      const other = random.pick("abcdefghijklmnopqrstuvwxyzQ7".split("").filter((one) => one !== letter));
      const altered = [
        quote.slice(0, at) + other + quote.slice(at + 1),
        quote.slice(0, at) + other + quote.slice(at),
        quote.slice(0, at) +
          (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()) +
          quote.slice(at + 1),
      ];
      // "a" alone is a word: without it, the rest may stand there.
      if (/\p{L}\p{L}/u.test(quote.slice(Math.max(0, at - 1), at + 2)))
        altered.push(quote.slice(0, at) + quote.slice(at + 1));
      for (const one of altered) expect({ one, found: locateVerbatim(text, one) }).toEqual({ one, found: undefined });
    }
  });
});

describe("words between quotation marks", () => {
  it.each([
    ['He said "keys live" and “that too”.', ["keys live", "that too"]],
    ['A 5" pipe and a 6" pipe.', []],
    ['`"no"` and „doch“ «là»', ["doch", "là"]],
    ['```\n"code"\n```\n"text"', ["text"]],
    ['An "open one\nand "another"', ["another"]],
    ['""', []],
  ])("of %j", (said, found) => {
    expect(findQuotedWords(said).map(({ start, end }) => said.slice(start, end))).toEqual(found);
  });
});
