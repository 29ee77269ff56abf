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
  intercept: 0.08606,
  features: [
    ["pair", 0.46857, 0.24342, 0.30825],
    ["weightedPair", 0.4575, 0.24679, 0.50955],
    ["topStrength", 0.7066, 0.40992, 0.61028],
    ["strength", 0.71895, 0.40804, 0.41556],
    ["terms", 1.6419, 0.44803, 0.5868],
    ["unknown", 0.20497, 0.24827, -0.58223],
    ["chunks", 6.4013, 1.495, -0.15609],
  ],
  threshold: 0.23326,
};
