import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DocumentSummary } from "../../src/contracts/document-store.ts";
import type { RefreshPolicy } from "../../src/contracts/refresh-policy.ts";
import {
  alwaysRefresh,
  neverRefreshExisting,
  refreshAfter,
  refreshMatching,
  refreshModified,
} from "../../src/ingest/refresh-policy.ts";

const checked = (checkedAt: number): DocumentSummary =>
  ({ uri: "a", checkedAt: new Date(checkedAt).toISOString() }) as DocumentSummary;
const kept = checked(0);
const asked = (policy: RefreshPolicy, uri = "a", before: DocumentSummary | undefined = kept): unknown =>
  policy.shouldReread(uri, before);

describe("refresh policies [E16]", () => {
  it("all read what is not there", () => {
    for (const policy of [alwaysRefresh, neverRefreshExisting, refreshAfter(1e9), refreshMatching("nothing")])
      expect(policy.shouldReread("new", undefined)).toBe(true);
  });

  it("by what its source says: what was modified before it was last looked at is left", () => {
    const before = { uri: "a", checkedAt: "2026-05-02T12:00:00.000Z" } as DocumentSummary;
    const rereads = (modified?: string): unknown =>
      refreshModified.shouldReread("a", before, modified === undefined ? undefined : { modified });
    expect(rereads("2026-05-02T13:59:59+02:00")).toBe(false);
    expect(rereads("2026-05-02T14:00:01+02:00")).toBe(true);
    // A day is over when it is over everywhere.
    expect([rereads("2026-05-02"), rereads("2026-05-01"), rereads("2026-04-30")]).toEqual([true, true, false]);
    expect([rereads(), rereads("soon")]).toEqual([true, true]);
    expect(refreshModified.shouldReread("a", undefined, { modified: "1999-01-01" })).toBe(true);
  });

  it("always, and never", () => {
    expect(asked(alwaysRefresh)).toBe(true);
    expect(asked(neverRefreshExisting)).toBe(false);
  });

  it("after a time: when what is kept was looked at longer ago, strictly; zero is always", () => {
    const at = (now: number, ttlMs: number): unknown => asked(refreshAfter(ttlMs, { now: () => now }));
    expect([at(999, 1000), at(1000, 1000), at(1001, 1000)]).toEqual([false, false, true]);
    expect([at(0, 0), at(-5, 0), at(5, 0)]).toEqual([true, true, true]);
    expect(at(1e15, Infinity)).toBe(false);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e12 }),
        fc.integer({ min: 1, max: 1e9 }),
        fc.nat(1e9),
        (then, ttl, age) => {
          const policy = refreshAfter(ttl, { now: () => then + age });
          expect(policy.shouldReread("a", checked(then))).toBe(age > ttl);
        },
      ),
    );
  });

  it.each([[-1], [Number.NaN], ["1d" as unknown as number]])("refuses %s for a time", (ttl) => {
    expect(() => refreshAfter(ttl)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  it("where the uri matches: a pattern, a predicate, or any of some substrings", () => {
    const news = refreshMatching(/^https:\/\/news\./gu);
    expect(["https://news.example.com", "https://example.com/news."].map((uri) => asked(news, uri))).toEqual([
      true,
      false,
    ]);
    // A pattern with `g` remembers where it stopped; a policy must not.
    expect([1, 2, 3].map(() => asked(news, "https://news.example.com"))).toEqual([true, true, true]);
    expect(
      ["ab", "ba"].map((uri) =>
        asked(
          refreshMatching((it) => it.startsWith("a")),
          uri,
        ),
      ),
    ).toEqual([true, false]);
    const any = refreshMatching("/live/", "/draft/");
    expect(["x/live/1", "x/draft/2", "x/done/3"].map((uri) => asked(any, uri))).toEqual([true, true, false]);
    for (const nothing of [[], [""], ["a", ""]])
      expect(() => refreshMatching(...nothing)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});
