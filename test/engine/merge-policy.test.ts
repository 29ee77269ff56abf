import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chooseMerge,
  defaultPolicy,
  type SegmentPolicy,
  type SegmentSize,
} from "../../src/engine/segments/merge-policy.ts";

const policy = { ...defaultPolicy, sealAt: 10, mergeFactor: 4, maxMerged: 100_000 };
const full = (size: number): SegmentSize => ({ size, presentCount: size });

/** The plain reference: what is mostly gone goes first; else the tier that is the first to be full, as segments are taken one after the other. */
function naive(segments: readonly SegmentSize[], { sealAt, mergeFactor, maxMerged }: SegmentPolicy) {
  const tierOf = ({ presentCount }: SegmentSize): number =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((step) => sealAt * mergeFactor ** step <= presentCount).length;
  for (const segment of segments) if (segment.presentCount < segment.size / 2) return [segment];
  const small = segments.filter(({ presentCount }) => presentCount < maxMerged);
  for (const last of small.keys()) {
    const tier = small.slice(0, last + 1).filter((each) => tierOf(each) === tierOf(small[last]!));
    if (tier.length >= mergeFactor) return tier;
  }
  return undefined;
}

describe("merging", () => {
  it("chooses what a plain look at all of them does", () => {
    const size = fc.oneof(fc.nat(12), fc.constantFrom(2, 3, 4, 8, 9, 16, 32, 63, 64, 200));
    const segment = fc.tuple(size, fc.integer({ min: 0, max: 9 })).map(([present, gone]) => ({
      size: present + Math.floor((present * gone) / 8),
      presentCount: present,
    }));
    const some = fc.record({
      sealAt: fc.constantFrom(1, 2, 3),
      settleAt: fc.constant(1),
      mergeFactor: fc.constantFrom(2, 3, 4),
      maxMerged: fc.constantFrom(4, 20, 64),
    });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 20 }), some, (segments, chosen) => {
        const found = chooseMerge(segments, chosen);
        const expected = naive(segments, chosen);
        expect(found).toEqual(expected);
        // The very segments, not others of their size.
        expect(found?.every((each, i) => each === expected![i])).toBe(expected && true);
      }),
      { numRuns: 500 },
    );
  });

  it("keeps the number of segments logarithmic, and each chunk is merged a few times", () => {
    let segments: SegmentSize[] = [];
    let moved = 0;
    let most = 0;
    for (let sealed = 0; sealed < 4_000; sealed++) {
      segments.push(full(10));
      for (let chosen = chooseMerge(segments, policy); chosen !== undefined; chosen = chooseMerge(segments, policy)) {
        const merged = chosen;
        const size = merged.reduce((sum, { presentCount }) => sum + presentCount, 0);
        moved += size;
        segments = [...segments.filter((segment) => !merged.includes(segment)), full(size)];
      }
      most = Math.max(most, segments.length);
    }
    expect(segments.reduce((sum, { size }) => sum + size, 0)).toBe(40_000);
    // log4(4,000) is just under 6; at most three segments wait in each tier.
    expect(most).toBeLessThanOrEqual(3 * 7);
    expect(moved / 40_000).toBeLessThanOrEqual(6);
  });

  it("rewrites a segment that is mostly gone, and leaves large ones alone", () => {
    const hollow = { size: 100, presentCount: 49 };
    expect(chooseMerge([full(100), hollow, full(10)], policy)).toEqual([hollow]);
    expect(chooseMerge([full(100), { size: 100, presentCount: 50 }], policy)).toBeUndefined();
    const large = Array.from({ length: 9 }, () => full(100_000));
    expect(chooseMerge(large, policy)).toBeUndefined();
  });
});
