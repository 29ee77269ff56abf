import { describe, expect, it } from "vitest";

import { createLineChunker } from "../../src/chunkers/line-chunker.ts";
import { createSeparatorChunker, splitTextRecursively } from "../../src/chunkers/separator-chunker.ts";
import {
  splitMarkdownLines,
  splitMarkdownParagraphs,
  splitPlainTextLines,
  splitPlainTextParagraphs,
} from "../../src/chunkers/split-lines-and-paragraphs.ts";
import { createWindowChunker, splitText } from "../../src/chunkers/window-chunker.ts";
import type { Chunker } from "../../src/contracts/chunker.ts";
import { characters } from "../../src/text/length.ts";
import { createDocument } from "./generated-document.ts";

const texts = (chunker: Chunker, text: string): string[] =>
  Array.from(chunker.chunk(createDocument(text)), (chunk) => chunk.text);
const letters = (text: string): number => text.length;

describe("a window over code points", () => {
  it("is as long as it should be, and moves by size less overlap [W18]", () => {
    expect(splitText("abcdefgh", 4, 1)).toEqual(["abcd", "defg", "gh"]);
    expect(splitText("abcdefg", 4, 1)).toEqual(["abcd", "defg"]);
    expect(splitText("abcd", 4, 1)).toEqual(["abcd"]);
    expect(splitText("", 4, 1)).toEqual([]);
  });

  it("counts an emoji once and never cuts it [W18]", () => {
    expect(splitText("😀😁😂🤣", 2, 1)).toEqual(["😀😁", "😁😂", "😂🤣"]);
  });

  it("takes an overlap that is too large for one less than the size, and a size of 0 for no windows [W18]", () => {
    expect(splitText("abcd", 3, 9)).toEqual(["abc", "bcd"]);
    expect(splitText("abc", 1, 9)).toEqual(["a", "b", "c"]);
    expect(splitText("abc", 0, 0)).toEqual([]);
  });

  it("refuses as a chunker what the seed bends to its will [W18]", () => {
    expect(() => createWindowChunker({ size: 0 })).toThrow("size must be a whole number of at least 1");
    expect(() => createWindowChunker({ size: 5, overlap: 5 })).toThrow("overlap (5) must be below size (5)");
  });

  it("leaves out a window of nothing but white space [W18]", () => {
    expect(texts(createWindowChunker({ size: 3, overlap: 0 }), "abc   def")).toEqual(["abc", "def"]);
  });
});

