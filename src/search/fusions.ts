import type { Calibration } from "../contracts/leg.ts";
import type { FusionName, FusionSettings, LegScore } from "../contracts/retriever.ts";

/** How one leg's scores of one query are read. */
export interface LegScale extends Calibration {
  /** The leg's best score of the query, after gate, filter and threshold; 0 where nothing matches. */
  readonly best: number;
}

/** One way of making the scores of several legs one score. */
export interface Fusion {
  readonly name: FusionName;
  /** The part of one leg's match. */
  part(leg: string, found: LegScore, scale: LegScale): number;
  /** Candidates score above this; absent when every candidate stands. */
  readonly above?: number | undefined;
  /** Parts depend on ranks alone: each leg gives at least {@link rankDepth} matches, and nothing is asked for further scores. */
  readonly byRank?: true | undefined;
  /** Parts of all legs are alike in size and fall slowly, so that pools alone are seldom certain: legs keep more. */
  readonly isLevel?: true | undefined;
}

/** A fusion by rank looks at least this deep into each leg, so that asking for more hits does not reorder the first. */
export const rankDepth = 128;

/** **Source** Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (SIGIR 2009). */
const rankConstant = 60;

/** Weights by a leg's name; `otherwise` holds for every other leg. */
interface Shares {
  readonly [leg: string]: number;
  readonly otherwise: number;
}

/** **Source** measured: docs/decisions/0109 with a model, docs/decisions/0122 without one. Models of form keep the ratio of 0109, .7 to .3. */
const sharesOfMeaning: Shares = { otherwise: 0.5 };
const sharesOfForm: Shares = { lexical: 0.95, latent: 0.05, dense: 0.4, otherwise: 0.5 };

/** How a fusion reads one score, before its weight, and its weights where the caller gives none. */
export interface Formula extends Pick<Fusion, "byRank" | "isLevel"> {
  readonly shares: (meaning: boolean) => Shares | undefined;
  readonly above?: (meaning: boolean) => number | undefined;
  readonly read: (found: LegScore, scale: LegScale, half: number | undefined) => number;
}

/** Brings a score between 0 and 1 where the leg's calibration says how. */
const squash = ({ score }: LegScore, scale: LegScale, half: number | undefined): number => {
  const middle = scale.half === undefined ? undefined : (half ?? scale.half);
  return middle === undefined ? score : score / (score + middle);
};

/**
 * Every fusion by its name. A leg that did not match gives 0; a weight of the caller takes the place of the fusion's own.
 *
 * - `best` adds `weight · max(0, score) / best`, where `best` is the leg's best score of the query. With a model that sees meaning the weights are .5 and .5.
 *   Without one they are .95 for words and .05 for the store's own model, and a chunk that scores 0 is no hit. The scores of two queries do not compare.
 * - `absolute` adds `weight · max(0, score) / scale`. BM25 gives its score over `√Σ idf²` of the query's distinct words. A cosine gives a fifth of itself,
 *   or another part where the store's model sets one. A pattern with `n` matches gives `n / (n + 1)`. The score says the same of every query: how much
 *   more of what was asked the chunk has than chance would give it. A chunk that scores 0 shares nothing with the query and is no hit.
 * - `weighted` adds .7 of the cosine and .3 of every other leg, BM25 as `s / (s + 3)`. **Source** ToolUp's default merge.
 * - `halves` adds half of each, BM25 as `s / (s + half)`. **Source** Embabel's hybrid search.
 * - `rrf` adds `weight / (60 + rank)`.
 */
export const fusions: Readonly<Record<FusionName, Formula>> = {
  best: {
    shares: (meaning) => (meaning ? sharesOfMeaning : sharesOfForm),
    read: ({ score }, { best }) => (best > 0 ? Math.max(0, score) / best : 0),
    above: (meaning) => (meaning ? undefined : 0),
    isLevel: true,
  },
  absolute: {
    shares: () => undefined,
    read: ({ score }, { scale }) => (scale > 0 ? Math.max(0, score) / scale : 0),
    above: () => 0,
  },
  weighted: { shares: () => ({ dense: 0.7, latent: 0.7, otherwise: 0.3 }), read: squash, isLevel: true },
  halves: { shares: () => ({ otherwise: 0.5 }), read: squash, isLevel: true },
  rrf: { shares: () => ({ otherwise: 1 }), read: ({ rank }) => 1 / (rankConstant + rank), byRank: true },
};

/** A fusion with its weights. `meaning`: whether an embedding model that sees meaning searches. */
export function createFusion({ name, weights, half }: FusionSettings, meaning: boolean): Fusion {
  const { read, shares, above, byRank, isLevel } = fusions[name];
  const own = shares(meaning);
  const given = new Map(Object.entries(weights ?? {}));
  return {
    name,
    above: above?.(meaning),
    byRank,
    isLevel,
    part(leg, found, scale) {
      const weight = given.get(leg) ?? (own === undefined ? scale.weight : (own[leg] ?? own.otherwise));
      return weight * read(found, scale, half);
    },
  };
}
