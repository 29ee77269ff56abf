import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createAnalyzer } from "../../src/text/analyzer.ts";
import { WordMap } from "../../src/text/word-map.ts";
import { segmentWords, WordList } from "../../src/text/words.ts";
import { anyText } from "./texts.ts";

/** FNV-1a as its authors write it, with numbers as wide as they come. **Source** Fowler, Noll and Vo. */
function fnv(word: string): number {
  let hash = 0x811c9dc5n;
  for (const unit of [1, ...Array.from({ length: word.length }, (_, at) => word.charCodeAt(at))]) {
    hash = ((hash ^ BigInt(unit)) * 0x01000193n) & 0xffff_ffffn;
  }
  return Number(hash) | 0;
}

describe("a list of words as numbers", () => {
  it("says of each word where it stands, its hash, and whether it is ASCII or a run", () => {
    const words = new WordList();
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 3 }), (texts) => {
        for (const text of texts) {
          words.read(text);
          const found = Array.from({ length: words.count }, (_, i) => ({
            text: text.slice(words.starts[i], words.ends[i]),
            start: words.starts[i],
            end: words.ends[i],
            kind: words.isRun(i) ? "run" : "word",
          }));
          expect(found).toEqual([...segmentWords(text)]);
          expect(Array.from(words.hashes.subarray(0, words.count))).toEqual(found.map((word) => fnv(word.text)));
          for (const [i, word] of found.entries()) expect(words.isAscii(i)).toBe(/^[\0-\x7f]*$/.test(word.text));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("reads a short text after a long one, and lets the long one go", () => {
    const words = new WordList();
    words.read("word ".repeat(50_000));
    expect(words.count).toBe(50_000);
    const { length } = words.units;
    words.read("1 2");
    expect([words.count, ...words.ends.subarray(0, 2)]).toEqual([2, 1, 3]);
    expect(words.units.length).toBeLessThan(length);
    // What lies behind the end is nobody's: a number does not go on there.
    words.read("1,234");
    words.read("1,23");
    expect(words.count).toBe(2);
  });
});

describe("a map of words", () => {
  it("keeps what a plain map keeps, under words as they are spelled", () => {
    const words = new WordList();
    // Few letters, so that words come again, and more words than the first table has room for.
    const spelled = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "ß", "𝔟"), minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 2000,
      size: "max",
    });
    fc.assert(
      fc.property(spelled, (list) => {
        const own = new WordMap<number>();
        const plain = new Map<string, number>();
        words.read(list.join(" "));
        for (let i = 0; i < words.count; i++) {
          expect(own.get(words, i)).toBe(plain.get(list[i]!));
          if (!plain.has(list[i]!)) own.set(words, i, i);
          if (!plain.has(list[i]!)) plain.set(list[i]!, i);
        }
        expect(own.size).toBe(plain.size);
        own.clear();
        expect([own.size, own.get(words, 0)]).toEqual([0, undefined]);
      }),
      { numRuns: 30 },
    );
  });

  it("tells apart words of one hash", () => {
    const words = new WordList();
    words.read("one two");
    words.hashes[1] = words.hashes[0]!;
    const own = new WordMap<string>();
    own.set(words, 0, "one");
    expect(own.get(words, 1)).toBeUndefined();
    own.set(words, 1, "two");
    expect([own.get(words, 0), own.get(words, 1)]).toEqual(["one", "two"]);
  });

  it("keeps nothing of words that are longer than a term", () => {
    const words = new WordList();
    words.read(`${"a".repeat(64)} ${"a".repeat(65)}`);
    const own = new WordMap<number>();
    own.set(words, 0, 0);
    own.set(words, 1, 1);
    expect([own.get(words, 0), own.get(words, 1), own.size]).toEqual([0, undefined, 1]);
  });
});

describe("an analyzer with rules that ask an analyzer", () => {
  it("gives the terms of both, whoever reads first", () => {
    const asked = createAnalyzer({
      languages: {
        xx: {
          version: "1",
          script: "latin",
          stem: (word) => asked.analyze(`${word}s and others`, "en").join("+"),
        },
      },
    });
    expect(asked.analyze("first, second", "xx")).toEqual(["first+and+other", "second+and+other"]);
  });
});
