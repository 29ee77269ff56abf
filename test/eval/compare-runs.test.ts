import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareRuns } from "../../src/eval/compare-runs.ts";
import { estimateMean, studentQuantile } from "../../src/eval/estimate-mean.ts";
import { type Evaluation, summarise } from "../../src/eval/score-run.ts";

const scored = (values: readonly number[], name = "map"): Evaluation =>
  summarise(new Map(values.map((value, index) => [`q${index}`, { [name]: value }])));

const compare = (now: readonly number[], before: readonly number[], options = {}) =>
  compareRuns(scored(now), scored(before), options)["map"]!;

/** Every assignment of signs, one after the other, in whole numbers. */
function countAsMuch(differences: readonly number[]): number {
  const sums = differences.reduce<number[]>((all, each) => all.flatMap((sum) => [sum + each, sum - each]), [0]);
  const seen = Math.abs(differences.reduce((sum, each) => sum + each, 0));
  return sums.filter((sum) => Math.abs(sum) >= seen).length / sums.length;
}

describe("the paired randomisation test [T59]", () => {
  it("by hand: three queries, each better by the same, are chance one time in four", () => {
    // Of eight assignments, +++ and --- differ as much.
    expect(compare([0.5, 0.6, 0.7], [0.4, 0.5, 0.6])).toEqual({
      mean: expect.closeTo(0.6, 12) as number,
      baseline: expect.closeTo(0.5, 12) as number,
      difference: expect.closeTo(0.1, 12) as number,
      p: 0.25,
      queries: 3,
    });
  });

  it("nothing changed is chance for certain", () => {
    expect(compare([0.1, 0.2], [0.1, 0.2])).toMatchObject({ difference: 0, p: 1 });
  });

  const tenths = fc.array(fc.tuple(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 10 })), {
    minLength: 1,
    maxLength: 10,
  });

  it("is exact for few queries: what counting all assignments gives", () => {
    fc.assert(
      fc.property(tenths, (pairs) => {
        const p = compare(
          pairs.map(([now]) => now / 10),
          pairs.map(([, before]) => before / 10),
        ).p;
        expect(p).toBe(countAsMuch(pairs.map(([now, before]) => now - before)));
      }),
    );
  });

  it("does not care which of the two is the baseline, or in which order queries were asked", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })), {
          minLength: 1,
          maxLength: 40,
        }),
        (pairs) => {
          const now = pairs.map(([value]) => value);
          const before = pairs.map(([, value]) => value);
          const options = { draws: 200 };
          const there = compare(now, before, options);
          expect(compare(before, now, options).p).toBe(there.p);
          const turned = summarise(new Map([...scored(now).queries].toReversed()));
          expect(compareRuns(turned, scored(before), options)["map"]?.p).toBe(there.p);
          expect(there.p).toBeGreaterThan(0);
          expect(there.p).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it("nor does it for many queries, where signs are drawn", () => {
    const now = Array.from({ length: 40 }, (_, index) => Math.abs(Math.sin(index)));
    const before = Array.from({ length: 40 }, (_, index) => Math.abs(Math.sin(2 * index + 1)));
    const turned = summarise(new Map([...scored(now).queries].toReversed()));
    const p = compare(now, before).p;
    expect(p).toBeGreaterThan(0.01);
    expect(compareRuns(turned, scored(before))["map"]?.p).toBe(p);
    expect(compare(before, now).p).toBe(p);
  });

  it("for many queries, comes close to what counting gives, and always says the same", () => {
    // 17 differences of one size: |sum| is that of a walk of 17 steps, so p is a sum of binomial coefficients.
    const now = Array.from({ length: 17 }, (_, index) => (index < 12 ? 1 : 0));
    const before = now.map((value) => 1 - value);
    const binomial = (n: number, k: number): number => (k === 0 ? 1 : (binomial(n, k - 1) * (n - k + 1)) / k);
    let exact = 0;
    for (let wins = 0; wins <= 17; wins++) if (Math.abs(2 * wins - 17) >= 7) exact += binomial(17, wins) / 131_072;
    const { p } = compare(now, before);
    // Four standard errors of 10,000 draws.
    expect(Math.abs(p - exact)).toBeLessThan(4 * Math.sqrt((exact * (1 - exact)) / 10_000));
    expect(compare(now, before).p).toBe(p);
    expect(compare(now, before, { seed: 2 }).p).not.toBe(p);
  });

  it("what never happens by chance is not called impossible", () => {
    const many = Array.from({ length: 64 }, () => 1);
    expect(
      compare(
        many,
        many.map(() => 0),
        { draws: 99 },
      ).p,
    ).toBe(0.01);
  });

  it("looks at the queries that both have, and at the metrics that both have", () => {
    const current = summarise(
      new Map([
        ["a", { map: 1, mrr: 1 }],
        ["b", { map: 0, mrr: 1 }],
      ]),
    );
    const baseline = {
      queries: new Map([
        ["b", { map: 1 }],
        ["c", { map: 1 }],
      ]),
    };
    expect(compareRuns(current, baseline)).toEqual({ map: { mean: 0, baseline: 1, difference: -1, p: 1, queries: 1 } });
  });

  it("refuses what cannot be", () => {
    expect(() => compareRuns(scored([1]), { queries: new Map([["x", { map: 1 }]]) })).toThrow("no query in common");
    expect(() => compare([1], [0], { draws: 0 })).toThrow("draws is 0");
    expect(() => compare([1], [0], { seed: 0.5 })).toThrow("seed is 0.5");
    expect(() => compare([1], [0], { rounds: 5 })).toThrow('no option "rounds"');
  });
});

describe("confidence intervals", () => {
  it.each([
    // Abramowitz and Stegun, table 26.10, two-sided 0.95.
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [5, 2.571],
    [10, 2.228],
    [29, 2.045],
    [30, 2.042],
    [120, 1.98],
    [1189, 1.962],
  ])("Student's t with %i degrees of freedom", (freedom, t) => {
    expect(studentQuantile(freedom)).toBeCloseTo(t, 3);
  });

  it("by hand", () => {
    // Mean 0.5, standard deviation 0.1 √(8/3), over √4; t of three degrees 3.18245.
    const { mean, low, high, queries } = estimateMean([0.3, 0.5, 0.5, 0.7]);
    expect([mean, queries]).toEqual([0.5, 4]);
    const margin = (3.18244631 * 0.1 * Math.sqrt(8 / 3)) / 2;
    expect(low).toBeCloseTo(0.5 - margin, 7);
    expect(high).toBeCloseTo(0.5 + margin, 7);
  });

  it("says nothing that cannot be, and nothing of chance where there is one query", () => {
    expect(estimateMean([1, 1, 0.9])).toMatchObject({ high: 1 });
    expect(estimateMean([0, 0.1])).toMatchObject({ low: 0 });
    expect(estimateMean([0.4])).toEqual({ mean: 0.4, low: 0.4, high: 0.4, queries: 1 });
    expect(estimateMean([0.4, 0.4])).toMatchObject({ low: 0.4, high: 0.4 });
  });
});
