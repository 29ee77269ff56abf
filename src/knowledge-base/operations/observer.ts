import { platformNow } from "../../runtime/platform-clock.ts";
import type { Embedder } from "../../contracts/embedding-model.ts";
import { versionKey } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { EventData, EventFilter, EventName, EventStore, KnowledgeEvent } from "../../contracts/event-store.ts";
import type { Health, HealthOptions } from "../../contracts/health.ts";
import type { IngestResult, IngestSummary } from "../../contracts/knowledge-base.ts";
import type { Store } from "../../contracts/store.ts";
import type { ReembedEvent, ReembedSummary } from "../../contracts/reembedding.ts";
import type { Reranker, Retriever } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Telemetry, OpenSpan, SpanEnd, SpanStart } from "../../contracts/telemetry.ts";
import type { Tracer } from "../../contracts/tracer.ts";
import { hmacSha256 } from "../../runtime/hash.ts";
import { createSecret } from "../../stores/segments/create-secret.ts";
import { createEventBuffer } from "./event-buffer.ts";
import { createHealthWindow, healthWindowMs } from "./health-window.ts";

/** Most chunks that one event of a re-embedding covers. */
const mostInEvent = 256;

/** Receivers of events and spans. */
export interface ObserverOptions {
  readonly tracer?: Tracer | undefined;
  readonly telemetry?: Telemetry | undefined;
  readonly events?: EventStore | undefined;
  /** Default `"keyed"`. */
  readonly documentIds?: "keyed" | "plain" | undefined;
  /** **Units** milliseconds since 1970. Default: the machine's clock. */
  readonly now?: (() => number) | undefined;
}

/** Puts eyes around the parts of a knowledge base: what comes back does the same, and is seen doing it. */
export interface Observer {
  /** Tracer of the built-in retriever, for all callers: events, then the given tracer. */
  readonly tracer: Tracer;
  /** Records an event. Never throws. */
  readonly report: <Name extends EventName>(name: Name, scopes: readonly Scope[], data: EventData[Name]) => void;
  embedder(embedder: Embedder): Embedder;
  retriever(retriever: Retriever): Retriever;
  reranker(reranker: Reranker): Reranker;
  /** For an ingestion: its writes are timed. */
  store(store: Store): Store;
  ingestion(
    scope: Scope,
    run: AsyncGenerator<IngestResult, IngestSummary>,
  ): AsyncGenerator<IngestResult, IngestSummary>;
  /** One event covers up to some hundreds of chunks. */
  reembedding(run: AsyncGenerator<ReembedEvent, ReembedSummary>): AsyncGenerator<ReembedEvent, ReembedSummary>;
  health(options?: HealthOptions): Promise<Health>;
  /** Events that are kept, the held ones written first. **Errors** `configuration-missing` where none are kept. */
  read(filter?: EventFilter): AsyncIterable<KnowledgeEvent>;
  /** Writes the events that are still held. The store stays open: it is not the observer's. */
  close(): Promise<void>;
}

/**
 * Sees everything that goes on in one process, and tells it to the health window, the event store and the telemetry.
 *
 * **Shape** none of them can fail or delay the work. **Cost** a few microseconds for each search; events are written in the background.
 * **Source** ToolUp's tracer, events and telemetry, Ballerina's spans.
 */
