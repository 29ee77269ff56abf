import type { KnowledgeEvent } from "../../contracts/event-store.ts";
import type { Health, LatencySummary } from "../../contracts/health.ts";
import { createRecentMarks, type RecentMarks } from "../../runtime/recent-marks.ts";

/** **Units** milliseconds. **Source** ToolUp: a rolling minute. */
export const healthWindowMs = 60_000;

/** So many of one kind are remembered within the minute; where there are more, the oldest go. It bounds memory under any load. */
export const mostMeasurements = 65_536;

/** Kind of each number. `hollow`: searches without evidence, the empty ones among them. */
type Kind =
  | "retrieval"
  | "hollow"
  | "empty"
  | "embedding"
  | "inputs"
  | "sent"
  | "flush"
  | "depth"
  | "rejected"
  | "indexed"
  | "failed"
  | "reembedded"
  | "reembedFailed";

/** A minute that moves on: events go in as they happen, and a summary of the last sixty seconds comes out. */
export interface HealthWindow {
  add(event: KnowledgeEvent): void;
  health(): Health;
}

/**
 * Remembers the last minute.
 *
 * **Shape** an event counts from its own time until a minute later, not including that moment; what claims to come from the future counts at once.
 * **Cost** an append for each event; a summary sorts what was measured within the minute.
 * **Source** ToolUp `IRagTelemetry`.
 */
export function createHealthWindow(now: () => number): HealthWindow {
  const series = new Map<Kind, RecentMarks>();

  function remember(kind: Kind, at: number, value: number): void {
    let marks = series.get(kind);
    if (marks === undefined) {
      marks = createRecentMarks({ now, window: healthWindowMs, most: mostMeasurements, width: 2 });
      series.set(kind, marks);
    }
    marks.add(at, value);
  }

  // Processes' clocks differ a little: a late event may be older than the one before it.
  const valuesOf = (kind: Kind, from: number): readonly number[] =>
    series
      .get(kind)
      ?.after(from)
      .map(([, value]) => value!) ?? [];

  return {
    add(event) {
      const tell = (kind: Kind, value: number): void => remember(kind, event.at, value);
      switch (event.name) {
        case "KnowledgeRetrieved":
          tell("retrieval", event.data.latencyMs);
          if (event.data.resultCount === 0) tell("empty", 1);
          break;
        case "KnowledgeRetrievalMiss":
          if ((event.data.evidence ?? 0) === 0) tell("hollow", 1);
          break;
        case "KnowledgeEmbedded":
          if (event.data.sent > 0) tell("embedding", event.data.latencyMs);
          tell("inputs", event.data.inputs);
          tell("sent", event.data.sent);
          break;
        case "KnowledgeFlushed":
          tell("flush", event.data.latencyMs);
          break;
        case "KnowledgeVacuumCompleted":
        case "KnowledgeQueryTooLarge":
          break;
        case "KnowledgeQueued":
          tell("depth", event.data.depth);
          if (event.data.rejected > 0) tell("rejected", event.data.rejected);
          break;
        case "KnowledgeChunkIndexed":
          tell("indexed", event.data.chunks);
          break;
        case "KnowledgeChunkFailed":
          tell("failed", 1);
          break;
        case "KnowledgeChunkReembedded":
          tell("reembedded", event.data.chunks);
          break;
        case "KnowledgeChunkReembedFailed":
          tell("reembedFailed", event.data.chunks);
      }
    },

    health() {
      const at = now();
      const values = (kind: Kind): readonly number[] => valuesOf(kind, at - healthWindowMs);
      const total = (kind: Kind): number => values(kind).reduce((sum, value) => sum + value, 0);
      const retrieval = summarise(values("retrieval"));
      const empty = total("empty");
      // A search that found nothing also counts as one without evidence.
      const missed = Math.max(total("hollow"), empty);
      const inputs = total("inputs");
      return {
        at,
        windowMs: healthWindowMs,
        retrieval: { ...retrieval, hits: Math.max(retrieval.count - missed, 0), misses: missed - empty, empty },
        embedding: {
          ...summarise(values("embedding")),
          cacheHitRate: inputs === 0 ? 0 : Math.max(inputs - total("sent"), 0) / inputs,
        },
        flush: summarise(values("flush")),
        queue: { depth: values("depth").at(-1) ?? 0, rejected: total("rejected") },
        ingestion: {
          indexed: total("indexed"),
          failed: total("failed"),
          reembedded: total("reembedded"),
          reembedFailed: total("reembedFailed"),
        },
      };
    },
  };
}

function summarise(values: readonly number[]): LatencySummary {
  const ascending = values.toSorted((a, b) => a - b);
  const sum = ascending.reduce((total, value) => total + value, 0);
  return {
    count: ascending.length,
    mean: ascending.length === 0 ? 0 : sum / ascending.length,
    p95: nearestRank(ascending, 0.95),
    max: ascending.at(-1) ?? 0,
  };
}

/**
 * A percentile that is one of the measurements: the one at rank `ceil(share · n)`, counted from 1.
 *
 * **Shape** `ascending` is sorted; 0 for none. **Source** Hyndman and Fan, Sample Quantiles in Statistical Packages (1996), definition 1; ToolUp's p95.
 */
export function nearestRank(ascending: readonly number[], share: number): number {
  // A product such as 0.95 · 20 may come out a little above the whole number that it is.
  const rank = Math.ceil(share * ascending.length - 1e-9);
  return ascending[Math.max(rank, 1) - 1] ?? 0;
}
