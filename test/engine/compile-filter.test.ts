import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Filter, FilterValue } from "../../src/contracts/filter.ts";
import type { JsonValue, Metadata } from "../../src/contracts/metadata.ts";
import { compileFilter } from "../../src/engine/filters/compile-filter.ts";
import { parseFilter } from "../../src/engine/filters/parse-filter.ts";

const matches = (filter: Filter, metadata: Metadata): boolean => compileFilter(parseFilter(filter))(metadata);

/** What the truth table says, as plainly as it can be written. */
function evaluate(filter: Filter, metadata: Readonly<Record<string, JsonValue | undefined>>): boolean {
  switch (filter.op) {
    case "and":
      return filter.filters.every((member) => evaluate(member, metadata));
    case "or":
      return filter.filters.some((member) => evaluate(member, metadata));
    case "not":
      return !evaluate(filter.filter, metadata);
    case "ne":
      return !evaluate({ ...filter, op: "eq" }, metadata);
    case "nin":
      return !evaluate({ ...filter, op: "in" }, metadata);
    default:
  }
  const found = Object.entries(metadata).find(([key]) => key === filter.key);
  if (found === undefined || found[1] === undefined) return false;
  const value = found[1];
  const lower = (text: string): string =>
    Array.from(text, (character) => (character === "İ" ? "i" : character.toLowerCase())).join("");
  const folded = (text: unknown): unknown => ("ignoreCase" in filter && typeof text === "string" ? lower(text) : text);
  switch (filter.op) {
    case "exists":
      return true;
    case "eq":
      return folded(value) === folded(filter.value);
    case "in":
      return filter.values.some((wanted) => wanted === value);
    case "hasElement":
      return Array.isArray(value) && value.some((element) => element === filter.value);
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const bothNumbers = typeof value === "number" && typeof filter.value === "number";
      const bothStrings = typeof value === "string" && typeof filter.value === "string";
      if (!bothNumbers && !bothStrings) return false;
      const order = value < filter.value ? -1 : value > filter.value ? 1 : 0;
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[filter.op];
    }
    case "contains":
      return typeof value === "string" && String(folded(value)).indexOf(String(folded(filter.value))) !== -1;
    case "startsWith":
      return typeof value === "string" && String(folded(value)).slice(0, filter.value.length) === folded(filter.value);
    case "endsWith":
      return (
        typeof value === "string" &&
        (filter.value === "" || String(folded(value)).slice(-filter.value.length) === folded(filter.value))
      );
    case "like":
      return typeof value === "string" && new RegExp(filter.pattern, filter.ignoreCase ? "imu" : "mu").test(value);
  }
}

const shelf: Readonly<Record<string, Metadata>> = {
  missing: {},
  undefined: { k: undefined },
  null: { k: null },
  text: { k: "HR-2024" },
  empty: { k: "" },
  digits: { k: "10" },
  date: { k: "2024-05-01" },
  number: { k: 10 },
  zero: { k: 0 },
  true: { k: true },
  false: { k: false },
  list: { k: ["HR-2024", 10, null] },
  nothing: { k: [] },
  object: { k: { HR: 10 } },
};
const all = Object.keys(shelf);
const but = (...names: readonly string[]): string[] => all.filter((name) => !names.includes(name));