export function createObserver(options: ObserverOptions): Observer {
  const { tracer, telemetry, events, documentIds = "keyed", now = platformNow } = options;
  const window = createHealthWindow(now);
  const buffer = events && createEventBuffer(events);

  const key = createSecret();
  /** A document's id is a hash of its uri, which events keep on request alone: a purge does not reach them. */
  const withoutId = <Data extends object>(data: Data): Data =>
    documentIds === "keyed" && "documentId" in data && typeof data.documentId === "string" && data.documentId !== ""
      ? { ...data, documentId: hmacSha256(key, data.documentId) }
      : data;

  const report: Observer["report"] = (name, scopes, data) => {
    // Every name stands with its own data: the compiler cannot follow a pair through a generic.
    const stream = /^Knowledge(?:Retriev|Query)/u.test(name) ? { stream: "_platform.retrieval" } : {};
    const event = { name, ...stream, at: now(), scopes, data: withoutId(data) } as KnowledgeEvent;
    window.add(event);
    buffer?.add(event);
    try {
      telemetry?.event?.(event);
    } catch {
      // A failing telemetry does not stop the work.
    }
  };

  const timed = async <Result>(work: () => Promise<Result>, done: (ms: number, result: Result) => void) => {
    const started = performance.now();
    const result = await work();
    done(performance.now() - started, result);
    return result;
  };

  return {
    report,

    tracer: {
      trace(trace, access) {
        report("KnowledgeRetrieved", trace.permittedScopes, trace);
        return tracer?.trace(trace, access);
      },
      miss(scopes, queryHash, evidence, cause) {
        const facts = { ...(evidence !== undefined && { evidence }), ...(cause && { cause }) };
        report("KnowledgeRetrievalMiss", scopes, { queryHash, ...facts });
        return tracer?.miss(scopes, queryHash, evidence, cause);
      },
    },

    embedder(embedder) {
      const { model } = embedder;
      return {
        model,
        get version() {
          return embedder.version;
        },
        get cacheHitRate() {
          return embedder.cacheHitRate;
        },
        batchSize: embedder.batchSize,
        embed(inputs, options) {
          const { purpose } = options;
          const start = {
            operation: "embeddings",
            provider: model.provider,
            model: model.model,
            dimensions: embedder.version?.dimensions ?? model.dimensions,
            purpose,
            inputs: inputs.length,
          } as const;
          const embed = () =>
            timed(
              () => embedder.embed(inputs, options),
              (latencyMs, { sent }) =>
                report("KnowledgeEmbedded", [], { purpose, inputs: inputs.length, sent, latencyMs }),
            );
          return inSpan(telemetry, start, embed, ({ sent }) => ({ sent }));
        },
      };
    },

    retriever(inner) {
      const retriever: typeof inner = {
        async retrieve(scopes, query, options) {
          try {
            return await inner.retrieve(scopes, query, options);
          } catch (error) {
            const { length, limit } = IbidError.isInstance(error, "invalid-argument") ? error.details : {};
            if (typeof length === "number" && typeof limit === "number")
              report("KnowledgeQueryTooLarge", scopes.scopes, { length, limit });
            throw error;
          }
        },
      };
      if (telemetry?.span === undefined) return retriever;
      return {
        retrieve(scopes, query, options = {}) {
          const { topK = 5, mode = "hybrid", filter, minScore } = options;
          const narrowed = { ...(filter && { filter }), ...(minScore !== undefined && { minScore }) };
          return inSpan(
            telemetry,
            { operation: "retrieval", topK, mode, query, ...narrowed },
            () => retriever.retrieve(scopes, query, options),
            (hits) => ({ resultCount: hits.length, topScore: hits[0]?.score ?? 0 }),
          );
        },
      };
    },

    reranker(reranker) {
      if (telemetry?.span === undefined) return reranker;
      const { name, maxBatchSize } = reranker;
      return {
        name,
        ...(maxBatchSize === undefined ? {} : { maxBatchSize }),
        rerank: (query, texts, options) =>
          inSpan(
            telemetry,
            { operation: "rerank", reranker: name, candidates: texts.length },
            () => reranker.rerank(query, texts, options),
            () => ({}),
          ),
      };
    },

    store(store) {
      const flushed = (scope: readonly Scope[]) => (latencyMs: number) =>
        report("KnowledgeFlushed", scope, { latencyMs });
      return {
        ...store,
        replace: (into, entry) => timed(() => store.replace(into, entry), flushed(into.scopes)),
      };
    },

    async *ingestion(scope, run) {
      const span = openSpan(telemetry, { operation: "ingest", scope });
      let outcome: Parameters<typeof span.end>[0] = { facts: {} };
      try {
        for (;;) {
          const step = await span.within(() => run.next());
          if (step.done === true) {
            const { usage: _, failures: __, receipt: ___, ...counts } = step.value;
            outcome = { facts: counts };
            return step.value;
          }
          const { status, documentId, chunks, error } = step.value;
          if (status === "added" || status === "updated")
            report("KnowledgeChunkIndexed", [scope], { documentId, chunks });
          if (status === "failed")
            report("KnowledgeChunkFailed", [scope], { documentId, code: error?.code ?? "internal" });
          yield step.value;
        }
      } catch (error) {
        outcome = { error };
        throw error;
      } finally {
        span.end(outcome);
        // Left early, the work behind it ends too.
        await run.return(undefined as never);
      }
    },

    async *reembedding(run) {
      let done: { readonly scope: Scope; readonly version: string; chunks: number } | undefined;
      const reportDone = (): void => {
        if (done !== undefined)
          report("KnowledgeChunkReembedded", [done.scope], { version: done.version, chunks: done.chunks });
        done = undefined;
      };
      try {
        for (;;) {
          const step = await run.next();
          if (step.done === true) return step.value;
          const event = step.value;
          if (event.type === "reembedded") {
            const version = versionKey(event.version);
            if (done?.scope !== event.scope || done.version !== version || done.chunks >= mostInEvent) reportDone();
            done ??= { scope: event.scope, version, chunks: 0 };
            done.chunks++;
          } else if (event.type === "failed") {
            report("KnowledgeChunkReembedFailed", [event.scope], {
              version: versionKey(event.version),
              chunks: 1,
              code: event.error.code,
            });
          } else if (event.type === "batch-failed") {
            report("KnowledgeChunkReembedFailed", [event.scope], {
              version: versionKey(event.version),
              chunks: event.chunkIds.length,
              code: event.error.code,
            });
          }
          yield event;
        }
      } finally {
        reportDone();
        await run.return(undefined as never);
      }
    },

    async health({ everywhere = false } = {}) {
      if (!everywhere || events === undefined) return window.health();
      await buffer?.flush();
      const shared = createHealthWindow(now);
      for await (const event of events.read({ from: now() - healthWindowMs })) shared.add(event);
      return shared.health();
    },

    async *read(filter) {
      if (events === undefined) {
        throw new IbidError("configuration-missing", "This knowledge base keeps no events.", {
          hint: "Open it with operations: { events: true }, or without events: false.",
        });
      }
      await buffer?.flush();
      yield* events.read(filter);
    },

    async close() {
      await buffer?.flush();
    },
  };
}

