import { checkGiven } from "../../runtime/check-options.ts";
import type { Health, LatencySummary } from "../../contracts/health.ts";

/**
 * A health as programs read it: what `GET /health/rag` answers, and `ibid status --health --json` prints.
 *
 * @experimental
 */
export interface HealthBody {
  /** ISO 8601. */
  readonly at: string;
  readonly windowSeconds: number;
  readonly embedding: LatencyBody & { readonly cacheHitRate: number };
  readonly queue: Health["queue"];
  readonly flush: LatencyBody;
  readonly retrieval: LatencyBody & { readonly hits: number; readonly misses: number; readonly empty: number };
  readonly ingestion: Health["ingestion"];
}

/**
 * **Units** milliseconds, to the microsecond.
 *
 * @experimental
 */
export interface LatencyBody {
  readonly count: number;
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

/**
 * The body of `GET /health/rag`, ready for `JSON.stringify`.
 *
 * **Shape** keys always all there and in one order; numbers are finite. **Source** ToolUp's endpoint.
 *
 * @experimental
 */
export function describeHealth(health: Health): HealthBody {
  checkGiven("describeHealth", "health", health, "object", {
    retrieval: "object",
    embedding: "object",
    queue: "object",
    flush: "object",
    ingestion: "object",
  });
  const { at, windowMs, embedding, queue, flush, retrieval, ingestion } = health;
  const { hits, misses, empty } = retrieval;
  return {
    at: new Date(at).toISOString(),
    windowSeconds: windowMs / 1000,
    embedding: { ...latency(embedding), cacheHitRate: rounded(embedding.cacheHitRate) },
    queue: { depth: queue.depth, rejected: queue.rejected },
    flush: latency(flush),
    retrieval: { hits, misses, empty, ...latency(retrieval) },
    ingestion: { ...ingestion },
  };
}

function latency({ count, mean, p95, max }: LatencySummary): LatencyBody {
  return { count, meanMs: rounded(mean), p95Ms: rounded(p95), maxMs: rounded(max) };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
