import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findSentences } from "../../src/chunkers/document-sentences.ts";
import { createSentenceChunker, splitBySentence } from "../../src/chunkers/sentence-chunker.ts";
import { createTokenChunker, splitByTokens } from "../../src/chunkers/token-chunker.ts";
import type { Chunker } from "../../src/contracts/chunker.ts";
import type { TextDocument } from "../../src/contracts/document.ts";
import { countInPieces } from "../../src/text/count-in-pieces.ts";
import { characters, heuristicTokens } from "../../src/text/length.ts";
import { createDocument, markdown } from "./generated-document.ts";

const texts = (chunker: Chunker, document: TextDocument): string[] =>
  Array.from(chunker.chunk(document), ({ text }) => text);

/** A sentence of exactly `size` characters, full stop included. */
const sentence = (letter: string, size: number): string => `${letter.toUpperCase()}${letter.repeat(size - 2)}.`;

describe("sentences of a document", () => {
  it.each([
    ["abbreviations", "Dr. Vane left. See e.g. Fig. 3.", ["Dr. Vane left.", "See e.g. Fig. 3."]],
    ["decimals", "It cost 3.14 pounds. Then 2.50.", ["It cost 3.14 pounds.", "Then 2.50."]],
    ["addresses", "Read https://a.example/b.c?d=e! Then go.", ["Read https://a.example/b.c?d=e!", "Then go."]],
    ["ellipses", "Wait… what? No... it goes on. Yes.", ["Wait… what?", "No... it goes on.", "Yes."]],
    [
      "quotes after full stops",
      "He said “Go.” She went. ‘Now.’ Done.",
      ["He said “Go.”", "She went.", "‘Now.’", "Done."],
    ],
    ["Chinese", "灯塔很高。海很静！你来吗？来。", ["灯塔很高。", "海很静！", "你来吗？", "来。"]],
    ["Devanagari", "समुद्र शांत है। टिकट कितने का है?", ["समुद्र शांत है।", "टिकट कितने का है?"]],
    ["Arabic", "كم ثمن التذكرة؟ المنارة بعيدة.", ["كم ثمن التذكرة؟", "المنارة بعيدة."]],
    ["Thai, whose sentences end with the paragraph", "ตั๋วราคาเท่าไร ไม่ทราบ\n\nขอบคุณ", ["ตั๋วราคาเท่าไร ไม่ทราบ", "ขอบคุณ"]],
  ])("knows %s [T31]", (_, text, expected) => {
    expect(splitBySentence(text)).toEqual(expected);
    expect(texts(createSentenceChunker({ sentences: 1, overlap: 0 }), createDocument(text))).toEqual(expected);
  });

  it("are rows in a table, lines in code, and begin with the heading before them [T31 E18]", () => {
    const source =
      "# Top\n\n## Ships\n\nOne. Two.\n\n| a. b | c |\n| --- | --- |\n| x. y | z |\n| u | v |\n\n```\nf. g\nh\n```\n\n# End\n";
    const document = markdown(source);
    expect(Array.from(findSentences(document), ({ start, end }) => source.slice(start, end))).toEqual([
      "# Top\n\n## Ships\n\nOne.",
      "Two.",
      "| a. b | c |\n| --- | --- |",
      "| x. y | z |",
      "| u | v |",
      "```",
      "f. g",
      "h",
      "```",
      "# End",
    ]);
  });

  it("are gathered as long as number and size allow, fewer shared than a chunk holds [T31]", () => {
    const document = createDocument(
      Array.from("abcdefg")
        .map((letter) => sentence(letter, 10))
        .join(" "),
    );
    const group = (letters: string): string =>
      Array.from(letters)
        .map((letter) => sentence(letter, 10))
        .join(" ");
    const cut = (options: Parameters<typeof createSentenceChunker>[0]): string[] =>
      texts(createSentenceChunker(options), document);
    expect(cut({ sentences: 3, overlap: 0 })).toEqual([group("abc"), group("def"), group("g")]);
    expect(cut({ sentences: 3, overlap: 21 })).toEqual(["abc", "bcd", "cde", "def", "efg"].map(group));
    expect(cut({ sentences: 3, overlap: 20 })).toEqual([group("abc"), group("cde"), group("efg")]);
    expect(cut({ sentences: 9, maxSize: 32, overlap: 10 })).toEqual([group("abc"), group("cde"), group("efg")]);
    expect(cut({ sentences: 1, maxSize: 32, overlap: 20 })).toEqual(Array.from("abcdefg").map(group));
  });

  it("are cut finer only when they are larger than the size [T31]", () => {
    const document = createDocument(`${sentence("a", 10)} one two three four ${sentence("b", 10)}`);
    expect(texts(createSentenceChunker({ maxSize: 12, overlap: 0 }), document)).toEqual([
      sentence("a", 10),
      "one two",
      "three four",
      sentence("b", 10),
    ]);
  });

  it("refuses fewer than one", () => {
    expect(() => createSentenceChunker({ sentences: 0 })).toThrow("at least 1");
    expect(() => createSentenceChunker({ sentences: 1.5 })).toThrow("at least 1");
  });
});

