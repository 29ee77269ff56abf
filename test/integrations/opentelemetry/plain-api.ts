import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import {
  loadOpenTelemetryApi,
  type Attributes,
  type OpenTelemetryApi,
} from "../../../src/integrations/opentelemetry/load-api.ts";

/** A span as it was when it had ended. */
export interface SeenSpan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
  /** Of the span around it. */
  readonly parent: string | undefined;
}

/** One instrument's measurements: its name, what was recorded, and under which attributes. */
export interface SeenMeasure {
  readonly name: string;
  readonly value: number;
  readonly attributes: Attributes;
}

/** Somebody who looks at everything that is told. */
export interface Watched {
  readonly api: OpenTelemetryApi;
  /** In the order in which they ended. */
  readonly spans: () => readonly SeenSpan[];
  /** Of counters and gauges: sums, and latest values. Of histograms: how many were recorded. By name, then attributes. */
  readonly measures: () => Promise<readonly SeenMeasure[]>;
}

const byName = (a: SeenMeasure, b: SeenMeasure): number =>
  `${a.name} ${JSON.stringify(a.attributes)}` < `${b.name} ${JSON.stringify(b.attributes)}` ? -1 : 1;

/** As much of the package as we use, in the plainest way. A context is the list of the spans around. */
function plainApi(): Watched {
  const spans: SeenSpan[] = [];
  const totals = new Map<string, SeenMeasure>();
  const around = new AsyncLocalStorage<readonly string[]>();
  const instrument =
    (name: string, next: (before: number, value: number) => number) =>
    (value: number, attributes: Attributes = {}): void => {
      const key = `${name} ${JSON.stringify(attributes)}`;
      totals.set(key, { name, value: next(totals.get(key)?.value ?? 0, value), attributes });
    };
  const api: OpenTelemetryApi = {
    trace: {
      getTracer: () => ({
        startSpan(name, { kind, attributes }) {
          const parent = around.getStore()?.at(-1);
          let all = attributes;
          let failed = false;
          const span = {
            named: name,
            setAttributes: (more: Attributes) => (all = { ...all, ...more }),
            setStatus: ({ code }: { readonly code: number }) => (failed = code === 2),
            end: () => void spans.push({ name, kind, attributes: all, failed, parent }),
          };
          return span;
        },
      }),
      setSpan: (context: never, span: never) => [...(context as string[]), (span as { named: string }).named],
    },
    context: {
      active: () => around.getStore() ?? [],
      with: (context: never, work) => around.run(context, work),
    },
    metrics: {
      getMeter: () => ({
        createCounter: (name) => ({ add: instrument(name, (before, value) => before + value) }),
        createGauge: (name) => ({ record: instrument(name, (_, value) => value) }),
        createHistogram: (name) => ({ record: instrument(name, (before) => before + 1) }),
      }),
    },
  };
  return { api, spans: () => spans, measures: async () => [...totals.values()].toSorted(byName) };
}

interface Sdk {
  readonly [name: string]: new (...options: readonly unknown[]) => never;
}

interface ReadableSpan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
  readonly status: { readonly code: number };
  readonly parentSpanContext?: { readonly spanId: string };
  spanContext(): { readonly spanId: string };
}

interface MetricPoint {
  readonly value: number | { readonly count: number };
  readonly attributes: Attributes;
}

/** The SDK itself, with exporters that keep everything in memory. */
async function realApi(folder: string): Promise<Watched> {
  const require = createRequire(join(folder, "package.json"));
  const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } =
    require("@opentelemetry/sdk-trace-base") as Sdk;
  const { AsyncLocalStorageContextManager } = require("@opentelemetry/context-async-hooks") as Sdk;
  const { MeterProvider, MetricReader } = require("@opentelemetry/sdk-metrics") as Sdk;
  const api = require("@opentelemetry/api") as OpenTelemetryApi & {
    readonly trace: { disable(): void; setGlobalTracerProvider(provider: unknown): void };
    readonly metrics: { disable(): void; setGlobalMeterProvider(provider: unknown): void };
    readonly context: { disable(): void; setGlobalContextManager(manager: unknown): void };
  };
  const exporter = new InMemorySpanExporter!() as { getFinishedSpans(): readonly ReadableSpan[] };
  class Reader extends (MetricReader as unknown as new () => {
    collect(): Promise<{
      readonly resourceMetrics: {
        readonly scopeMetrics: readonly {
          readonly metrics: readonly {
            readonly descriptor: { readonly name: string };
            readonly dataPoints: readonly MetricPoint[];
          }[];
        }[];
      };
    }>;
  }) {
    async onForceFlush(): Promise<void> {}
    async onShutdown(): Promise<void> {}
  }
  const reader = new Reader();
  for (const part of [api.trace, api.metrics, api.context]) part.disable();
  const manager = new AsyncLocalStorageContextManager!() as { enable(): unknown };
  api.context.setGlobalContextManager(manager.enable());
  api.trace.setGlobalTracerProvider(new BasicTracerProvider!({ spanProcessors: [new SimpleSpanProcessor!(exporter)] }));
  api.metrics.setGlobalMeterProvider(new MeterProvider!({ readers: [reader] }));
  return {
    // What the package exports is what is loaded by its name.
    api: await loadOpenTelemetryApi(folder),
    spans() {
      const ended = exporter.getFinishedSpans();
      const names = new Map(ended.map((span) => [span.spanContext().spanId, span.name]));
      return ended.map(({ name, kind, attributes, status, parentSpanContext }) => ({
        name,
        kind,
        attributes,
        failed: status.code === 2,
        parent: names.get(parentSpanContext?.spanId ?? ""),
      }));
    },
    async measures() {
      const { resourceMetrics } = await reader.collect();
      return resourceMetrics.scopeMetrics
        .flatMap(({ metrics }) => metrics)
        .flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ value, attributes }) => ({
            name: descriptor.name,
            value: typeof value === "number" ? value : value.count,
            attributes,
          })),
        )
        .toSorted(byName);
    },
  };
}

/** Whether the SDK is there (`npm run test:otel`): it carries the spans around across awaits. */
export const sdkFolder = process.env["IBID_OTEL"];

/** The SDK from the folder that `IBID_OTEL` names, else the plain one. */
export async function watchApi(): Promise<Watched> {
  if (sdkFolder === undefined) return plainApi();
  if (!existsSync(sdkFolder)) throw new Error(`There is no ${sdkFolder}.`);
  return realApi(sdkFolder);
}
