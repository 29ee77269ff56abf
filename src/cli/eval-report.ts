import { IbidError } from "../contracts/errors.ts";
import {
  checkConditions,
  fourDecimals,
  formatScore,
  type Condition,
  isWorse,
  significant,
} from "../eval/check-conditions.ts";
import type { LatencyQuantiles } from "../eval/collect-run.ts";
import type { Comparison } from "../eval/compare-runs.ts";
import type { Evaluation } from "../eval/score-run.ts";
import { type Baseline, formatBaseline, readBaseline } from "./eval-files.ts";
import type { RetrieveOptions } from "../contracts/retriever.ts";
import type { CommonOptions } from "./open.ts";
import type { Output } from "./output.ts";
import type { Floor } from "./read-option.ts";
import { writeText } from "./read-text.ts";
import type { OptionsFor } from "./table-options.ts";
import { neutralise, pad, wrap } from "./text-layout.ts";

export interface EvalCommandOptions extends CommonOptions, OptionsFor<RetrieveOptions> {
  readonly mode?: "hybrid" | "dense" | "lexical";
  readonly variant?: string;
  readonly run?: string;
  readonly readRun?: string;
  readonly depth?: number;
  readonly k?: readonly number[];
  readonly min: readonly Floor[];
  readonly saveBaseline?: string;
  readonly against?: string;
  /** Settings of the other configuration, each as `name=value`. */
  readonly versus?: readonly string[];
  readonly html?: string;
  readonly junit?: string;
}

const threeDecimals = (value: number): number => Number(value.toFixed(3));

/** Default metrics, and those of `--k` and `--min`, each once. */
export function chooseMetrics(
  always: readonly string[],
  perCutoff: readonly string[],
  { k = [], min }: EvalCommandOptions,
): readonly string[] {
  const more = k.flatMap((cutoff) => perCutoff.map((name) => `${name}@${cutoff}`));
  return [...new Set([...always, ...more, ...min.map(({ metric }) => metric)])];
}

/** An evaluation with its baseline, if there is one. */
export interface Judged {
  readonly evaluation: Evaluation;
  readonly comparisons: Readonly<Record<string, Comparison>> | undefined;
  readonly baseline: Baseline | undefined;
}

/** Compares with `--against`. **Errors** `invalid-argument` for a baseline of other queries. */
export async function judge(
  evaluation: Evaluation,
  options: EvalCommandOptions,
  baseline: Baseline | undefined,
): Promise<Judged> {
  if (baseline === undefined) return { evaluation, comparisons: undefined, baseline };
  const { compareRuns } = await import("../eval/compare-runs.ts");
  try {
    return { evaluation, comparisons: compareRuns(evaluation, baseline), baseline };
  } catch (error) {
    if (!IbidError.isInstance(error, "invalid-argument")) throw error;
    throw new IbidError("invalid-argument", `${options.against ?? ""} is a baseline of other queries.`, {
      hint: "Make one of these with --save-baseline.",
      cause: error,
    });
  }
}

export async function readAgainst({ against }: EvalCommandOptions): Promise<Baseline | undefined> {
  return against === undefined ? undefined : await readBaseline(against);
}

export async function saveBaseline(
  { saveBaseline: path }: EvalCommandOptions,
  how: string,
  { queries }: Evaluation,
): Promise<void> {
  if (path !== undefined) await writeText(path, formatBaseline({ how, queries }));
}

/** Fields that the JSON of every evaluation has. */
export function metricsJson({ evaluation, comparisons }: Judged): {
  readonly metrics: object;
  readonly baseline?: object;
} {
  const metrics = Object.entries(evaluation.metrics).map(([name, { mean }]) => [name, fourDecimals(mean)]);
  const compared = Object.entries(comparisons ?? {}).map(([name, { baseline, difference, p }]) => [
    name,
    { mean: fourDecimals(baseline), difference: fourDecimals(difference), p: fourDecimals(p) },
  ]);
  return {
    metrics: Object.fromEntries(metrics) as object,
    ...(comparisons === undefined ? {} : { baseline: Object.fromEntries(compared) as object }),
  };
}

