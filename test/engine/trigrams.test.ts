import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createTrigramCollector,
  forEachBit,
  mergeTrigrams,
  openTrigrams,
} from "../../src/engine/patterns/trigram-file.ts";
import { requireTrigrams, type TrigramQuery } from "../../src/engine/patterns/trigram-query.ts";
import { collectTrigrams, foldSymbol, trigramKinds } from "../../src/engine/patterns/trigrams.ts";
import type { ColumnFile } from "../../src/engine/vectors/vector-column.ts";
import { compileLinearRegex } from "../../src/text/patterns/linear-regex.ts";
import { parseRegex } from "../../src/text/patterns/regex-syntax.ts";
import { anyText } from "../text/any-regex.ts";
import { fewer } from "../support/runs.ts";

function trigramsOf(text: string): Set<number> {
  const into = new Uint16Array(text.length * 2);
  return new Set(into.subarray(0, collectTrigrams(text, into)));
}

function holds(query: TrigramQuery, trigrams: ReadonlySet<number>): boolean {
  switch (query.kind) {
    case "any":
      return true;
    case "none":
      return false;
    case "trigram":
      return trigrams.has(query.trigram);
    case "every":
      return query.parts.every((part) => holds(part, trigrams));
    case "some":
      return query.parts.some((part) => holds(part, trigrams));
  }
}

const needsOf = (pattern: string): TrigramQuery => requireTrigrams(parseRegex(pattern));
const passes = (pattern: string, text: string): boolean => holds(needsOf(pattern), trigramsOf(text));

describe("folding", () => {
  const cased = Array.from({ length: 0x11_0000 }, (_, codePoint) => codePoint).filter(
    (codePoint) =>
      (codePoint < 0xd800 || codePoint > 0xdfff) && /\p{L}|\p{M}|\p{N}|\p{S}/u.test(String.fromCodePoint(codePoint)),
  );

  it("gives what JavaScript takes for the same, whatever the case, one number [E26]", () => {
    const changing = cased.filter((codePoint) =>
      /\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u.test(String.fromCodePoint(codePoint)),
    );
    const text = changing.map((codePoint) => String.fromCodePoint(codePoint)).join("");
    expect(changing.length).toBeGreaterThan(2500);
    const apart: string[] = [];
    for (const codePoint of changing) {
      const character = String.fromCodePoint(codePoint);
      for (const [other] of text.matchAll(new RegExp(character, "giu"))) {
        if (foldSymbol(other.codePointAt(0)!) !== foldSymbol(codePoint)) apart.push(character + other);
      }
    }
    expect(apart).toEqual([]);
  });

  it("changes nothing that is folded already, for patterns are made of what is", () => {
    const unstable = cased.filter((codePoint) => foldSymbol(foldSymbol(codePoint)) !== foldSymbol(codePoint));
    expect(unstable).toEqual([]);
  });
});

describe("the trigrams of a text", () => {
  it("are every three characters, in either case; of Chinese every two; runs of space and digits are one sign", () => {
    // ABC, BCD; then the same with case, with runs.
    expect(trigramsOf("abcd").size).toBe(2);
    expect(trigramsOf("aBCd")).toEqual(trigramsOf("AbcD"));
    expect(trigramsOf("ab")).toEqual(new Set());
    expect(trigramsOf("中国人")).toEqual(new Set([...trigramsOf("中国"), ...trigramsOf("国人")]));
    expect(trigramsOf("中国").size).toBe(1);
    expect(trigramsOf("a \n\t b")).toEqual(trigramsOf("a b"));
    // "v12" and "12x", and with the digits one sign "v#x".
    expect(trigramsOf("v12x").size).toBe(3);
    expect([...trigramsOf("v9x")].some((trigram) => trigramsOf("v12x").has(trigram))).toBe(true);
  });

  it("of a part are among those of the whole", () => {
    fc.assert(
      fc.property(fc.tuple(anyText, anyText, anyText), ([before, part, after]) => {
        // A part ends between code points.
        if (/[\ud800-\udbff]$/.test(before) || /[\ud800-\udbff]$/.test(part)) return;
        const whole = trigramsOf(before + part + after);
        for (const trigram of trigramsOf(part)) expect(whole.has(trigram)).toBe(true);
      }),
      { numRuns: fewer(500, 2000) },
    );
  });
});

