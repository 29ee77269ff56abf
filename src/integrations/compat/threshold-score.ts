import type { Hit } from "../../contracts/retriever.ts";

/**
 * The score that a design's threshold is meant for: that of the dense leg, where one searched. The scale of a fusion drops no perfect cosine.
 *
 * **Shape** takes hits with explanations. A hybrid hit that words alone found has no cosine and scores below every threshold.
 */
export function thresholdScore({ score, explain }: Hit): number {
  const dense = explain?.legs.dense;
  if (dense !== undefined) return dense.score;
  // By ranks, a hit of words alone is left without a cosine; the other fusions score every hit by every leg.
  return explain?.fusion === "rrf" && explain.latent === undefined ? -Infinity : score;
}

/** A hit as a caller who asked for no explanation gets it. */
export function withoutExplanation({ explain: _, ...hit }: Hit): Hit {
  return hit;
}
