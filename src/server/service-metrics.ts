import { monitorEventLoopDelay } from "node:perf_hooks";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Telemetry } from "../contracts/telemetry.ts";
import type { ApiMeter } from "../integrations/opentelemetry/load-api.ts";
import { createMeasures } from "../integrations/opentelemetry/measures.ts";
import { createPrometheusMeter } from "../integrations/opentelemetry/prometheus-meter.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import { objectWith } from "../runtime/plan-options.ts";
import type { RequestLogEntry } from "./handler-options.ts";
import type { Measured } from "./relay-measures.ts";

/**
 * Figures of a service: its requests, its searches and writes, its process.
 *
 * @experimental
 */
export interface ServiceMetrics {
  /** Observer of the knowledge base, for `openKnowledgeBase(…, { operations: { telemetry } })`. */
  readonly telemetry: Telemetry;
  /** Counts a request when it begins. **Shape** the function that ends it. */
  begin(): () => void;
  /** Counts a request that is over. */
  request(entry: RequestLogEntry): void;
  /** Counts what the processes of a search pool measured. */
  take(measured: readonly Measured[]): void;
  /**
   * The figures in the text format of Prometheus, for `GET /metrics`. **Cost** one count of the knowledge base's documents.
   */
  text(kb: KnowledgeBase): Promise<string>;
  /** Stops watching the event loop. */
  close(): void;
}

/** **Units** seconds. A search takes milliseconds, an answer of a model minutes. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180];

/** The part of a meter that is used. */
export const meterKind = objectWith("a meter of @opentelemetry/api", "createHistogram", "createCounter", "createGauge");

/** **Units** milliseconds. */
const eventLoopResolution = 10;

/**
 * Makes the figures of a service. One list of instruments serves `GET /metrics` and, with `meter`, OpenTelemetry.
 *
 * **Shape** `meter` is a meter of `@opentelemetry/api`, such as `metrics.getMeter("ibid")`. No attribute holds a uri, a question or the name of a caller.
 * **Source** the names of HTTP servers are those of OpenTelemetry's semantic conventions; the others begin with `ibid.`.
 *
 * @experimental
 */
export function createServiceMetrics(options: { readonly meter?: ApiMeter | undefined } = {}): ServiceMetrics {
  checkOptions("createServiceMetrics", options, { meter: true });
  const { meter } = options;
  if (meter !== undefined && !meterKind.check?.(meter))
    throw new IbidError("invalid-argument", "createServiceMetrics: meter is no meter of OpenTelemetry.", {
      hint: 'Give metrics.getMeter("ibid") of @opentelemetry/api.',
    });
  const own = createPrometheusMeter();
  const all = [own, ...(meter === undefined ? [] : [meter])].map((each) => createInstruments(each));
  const delay = monitorEventLoopDelay({ resolution: eventLoopResolution });
  delay.enable();
  let active = 0;
  const count = (more: number): void => {
    active += more;
    for (const { requests } of all) requests.active.record(active);
  };

  return {
    telemetry: {
      span(start) {
        const started = performance.now();
        return {
          within: (work) => work(),
          end(outcome) {
            const failed = "error" in outcome ? "error" : undefined;
            for (const { measures } of all) measures.duration(start, (performance.now() - started) / 1000, failed);
          },
        };
      },
      event: (event) => all.forEach(({ measures }) => measures.event(event)),
    },

    begin() {
      count(1);
      let isOver = false;
      return () => {
        if (!isOver) count(-1);
        isOver = true;
      };
    },

    request({ method, path, status, ms, refused }) {
      const attributes = {
        "http.request.method": method === "?" ? "_OTHER" : method,
        ...(path !== null && { "http.route": path }),
        "http.response.status_code": status,
        ...(refused !== undefined && { "error.type": refused }),
      };
      for (const { requests } of all) requests.duration.record(ms / 1000, attributes);
    },

    take(measured) {
      for (const each of measured)
        for (const { measures } of all)
          if ("event" in each) measures.event(each.event);
          else measures.duration(each.start, each.seconds, each.failed ? "error" : undefined);
    },

    async text(kb) {
      const { documents, chunks, bytes } = await kb.status();
      const memory = process.memoryUsage();
      for (const { state } of all) {
        state.documents.record(documents);
        state.chunks.record(chunks);
        state.bytes.record(bytes);
        state.resident.record(memory.rss);
        state.heap.record(memory.heapUsed);
        state.delayMedian.record(delayOf(delay.percentile(50)));
        state.delayP99.record(delayOf(delay.percentile(99)));
        state.started.record(Math.round((platformNow() - process.uptime() * 1000) / 1000));
      }
      delay.reset();
      return own.text();
    },

    close: () => void delay.disable(),
  };
}

function createInstruments(meter: ApiMeter) {
  const gauge = (name: string, unit: string, description: string) => meter.createGauge(name, { description, unit });
  return {
    measures: createMeasures(meter),
    requests: {
      duration: meter.createHistogram("http.server.request.duration", {
        description: "Time of a request, until its body is sent. A request that its client gave up has status 499.",
        unit: "s",
        advice: { explicitBucketBoundaries: durationBuckets },
      }),
      active: gauge("http.server.active_requests", "{request}", "Requests under way."),
    },
    state: {
      documents: gauge("ibid.documents", "{document}", "Documents of all scopes."),
      chunks: gauge("ibid.stored.chunks", "{chunk}", "Chunks of all scopes."),
      bytes: gauge("ibid.sources", "By", "Size of the documents' sources."),
      resident: gauge("process.resident.memory", "By", "Memory of the process."),
      heap: gauge("nodejs.heap.used", "By", "Memory that objects of JavaScript take."),
      // A label "quantile" belongs to summaries alone: promtool refuses it at a gauge.
      delayMedian: gauge(
        "nodejs.eventloop.delay.p50",
        "s",
        "Median delay of the event loop since the last look: how late a timer comes.",
      ),
      delayP99: gauge("nodejs.eventloop.delay.p99", "s", "99th percentile of that delay."),
      started: gauge("process.start.time", "s", "Start of the process, since 1970."),
    },
  };
}

/**
 * How late a timer comes. Node gives the time between two of its timers, which is ten milliseconds in an idle process.
 *
 * **Units** from nanoseconds to seconds; 0 where nothing was measured yet.
 */
function delayOf(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - eventLoopResolution / 1000) : 0;
}
