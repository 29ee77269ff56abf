import type { RelevanceFigures } from "./describe-relevance.ts";

/** A calibrated logistic model over standardised figures. */
export interface RelevanceModel {
  readonly intercept: number;
  /** Name, mean, standard deviation and weight. */
  readonly features: readonly (readonly [
    name: keyof RelevanceFigures,
    mean: number,
    deviation: number,
    weight: number,
  ])[];
  /** Least relevance of sources that count as an answer. */
  readonly threshold: number;
}

/**
 * Trained by `scripts/train-relevance.ts`, which writes the numbers below; change the script, not the numbers.
 *
 * **Source** CLAPNQ's development part (Apache-2.0), questions about a documentation (own), XQuAD in four languages (CC BY-SA 4.0).
 */
export const relevanceModel: RelevanceModel = {
  intercept: 0.083118,
  features: [
    ["pair", 0.46985, 0.24287, 0.30698],
    ["weightedPair", 0.45898, 0.24662, 0.50931],
    ["topStrength", 0.71121, 0.41082, 0.62288],
    ["strength", 0.72101, 0.40925, 0.39126],
    ["terms", 1.6419, 0.44803, 0.58213],
    ["unknown", 0.20477, 0.248, -0.58647],
    ["chunks", 6.4013, 1.495, -0.16779],
  ],
  threshold: 0.23513,
};