describe("cutting behind separators", () => {
  it("cuts behind the coarsest within the size, and keeps them [W18]", () => {
    const cut = (text: string, maxSize: number): string[] =>
      texts(createSeparatorChunker({ maxSize, overlap: 0 }), text);
    expect(cut("one two\nthree\n\nfour five", 16)).toEqual(["one two\nthree", "four five"]);
    expect(cut("one two\nthree\n\nfour five", 12)).toEqual(["one two", "three", "four five"]);
    expect(cut("one two three", 8)).toEqual(["one two", "three"]);
    expect(cut("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
  });

  it("takes separators of one's own, and anywhere last, listed or not [W18]", () => {
    const chunker = createSeparatorChunker({ maxSize: 6, overlap: 0, separators: ["; ", ","] });
    expect(texts(chunker, "a,b; c,d,e; fghijklmn")).toEqual(["a,b;", "c,d,e;", "fghijk", "lmn"]);
    expect(() => createSeparatorChunker({ separators: [1 as never] })).toThrow("list of strings");
  });

  it("begins an overlap behind a separator, not blindly [W18]", () => {
    expect(texts(createSeparatorChunker({ maxSize: 13, overlap: 5 }), "one two three four five")).toEqual([
      "one two three",
      "three four",
      "four five",
    ]);
  });

  it("numbers the chunks of the seed's own name as the seed does, 1000 and 200 [W18]", () => {
    const document = createDocument(`${"a".repeat(999)}\n\n${"b".repeat(10)}`, { metadata: { source: "x" } });
    const chunks = splitTextRecursively(document);
    expect(chunks.map(({ id, metadata, urtext }) => [id, metadata, urtext.length])).toEqual([
      ["doc:0", { source: "x", chunk_index: 0 }, 999],
      ["doc:1", { source: "x", chunk_index: 1 }, 10],
    ]);
    expect(splitTextRecursively("a b", 2, 0).map(({ text }) => text)).toEqual(["a", "b"]);
    expect(() => splitTextRecursively("a b", 0, 0)).toThrow("at least 1");
  });
});

describe("Semantic Kernel's lines", () => {
  it("are the text's own, trimmed, blank ones left out [S23]", () => {
    expect(splitPlainTextLines("  one \r\n\n\rtwo\nthree", 100)).toEqual(["one", "two", "three"]);
  });

  it("are halved where they are too long, behind the coarsest separator nearest to the middle [S23]", () => {
    // 24 characters, 6 tokens; the middle is 12, full stops stand at 5 and 16: 16 is nearer.
    expect(splitPlainTextLines("aaaaa.bbbbbbbbbb.ccccccc", 4)).toEqual(["aaaaa.bbbbbbbbbb.", "ccccccc"]);
    expect(splitPlainTextLines("aaaaa.bbbbbbbbbb.ccccccc", 3)).toEqual(["aaaaa.", "bbbbbbbbbb.", "ccccccc"]);
    expect(splitPlainTextLines("Is it? It is; or: no, (yes) we-go", 2)).toEqual([
      "Is it?",
      "It is;",
      "or:",
      "no,",
      "(yes) we-go",
    ]);
  });

  it("are halved in the middle when nothing else is left, but never within a character [S23]", () => {
    expect(splitPlainTextLines("abcdefgh", 1)).toEqual(["abcd", "efgh"]);
    expect(splitPlainTextLines("😀😀😀", 3, letters)).toEqual(["😀", "😀", "😀"]);
  });

  it("tokens are four characters, rounded down; another counter may be given [S23]", () => {
    expect(splitPlainTextLines("abc def", 1)).toEqual(["abc def"]);
    expect(splitPlainTextLines("abc defg", 1)).toEqual(["abc", "defg"]);
    expect(splitPlainTextLines("abc def", 3, letters)).toEqual(["abc", "def"]);
  });

  it("of Markdown are not cut at line ends before everything else [S23]", () => {
    expect(splitMarkdownLines("a b\nc d", 4, letters)).toEqual(["a", "b\nc", "d"]);
    expect(splitPlainTextLines("a b\nc d", 4, letters)).toEqual(["a b", "c d"]);
    expect(splitMarkdownLines("ab\ncd", 3, letters)).toEqual(["ab", "cd"]);
  });
});

describe("Semantic Kernel's paragraphs", () => {
  it("gather lines while they stay below the budget, the line break counted [S23]", () => {
    // In letters: "aa" and its break are 3; with "bb" and one more, 6: at the budget already.
    expect(splitPlainTextParagraphs(["aa", "bb", "cc"], 6, 0, "", letters)).toEqual(["aa", "bb", "cc"]);
    expect(splitPlainTextParagraphs(["aa", "bb", "cc"], 7, 0, "", letters)).toEqual(["aa\nbb", "cc"]);
    expect(splitPlainTextParagraphs([], 7)).toEqual([]);
  });

  it("halve lines that do not fit first [S23]", () => {
    // The space before "Stay" counts: 11 letters.
    expect(splitPlainTextParagraphs(["Go now. Stay here."], 11, 0, "", letters)).toEqual(["Go now.", "Stay here."]);
    expect(splitPlainTextParagraphs(["Go now. Stay here."], 10, 0, "", letters)).toEqual(["Go now.", "Stay", "here."]);
    expect(splitMarkdownParagraphs(["Go now. Stay here."], 11, 0, "", letters)).toEqual(["Go now.", "Stay here."]);
  });

  it("join a last one below a quarter to the one before, if their words fit [S23]", () => {
    // Budget 16: the first two lines are 15 with their breaks; "e" is 1, below 4. A line break within stays, as it is no space.
    const lines = ["aaaa bbbb", "cccc", "e"];
    expect(splitPlainTextParagraphs(lines, 16, 0, "", letters)).toEqual(["aaaa bbbb\ncccc e"]);
    expect(splitPlainTextParagraphs(["a b c d e f g h", "i"], 17, 0, "", letters)).toEqual(["a b c d e f g h i"]);
    expect(splitPlainTextParagraphs(["aaaaaaaa", "b"], 10, 0, "", letters)).toEqual(["aaaaaaaa b"]);
    expect(splitPlainTextParagraphs(["aaaaaaa", "bbb"], 10, 0, "", letters)).toEqual(["aaaaaaa", "bbb"]);
  });

  it("end with the beginning of the next, and begin with the header, both taken from the budget [S23]", () => {
    // The next one's beginning is halved down to 4 letters: "Three four." at its space, "Three " in its middle.
    expect(splitPlainTextParagraphs(["One two.", "Three four."], 16, 4, "", letters)).toEqual([
      "One two. Thr",
      "Three four.",
    ]);
    expect(splitPlainTextParagraphs(["One.", "Two."], 9, 0, "H: ", letters)).toEqual(["H: One.", "H: Two."]);
  });

  it("refuse sizes that leave nothing [S23]", () => {
    expect(() => splitPlainTextParagraphs(["a"], 0)).toThrow("maxTokens should be a positive number");
    expect(() => splitPlainTextParagraphs(["a"], 5, 5)).toThrow("must be below maxTokens");
    expect(() => splitMarkdownParagraphs(["a"], 5, 2, "abc", letters)).toThrow("must be below maxTokens");
  });

  it("keep their places as chunks of a document [S23 L1]", () => {
    const text = "First line.\n\n  Second, which is long; and goes on.\nThird.";
    const document = createDocument(text);
    const chunks = [...createLineChunker({ maxTokens: 24, length: characters }).chunk(document)];
    expect(chunks.map(({ urtext }) => urtext)).toEqual([
      "First line.",
      "Second, which is long;",
      "and goes on.\nThird.",
    ]);
    for (const { start, end, urtext } of chunks) expect(text.slice(start, end)).toBe(urtext);
  });
});
