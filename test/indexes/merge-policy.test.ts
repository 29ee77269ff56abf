import { describe, expect, it } from "vitest";
import { chooseMerge, defaultPolicy, type SegmentSize } from "../../src/indexes/merge-policy.ts";

const policy = { ...defaultPolicy, sealAt: 10, mergeFactor: 4, maxMerged: 100_000 };
const full = (size: number): SegmentSize => ({ size, presentCount: size });

describe("merging", () => {
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
