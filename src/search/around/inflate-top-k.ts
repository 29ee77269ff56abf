import { IbidError } from "../../contracts/errors.ts";
import { checkGiven, sayValue } from "../../runtime/check-options.ts";

/**
 * How many more candidates a search asks for when a filter is applied after it. A pass rate is the share of candidates that pass, from 0.01 to 1.
 *
 * @experimental
 */
export type InflationStrategy =
  | { readonly multiplier: number }
  | { readonly offset: number }
  | { readonly expectedPassRate: number };

/** **Source** Embabel's inflation. */
const most = 1000;

/**
 * Inflates `topK` for a search that is filtered afterwards.
 *
 * **Shape** never below `topK`, and above 1,000 only where `topK` is: 10 gives 30, 500 gives 1,000.
 * **Errors** `invalid-argument` for a strategy that is none. **Source** Embabel.
 *
 * @experimental
 */
export function inflateTopK(topK: number, strategy: InflationStrategy = { multiplier: 3 }): number {
  checkGiven("inflateTopK", "strategy", strategy, "object");
  const wanted = Number.isSafeInteger(topK) && topK >= 1 ? inflate(topK, strategy) : Number.NaN;
  if (!Number.isFinite(wanted))
    throw new IbidError("invalid-argument", `inflateTopK: this strategy inflates no topK of ${sayValue(topK)}.`, {
      hint: "Give topK from 1 and a multiplier from 1, an offset from 0, or an expectedPassRate from 0.01 to 1.",
    });
  return Math.max(topK, Math.min(most, Math.ceil(wanted)));
}

function inflate(topK: number, strategy: InflationStrategy): number {
  if ("multiplier" in strategy) return strategy.multiplier >= 1 ? topK * strategy.multiplier : Number.NaN;
  if ("offset" in strategy) return strategy.offset >= 0 ? topK + strategy.offset : Number.NaN;
  const { expectedPassRate } = strategy;
  return expectedPassRate >= 0.01 && expectedPassRate <= 1 ? topK / expectedPassRate : Number.NaN;
}
