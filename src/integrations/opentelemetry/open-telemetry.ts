import type { KnowledgeEvent } from "../../contracts/event-store.ts";
import type { SpanStart, Telemetry } from "../../contracts/telemetry.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { loadOpenTelemetryApi, type OpenTelemetryApi } from "./load-api.ts";
import { createMeasures } from "./measures.ts";
import { describeEnd, describeSpan, errorType } from "./span-attributes.ts";

/**
 * Options of spans and metrics.
 *
 * @experimental
 */
export interface OpenTelemetryOptions {
  /** The package `@opentelemetry/api`, if it cannot be found by its name. */
  readonly api?: OpenTelemetryApi | undefined;
  /** Name of the knowledge base in spans: `gen_ai.data_source.id`. Default: none. */
  readonly dataSource?: string | undefined;
  /** Whether spans contain the text of queries, which may be private. Default false. */
  readonly recordQueries?: boolean | undefined;
}

/** **Source** OpenTelemetry API, `SpanStatusCode.ERROR`. */
const statusError = 2;

/**
 * Reports every search, embedding, rerank and ingestion to OpenTelemetry, as nested spans and as metrics.
 *
 * **Shape** for `openKnowledgeBase({ operations: { telemetry } })`. Without a registered SDK, the reports go nowhere. The SDK's context manager decides whether spans nest.
 * **Errors** `dependency-missing` without the package `@opentelemetry/api` (1.9 or later). **Source** the GenAI semantic conventions, see `describeSpan`.
 *
 * @experimental
 */
export async function createOpenTelemetry(options: OpenTelemetryOptions = {}): Promise<Telemetry> {
  checkOptions("createOpenTelemetry", options, { api: true, dataSource: true, recordQueries: true });
  const { dataSource, recordQueries = false } = options;
  const api = options.api ?? (await loadOpenTelemetryApi());
  const tracer = api.trace.getTracer("ibid");
  const measures = createMeasures(api.metrics.getMeter("ibid"));

  return {
    span(start: SpanStart) {
      const { name, kind, attributes } = describeSpan(start, { dataSource, recordQueries });
      const span = tracer.startSpan(name, { kind, attributes });
      const around = api.trace.setSpan(api.context.active() as never, span as never);
      const started = performance.now();
      return {
        within: (work) => api.context.with(around as never, work) as ReturnType<typeof work>,
        end(outcome) {
          const failed = "error" in outcome;
          const type = failed ? errorType(outcome.error) : undefined;
          if (!failed) span.setAttributes(describeEnd(outcome.facts));
          if (type !== undefined) {
            span.setAttributes({ "error.type": type });
            span.setStatus({ code: statusError });
          }
          span.end();
          measures.duration(start, (performance.now() - started) / 1000, type);
        },
      };
    },
    event: (event: KnowledgeEvent) => measures.event(event),
  };
}