describe("the token chunker", () => {
  it("has the seed's sizes, in tokens of four characters [T30 T32]", () => {
    // 600 sentences of 19 characters and a space: 20 are 100 tokens.
    const text = Array.from({ length: 600 }, () => sentence("a", 19)).join(" ");
    const chunks = [...createTokenChunker().chunk(createDocument(text))];
    expect(heuristicTokens(chunks[0]!.text)).toBe(500);
    for (const [i, { start, end }] of chunks.entries()) {
      expect(heuristicTokens(text.slice(start, end))).toBeLessThanOrEqual(500);
      expect(heuristicTokens(text.slice(start, end))).toBeGreaterThanOrEqual(100);
      const next = chunks[i + 1];
      expect(next === undefined ? 50 : heuristicTokens(text.slice(next.start, end))).toBe(50);
    }
  });

  it("does not end a chunk at a blank line before it holds the minimum [T30]", () => {
    const document = createDocument(
      `${sentence("a", 20)}\n\n${Array.from("bcde")
        .map((l) => sentence(l, 20))
        .join(" ")}`,
    );
    const cut = (minTokens: number): string[] =>
      texts(createTokenChunker({ maxTokens: 50, overlapTokens: 0, minTokens, length: characters }), document);
    expect(cut(0)[0]).toBe(sentence("a", 20));
    expect(cut(25)[0]).toBe(`${sentence("a", 20)}\n\n${sentence("b", 20)}`);
  });

  it("leaves no rest below the minimum where the chunk before can give [T30]", () => {
    const all = Array.from("abcdef").map((letter) => sentence(letter, 20));
    const cut = (minTokens: number): string[] =>
      texts(
        createTokenChunker({ maxTokens: 104, overlapTokens: 0, minTokens, length: characters }),
        createDocument(all.join(" ")),
      );
    // Five sentences are 104, the sixth is left over.
    expect(cut(0)).toEqual([all.slice(0, 5).join(" "), all[5]]);
    expect(cut(40)).toEqual([all.slice(0, 4).join(" "), all.slice(4).join(" ")]);
  });

  it("refuses what T30's list refuses [T30]", () => {
    const wrong = (options: Parameters<typeof createTokenChunker>[0]) => (): unknown => createTokenChunker(options);
    expect(wrong({ maxTokens: 0 })).toThrow("maxTokens must be a whole number of at least 1");
    expect(wrong({ overlapTokens: -1 })).toThrow("overlapTokens must be a whole number of at least 0");
    expect(wrong({ maxTokens: 200, overlapTokens: 200 })).toThrow("overlapTokens (200) must be below maxTokens (200)");
    expect(wrong({ minTokens: -1 })).toThrow("minTokens must be a whole number from 0");
    expect(wrong({ minTokens: 2.5 })).toThrow("minTokens must be a whole number from 0");
    expect(wrong({ maxTokens: 99 })).toThrow("minTokens must be a whole number from 0 to maxTokens (99), not 100");
    expect(wrong({ maxSize: 99 } as object)).toThrow('no option "maxSize"');
  });

  it("is there under the seed's name, for bare texts [T31]", () => {
    const text = `${sentence("a", 20)} ${sentence("b", 20)} ${sentence("c", 20)}`;
    expect(splitByTokens({ maxTokens: 11, overlapTokens: 5, minTokens: 1 }, heuristicTokens, text)).toEqual([
      `${sentence("a", 20)} ${sentence("b", 20)}`,
      `${sentence("b", 20)} ${sentence("c", 20)}`,
    ]);
    expect(splitByTokens({}, heuristicTokens, "  ")).toEqual([]);
  });
});

describe("counting in pieces", () => {
  const counted: number[] = [];
  const watched = (text: string): number => {
    counted.push(text.length);
    return countTokens(text);
  };

  it("counts as the tokenizer does wherever there are spaces [T33]", () => {
    const words = ["the", "lighthouse", "3.14", "Größe", "漢字", "don't", "f(x)", "\n", "\n\n", "  ", "_", "👩‍🚀", "\t"];
    const text = fc.array(fc.constantFrom(...words), { maxLength: 80 }).map((all) => all.join(" "));
    fc.assert(
      fc.property(text, fc.integer({ min: 40, max: 90 }), (source, pieceSize) => {
        // Runs of white space are shorter than a piece, so that every cut can fall before a single space.
        const given = source.replaceAll(/\s{8,}/g, " ");
        expect(countInPieces(countTokens, { name: "o200k", pieceSize })(given)).toBe(countTokens(given));
      }),
    );
  });

  it.each(["a", "漢", " ", "é", "😀", "\n"])(
    "never shows it more than a piece of an endless run of %j [T33]",
    (unit) => {
      counted.length = 0;
      const text = unit.repeat(20_000);
      const tokens = countInPieces(watched, { name: "o200k", pieceSize: 256 })(text);
      expect(Math.max(...counted)).toBeLessThanOrEqual(256);
      expect(counted.reduce((sum, length) => sum + length, 0)).toBe(text.length);
      // Nothing is lost, and each cut costs at most what could have been joined across it.
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBeLessThanOrEqual(countTokens(unit.repeat(256)) * counted.length);
    },
  );

  it("leaves pairs whole, and names its piece when it is not the usual [T33]", () => {
    const seen: string[] = [];
    const count = countInPieces((text) => seen.push(text), { name: "mine", pieceSize: 3 });
    expect(count("😀😀😀")).toBe(1 + 2 + 3);
    expect(seen).toEqual(["😀", "😀", "😀"]);
    expect(count.name).toBe("mine/3");
    expect(countInPieces(() => 1, { name: "mine" }).name).toBe("mine");
    expect(() => countInPieces(() => 1, { name: " " })).toThrow("needs a name");
    expect(() => countInPieces(() => 1, { name: "x", pieceSize: 1 })).toThrow("pieces of at least 2");
  });
});
