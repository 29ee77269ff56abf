import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IbidError, type IbidErrorCode } from "../../../src/contracts/errors.ts";
import {
  checkRetryPolicy,
  defaultRetryPolicy as policy,
  delayBefore,
  isTransient,
} from "../../../src/ingest/queue/retry-policy.ts";

describe("the retry policy", () => {
  it("waits 30 seconds, then twice as long each time, and never longer than half an hour [T43]", () => {
    expect([1, 2, 3, 4, 5].map((n) => delayBefore(n, policy, 0))).toEqual([0, 30_000, 60_000, 120_000, 240_000]);
    expect(delayBefore(8, policy, 0)).toBe(1_800_000);
    expect(delayBefore(5000, policy, 0)).toBe(1_800_000);
    expect(delayBefore(2, policy, 1)).toBe(36_000);
    expect(policy.attempts).toBe(5);
  });

  it("adds at most its jitter, and never takes any away [T43]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const [least, wait] = [delayBefore(attempt, policy, 0), delayBefore(attempt, policy, random)];
        expect(wait).toBeGreaterThanOrEqual(least);
        expect(wait).toBeLessThanOrEqual(least * 1.2);
      }),
    );
  });

  it("tries again what others are at fault for, or nobody knows; of the 4xx only 429 [T43]", () => {
    const error = (code: IbidErrorCode, status?: number) =>
      new IbidError(code, "…", status === undefined ? {} : { details: { status } });
    for (const status of [400, 401, 403, 404, 408, 413, 422])
      expect(isTransient(error("embedding-failed", status))).toBe(false);
    for (const status of [429, 500, 502, 503, 504]) expect(isTransient(error("embedding-failed", status))).toBe(true);
    for (const code of ["rate-limited", "timeout", "fetch-failed", "store-busy", "internal"] as const)
      expect(isTransient(error(code))).toBe(true);
    for (const code of [
      "access-denied",
      "unreadable",
      "binary",
      "not-found",
      "encrypted",
      "dimension-mismatch",
    ] as const)
      expect(isTransient(error(code))).toBe(false);
    expect(isTransient(new TypeError("fetch failed"))).toBe(true);
    expect(
      isTransient(new IbidError("model-failed", "…", { cause: Object.assign(new Error(), { statusCode: 403 }) })),
    ).toBe(false);
  });

  it("refuses numbers that make no policy", () => {
    for (const wrong of [
      { attempts: 0 },
      { attempts: 1.5 },
      { initialMs: -1 },
      { longestMs: 1 },
      { jitter: 2 },
      { initialMs: Number.NaN },
    ])
      expect(() => checkRetryPolicy(wrong)).toThrow(/retry policy/u);
  });
});
