import type { Analyzer } from "../contracts/analyzer.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Metric } from "../contracts/store.ts";
import type { Bm25Options } from "../indexes/bm25.ts";
import { defaultPolicy, type SegmentPolicy } from "../indexes/merge-policy.ts";
import { defaultAnalyzer } from "../text/analyzer.ts";
import { checkOptions } from "../text/check-options.ts";
import type { SegmentStoreOptions } from "./segment-store.ts";

/** What can be chosen of a store, wherever it keeps its segments. */
export interface StoreOptions {
  /** Text to terms, for chunks and queries alike. Default: `defaultAnalyzer`. */
  readonly analyzer?: Analyzer;
  /** Matches of a search that does not say how many. Default 5. */
  readonly topK?: number | "all";
  /** Similarity of a search that does not say which. Default `"cosine"`. */
  readonly metric?: Metric;
  readonly bm25?: Bm25Options;
  /** When segments are sealed and merged; changes no result. */
  readonly segments?: Partial<SegmentPolicy>;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

export const storeOptionNames = ["analyzer", "topK", "metric", "bm25", "segments", "now"] as const;

/** Fills in the defaults. **Errors** `invalid-argument` for a value that cannot be. */
export function decideStoreOptions(options: StoreOptions): Omit<SegmentStoreOptions, "secret" | "embeddings"> {
  const { k1 = 1.2, b = 0.75 } = options.bm25 ?? {};
  checkOptions("bm25", options.bm25, ["k1", "b"]);
  checkOptions("segments", options.segments, ["sealAt", "settleAt", "mergeFactor", "maxMerged"]);
  if (!(k1 >= 0 && k1 < Infinity) || !(b >= 0 && b <= 1)) {
    throw new IbidError("invalid-argument", `bm25 is { k1: ${k1}, b: ${b} }.`, {
      mend: "k1 is 0 or more, b from 0 to 1.",
    });
  }
  const { metric = "cosine" } = options;
  if (!["cosine", "dot", "euclidean"].includes(metric)) {
    throw new IbidError("invalid-argument", `There is no metric "${metric}".`, {
      mend: "Known metrics: cosine, dot, euclidean.",
    });
  }
  const policy = { ...defaultPolicy, ...options.segments };
  const whole = [policy.sealAt, policy.settleAt, policy.maxMerged].every(
    (count) => Number.isInteger(count) && count >= 1,
  );
  if (!whole || !Number.isInteger(policy.mergeFactor) || policy.mergeFactor < 2) {
    throw new IbidError("invalid-argument", `segments is ${JSON.stringify(policy)}.`, {
      mend: "Counts of chunks are whole numbers from 1, mergeFactor from 2.",
    });
  }
  return {
    analyzer: options.analyzer ?? defaultAnalyzer,
    metric,
    bm25: { k1, b },
    policy,
    now: options.now ?? Date.now,
  };
}
