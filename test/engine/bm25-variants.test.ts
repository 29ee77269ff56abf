import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { searchWords } from "../support/search-legs.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGate, operator } from "../../src/access/gate.ts";
import type { Bm25Options } from "../../src/engine/bm25/bm25-settings.ts";
import { bm25Formulas, type Bm25Variant, coarseLength } from "../../src/engine/bm25/bm25-variants.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { entry, plainAnalyzer } from "../stores/build.ts";

const gate = createGate();
const into = gate.write(operator, "deployment");
const from = gate.read(operator, ["deployment"]);

/** Lengths 2, 4, 3 and 3, on average 3; mango is in 2 of 4. */
const fruits = [
  entry("a", "mango kiwi"),
  entry("b", "mango mango lemon papaya"),
  entry("c", "kiwi lime lime"),
  entry("d", "quince olive olive"),
];

async function scoresOf(bm25: Bm25Options, text = "mango"): Promise<Record<string, number>> {
  const store = createMemoryStore({ analyzer: plainAnalyzer, bm25 });
  await writeChunks(store, into, fruits);
  const { matches } = await searchWords(store, from, { text, topK: "all" });
  return Object.fromEntries(matches.map(({ chunk, score }) => [chunk.id, score]));
}

/** With k1 = 1.2 and b = 0.75: `tf / (1 - b + b · length / average)` of b is 2 / (.25 + .75 · 4/3) = 1.6, of a 1 / (.25 + .75 · 2/3) = 4/3. */
const cases: Readonly<Record<Exclude<Bm25Variant, "robertson">, { readonly a: number; readonly b: number }>> = {
  bm25f: { a: Math.LN2 * ((2.2 * 4) / 3 / (1.2 + 4 / 3)), b: Math.LN2 * ((2.2 * 1.6) / 2.8) },
  lucene: { a: Math.LN2 * (4 / 3 / (1.2 + 4 / 3)), b: Math.LN2 * (1.6 / 2.8) },
  toolup: { a: Math.LN2 * ((2.2 * 4) / 3 / (1.2 + 4 / 3)), b: Math.LN2 * ((2.2 * 1.6) / 2.8) },
  atire: { a: Math.LN2 * ((2.2 * 4) / 3 / (1.2 + 4 / 3)), b: Math.LN2 * ((2.2 * 1.6) / 2.8) },
  bm25l: {
    a: Math.LN2 * ((2.2 * (4 / 3 + 0.5)) / (1.2 + 4 / 3 + 0.5)),
    b: Math.LN2 * ((2.2 * 2.1) / 3.3),
  },
  "bm25+": {
    a: Math.log(2.5) * ((2.2 * 4) / 3 / (1.2 + 4 / 3) + 1),
    b: Math.log(2.5) * ((2.2 * 1.6) / 2.8 + 1),
  },
};

describe("variants of BM25 [T29]", () => {
  it.each(Object.entries(cases))("%s by hand", async (variant, expected) => {
    const scores = await scoresOf({ variant: variant as Bm25Variant, k1: 1.2, b: 0.75, document: 0 });
    expect(Object.keys(scores)).toEqual(["b", "a"]);
    expect(scores["a"]).toBeCloseTo(expected.a, 12);
    expect(scores["b"]).toBeCloseTo(expected.b, 12);
  });

  it("toolup counts a word once that a query repeats, and has a b of its own; the others count it as often", async () => {
    const shares = async (variant: Bm25Variant): Promise<readonly string[]> => {
      const text = variant === "robertson" ? "quince" : "mango";
      const [once, twice] = [await scoresOf({ variant }, text), await scoresOf({ variant }, `${text} ${text}`)];
      return Object.entries(once).map(([id, score]) => (twice[id]! / score).toFixed(9));
    };
    for (const variant of ["lucene", "robertson", "atire", "bm25l", "bm25+"] as const)
      expect(new Set(await shares(variant))).toEqual(new Set(["2.000000000"]));
    expect(await shares("toolup")).toEqual(["1.000000000", "1.000000000"]);
    for (const share of await shares("bm25f")) expect(Number(share)).toBeGreaterThan(1);
    expect(await scoresOf({ variant: "toolup" })).toEqual(await scoresOf({ variant: "toolup", b: 0.75 }));
    expect(await scoresOf({ variant: "toolup", b: 0.5 })).not.toEqual(await scoresOf({ variant: "toolup" }));
  });

  it("robertson's idf is that of the odds: a word in half of the chunks is worth nothing", async () => {
    expect(await scoresOf({ variant: "robertson" })).toEqual({});
    const { d } = await scoresOf({ variant: "robertson", k1: 1.2, b: 0.75 }, "quince");
    // 1 of 4 chunks, of average length.
    expect(d).toBeCloseTo(Math.log(3.5 / 1.5), 12);
  });

  it("no formula gives a word less than nothing, and a rarer word is never worth less", () => {
    const corpus = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(bm25Formulas)),
        corpus,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (formula, n, share) => {
          const df = Math.max(1, Math.floor(share * n));
          expect(formula.idf(n, df)).toBeGreaterThanOrEqual(0);
          expect(formula.idf(n, df)).toBeGreaterThanOrEqual(formula.idf(n, Math.min(n, df + 1)));
        },
      ),
    );
  });

  it("what cannot be is refused, with what can [T29]", () => {
    const open = (bm25: object) => () => createMemoryStore({ bm25 });
    expect(open({ variant: "bm26" })).toThrow(/There is no variant of BM25 called "bm26"/u);
    expect(open({ variant: "toString" })).toThrow(/no variant/u);
    expect(open({ k1: -1 })).toThrow(/bm25 is/u);
    expect(open({ b: 1.5 })).toThrow(/bm25 is/u);
    expect(open({ nameWeight: Number.NaN })).toThrow(/bm25 is/u);
    expect(open({ k2: 1 })).toThrow(/k2/u);
  });
});

describe("lengths in one byte", () => {
  it("as Lucene writes them down", () => {
    const known = {
      0: 0,
      1: 1,
      23: 23,
      39: 39,
      40: 40,
      41: 40,
      42: 42,
      55: 54,
      56: 56,
      59: 56,
      60: 60,
      100: 96,
      1000: 984,
    };
    for (const [length, kept] of Object.entries(known)) expect(coarseLength(Number(length))).toBe(kept);
  });

  it("never longer, never by more than a ninth shorter, in order, and 256 in all", () => {
    const seen = new Set<number>();
    const wrong: number[] = [];
    let last = 0;
    for (let length = 0; length < 200_000; length++) {
      const kept = coarseLength(length);
      const fits = kept <= length && kept * 9 >= length * 8 - 24 && kept >= last && coarseLength(kept) === kept;
      if (!fits) wrong.push(length);
      seen.add(kept);
      last = kept;
    }
    expect(wrong).toEqual([]);
    expect(seen.size).toBeLessThan(256);
  });
});