/** Starts a span, if the telemetry wants spans. Its failures never reach the work. */
export function openSpan(telemetry: Telemetry | undefined, start: SpanStart): OpenSpan {
  const span = attempt(() => telemetry?.span?.(start));
  return {
    within<Result>(work: () => Result): Result {
      let outcome: { readonly result: Result } | { readonly error: unknown } | undefined;
      const run = (): Result | undefined => {
        try {
          const result = work();
          outcome = { result };
          return result;
        } catch (error) {
          outcome = { error };
          return undefined;
        }
      };
      attempt(() => span?.within(run));
      if (outcome === undefined) return work();
      if ("error" in outcome) throw outcome.error;
      return outcome.result;
    },
    end: (outcome) => attempt(() => span?.end(outcome)),
  };
}

/** Work that is one span from its beginning to its end. */
export async function inSpan<Result>(
  telemetry: Telemetry | undefined,
  start: SpanStart,
  work: () => Promise<Result>,
  facts: (result: Result) => SpanEnd,
): Promise<Result> {
  const span = openSpan(telemetry, start);
  try {
    const result = await span.within(work);
    span.end({ facts: facts(result) });
    return result;
  } catch (error) {
    span.end({ error });
    throw error;
  }
}

function attempt<Result>(tell: () => Result): Result | undefined {
  try {
    return tell();
  } catch {
    return undefined;
  }
}
