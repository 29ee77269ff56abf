import { IbidError } from "../../contracts/errors.ts";
import type { Hit, Retriever } from "../../contracts/retriever.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { addStep, rankHits } from "./rank-hits.ts";

/**
 * Options of {@link boostHits}.
 *
 * @experimental
 */
export interface BoostOptions {
  /** Whether a hit is raised, such as one of the module that the user has open, or a summary. */
  readonly when: (hit: Hit) => boolean;
  /** Added to its score. ToolUp adds .05 for the active module and .1 for a summary. */
  readonly by: number;
}

/**
 * Raises the scores of some hits and orders anew.
 *
 * **Shape** as many hits as the retriever within gives; `explain.steps` names the place before. **Errors** `invalid-argument` for a number that is not finite.
 * **Source** ToolUp's boosts of the active module and of summaries.
 *
 * @experimental
 */
export function boostHits(retriever: Retriever, options: BoostOptions): Retriever {
  checkGiven("boostHits", "retriever", retriever, "object");
  checkGiven("boostHits", "options", options, "object");
  checkOptions("boostHits", options, { when: true, by: true });
  const { when, by } = options;
  if (!Number.isFinite(by))
    throw new IbidError("invalid-argument", `boostHits: by is ${String(by)}.`, { hint: "Give a finite number." });
  return {
    async retrieve(scopes, query, search = {}) {
      const hits = await retriever.retrieve(scopes, query, search);
      const raised = hits.map((hit) => {
        if (!when(hit)) return hit;
        const before = { score: hit.score, rank: hit.rank };
        return addStep({ ...hit, score: hit.score + by }, { retriever: "boostHits", before });
      });
      return rankHits(raised, search.topK ?? hits.length);
    },
  };
}

/**
 * Options of {@link adaptTopK}.
 *
 * @experimental
 */
export interface AdaptOptions {
  /** Least share of the best score that a hit needs. Default .5. */
  readonly minShare?: number | undefined;
  /** Hits that stay in any case. Default 1. */
  readonly least?: number | undefined;
}

/**
 * Ends the list where scores fall off: a hit below a share of the best score goes, and all behind it.
 *
 * **Shape** at most the hits of the retriever within. **Errors** `invalid-argument` for bounds that are none. **Source** ToolUp's adaptive K.
 *
 * @experimental
 */
export function adaptTopK(retriever: Retriever, options: AdaptOptions = {}): Retriever {
  checkGiven("adaptTopK", "retriever", retriever, "object");
  checkOptions("adaptTopK", options, { minShare: true, least: true });
  const { minShare = 0.5, least = 1 } = options;
  if (!(minShare >= 0 && minShare <= 1) || !Number.isSafeInteger(least) || least < 0)
    throw new IbidError("invalid-argument", `adaptTopK: ${JSON.stringify({ minShare, least })} are no bounds.`, {
      hint: "Give minShare from 0 to 1, and least as a whole number from 0 up.",
    });
  return {
    async retrieve(scopes, query, search = {}) {
      const hits = await retriever.retrieve(scopes, query, search);
      const floor = (hits[0]?.score ?? 0) * minShare;
      const end = hits.findIndex(({ score }, i) => i >= least && score < floor);
      return end === -1 ? hits : hits.slice(0, end);
    },
  };
}
