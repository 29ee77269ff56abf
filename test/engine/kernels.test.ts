import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packBits, unpackBits } from "../../src/engine/kernels/bitset.ts";
import { squaredDistance } from "../../src/engine/kernels/distance.ts";
import { dot, norm } from "../../src/runtime/dot.ts";
import { sparseDot, sparseNorm, sparseDistance, type SparseRow } from "../../src/runtime/sparse.ts";
import { createTopK } from "../../src/engine/kernels/top-k.ts";

/** Whole numbers, so that the plain reference gives the same sum in any order. */
const row = fc.array(fc.integer({ min: -100, max: 100 }), { maxLength: 40 });
const pair = row.chain((a) =>
  fc.tuple(fc.constant(a), fc.array(fc.integer({ min: -100, max: 100 }), { minLength: a.length, maxLength: a.length })),
);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The row, with other numbers before and after it. */
const placed = (values: readonly number[], start: number) =>
  Float32Array.from([...Array<number>(start).fill(77), ...values, 99, 99]);

describe("loops over vectors give what their plain references give", () => {
  it("dot and norm [T10 T29]", () => {
    fc.assert(
      fc.property(pair, fc.nat(5), fc.nat(5), ([a, b], i, j) => {
        expect(dot(placed(a, i), i, placed(b, j), j, a.length) + 0).toBe(sum(a.map((value, at) => value * b[at]!)) + 0);
        expect(norm(placed(a, i), i, a.length)).toBe(Math.sqrt(sum(a.map((value) => value * value))));
      }),
    );
  });

  it("adds in one order, whatever the values: four lanes, then pairs of lanes [L11]", () => {
    const a = Float32Array.of(1e16, 1, -1e16, 1, 1, 1, 1);
    const b = Float32Array.of(1, 1, 1, 1, 1, 1, 1);
    const large = Math.fround(1e16);
    expect(dot(a, 0, b, 0, 7)).toBe(large + 1 + (1 + 1) + (-large + 1 + 1));
  });

  it("squared distance [B28]", () => {
    fc.assert(
      fc.property(pair, fc.nat(5), fc.nat(5), ([a, b], i, j) => {
        const expected = sum(a.map((value, at) => (value - b[at]!) * (value - b[at]!)));
        expect(squaredDistance(placed(a, i), i, placed(b, j), j, a.length)).toBe(expected);
      }),
    );
  });

  it("sparse rows, as if their zeros were there [B12]", () => {
    const sparse = fc.dictionary(fc.nat(12).map(String), fc.integer({ min: -9, max: 9 }));
    const toRow = (values: Record<string, number>, start: number): SparseRow => {
      const entries = Object.entries(values).map(([index, value]) => [Number(index), value] as const);
      entries.sort(([a], [b]) => a - b);
      const filler = Array<number>(start).fill(3);
      return {
        indices: Uint32Array.from([...filler, ...entries.map(([index]) => index), 3]),
        values: Float32Array.from([...filler, ...entries.map(([, value]) => value), 3]),
        start,
        end: start + entries.length,
      };
    };
    const dense = (values: Record<string, number>) => Array.from({ length: 13 }, (_, i) => values[String(i)] ?? 0);
    fc.assert(
      fc.property(sparse, sparse, fc.nat(3), (a, b, start) => {
        const [left, right] = [toRow(a, start), toRow(b, 0)];
        const [full, other] = [dense(a), dense(b)];
        expect(sparseDot(left, right) + 0).toBe(sum(full.map((value, i) => value * other[i]!)) + 0);
        expect(sparseDistance(left, right, "euclidean")).toBe(
          sum(full.map((value, i) => (value - other[i]!) * (value - other[i]!))),
        );
        expect(sparseNorm(left)).toBe(Math.sqrt(sum(full.map((value) => value * value))));
      }),
    );
  });
});

describe("the best k", () => {
  it("are what sorting everything gives, with all that equal the last of them [L5 B19]", () => {
    const offers = fc.array(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.nat(1_000)), { maxLength: 300 });
    fc.assert(
      fc.property(offers, fc.nat(200), (offered, k) => {
        const best = createTopK(k);
        for (const [score, item] of offered) best.offer(score, item);
        const byScore = (a: readonly [number, number], b: readonly [number, number]) => b[0] - a[0] || a[1] - b[1];
        const sorted = offered.toSorted(byScore);
        const last = k === 0 ? Infinity : (sorted[k - 1]?.[0] ?? -Infinity);
        const { scores, items } = best.take();
        const taken = [...scores].map((score, i): [number, number] => [score, items[i]!]);
        expect(taken.map(([score]) => score)).toEqual([...scores].toSorted((a, b) => b - a));
        expect(taken.toSorted(byScore)).toEqual(sorted.filter(([score]) => score >= last));
      }),
    );
  });

  it("never include NaN, and say what is too low to offer [L5]", () => {
    const best = createTopK(2);
    best.offer(Number.NaN, 1);
    expect(best.floor).toBe(-Infinity);
    best.offer(0.5, 2);
    best.offer(0.25, 3);
    expect(best.floor).toBe(0.25);
    best.offer(0.75, 4);
    expect(best.floor).toBe(0.5);
    expect([...best.take().items]).toEqual([4, 2]);
    expect(best.take().items).toHaveLength(0);
    expect(createTopK(0).floor).toBe(Infinity);
  });
});

it("flags are packed into the digits of bytes, the first one lowest, and survive it", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0, 1)), fc.nat(3), (flags, more) => {
      const bytes = Array.from({ length: Math.ceil(flags.length / 8) }, (_, i) =>
        Number.parseInt(
          flags
            .slice(8 * i, 8 * i + 8)
            .toReversed()
            .join(""),
          2,
        ),
      );
      // What lies behind them is not theirs.
      const packed = packBits(Uint8Array.from([...flags, ...Array<number>(more).fill(1)]), flags.length);
      expect([...packed]).toEqual(bytes);
      expect([...unpackBits(Uint8Array.from([...packed, 255]), flags.length)]).toEqual(flags);
    }),
  );
});
