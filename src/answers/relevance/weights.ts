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
  intercept: 0.081776,
  features: [
    ["pair", 0.47147, 0.24288, 0.29715],
    ["weightedPair", 0.46013, 0.24642, 0.4802],
    ["topStrength", 0.71147, 0.40872, 0.67867],
    ["strength", 0.7202, 0.40844, 0.39264],
    ["terms", 1.6419, 0.44803, 0.6162],
    ["unknown", 0.20497, 0.24827, -0.58757],
    ["chunks", 6.4013, 1.495, -0.17339],
  ],
  threshold: 0.22272,
};