describe("the truth table [L4]", () => {
  it.each<[Filter, readonly string[]]>([
    [{ op: "eq", key: "k", value: "HR-2024" }, ["text"]],
    [{ op: "eq", key: "k", value: "hr-2024" }, []],
    [{ op: "eq", key: "k", value: "hr-2024", ignoreCase: true }, ["text"]],
    [{ op: "eq", key: "k", value: 10 }, ["number"]],
    [{ op: "eq", key: "k", value: 0 }, ["zero"]],
    [{ op: "eq", key: "k", value: null }, ["null"]],
    [{ op: "eq", key: "k", value: false }, ["false"]],
    [{ op: "eq", key: "k", value: "" }, ["empty"]],
    [{ op: "ne", key: "k", value: "HR-2024" }, but("text")],
    [{ op: "ne", key: "k", value: "hr-2024", ignoreCase: true }, but("text")],
    [{ op: "ne", key: "k", value: null }, but("null")],
    [{ op: "gt", key: "k", value: 9 }, ["number"]],
    [{ op: "gte", key: "k", value: 10 }, ["number"]],
    [{ op: "gt", key: "k", value: 10 }, []],
    [{ op: "lt", key: "k", value: 10 }, ["zero"]],
    [{ op: "lte", key: "k", value: 10 }, ["number", "zero"]],
    [{ op: "gte", key: "k", value: "2024-01-01" }, ["text", "date"]],
    [{ op: "lt", key: "k", value: "2" }, ["empty", "digits"]],
    [{ op: "in", key: "k", values: ["HR-2024", 0, true] }, ["text", "zero", "true"]],
    [{ op: "in", key: "k", values: [] }, []],
    [{ op: "nin", key: "k", values: ["HR-2024", null] }, but("text", "null")],
    [{ op: "nin", key: "k", values: [] }, all],
    [{ op: "contains", key: "k", value: "-20" }, ["text"]],
    [{ op: "contains", key: "k", value: "hr", ignoreCase: true }, ["text"]],
    [{ op: "contains", key: "k", value: "" }, ["text", "empty", "digits", "date"]],
    [{ op: "startsWith", key: "k", value: "HR" }, ["text"]],
    [{ op: "startsWith", key: "k", value: "hr", ignoreCase: true }, ["text"]],
    [{ op: "endsWith", key: "k", value: "24" }, ["text"]],
    [{ op: "endsWith", key: "k", value: "0" }, ["digits"]],
    [{ op: "like", key: "k", pattern: "^\\d+$" }, ["digits"]],
    [{ op: "like", key: "k", pattern: "hr-\\d{4}", ignoreCase: true }, ["text"]],
    [{ op: "like", key: "k", pattern: "" }, ["text", "empty", "digits", "date"]],
    [{ op: "hasElement", key: "k", value: 10 }, ["list"]],
    [{ op: "hasElement", key: "k", value: null }, ["list"]],
    [{ op: "hasElement", key: "k", value: "10" }, []],
    [{ op: "exists", key: "k" }, but("missing", "undefined")],
    [{ op: "not", filter: { op: "exists", key: "k" } }, ["missing", "undefined"]],
    [{ op: "not", filter: { op: "gt", key: "k", value: 5 } }, but("number")],
    [{ op: "and", filters: [] }, all],
    [{ op: "or", filters: [] }, []],
    [
      {
        op: "and",
        filters: [
          { op: "exists", key: "k" },
          { op: "ne", key: "k", value: null },
        ],
      },
      but("missing", "undefined", "null"),
    ],
    [
      {
        op: "or",
        filters: [
          { op: "eq", key: "k", value: 0 },
          { op: "eq", key: "k", value: "" },
        ],
      },
      ["empty", "zero"],
    ],
  ])("%j holds for the right values [B22 B23 W10 W35 E28 E29]", (filter, expected) => {
    expect(all.filter((name) => matches(filter, shelf[name]!))).toEqual(expected);
  });

  it("takes keys literally, and only the metadata's own", () => {
    expect(matches({ op: "eq", key: "a.b", value: 1 }, { "a.b": 1 })).toBe(true);
    expect(matches({ op: "eq", key: "a.b", value: 1 }, { a: { b: 1 } })).toBe(false);
    for (const key of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      expect(matches({ op: "exists", key }, {})).toBe(false);
      const owner = JSON.parse(`{"${key}": "x"}`) as Metadata;
      expect(matches({ op: "eq", key, value: "x" }, owner)).toBe(true);
    }
    expect(matches({ op: "exists", key: "k" }, Object.create({ k: 1 }) as Metadata)).toBe(false);
    expect(matches({ op: "eq", key: "k", value: 1 }, Object.assign(Object.create(null) as object, { k: 1 }))).toBe(
      true,
    );
  });

  it("compares simple lower-case forms", () => {
    const eq = (value: string, other: string): boolean =>
      matches({ op: "eq", key: "k", value, ignoreCase: true }, { k: other });
    expect([eq("ΣΑΣ", "σασ"), eq("İ", "i"), eq("É", "é"), eq("ẞ", "ß")]).toEqual([true, true, true, true]);
    expect([eq("SS", "ß"), eq("ς", "σ"), eq("ı", "I")]).toEqual([false, false, false]);
  });

  it("refuses an operator that does not exist", () => {
    expect(() => compileFilter({ op: "matches", key: "k" } as unknown as Filter)).toThrow(
      expect.objectContaining({ code: "invalid-filter" }),
    );
  });
});

