import type { ApiMeter, Attributes } from "./load-api.ts";

/** A meter of OpenTelemetry's shape that keeps its figures, and writes them for Prometheus. */
export interface PrometheusMeter extends ApiMeter {
  /**
   * All figures in the text format of Prometheus, version 0.0.4.
   *
   * **Cost** one line for each combination of attributes, and one for each bucket of a histogram.
   */
  text(): string;
}

/** One name with its figures, by labels. */
interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly lines: () => readonly string[];
}

/** The default buckets of OpenTelemetry's SDK are for milliseconds; these are Prometheus' own. **Units** seconds. */
const usualBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Combinations of attributes of one instrument. Attributes have few values; a mistake must not fill the memory. */
const mostSeries = 2000;

/**
 * Makes a meter for Prometheus.
 *
 * **Shape** names as OpenTelemetry's exporter writes them: dots become underscores, the unit is a suffix, and counters end in `_total`.
 * **Source** Prometheus exposition formats; OpenTelemetry, Prometheus and OpenMetrics compatibility.
 */
export function createPrometheusMeter(): PrometheusMeter {
  const families: Family[] = [];

  /** Figures of one instrument by their labels, the first ones of too many. */
  const seriesOf = <Figures>(make: () => Figures) => {
    const all = new Map<string, Figures>();
    /** The same by attributes in the order in which they are given: writing labels takes longer than recording. */
    const given = new Map<string, Figures>();
    const find = (attributes: Attributes): Figures | undefined => {
      const labels = writeLabels(attributes);
      let figures = all.get(labels);
      if (figures === undefined && all.size < mostSeries) all.set(labels, (figures = make()));
      return figures;
    };
    return {
      all,
      at(attributes: Attributes = {}): Figures | undefined {
        const key = keyOf(attributes);
        let figures = given.get(key);
        if (figures !== undefined) return figures;
        figures = find(attributes);
        if (figures !== undefined && given.size < mostSeries) given.set(key, figures);
        return figures;
      },
    };
  };

  const single = (type: "counter" | "gauge", name: string, description: string) => {
    const series = seriesOf(() => ({ value: 0 }));
    const lines = (): readonly string[] =>
      [...series.all].map(([labels, { value }]) => `${name}${braced(labels)} ${writeNumber(value)}`);
    families.push({ name, type, help: description, lines });
    return series;
  };

  return {
    createCounter(name, { description, unit }) {
      const series = single("counter", `${metricName(name, unit)}_total`, description);
      return {
        add(value, attributes) {
          const figures = series.at(attributes);
          if (figures !== undefined) figures.value += value;
        },
      };
    },

    createGauge(name, { description, unit }) {
      const series = single("gauge", metricName(name, unit, true), description);
      return {
        record(value, attributes) {
          const figures = series.at(attributes);
          if (figures !== undefined) figures.value = value;
        },
      };
    },

    createHistogram(name, { description, unit, advice }) {
      const bounds = advice?.explicitBucketBoundaries ?? usualBuckets;
      const written = metricName(name, unit);
      const series = seriesOf(() => ({ counts: bounds.map(() => 0), count: 0, sum: 0 }));
      const lines = (): readonly string[] =>
        [...series.all].flatMap(([labels, { counts, count, sum }]) => {
          let below = 0;
          const buckets = bounds.map((bound, index) => {
            below += counts[index]!;
            return `${written}_bucket${braced(labels, `le="${bound}"`)} ${below}`;
          });
          return [
            ...buckets,
            `${written}_bucket${braced(labels, 'le="+Inf"')} ${count}`,
            `${written}_sum${braced(labels)} ${writeNumber(sum)}`,
            `${written}_count${braced(labels)} ${count}`,
          ];
        });
      families.push({ name: written, type: "histogram", help: description, lines });
      return {
        record(value, attributes) {
          const figures = series.at(attributes);
          if (figures === undefined) return;
          const bucket = bounds.findIndex((bound) => value <= bound);
          if (bucket !== -1) figures.counts[bucket]! += 1;
          figures.count += 1;
          figures.sum += value;
        },
      };
    },

    text() {
      const described = families.flatMap(({ name, type, help, lines }) => {
        const own = lines();
        if (own.length === 0) return [];
        return [
          `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
          `# TYPE ${name} ${type}`,
          ...own,
        ];
      });
      return `${described.join("\n")}\n`;
    },
  };
}

/** Units that are part of a name. Those in braces count things and are not. */
const unitNames: Readonly<Record<string, string>> = { s: "seconds", By: "bytes" };

function metricName(name: string, unit: string, isGauge = false): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_]/gu, "_");
  const suffix = unitNames[unit] ?? (unit === "1" && isGauge ? "ratio" : undefined);
  return suffix === undefined || plain.endsWith(`_${suffix}`) ? plain : `${plain}_${suffix}`;
}

/** One string for attributes that are given in one order. Lengths keep apart what names and values hold. */
function keyOf(attributes: Attributes): string {
  let key = "";
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    key += `${name.length}:${name}${text.length}:${text}`;
  }
  return key;
}

function writeLabels(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => {
      const text = String(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
      return `${name.replaceAll(/[^a-zA-Z0-9_]/gu, "_")}="${text}"`;
    })
    .toSorted()
    .join(",");
}

function braced(labels: string, more = ""): string {
  const all = [labels, more].filter((each) => each !== "").join(",");
  return all === "" ? "" : `{${all}}`;
}

function writeNumber(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}
