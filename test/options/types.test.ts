import { describe, expect, expectTypeOf, it } from "vitest";
import type { AskOptions, IngestOptions, OpenOptions, SearchOptions } from "../../src/index.node.ts";
import type { ingestOptions } from "../../src/ingest/ingest-options.ts";
import { askOptions } from "../../src/knowledge-base/asking/ask-options.ts";
import type { nodeOptions } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import { checkOptions } from "../../src/runtime/check-options.ts";
import { planOptions, type RulesOf } from "../../src/runtime/plan-options.ts";
import { searchOptions } from "../../src/search/search-options.ts";

describe("the tables of options", () => {
  it("have a rule for each documented option, and no other", () => {
    expectTypeOf<keyof typeof searchOptions>().toEqualTypeOf<keyof SearchOptions>();
    expectTypeOf<keyof typeof askOptions>().toEqualTypeOf<keyof AskOptions>();
    expectTypeOf<keyof typeof ingestOptions>().toEqualTypeOf<keyof IngestOptions>();
    expectTypeOf<keyof typeof nodeOptions>().toEqualTypeOf<keyof OpenOptions>();
  });

  it("let the options of a search be those of a question", () => {
    expectTypeOf<SearchOptions>().toExtend<AskOptions>();
    const options: SearchOptions = { topK: 3, mode: "regex", includeEmbeddings: true };
    expect(planOptions<AskOptions, typeof askOptions>("ask", askOptions, options)).toMatchObject({
      topK: 3,
      mode: "regex",
    });
  });

  it("do not compile with a forgotten choice, a foreign kind or a forgotten option", () => {
    interface Two {
      readonly one?: "a" | "b";
      readonly two?: boolean;
    }
    const one = { doc: "", kind: { type: "choice", values: { a: true, b: true } }, for: [] } as const;
    const two = { doc: "", kind: { type: "boolean" }, for: [] } as const;
    const whole = { one, two } satisfies RulesOf<Two>;
    expect(Object.keys(whole)).toEqual(["one", "two"]);
    // @ts-expect-error: `b` is forgotten.
    ({ one: { ...one, kind: { type: "choice", values: { a: true } } }, two }) satisfies RulesOf<Two>;
    // @ts-expect-error: a boolean is no string.
    ({ one, two: one }) satisfies RulesOf<Two>;
    // @ts-expect-error: `two` is forgotten.
    ({ one }) satisfies RulesOf<Two>;
  });

  it("fill in defaults, and name the whole path of a wrong value in a group", () => {
    const plan = planOptions<SearchOptions, typeof searchOptions>("search", searchOptions, {});
    expectTypeOf(plan.topK).toEqualTypeOf<number | "all">();
    expect(plan).toMatchObject({ topK: 5, mode: "hybrid", rerank: true, filter: undefined });
    const wrong = { context: { maxTokens: 0 } };
    expect(() => planOptions<AskOptions, typeof askOptions>("ask", askOptions, wrong)).toThrow(
      "context.maxTokens is 0; it must be a whole number from 1.",
    );
    const unknown = { context: { maxTokns: 1 } } as AskOptions;
    expect(() => planOptions<AskOptions, typeof askOptions>("ask", askOptions, unknown)).toThrow(
      'context has no option "maxTokns".',
    );
  });
});

describe("checkOptions", () => {
  interface Two {
    readonly one?: string;
    readonly two?: boolean;
  }
  const options: Two = { one: "1" };

  it("does not compile with a forgotten or a foreign name", () => {
    checkOptions("two", options, { one: true, two: true });
    // @ts-expect-error: `two` is forgotten.
    checkOptions("two", options, { one: true });
    const foreign = { one: true, two: true, three: true } as const;
    // @ts-expect-error: `three` is foreign, also in a record that is made elsewhere.
    checkOptions("two", options, foreign);
  });

  it("takes the names of every member of a union", () => {
    type Either = { readonly all: number } & ({ readonly left: number } | { readonly right: number });
    const check = (either: Either): void => {
      checkOptions("either", either, { all: true, left: true, right: true });
      // @ts-expect-error: `right` is forgotten.
      checkOptions("either", either, { all: true, left: true });
    };
    expect(() => check({ all: 1, left: 2 })).not.toThrow();
    expect(() => check({ all: 1, right: 2 })).toThrow('either has no option "right".');
  });

  it("names the option that it refuses, the nearest one, and all that are known", () => {
    const misspelt = { tow: true, on: 1 } as Two;
    const check = (): void => checkOptions("two", misspelt, { one: true, two: true });
    expect(check).toThrow('two has no option "tow".');
    expect(() => checkOptions("two", { on: 1 } as Two, { one: true, two: true })).toThrow(
      expect.objectContaining({ hint: 'Did you mean "one"? Known options: one, two.' }),
    );
  });
});