describe("what a pattern requires", () => {
  it("never rules out a text in which it matches [E26]", () => {
    const part = fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom("a", "b", "ab", "ba", "aba", "1", " ", "a1", "1 b") },
      fc.constantFrom("a?", "b*", "a+", "(?:a|b)", "(?:ab|ba)", "(?:aba|b|)", "[ab]", "[^1]", "(?:ba)+", "b{2}", "."),
      fc.constantFrom("\\d", "\\d+", "\\s", "\\s*", "\\s+", "(?:ab?){1,2}", "[1-3]", "[0-9a]", "\\b", "(?:[]|b)"),
    );
    const narrow = fc.array(part, { minLength: 2, maxLength: 7 }).map((parts) => parts.join(""));
    const letter = fc.constantFrom("a", "b", "a", "b", "A", "1", "2", " ", "\n");
    const text = fc.array(letter, { minLength: 12, maxLength: 48, size: "max" }).map((letters) => letters.join(""));
    const seen = { asked: 0, matched: 0, ruledOut: 0 };
    fc.assert(
      fc.property(narrow, text, anyText, fc.boolean(), (pattern, one, other, ignoreCase) => {
        const needs = needsOf(pattern);
        if (needs.kind === "any") return;
        seen.asked++;
        const regex = compileLinearRegex(pattern, { ignoreCase });
        for (const subject of [one, other, one + other]) {
          const may = holds(needs, trigramsOf(subject));
          if (!may) seen.ruledOut++;
          if (!regex.test(subject)) continue;
          seen.matched++;
          expect(may).toBe(true);
        }
      }),
      { numRuns: fewer(1000, 4000) },
    );
    // It did ask, and the answers differed.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
  });

  it("never rules out a text that is made of what the pattern says", () => {
    const word = fc.constantFrom("error", "Straße", "中国", "x", "id", "404", " ", "ſk");
    const piece = fc.oneof(
      word.map((text) => [text, text] as const),
      fc.tuple(word, word).map(([a, b]) => [`(?:${a}|${b})`, b] as const),
      fc.tuple(word, fc.integer({ min: 0, max: 3 })).map(([a, n]) => [`(?:${a})*`, a.repeat(n)] as const),
      fc.tuple(word, fc.integer({ min: 2, max: 6 })).map(([a, n]) => [`(?:${a}){2,}`, a.repeat(n)] as const),
      fc.constantFrom(
        ["\\d+", "2024"],
        ["\\d{2}", "17"],
        ["\\s+", " \n "],
        ["\\s*", ""],
        ["[a-c]", "b"],
        ["[0-9a]?", "7"],
      ),
      fc.constantFrom([".*", "anything"], ["\\w+", "wörd"], ["[^a]", "b"], ["[4-6]", "5"], ["\\b", ""], ["e?", ""]),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 7 }), anyText, (pieces, around) => {
        const pattern = pieces.map(([source]) => source).join("");
        const text = pieces.map(([, match]) => match).join("");
        expect(passes(pattern, text)).toBe(true);
        // Not the capitals of ß, which are two.
        const capitals = Array.from(text, (letter) => (letter === "ß" ? letter : letter.toUpperCase())).join("");
        expect(passes(pattern, `${around} ${capitals}-${around}`)).toBe(true);
      }),
      { numRuns: fewer(800, 3000) },
    );
  });

  it.each([
    ["hello", "help low", "(six) three letters in a row"],
    ["colou?r", "colt r", "either spelling"],
    ["(?:red|blue) car", "red bus", "what follows both ways"],
    ["SKU-\\d+", "SKU-x", "a number is one sign"],
    ["\\d{4}-\\d\\d-\\d\\d", "2024/05/17", "so are numbers with signs between"],
    ["v\\d+\\.\\d+", "v12", "and what is between two"],
    ["[Ee]rror", "terrier", "a small class is its members"],
    ["foo\\s+bar", "foo, bar", "white space is one sign"],
    ["(?:abc)+d", "ab cd", "what repeats is there once"],
    ["x.*needle", "x noodle", "what comes after anything"],
    ["中国.*大学", "中国人", "pairs of Chinese"],
    ["^\\s*def\\s\\w+", "undefined", "anchors say nothing"],
    ["[]|nevermore", "raven", "a way that never is"],
  ])("rules out for %s the text %s: %s", (pattern, text) => {
    expect(passes(pattern, text)).toBe(false);
  });

  it.each([
    ".*",
    "\\w+",
    "ab",
    "a|needle",
    "(?:needle)?",
    "(?:needle)*",
    "[^a]{3}",
    "\\d+",
    "x{0}",
    "^$",
    "[a-z]{5}",
    "\\p{Lu}",
  ])("says nothing for %s", (pattern) => expect(needsOf(pattern).kind).toBe("any"));

  it("says that nothing can match, where nothing can", () => {
    expect(needsOf("[]").kind).toBe("none");
    expect(needsOf("needle[]x").kind).toBe("none");
  });

  it("stays small, whatever the pattern", () => {
    const hostile = [
      "a".repeat(4000),
      Array.from({ length: 300 }, (_, i) => `word${i * 7919}`).join("|"),
      `(?:${"(?:abc|abd|x)".repeat(40)})`,
      "(?:(?:(?:(?:(?:(?:abcde){3}){3}){3}){3}){3})",
      `${"(".repeat(150)}needle${")".repeat(150)}`,
      "[a-p][a-p][a-p][a-p][a-p]",
    ];
    for (const pattern of hostile) expect(needsOf(pattern).size).toBeLessThanOrEqual(256);
  });
});

