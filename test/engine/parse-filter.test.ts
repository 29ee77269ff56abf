import { describe, expect, it } from "vitest";

import type { IbidError } from "../../src/contracts/errors.ts";
import type { FilterInput } from "../../src/contracts/filter.ts";
import { allOf, anyOf, not, where } from "../../src/engine/filters/build-filter.ts";
import { parseFilter } from "../../src/engine/filters/parse-filter.ts";

const failure = (input: unknown): IbidError => {
  try {
    parseFilter(input as FilterInput);
  } catch (error) {
    return error as IbidError;
  }
  throw new Error("It was accepted.");
};

describe("the tagged form", () => {
  it("reads each tag, at any depth, beside the other forms [W10 W32]", () => {
    const year = { Range: { key: "year", min: 2024, max: 2026 } } as const;
    expect(parseFilter({ Any: [{ All: [{ Eq: ["a", null] }, year] }, { In: ["b", [1, "x"]] }] })).toEqual({
      op: "or",
      filters: [
        {
          op: "and",
          filters: [
            { op: "eq", key: "a", value: null },
            {
              op: "and",
              filters: [
                { op: "gte", key: "year", value: 2024 },
                { op: "lte", key: "year", value: 2026 },
              ],
            },
          ],
        },
        { op: "in", key: "b", values: [1, "x"] },
      ],
    });
    expect(parseFilter({ and: [{ Eq: ["a", 1] }] })).toEqual(parseFilter({ and: [{ a: 1 }] }));
    expect(parseFilter({ Range: { key: "year" } })).toEqual({ op: "exists", key: "year" });
  });

  it("leaves metadata of the same name to the plain form", () => {
    expect(parseFilter({ Eq: 1 })).toEqual(parseFilter({ Eq: { eq: 1 } }));
    expect(parseFilter({ Range: { gte: 1 } })).toMatchObject({ op: "gte", key: "Range", value: 1 });
    expect(parseFilter({ Any: "x", All: "y" })).toMatchObject({ op: "and", filters: [{ key: "Any" }, { key: "All" }] });
  });

  it.each([
    [{ Eq: [1, "x"] }, "filter.Eq[0]"],
    [{ Eq: ["a", 1, 2] }, "filter.Eq"],
    [{ In: ["a", 1] }, "filter.In[1]"],
    [{ Range: { key: 1 } }, "filter.Range.key"],
    [{ Range: { key: "a", least: 1 } }, "filter.Range"],
    [{ Range: { key: "a", min: Number.NaN } }, "filter.Range.min"],
    [{ All: [3] }, "filter.All[0]"],
  ])("refuses what no tag takes, by its path (%#)", (input, path) => {
    expect(failure(input)).toMatchObject({ code: "invalid-filter", details: { path } });
  });
});

