import { describe, expect, it } from "vitest";
import { readFilter, readMetadata, readRange, readScope, spreadMetadata } from "../../src/cli/read-option.ts";
import { readTableOption } from "../../src/cli/table-options.ts";
import { searchOptions } from "../../src/search/search-options.ts";

describe("readMetadata", () => {
  it("takes numbers, truth values and JSON for what they are, and everything else for text [B4]", () => {
    expect(
      readMetadata([
        "team=docs",
        "year=2026",
        "ratio=0.5",
        "draft=true",
        "version=1.10",
        "id=007",
        "exp=1e3",
        'tags=["a","b"]',
        'code="42"',
        "empty=",
        "eq=a=b",
        "none=null",
      ]),
    ).toEqual({
      team: "docs",
      year: 2026,
      ratio: 0.5,
      draft: true,
      version: "1.10",
      id: "007",
      exp: "1e3",
      tags: ["a", "b"],
      code: "42",
      empty: "",
      eq: "a=b",
      none: "null",
    });
  });

  it("takes __proto__ for a key like any other", () => {
    const metadata = readMetadata(["__proto__=x"]);
    expect(Object.entries(metadata)).toEqual([["__proto__", "x"]]);
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
  });

  it.each([[["novalue"]], [["=value"]], [["a=1", "a=2"]], [["a=[1"]]])("refuses %j", (pairs) => {
    expect(() => readMetadata(pairs)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});

describe("spreadMetadata", () => {
  it.each([
    ["ingest docs --metadata a=1 b=2", "ingest docs --metadata a=1 --metadata b=2"],
    ["ingest --metadata a=1 b=2 docs c=3", "ingest --metadata a=1 --metadata b=2 docs c=3"],
    ["ingest --metadata=a=1 b=2 --json", "ingest --metadata=a=1 --metadata b=2 --json"],
    ["ingest --metadata a=1 dir/x=1.md", "ingest --metadata a=1 dir/x=1.md"],
    ["ingest --metadata a=1 -- b=2", "ingest --metadata a=1 -- b=2"],
    ["ingest --metadata a=1 --metadata b=2 c=3", "ingest --metadata a=1 --metadata b=2 --metadata c=3"],
    ["ingest x=1.md", "ingest x=1.md"],
    ["ingest --metadata", "ingest --metadata"],
  ])("%s", (argv, expected) => {
    expect(spreadMetadata(argv.split(" ")).join(" ")).toBe(expected);
  });
});

describe("single values", () => {
  it("reads them", () => {
    const { topK, minScore } = searchOptions;
    expect(["1", "20", "all"].map((text) => readTableOption(topK, text))).toEqual([1, 20, "all"]);
    expect(["0.5", "-1"].map((text) => readTableOption(minScore, text))).toEqual([0.5, -1]);
    expect(readTableOption(searchOptions.origins, "note, synthetic")).toEqual(["note", "synthetic"]);
    expect(readRange("0:12")).toEqual({ start: 0, end: 12 });
    expect(readFilter('{"year":{"gte":2024}}')).toEqual({ year: { gte: 2024 } });
    expect(readFilter('{"op":"eq","key":"a","value":1}')).toEqual({ op: "eq", key: "a", value: 1 });
    expect(readScope("team:x")).toBe("team:x");
  });

  it.each([
    [
      (text: string) => readTableOption(searchOptions.topK, text),
      ["0", "-1", "1.5", "", "x", "1e3", "99999999999999999999"],
    ],
    [(text: string) => readTableOption(searchOptions.minScore, text), ["", " ", "x", "NaN", "Infinity"]],
    [readRange, ["", "1", "1:", ":2", "1-2", "-1:2", "1:2:3", "1.5:2", "9999999999999999:9999999999999999"]],
    [readFilter, ["", "{", "[]", "null", "1", '"x"']],
    [readScope, ["", "team", "team:", "everyone", "user: "]],
  ])("refuses others: %o", (read, texts) => {
    for (const text of texts)
      expect(() => read(text)).toThrow(expect.objectContaining({ code: "commander.invalidArgument" }));
  });
});
