import { describe, expect, it } from "vitest";
import { parseSynonyms } from "../../src/text/parse-synonyms.ts";

const pairs = (list: string) => parseSynonyms(list).map(({ from, to, weight }) => [from, to, weight]);

describe("a list of synonyms", () => {
  it("goes both ways with commas, and one way with an arrow", () => {
    expect(pairs("revenue, net sales\n")).toEqual([
      ["revenue", "net sales", 1],
      ["net sales", "revenue", 1],
    ]);
    expect(pairs("laptop, notebook => portable  computer^0.5, pc")).toEqual([
      ["laptop", "portable computer", 0.5],
      ["laptop", "pc", 1],
      ["notebook", "portable computer", 0.5],
      ["notebook", "pc", 1],
    ]);
  });

  it("knows comments, blank lines, a byte order mark, every line end, and signs behind a backslash", () => {
    const list = "\uFEFF# money\r\n\r\na, b # both\rc\\, d => e\\#f\\^2^2";
    expect(pairs(list)).toEqual([
      ["a", "b", 1],
      ["b", "a", 1],
      ["c, d", "e#f^2", 2],
    ]);
    expect(parseSynonyms(list).map(({ line }) => line)).toEqual([3, 3, 4]);
  });

  it("makes nothing of a phrase alone, or that stands for itself", () => {
    expect(pairs("a\nb, b\nc => c")).toEqual([]);
  });

  it.each([
    ["x, y\na,,b", 2],
    ["a =>", 1],
    ["a => b => c", 1],
    ["a, b^", 1],
    ["a, b^0", 1],
    ["a, b^much", 1],
    ["a, b^11", 1],
  ])("refuses %j with its line", (list, line) => {
    expect(() => parseSynonyms(list)).toThrow(
      expect.objectContaining({ code: "invalid-argument", details: { line } }) as Error,
    );
  });
});
