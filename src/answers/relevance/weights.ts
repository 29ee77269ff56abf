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
  intercept: 0.042555,
  features: [
    ["pair", 0.47482, 0.24325, 0.38081],
    ["weightedPair", 0.46418, 0.24816, 0.44616],
    ["topStrength", 0.71935, 0.40601, 0.46878],
    ["strength", 0.72169, 0.40376, 0.51764],
    ["terms", 1.6601, 0.45184, 0.55195],
    ["unknown", 0.19578, 0.24007, -0.48478],
  ],
  threshold: 0.20458,
};
