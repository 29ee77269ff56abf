import type { KnowledgeEvent } from "../../contracts/event-store.ts";
import type { SpanStart } from "../../contracts/telemetry.ts";
import type { ApiMeter } from "./load-api.ts";

/** Instruments beside the spans. */
export interface Measures {
  /** **Units** seconds, as the conventions require. */
  duration(start: SpanStart, seconds: number, errorType: string | undefined): void;
  event(event: KnowledgeEvent): void;
}

/** **Units** seconds. **Source** the conventions' advice for `gen_ai.client.operation.duration`. */
const durationBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/** Buckets for writes of a document, which are faster. **Units** seconds. */
const flushBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/**
 * Records latencies, outcomes of searches, the queue and the cache as metrics.
 *
 * **Source** `gen_ai.client.operation.duration`: OpenTelemetry semantic conventions 1.41, docs/gen-ai/gen-ai-metrics.md (status: Development).
 * Instruments without a name in the conventions stand under `ibid.`.
 */
export function createMeasures(meter: ApiMeter): Measures {
  const operations = meter.createHistogram("gen_ai.client.operation.duration", {
    description: "GenAI operation duration.",
    unit: "s",
    advice: { explicitBucketBoundaries: durationBuckets },
  });
  const flushes = meter.createHistogram("ibid.store.flush.duration", {
    description: "How long a document's write took until it was safe.",
    unit: "s",
    advice: { explicitBucketBoundaries: flushBuckets },
  });
  const retrievals = meter.createCounter("ibid.retrieval.count", {
    description: "Searches, by outcome: hit, miss or empty.",
    unit: "{search}",
  });
  const depth = meter.createGauge("ibid.queue.depth", { description: "Jobs that wait.", unit: "{job}" });
  const rejected = meter.createCounter("ibid.queue.rejected", {
    description: "Jobs that were refused because the queue was full.",
    unit: "{job}",
  });
  const hitRate = meter.createGauge("ibid.embeddings.cache.hit_rate", {
    description: "Texts that needed no request, over all since the start.",
    unit: "1",
  });
  const chunks = meter.createCounter("ibid.chunks", {
    description: "Chunks that were indexed or given another embedding.",
    unit: "{chunk}",
  });
  const failures = meter.createCounter("ibid.failures", {
    description: "Documents that could not be taken in, and chunks that could not be embedded anew.",
    unit: "1",
  });

  let inputs = 0;
  let sent = 0;
  /** The latest search. Its miss is reported directly after it, in the same turn. */
  let latest = { found: false, missed: true };

  return {
    duration(start, seconds, errorType) {
      if (start.operation === "ingest" || start.operation === "create") return;
      operations.record(seconds, {
        "gen_ai.operation.name": start.operation,
        ...(start.operation === "embeddings" && {
          "gen_ai.provider.name": start.provider,
          "gen_ai.request.model": start.model,
        }),
        ...(start.operation === "rerank" && { "gen_ai.request.model": start.reranker }),
        ...(errorType !== undefined && { "error.type": errorType }),
      });
    },

    event({ name, data }) {
      const count = (outcome: "hit" | "miss" | "empty"): void =>
        retrievals.add(1, { "ibid.retrieval.outcome": outcome });
      switch (name) {
        case "KnowledgeRetrieved": {
          const search = { found: data.resultCount > 0, missed: false };
          latest = search;
          if (!search.found) count("empty");
          else queueMicrotask(() => void (search.missed || count("hit")));
          break;
        }
        case "KnowledgeRetrievalMiss":
          if ((data.evidence ?? 0) > 0) break;
          if (latest.found && !latest.missed) count("miss");
          latest.missed = true;
          break;
        case "KnowledgeEmbedded":
          inputs += data.inputs;
          sent += data.sent;
          if (inputs > 0) hitRate.record(Math.max(inputs - sent, 0) / inputs);
          break;
        case "KnowledgeFlushed":
          flushes.record(data.latencyMs / 1000);
          break;
        case "KnowledgeQueued":
          depth.record(data.depth);
          if (data.rejected > 0) rejected.add(data.rejected);
          break;
        case "KnowledgeChunkIndexed":
          chunks.add(data.chunks, { "ibid.outcome": "indexed" });
          break;
        case "KnowledgeChunkReembedded":
          chunks.add(data.chunks, { "ibid.outcome": "reembedded" });
          break;
        case "KnowledgeQueryTooLarge":
          failures.add(1, { "ibid.failure": "query", "error.type": "invalid-argument" });
          break;
        case "KnowledgeVacuumCompleted":
          chunks.add(data.chunks, { "ibid.outcome": "vacuumed" });
          break;
        case "KnowledgeChunkFailed":
          failures.add(1, { "ibid.failure": "ingest", "error.type": data.code });
          break;
        case "KnowledgeChunkReembedFailed":
          failures.add(data.chunks, { "ibid.failure": "reembed", "error.type": data.code });
      }
    },
  };
}
