import { type Metric, metrics } from "../../contracts/embedding.ts";
import type { Engine, EngineCapabilities, EngineIndexSpec, EngineMetric, VectorIndex } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Measures } from "./engine-scores.ts";

/** Forms of conditions, for engines that evaluate all of them. */
export const everyCondition: EngineCapabilities["conditions"] = ["has", "lacks", "number", "and", "or"];

/** A beginning of the names of collections. **Errors** `invalid-argument`. */
export function checkPrefix(engine: string, prefix: string): string {
  if (/^[a-z][a-z0-9_]{0,19}$/u.test(prefix)) return prefix;
  throw new IbidError("invalid-argument", `${engine}: the prefix is ${JSON.stringify(prefix)}.`, {
    hint: "Write a lower-case letter, then at most 19 lower-case letters, digits and _.",
  });
}

/** **Errors** `dimension-mismatch` for an index that was made with other dimensions. */
export function checkDimensions(engine: string, { name, dimensions }: EngineIndexSpec, got: number): void {
  if (got === dimensions) return;
  throw new IbidError("dimension-mismatch", `${engine}: ${name} has ${got} dimensions, and not ${dimensions}.`, {
    hint: "Remove that index, or choose another prefix.",
    details: { store: engine, expected: dimensions, got },
  });
}

/** **Errors** `invalid-argument` for options of a search, where an engine has none. */
export function refuseOptions(engine: string, options: unknown): void {
  if (options === undefined) return;
  throw new IbidError("invalid-argument", `${engine} has no options of a search, and got ${JSON.stringify(options)}.`, {
    hint: "Leave storeOptions out.",
    details: { store: engine, operation: "search" },
  });
}

/** Settings of an engine's own, which stand in a command as they are. **Errors** `invalid-argument` for one that is more than a name and a value. */
export function checkSettings(
  engine: string,
  option: string,
  given: Readonly<Record<string, unknown>> = {},
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(given).map(([name, value]) => {
    if (/^[a-z_]+$/iu.test(name) && /^-?[\w.]+$/u.test(String(value))) return [name, String(value)];
    throw new IbidError("invalid-argument", `${engine}: ${option}.${name} is ${JSON.stringify(value)}.`, {
      hint: "Give names and values of the engine's own settings: letters, digits, dots and _.",
    });
  });
}

/** An error of an engine's client that names store and operation. */
export function engineFailed(engine: string, operation: string, cause: unknown): IbidError {
  if (IbidError.isInstance(cause)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new IbidError("store-failed", `${engine}: ${operation} failed: ${reason.replace(/\.$/u, "")}.`, {
    hint:
      operation === "open"
        ? "Check that the folder is there and may be written to, and that the file is a database of this engine."
        : "Look at the engine, and call again.",
    details: { store: engine, operation },
    cause,
  });
}

interface WithMetrics {
  readonly name: string;
  readonly capabilities: Pick<EngineCapabilities, "metrics">;
}

/** The metrics that an engine measures. */
export const metricsOf = (measures: Measures<unknown>): readonly EngineMetric[] =>
  Object.keys(measures) as EngineMetric[];

/** The engine's measure of a metric. **Errors** `unsupported`, with those that the engine has. */
export function measureOf<Measure>(name: string, measures: Measures<Measure>, metric: EngineMetric): Measure {
  return measures[engineMetric({ name, capabilities: { metrics: metricsOf(measures) } }, metric)]!;
}

/** The engine's own metric for one of ibid's. **Errors** `unsupported`, with those that the engine has. */
export function engineMetric({ name, capabilities }: WithMetrics, given: Metric): EngineMetric {
  const metric = metrics[given];
  const found = capabilities.metrics.find((each) => each === metric);
  if (found !== undefined) return found;
  throw new IbidError("unsupported", `${name} has no metric "${given}".`, {
    hint: `It has ${capabilities.metrics.join(", ")}.`,
    details: { store: name, metrics: capabilities.metrics },
  });
}

/** **Errors** `unsupported` for an engine that keeps no records, or has no index of the kind. */
export function checkRecords({ name, capabilities }: Engine, kind: VectorIndex = "dynamic"): void {
  const { records, conditions } = capabilities;
  if (records === undefined || everyCondition.some((form) => !conditions.includes(form))) {
    throw new IbidError("unsupported", `${name} keeps no records.`, {
      hint: 'Keep the collection in "documents", or choose another engine.',
      details: { store: name },
    });
  }
  if (kind === "dynamic" || records.kinds.includes(kind)) return;
  throw new IbidError("unsupported", `${name} has no index of the kind "${kind}".`, {
    hint: `It has ${[...records.kinds, "dynamic"].join(", ")}.`,
    details: { store: name, kinds: records.kinds },
  });
}
