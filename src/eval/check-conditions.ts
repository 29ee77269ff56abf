import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { type Comparison, compareRuns } from "./compare-runs.ts";
import type { Evaluation } from "./score-run.ts";

/**
 * Conditions that an evaluation must meet.
 *
 * @experimental
 */
export interface ConditionOptions {
  /** The least mean of each metric. It is compared to four decimals, as it is printed. */
  readonly min?: Readonly<Record<string, number>> | undefined;
  /** An earlier evaluation, which no metric may fall below beyond chance. */
  readonly baseline?: Pick<Evaluation, "queries"> | undefined;
}

/**
 * One condition, and whether the evaluation meets it.
 *
 * @experimental
 */
export interface Condition {
  readonly metric: string;
  /** The bound: a threshold, or the baseline. */
  readonly by: "minimum" | "baseline";
  readonly passed: boolean;
  /** The figure beside its bound, in a sentence. */
  readonly message: string;
}

/** Significance level for a fall below the baseline. */
export const significant = 0.05;

/**
 * Holds an evaluation against thresholds and a baseline, for a check that fails when a change made it worse.
 *
 * **Shape** the thresholds in their order, then each metric that the baseline has too. A metric is worse when it is lower with p below .05.
 * A threshold for a metric without a question is not met. **Errors** and **Source** as {@link compareRuns}.
 *
 * @experimental
 */
export function checkConditions(evaluation: Evaluation, options: ConditionOptions): readonly Condition[] {
  checkGiven("checkConditions", "evaluation", evaluation, "object");
  checkGiven("checkConditions", "options", options, "object");
  checkOptions("checkConditions", options, { min: true, baseline: true });
  const { min = {}, baseline } = options;
  const floors = Object.entries(min).map(([metric, value]): Condition => {
    const mean = evaluation.metrics[metric]?.mean;
    if (mean === undefined)
      return {
        metric,
        by: "minimum",
        passed: false,
        message: `${metric} cannot be measured: no question contributes to it.`,
      };
    const passed = fourDecimals(mean) >= value;
    return {
      metric,
      by: "minimum",
      passed,
      message: `${metric} is ${formatScore(mean)}, ${passed ? "not " : ""}below ${value}.`,
    };
  });
  const compared = baseline === undefined ? [] : Object.entries(compareRuns(evaluation, baseline));
  return [
    ...floors,
    ...compared.map(([metric, comparison]): Condition => {
      const { mean, baseline: before, p } = comparison;
      const passed = !isWorse(comparison);
      const how = passed ? "not worse than the baseline beyond chance" : "worse than the baseline beyond chance";
      const message = `${metric} is ${formatScore(mean)}, was ${formatScore(before)}: ${how} (p ${formatScore(p)}).`;
      return { metric, by: "baseline", passed, message };
    }),
  ];
}

/** Whether a metric fell, and chance alone would rarely make it fall as much. */
export function isWorse({ difference, p }: Comparison): boolean {
  return difference < 0 && p < significant;
}

/**
 * Rounds to four decimals as trec_eval prints them: C's `printf` rounds an exact half to the even digit, `toFixed` rounds it up.
 */
export function formatScore(value: number): string {
  // Only multiples of 1/32 lie exactly between two numbers of four decimals, and those are exact in binary too.
  const scaled = value * 10_000;
  const isHalf = Number.isInteger(value * 32) && scaled % 1 !== 0;
  return isHalf ? (2 * Math.round(scaled / 2) * 0.0001).toFixed(4) : value.toFixed(4);
}

export const fourDecimals = (value: number): number => Number(formatScore(value));
