import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { KnowledgeEvent } from "../../../src/contracts/event-store.ts";
import type { LatencySummary } from "../../../src/contracts/health.ts";
import { describeHealth } from "../../../src/knowledge-base/operations/health-body.ts";
import { createHealthWindow, mostMeasurements } from "../../../src/knowledge-base/operations/health-window.ts";
import { nearestRank } from "../../../src/knowledge-base/operations/health-window.ts";
import { sampleTrace } from "../../packs/tracer-pack.ts";

const noon = Date.UTC(2026, 0, 1, 12);

const retrieved = (at: number, latencyMs: number, resultCount = 2): KnowledgeEvent => ({
  name: "KnowledgeRetrieved",
  at,
  scopes: ["deployment"],
  data: { ...sampleTrace, latencyMs, resultCount },
});
const missed = (at: number): KnowledgeEvent => ({
  name: "KnowledgeRetrievalMiss",
  at,
  scopes: [],
  data: { queryHash: "" },
});
const embedded = (at: number, latencyMs: number, inputs: number, sent: number): KnowledgeEvent => ({
  name: "KnowledgeEmbedded",
  at,
  scopes: [],
  data: { purpose: "document", inputs, sent, latencyMs },
});
const flushed = (at: number, latencyMs: number): KnowledgeEvent => ({
  name: "KnowledgeFlushed",
  at,
  scopes: [],
  data: { latencyMs },
});
const queued = (at: number, depth: number, rejected: number): KnowledgeEvent => ({
  name: "KnowledgeQueued",
  at,
  scopes: [],
  data: { depth, rejected },
});

function windowAt(at: number, events: readonly KnowledgeEvent[]) {
  const window = createHealthWindow(() => at);
  for (const event of events) window.add(event);
  return window;
}

describe("a nearest rank", () => {
  it.each([
    [[], 0],
    [[7], 7],
    [[1, 2], 2],
    [Array.from({ length: 19 }, (_, i) => i + 1), 19],
    // ceil(0.95 · 20) = 19 and ceil(0.95 · 21) = 20, counted from 1.
    [Array.from({ length: 20 }, (_, i) => i + 1), 19],
    [Array.from({ length: 21 }, (_, i) => i + 1), 20],
    [Array.from({ length: 100 }, (_, i) => i + 1), 95],
  ])("of %j at 95 of 100 is %d [T54]", (values, expected) => {
    expect(nearestRank(values, 0.95)).toBe(expected);
  });

  it("is the least measurement that a share of all does not exceed [T54]", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 100 }),
        (values, percent) => {
          const ascending = values.toSorted((a, b) => a - b);
          const reaches = (value: number): boolean =>
            100 * values.filter((each) => each <= value).length >= percent * values.length;
          expect(nearestRank(ascending, percent / 100)).toBe(ascending.find(reaches));
        },
      ),
    );
  });
});