describe("the file of a segment's trigrams", () => {
  const build = (size: number, texts: readonly string[]): readonly ColumnFile[] => {
    const collector = createTrigramCollector(size);
    texts.forEach((text, ordinal) => collector.add(ordinal, text));
    return collector.finish();
  };
  const open = (size: number, files: readonly ColumnFile[]) =>
    openTrigrams(size, (part) => files.find((file) => file.part === part)?.data)!;
  const listed = (bits: Uint8Array): number[] => {
    const places: number[] = [];
    forEachBit(bits, (place) => places.push(place));
    return places;
  };

  it("gives back who has which, for lists of any density", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 700 }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.constantFrom("abc", "bcd", "xyz", "中国", "9-9")), {
          maxLength: 6,
        }),
        (size, kinds) => {
          const texts = Array.from({ length: size }, (_, i) =>
            kinds.flatMap(([step, word]) => (i % step === step - 1 ? [word] : [])).join("\u{1F600}"),
          );
          const index = open(size, build(size, texts));
          const asked = new Set([...texts.flatMap((text) => [...trigramsOf(text)]), 0, trigramKinds - 1]);
          for (const trigram of asked) {
            const bits = new Uint8Array((size + 7) >> 3);
            index.mark(trigram, bits);
            const expected = texts.flatMap((text, i) => (trigramsOf(text).has(trigram) ? [i] : []));
            expect(listed(bits)).toEqual(expected);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("of several becomes that of the whole, without what is gone", () => {
    const words = ["ash tree", "birch bark", "cedar 12", "elm", "中国人", "fir cone 7"];
    const texts = Array.from({ length: 90 }, (_, i) => `${words[i % 6]} ${words[(i * 5) % 6]} ${i}`);
    const parts = [texts.slice(0, 20), texts.slice(20, 63), texts.slice(63)];
    // Every seventh is gone; the others end up in reverse order.
    const kept = texts.filter((_, i) => i % 7 !== 0).toReversed();
    const moved = parts.map((part) =>
      Uint32Array.from(part, (text) => (kept.includes(text) ? kept.indexOf(text) : kept.length)),
    );
    const merged = mergeTrigrams(
      parts.map((part) => open(part.length, build(part.length, part))),
      moved,
      kept.length,
    );
    expect(merged).toEqual(build(kept.length, kept));
  });

  it("is not relied on where letters are other letters", () => {
    const [header, ...blocks] = build(3, ["abc", "abd", ""]);
    const said = JSON.parse(new TextDecoder().decode(header!.data)) as { unicode: number };
    const other = new TextEncoder().encode(JSON.stringify({ ...said, unicode: said.unicode - 1 }));
    expect(openTrigrams(3, (part) => (part === 0 ? other : blocks[part - 1]?.data))).toBeUndefined();
    expect(openTrigrams(3, () => undefined)).toBeUndefined();
  });

  it("joins by and, or, nothing and everything", () => {
    const texts = ["abc def", "abc", "def", "xyz"];
    const index = open(4, build(4, texts));
    const find = (pattern: string) => listed(index.find(needsOf(pattern))!);
    expect(find("abc.*def")).toEqual([0]);
    expect(find("abc|xyz")).toEqual([0, 1, 3]);
    expect(find("[]")).toEqual([]);
    expect(index.find(needsOf("."))).toBeUndefined();
  });
});
