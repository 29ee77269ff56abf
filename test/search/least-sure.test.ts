import { expect, it } from "vitest";
import type { Calibration, LegMatch, LegResult, ScoreBounds } from "../../src/contracts/leg.ts";
import { createFusion } from "../../src/search/fusions.ts";
import { addPools, leastSure, type MergedChunks, openPool } from "../../src/search/merge-pools.ts";

const fusion = createFusion({ name: "weighted", weights: { a: 1, b: 1 } }, true);

/** Leg a finds seven chunks. Leg b finds another one, and has bounds of those of a. */
function sureOf(wanted: number, bounds: ScoreBounds | undefined, minScore?: number, calibration: object = {}) {
  const match = (id: string, score: number): LegMatch => ({
    scope: "deployment",
    id,
    score,
    revision: 0,
    why: { kind: "other", details: 0 },
  });
  const result = (matches: readonly LegMatch[], more: Partial<LegResult> = {}): LegResult => ({
    matches,
    complete: false,
    exact: true,
    calibration: { weight: 1, scale: 1, ...calibration } satisfies Calibration,
    ...more,
  });
  const found = [0.5, 0.4, 0.3, 0.2, 0.1, 0.09, 0.08].map((score, i) => match(`c${i}`, score));
  const pools = [
    openPool("a", 7, result(found)),
    openPool("b", 1, result([match("other", 0.05)], { bounds: () => bounds })),
  ];
  const legs = ["a", "b"].map((name) => ({
    leg: { name, search: () => expect.unreachable() },
    query: {} as never,
    within: name === "b" ? { minScore } : {},
  }));
  const input = { legs, fusion, wanted, byRow: false };
  const merged: MergedChunks = new Map();
  addPools(input, pools, merged);
  return leastSure(input, pools, merged);
}

const bounds = { most: [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9], least: [0.1, 0.3, 0.1, 0.7, 0.1, 0.1, 0.1] };

it("is the sum that so many chunks reach with the least that each leg gives", () => {
  // .1 + .5, .3 + .4, .1 + .3, .7 + .2, …
  expect(sureOf(1, bounds)).toBeCloseTo(0.9, 9);
  expect(sureOf(2, bounds)).toBeCloseTo(0.7, 9);
  expect(sureOf(1, bounds)!).toBeLessThanOrEqual(0.9);
});

it("counts nothing of a score that may be below its leg's threshold, and what is below 0 in any case", () => {
  expect(sureOf(1, bounds, 0.8)).toBeCloseTo(0.5, 9);
  expect(sureOf(1, { ...bounds, least: bounds.least.map(() => -0.2) }, 0.8)).toBeCloseTo(0.3, 9);
  const none = { most: bounds.most.map(() => -Infinity), least: bounds.least.map(() => -Infinity) };
  expect(sureOf(1, none)).toBeCloseTo(0.5, 9);
});

it("counts no chunk that needs to be found by another leg too", () => {
  expect(sureOf(1, bounds, undefined, { aloneAbove: 0.35 })).toBeCloseTo(0.7, 9);
});

it("is not known without bounds", () => {
  expect(sureOf(1, undefined)).toBeUndefined();
  expect(sureOf(1, { ...bounds, least: bounds.least.map(() => -Infinity) })).toBeUndefined();
});