describe("the rolling minute", () => {
  it("is all zeros where nothing happened [T54]", () => {
    const none = { count: 0, mean: 0, p95: 0, max: 0 };
    expect(windowAt(noon, []).health()).toEqual({
      at: noon,
      windowMs: 60_000,
      retrieval: { ...none, hits: 0, misses: 0, empty: 0 },
      embedding: { ...none, cacheHitRate: 0 },
      flush: none,
      queue: { depth: 0, rejected: 0 },
      ingestion: { indexed: 0, failed: 0, reembedded: 0, reembedFailed: 0 },
    });
  });

  it("counts hits, misses and empty searches apart, and measures the rest [T41 T44 T50 T54]", () => {
    const at = noon;
    const window = windowAt(noon, [
      retrieved(at, 10),
      retrieved(at, 20, 1),
      missed(at),
      retrieved(at, 30, 0),
      missed(at),
      retrieved(at, 40, 5),
      embedded(at, 100, 8, 6),
      embedded(at, 1, 4, 0),
      flushed(at, 5),
      flushed(at, 7),
      queued(at, 9, 0),
      queued(at, 3, 1),
      { name: "KnowledgeChunkIndexed", at, scopes: [], data: { documentId: "a", chunks: 4 } },
      { name: "KnowledgeChunkIndexed", at, scopes: [], data: { documentId: "b", chunks: 5 } },
      { name: "KnowledgeChunkFailed", at, scopes: [], data: { documentId: "c", code: "unreadable" } },
      { name: "KnowledgeChunkReembedded", at, scopes: [], data: { version: "v", chunks: 6 } },
      { name: "KnowledgeChunkReembedFailed", at, scopes: [], data: { version: "v", chunks: 2, code: "timeout" } },
    ]);
    expect(window.health()).toEqual({
      at: noon,
      windowMs: 60_000,
      retrieval: { count: 4, mean: 25, p95: 40, max: 40, hits: 2, misses: 1, empty: 1 },
      // What the cache answered was no call; of twelve texts six were sent.
      embedding: { count: 1, mean: 100, p95: 100, max: 100, cacheHitRate: 0.5 },
      flush: { count: 2, mean: 6, p95: 7, max: 7 },
      queue: { depth: 3, rejected: 1 },
      ingestion: { indexed: 9, failed: 1, reembedded: 6, reembedFailed: 2 },
    });
  });

  it("moves on: an event counts for a minute, to the millisecond [T54]", () => {
    let now = noon;
    const window = createHealthWindow(() => now);
    window.add(flushed(noon, 5));
    window.add(queued(noon, 4, 1));
    now = noon + 59_999;
    expect(window.health()).toMatchObject({ flush: { count: 1 }, queue: { depth: 4, rejected: 1 } });
    now = noon + 60_000;
    expect(window.health()).toMatchObject({ flush: { count: 0 }, queue: { depth: 0, rejected: 0 } });
  });

  it("is what looking through everything says, whatever happened when [T54]", () => {
    const event = fc.oneof(
      fc
        .record({ at: fc.nat(150_000), ms: fc.nat(500), count: fc.nat(3) })
        .map(({ at, ms, count }) => retrieved(at, ms, count)),
      fc.record({ at: fc.nat(150_000), ms: fc.nat(500) }).map(({ at, ms }) => flushed(at, ms)),
      fc
        .record({ at: fc.nat(150_000), ms: fc.nat(500), inputs: fc.nat(9) })
        .map(({ at, ms, inputs }) => embedded(at, ms, inputs, inputs >> 1)),
      fc
        .record({ at: fc.nat(150_000), depth: fc.nat(50), rejected: fc.nat(2) })
        .map(({ at, depth, rejected }) => queued(at, depth, rejected)),
    );
    /** Events and moments at which somebody looks, in the order in which they come. */
    const steps = fc.array(fc.oneof({ weight: 5, arbitrary: event }, { weight: 1, arbitrary: fc.nat(200_000) }), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(steps, (all) => {
        let now = 0;
        const window = createHealthWindow(() => now);
        const seen: KnowledgeEvent[] = [];
        for (const step of all) {
          if (typeof step !== "number") {
            seen.push(step);
            window.add(step);
            continue;
          }
          now = Math.max(now, step);
          const current = seen.filter(({ at }) => at > now - 60_000);
          const health = window.health();
          expect(health.flush).toEqual(
            plainSummary(current.flatMap((e) => (e.name === "KnowledgeFlushed" ? [e.data.latencyMs] : []))),
          );
          expect(health.retrieval).toMatchObject(
            plainSummary(current.flatMap((e) => (e.name === "KnowledgeRetrieved" ? [e.data.latencyMs] : []))),
          );
          const empty = current.filter((e) => e.name === "KnowledgeRetrieved" && e.data.resultCount === 0).length;
          expect(health.retrieval).toMatchObject({ empty, misses: 0, hits: health.retrieval.count - empty });
          const queue = current.flatMap((e) => (e.name === "KnowledgeQueued" ? [e.data] : []));
          expect(health.queue).toEqual({
            depth: queue.at(-1)?.depth ?? 0,
            rejected: queue.reduce((sum, { rejected }) => sum + rejected, 0),
          });
          const texts = current.flatMap((e) => (e.name === "KnowledgeEmbedded" ? [e.data] : []));
          const inputs = texts.reduce((sum, each) => sum + each.inputs, 0);
          const sent = texts.reduce((sum, each) => sum + each.sent, 0);
          expect(health.embedding.cacheHitRate).toBe(inputs === 0 ? 0 : (inputs - sent) / inputs);
        }
      }),
    );
  });

  it("remembers the latest of one kind, however many come [T54]", () => {
    const window = createHealthWindow(() => noon);
    for (let i = 0; i < 2 * mostMeasurements + 10; i++) window.add(flushed(noon, i));
    const { flush } = window.health();
    expect(flush).toMatchObject({ count: mostMeasurements, max: 2 * mostMeasurements + 9 });
  });
});

function plainSummary(values: readonly number[]): LatencySummary {
  if (values.length === 0) return { count: 0, mean: 0, p95: 0, max: 0 };
  const ascending = values.toSorted((a, b) => a - b);
  return {
    count: values.length,
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    p95: ascending.find((value) => 100 * values.filter((each) => each <= value).length >= 95 * values.length) ?? 0,
    max: Math.max(...values),
  };
}

it("the body of GET /health/rag has every key, in one order [T54]", () => {
  const body = describeHealth(windowAt(noon, [retrieved(noon, 1 / 3), flushed(noon, 2), queued(noon, 4, 0)]).health());
  expect(JSON.stringify(body)).toBe(
    '{"at":"2026-01-01T12:00:00.000Z","windowSeconds":60,' +
      '"embedding":{"count":0,"meanMs":0,"p95Ms":0,"maxMs":0,"cacheHitRate":0},' +
      '"queue":{"depth":4,"rejected":0},' +
      '"flush":{"count":1,"meanMs":2,"p95Ms":2,"maxMs":2},' +
      '"retrieval":{"hits":1,"misses":0,"empty":0,"count":1,"meanMs":0.333,"p95Ms":0.333,"maxMs":0.333},' +
      '"ingestion":{"indexed":0,"failed":0,"reembedded":0,"reembedFailed":0}}',
  );
});