describe("the plain-object form", () => {
  it("reads values, conditions and combinations [B21 W10]", () => {
    expect(parseFilter({ department: "HR", year: { gte: 2024, lt: 2026 } })).toEqual({
      op: "and",
      filters: [
        { op: "eq", key: "department", value: "HR" },
        { op: "gte", key: "year", value: 2024 },
        { op: "lt", key: "year", value: 2026 },
      ],
    });
    expect(parseFilter({ or: [{ a: 1 }, { not: { b: null } }] })).toEqual({
      op: "or",
      filters: [
        { op: "eq", key: "a", value: 1 },
        { op: "not", filter: { op: "eq", key: "b", value: null } },
      ],
    });
    expect(parseFilter({ and: [] })).toEqual({ op: "and", filters: [] });
    expect(parseFilter({})).toEqual({ op: "and", filters: [] });
  });

  it("reads every condition [B22 B23 E28]", () => {
    const conditions = {
      eq: "a",
      ne: 1,
      gt: 1,
      gte: "2",
      lt: 3,
      lte: 4,
      in: [1, null],
      nin: [],
      contains: "c",
      startsWith: "s",
      endsWith: "e",
      like: "l+",
      hasElement: true,
      exists: true,
      ignoreCase: true,
    };
    expect(parseFilter({ k: conditions })).toEqual({
      op: "and",
      filters: [
        { op: "eq", key: "k", value: "a", ignoreCase: true },
        { op: "ne", key: "k", value: 1 },
        { op: "gt", key: "k", value: 1 },
        { op: "gte", key: "k", value: "2" },
        { op: "lt", key: "k", value: 3 },
        { op: "lte", key: "k", value: 4 },
        { op: "in", key: "k", values: [1, null] },
        { op: "nin", key: "k", values: [] },
        { op: "contains", key: "k", value: "c", ignoreCase: true },
        { op: "startsWith", key: "k", value: "s", ignoreCase: true },
        { op: "endsWith", key: "k", value: "e", ignoreCase: true },
        { op: "like", key: "k", pattern: "l+", ignoreCase: true },
        { op: "hasElement", key: "k", value: true },
        { op: "exists", key: "k" },
      ],
    });
    expect(parseFilter({ k: { exists: false } })).toEqual({ op: "not", filter: { op: "exists", key: "k" } });
    expect(parseFilter({ op: { eq: "install" } })).toEqual({ op: "eq", key: "op", value: "install" });
  });

  it("takes keys as data, whatever they are called", () => {
    const parsed = parseFilter(JSON.parse('{"__proto__": "x", "constructor": {"ne": 1}}') as FilterInput);
    expect(parsed).toEqual({
      op: "and",
      filters: [
        { op: "eq", key: "__proto__", value: "x" },
        { op: "ne", key: "constructor", value: 1 },
      ],
    });
  });
});

describe("parseFilter", () => {
  it.each<[unknown, string]>([
    [null, "filter"],
    [undefined, "filter"],
    ["department = HR", "filter"],
    [[{ a: 1 }], "filter"],
    [new Date(0), "filter"],
    [new Map([["a", 1]]), "filter"],
    [Object.create({ a: 1 }), "filter"],
    [{ a: undefined }, "filter.a"],
    [{ a: Number.NaN }, "filter.a"],
    [{ a: Infinity }, "filter.a"],
    [{ a: 1n }, "filter.a"],
    [{ a: () => 1 }, "filter.a"],
    [{ a: new Date(0) }, "filter.a"],
    [{ a: ["x"] }, "filter.a"],
    [{ a: {} }, "filter.a"],
    [{ a: { ignoreCase: true } }, "filter.a"],
    [{ a: { gt: 1, ignoreCase: true } }, "filter.a.ignoreCase"],
    [{ a: { eq: "x", ignoreCase: 1 } }, "filter.a.ignoreCase"],
    [{ a: { equals: 1 } }, "filter.a"],
    [{ a: { gte: undefined } }, "filter.a.gte"],
    [{ a: { gte: null } }, "filter.a.gte"],
    [{ a: { gte: new Date(0) } }, "filter.a.gte"],
    [{ a: { in: "x" } }, "filter.a.in"],
    [{ a: { in: [1, undefined] } }, "filter.a.in[1]"],
    [{ a: { in: Array(2) } }, "filter.a.in[0]"],
    [{ a: { contains: 1 } }, "filter.a.contains"],
    [{ a: { exists: "yes" } }, "filter.a.exists"],
    [{ a: { like: "(" } }, "filter.a.like"],
    [{ a: { like: "(?=b)" } }, "filter.a.like"],
    [{ "a b": { gte: true } }, 'filter["a b"].gte'],
    [{ or: [{ a: 1 }, { year: { gte: {} } }] }, "filter.or[1].year.gte"],
    [{ or: { a: 1 } }, "filter.or"],
    [{ and: undefined }, "filter.and"],
    [{ not: 1 }, "filter.not"],
    [{ op: "equals", key: "a", value: 1 }, "filter.op"],
    [{ op: "constructor" }, "filter.op"],
    [{ op: "__proto__" }, "filter.op"],
    [{ op: "eq", key: 1, value: 1 }, "filter.key"],
    [{ op: "eq", key: "a" }, "filter.value"],
    [{ op: "eq", key: "a", value: 1, ignorecase: true }, "filter"],
    [{ op: "gt", key: "a", value: 1, ignoreCase: true }, "filter"],
    [{ op: "in", key: "a", value: 1 }, "filter"],
    [{ op: "like", key: "a", pattern: 1 }, "filter.pattern"],
    [{ op: "and", filters: [{ op: "not" }] }, "filter.filters[0].filter"],
  ])("refuses case %# and names the path $1", (input, path) => {
    const error = failure(input);
    expect(error).toMatchObject({ code: "invalid-filter", details: { path } });
    expect(error.message.startsWith(`${path} `)).toBe(true);
    expect(error.hint).toBeTruthy();
  });

  it("bounds depth and size, cycles included", () => {
    const nest = (levels: number): FilterInput => (levels === 0 ? { a: 1 } : { not: nest(levels - 1) });
    expect(parseFilter(nest(31))).toMatchObject({ op: "not" });
    expect(failure(nest(32)).message).toContain("32 levels");
    const cycle: { not?: unknown } = {};
    cycle.not = cycle;
    expect(failure(cycle).code).toBe("invalid-filter");
    expect(parseFilter({ a: { in: Array.from({ length: 9000 }, (_, i) => i) } })).toMatchObject({ op: "in" });
    expect(failure({ a: { in: Array.from({ length: 10_001 }, (_, i) => i) } }).message).toContain("10000");
    expect(failure({ or: Array.from({ length: 6000 }, () => ({ a: 1 })) }).message).toContain("too large");
  });

  it("shares nothing with what it was given [B27]", () => {
    const values = [1, 2];
    const parsed = parseFilter({ op: "in", key: "a", values });
    values.push(3);
    expect(parsed).toEqual({ op: "in", key: "a", values: [1, 2] });
  });

  it("normalises what JSON or the operator cannot tell apart", () => {
    expect(parseFilter({ a: -0 })).toEqual({ op: "eq", key: "a", value: 0 });
    expect(parseFilter({ op: "eq", key: "a", value: 1, ignoreCase: true })).toEqual({ op: "eq", key: "a", value: 1 });
  });
});