const key = fc.constantFrom("a", "b", "__proto__", "constructor", "and", "op");
const text = fc.constantFrom("", "a", "A", "ab", "aB", "Σ", "ς", "σ", "İ", "i", "1", "2024-05-01");
const value: fc.Arbitrary<FilterValue> = fc.oneof(
  text,
  fc.constantFrom(0, 1, -1.5, 10),
  fc.boolean(),
  fc.constant(null),
);
const ignoreCase = fc.constantFrom({}, { ignoreCase: true as const });
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc
      .record({ op: fc.constantFrom("eq" as const, "ne" as const), key, value: text })
      .chain((node) => ignoreCase.map((flag) => ({ ...node, ...flag }))),
    fc.record({ op: fc.constantFrom("eq" as const, "ne" as const, "hasElement" as const), key, value }),
    fc.record({
      op: fc.constantFrom("gt" as const, "gte" as const, "lt" as const, "lte" as const),
      key,
      value: fc.oneof(text, fc.constantFrom(0, 1, -1.5)),
    }),
    fc.record({ op: fc.constantFrom("in" as const, "nin" as const), key, values: fc.array(value, { maxLength: 3 }) }),
    fc
      .record({
        op: fc.constantFrom("contains" as const, "startsWith" as const, "endsWith" as const),
        key,
        value: text,
      })
      .chain((node) => ignoreCase.map((flag) => ({ ...node, ...flag }))),
    fc.record({ op: fc.constant("like" as const), key, pattern: fc.constantFrom("a", "^a", "b$", "\\d+", "") }),
    fc.record({ op: fc.constant("exists" as const), key }),
    fc.record({
      op: fc.constantFrom("and" as const, "or" as const),
      filters: fc.array(tie("filter"), { maxLength: 3 }),
    }),
    fc.record({ op: fc.constant("not" as const), filter: tie("filter") }),
  ),
}));
const metadata = fc
  .array(fc.tuple(key, fc.oneof(value, fc.array(value, { maxLength: 3 }), fc.constant({ a: 1 }))), { maxLength: 4 })
  .map((entries) => {
    const found: Record<string, JsonValue> = {};
    // Assignment would set the prototype.
    for (const [name, held] of entries)
      Object.defineProperty(found, name, { value: held, enumerable: true, configurable: true, writable: true });
    return found;
  });

describe("compileFilter", () => {
  it("agrees with the truth table on any filter and metadata [L4 B21 W32]", () => {
    fc.assert(
      fc.property(filter, metadata, (given, held) => {
        expect(compileFilter(given)(held)).toBe(evaluate(given, held));
      }),
      { numRuns: 5000 },
    );
  });

  it("survives a round trip through JSON, in meaning and in form [W32]", () => {
    fc.assert(
      fc.property(filter, metadata, (given, held) => {
        const parsed = parseFilter(given);
        const back = parseFilter(JSON.parse(JSON.stringify(parsed)) as Filter);
        expect(back).toEqual(parsed);
        expect(parseFilter(parsed)).toEqual(parsed);
        expect(compileFilter(back)(held)).toBe(compileFilter(given)(held));
      }),
      { numRuns: 1000 },
    );
  });
});