export function latencyJson({ p50, p95, p99 }: LatencyQuantiles): object {
  return { p50: threeDecimals(p50), p95: threeDecimals(p95), p99: threeDecimals(p99) };
}

/** A table of metrics, one a line, with the baseline beside them. */
export async function writeMetrics(output: Output, { evaluation, comparisons, baseline }: Judged): Promise<void> {
  const { style } = output;
  const entries = Object.entries(evaluation.metrics);
  const width = Math.max(6, ...entries.map(([name]) => name.length)) + 2;
  const of = new Set(entries.map(([, { queries }]) => queries)).size > 1;
  const heading = [
    pad("metric", width),
    pad("mean", 8),
    pad("95 % interval", 18),
    ...(of ? [pad("of", 6)] : []),
    ...(comparisons === undefined ? [] : [pad("baseline", 10), pad("change", 9), "p"]),
  ].join("");
  await output.line(style.dim(heading.trimEnd()));
  for (const [name, { mean, low, high, queries }] of entries) {
    const compared = comparisons?.[name];
    const interval = `${formatScore(low)} to ${formatScore(high)}`;
    const cells = [
      pad(name, width),
      style.bold(pad(formatScore(mean), 8)),
      pad(interval, 18),
      ...(of ? [pad(String(queries), 6)] : []),
      ...(compared === undefined ? [] : [pad(formatScore(compared.baseline), 10), pad(signed(compared.difference), 9)]),
      compared === undefined ? "" : formatScore(compared.p),
    ];
    const verdict = compared === undefined ? "" : describeVerdict(compared, output);
    await output.line(`${cells.join("").trimEnd()}${verdict}`);
  }
  if (baseline !== undefined && comparisons !== undefined) {
    await output.line();
    const shared = Math.max(0, ...Object.values(comparisons).map(({ queries }) => queries));
    const missing = evaluation.queries.size - shared;
    const only = missing === 0 ? "" : ` Over the ${shared} queries that both have.`;
    await writeNote(
      output,
      `baseline: ${neutralise(baseline.how)}. p: how often chance alone would differ as much (paired randomisation test).${only}`,
    );
  }
}

function describeVerdict(comparison: Comparison, { style }: Output): string {
  if (isWorse(comparison)) return `  ${style.bad("worse")}`;
  return comparison.p < significant ? "  better" : "";
}

const signed = (value: number): string => `${value < 0 ? "-" : "+"}${formatScore(Math.abs(value))}`;

/** A warning about the figures. */
export async function writeNote(output: Output, text: string): Promise<void> {
  for (const line of wrap(text, output.columns)) await output.line(output.style.dim(line));
}

export function describeLatency({ p50, p95, p99 }: LatencyQuantiles): string {
  const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
  return `p50 ${ms(p50)} · p95 ${ms(p95)} · p99 ${ms(p99)}`;
}

/** The conditions of `--min`, `--against` and `--versus`. */
export function conditionsOf({ evaluation, baseline }: Judged, { min }: EvalCommandOptions): readonly Condition[] {
  const floors = Object.fromEntries(min.map(({ metric, value }) => [metric, value]));
  return checkConditions(evaluation, { min: floors, ...(baseline !== undefined && { baseline }) });
}

/** Prints why an evaluation fails, and returns the exit code. It fails below a `--min`, and for a metric that is worse than the baseline beyond chance. */
export async function applyConditions(output: Output, conditions: readonly Condition[]): Promise<number> {
  const failures = conditions.filter(({ passed }) => !passed).map(({ message }) => message);
  if (failures.length === 0) return 0;
  await output.error(
    new IbidError("below-minimum", failures.join(" "), {
      hint: "Undo the change that made it worse, or lower --min, or save a new baseline.",
    }),
  );
  return 1;
}