describe("the builder form", () => {
  it("gives the same filters as the plain form [B21 E28]", () => {
    expect(allOf(where("department").eq("HR"), where("year").gte(2024))).toEqual(
      parseFilter({ department: "HR", year: { gte: 2024 } }),
    );
    expect(anyOf({ a: 1 }, where("b").in(["x"]), not(where("c").exists()))).toEqual(
      parseFilter({ or: [{ a: 1 }, { b: { in: ["x"] } }, { not: { c: { exists: true } } }] }),
    );
    const built = [
      where("k").ne("x", { ignoreCase: true }),
      where("k").gt(1),
      where("k").lt(1),
      where("k").lte("1"),
      where("k").nin([]),
      where("k").contains("c"),
      where("k").startsWith("s"),
      where("k").endsWith("e", { ignoreCase: true }),
      where("k").like("l"),
      where("k").hasElement(null),
    ];
    const plain = [
      { ne: "x", ignoreCase: true },
      { gt: 1 },
      { lt: 1 },
      { lte: "1" },
      { nin: [] },
      { contains: "c" },
      { startsWith: "s" },
      { endsWith: "e", ignoreCase: true },
      { like: "l" },
      { hasElement: null },
    ];
    expect(built).toEqual(plain.map((conditions) => parseFilter({ k: conditions })));
  });

  it("reaches keys that the plain form keeps for itself", () => {
    expect(where("and").eq(1)).toEqual({ op: "eq", key: "and", value: 1 });
    expect(where("op").eq("eq")).toEqual({ op: "eq", key: "op", value: "eq" });
  });

  it("checks as it builds", () => {
    expect(() => where("k").gt(Number.NaN)).toThrow(expect.objectContaining({ code: "invalid-filter" }));
    expect(() => where("k").like("(?=a)")).toThrow(expect.objectContaining({ code: "invalid-filter" }));
  });
});
