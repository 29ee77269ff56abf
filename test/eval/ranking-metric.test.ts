import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureRanking, parseMetric } from "../../src/eval/ranking-metric.ts";

const names = ["ndcg@3", "ndcg", "recall@2", "recall", "map", "map@2", "mrr", "mrr@1", "p@2", "p@5", "p", "success@1"];

const measure = (ranking: readonly string[], grades: Record<string, number>, ...wanted: string[]) =>
  measureRanking(ranking, new Map(Object.entries(grades)), wanted.map(parseMetric));

describe("each formula, by hand [T59]", () => {
  // a is relevant, c very much so, d too and never found; b was judged and is not; x nobody judged.
  const grades = { a: 1, b: 0, c: 3, d: 1 };
  const found = measure(["x", "a", "b", "c"], grades, ...names);

  it.each([
    // a at rank 2, discount log2(3); the ideal is 3, 1, 1.
    ["ndcg@3", 1 / Math.log2(3) / (3 + 1 / Math.log2(3) + 1 / 2)],
    // c at rank 4, discount log2(5).
    ["ndcg", (1 / Math.log2(3) + 3 / Math.log2(5)) / (3 + 1 / Math.log2(3) + 1 / 2)],
    ["recall@2", 1 / 3],
    ["recall", 2 / 3],
    ["map", (1 / 2 + 2 / 4) / 3],
    ["map@2", 1 / 2 / 3],
    ["mrr", 1 / 2],
    ["mrr@1", 0],
    ["p@2", 1 / 2],
    // Four were found, and the cut-off counts all the same.
    ["p@5", 2 / 5],
    ["p", 2 / 4],
    ["success@1", 0],
  ])("%s", (name, value) => {
    expect(found[name]).toBeCloseTo(value, 14);
  });

  it("nothing found, and nothing to find, are worth 0", () => {
    for (const value of Object.values(measure([], grades, ...names))) expect(value).toBe(0);
    for (const value of Object.values(measure(["a"], { a: 0, b: -1 }, ...names))) expect(value).toBe(0);
  });
});

const ranking = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f"));
const grades = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "g"), fc.integer({ min: -1, max: 4 }));

/** nDCG as its definition reads: the best of all orders of what was judged is worth 1. */
function naiveNdcg(ranked: readonly string[], of: Record<string, number>, cutoff: number): number {
  const worth = (ids: readonly string[]): number => {
    let sum = 0;
    for (let rank = 1; rank <= Math.min(cutoff, ids.length); rank++) {
      const grade = of[ids[rank - 1]!] ?? 0;
      if (grade > 0) sum += grade / Math.log2(rank + 1);
    }
    return sum;
  };
  const orders = (ids: readonly string[]): string[][] =>
    ids.length === 0 ? [[]] : ids.flatMap((id, i) => orders(ids.toSpliced(i, 1)).map((rest) => [id, ...rest]));
  const best = Math.max(...orders(Object.keys(of)).map(worth));
  return best === 0 ? 0 : worth(ranked) / best;
}

describe("properties", () => {
  it("every value lies in [0, 1]", () => {
    fc.assert(
      fc.property(ranking, grades, (ids, of) => {
        for (const value of Object.values(measure(ids, of, ...names))) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });

  it("nDCG is what its definition says, over all orders", () => {
    fc.assert(
      fc.property(ranking, grades, fc.integer({ min: 1, max: 7 }), (ids, of, cutoff) => {
        expect(measure(ids, of, `ndcg@${cutoff}`)[`ndcg@${cutoff}`]).toBeCloseTo(naiveNdcg(ids, of, cutoff), 12);
      }),
    );
  });

  it("a better document moved up makes nothing worse", () => {
    fc.assert(
      fc.property(ranking, grades, fc.nat(), (ids, of, at) => {
        if (ids.length < 2) return;
        const i = at % (ids.length - 1);
        const [upper, lower] = [ids[i]!, ids[i + 1]!];
        if ((of[lower] ?? 0) <= Math.max(0, of[upper] ?? 0)) return;
        const before = measure(ids, of, ...names);
        const after = measure(ids.with(i, lower).with(i + 1, upper), of, ...names);
        for (const name of names) expect(after[name]).toBeGreaterThanOrEqual(before[name]! - 1e-12);
      }),
    );
  });

  it("documents of the same grade may change places", () => {
    fc.assert(
      fc.property(ranking, grades, fc.nat(), (ids, of, at) => {
        if (ids.length < 2) return;
        const i = at % (ids.length - 1);
        if (Math.max(0, of[ids[i]!] ?? 0) !== Math.max(0, of[ids[i + 1]!] ?? 0)) return;
        expect(measure(ids.with(i, ids[i + 1]!).with(i + 1, ids[i]!), of, ...names)).toEqual(
          measure(ids, of, ...names),
        );
      }),
    );
  });
});

describe("names", () => {
  it.each(["accuracy", "ndcg@", "ndcg@0", "ndcg@1.5", "ndcg@ten", "ndcg@10@10", "p@-1", "", "toString", "NDCG@10"])(
    "%j is none",
    (name) => {
      expect(() => parseMetric(name)).toThrow(expect.objectContaining({ code: "invalid-argument" }) as Error);
    },
  );

  it("the error names what there is", () => {
    expect(() => parseMetric("accuracy")).toThrow('There is no metric "accuracy".');
    expect(() => parseMetric("p@0")).toThrow('The metric "p@0" has no whole number from 1 after its @.');
  });
});
