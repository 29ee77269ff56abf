import type { Calibration } from "../contracts/leg.ts";
import type { FusionName, LegScore } from "../contracts/retriever.ts";

/** One way of making the scores of several legs one score. */
export interface Fusion {
  /** The part of one leg's match. */
  part(leg: string, found: LegScore, calibration: Calibration): number;
  /** Candidates score above this; absent when every candidate stands. */
  readonly above?: number | undefined;
  /** Parts depend on ranks alone: each leg gives at least {@link rankDepth} matches, and nothing is asked for further scores. */
  readonly byRank?: true | undefined;
}

/** A fusion by rank looks at least this deep into each leg, so that asking for more hits does not reorder the first. */
export const rankDepth = 128;

/** **Source** Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (SIGIR 2009). */
const rankConstant = 60;

/** A fusion that adds fixed shares of scores which the calibration brings between 0 and 1. */
function shares(byLeg: Readonly<Record<string, number>>, otherwise: number): Fusion {
  return {
    part: (leg, { score }, { half }) =>
      (byLeg[leg] ?? otherwise) * (half === undefined ? score : score / (score + half)),
  };
}

/**
 * Every fusion by its name. A leg that did not match gives 0.
 *
 * - `absolute` adds `weight · max(0, score) / scale`. BM25 gives its score over `√Σ idf²` of the query's distinct words. A cosine gives a fifth of itself,
 *   or another part where the store's model sets one. A pattern with `n` matches gives `n / (n + 1)`. The score says the same of every query: how much
 *   more of what was asked the chunk has than chance would give it. A chunk that scores 0 shares nothing with the query and is no hit.
 * - `weighted` adds .7 of the cosine and .3 of every other leg, BM25 as `s / (s + 3)`. **Source** ToolUp's default merge.
 * - `halves` adds half of each. **Source** Embabel's hybrid search.
 * - `rrf` adds `1 / (60 + rank)`.
 */
export const fusions: Readonly<Record<FusionName, Fusion>> = {
  absolute: {
    part: (_, { score }, { weight, scale }) => (scale > 0 ? (weight * Math.max(0, score)) / scale : 0),
    above: 0,
  },
  weighted: shares({ dense: 0.7, latent: 0.7 }, 0.3),
  halves: shares({}, 0.5),
  rrf: { part: (_, { rank }) => 1 / (rankConstant + rank), byRank: true },
};
