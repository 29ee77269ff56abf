import { join } from "node:path";
import { findPackage, loadModule } from "../../runtime/packages.ts";
import { IbidError } from "../../contracts/errors.ts";

type AttributeValue = string | number | boolean | readonly string[];

/** Attributes of a span or a measurement. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** The part of a span that ibid uses. */
export interface ApiSpan {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(): void;
}

/** The part of an instrument that ibid uses. */
export interface ApiMeter {
  createHistogram(name: string, options: InstrumentOptions): { record(value: number, attributes?: Attributes): void };
  createCounter(name: string, options: InstrumentOptions): { add(value: number, attributes?: Attributes): void };
  createGauge(name: string, options: InstrumentOptions): { record(value: number, attributes?: Attributes): void };
}

interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
  readonly advice?: { readonly explicitBucketBoundaries: number[] };
}

/**
 * The part of the package `@opentelemetry/api`, from 1.9 on, that ibid uses. **Shape** a `Context` is opaque.
 *
 * @experimental
 */
export interface OpenTelemetryApi {
  readonly trace: {
    getTracer(
      name: string,
      version?: string,
    ): {
      startSpan(name: string, options: { readonly kind: number; readonly attributes: Attributes }): ApiSpan;
    };
    setSpan(context: never, span: never): unknown;
  };
  readonly context: { active(): unknown; with(context: never, work: () => unknown): unknown };
  readonly metrics: { getMeter(name: string, version?: string): ApiMeter };
}

/**
 * Loads the optional package `@opentelemetry/api`: from the place where ibid is installed, else from the project in `folder`.
 *
 * **Errors** `dependency-missing` when the package is absent or fails to load.
 */
export async function loadOpenTelemetryApi(folder: string = process.cwd()): Promise<OpenTelemetryApi> {
  const path = findPackage("@opentelemetry/api", [import.meta.url, join(folder, "package.json")]);
  if (path === undefined) throw missing("is not installed");
  try {
    const loaded = loadModule(path) as Partial<OpenTelemetryApi>;
    const { trace, context, metrics } = loaded;
    if (trace === undefined || context === undefined || metrics === undefined)
      throw new TypeError("It exports no trace, context and metrics.");
    return { trace, context, metrics };
  } catch (error) {
    throw missing("is installed but cannot be loaded", error);
  }
}

function missing(what: string, cause?: unknown): IbidError {
  return new IbidError("dependency-missing", `The package @opentelemetry/api, which spans and metrics need, ${what}.`, {
    hint: "npm install @opentelemetry/api@^1.9.0",
    details: { package: "@opentelemetry/api" },
    cause,
  });
}
