import type { Chosen } from "../../contracts/complete.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Engine } from "../../contracts/engine.ts";
import type { CorpusModel } from "../../contracts/corpus-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { type Metric, metrics } from "../../contracts/embedding.ts";
import { type Bm25Options, type Bm25Settings, defaultBm25 } from "../../engine/bm25/bm25-settings.ts";
import { bm25Formulas, ownB } from "../../engine/bm25/bm25-variants.ts";
import { defaultPolicy, type SegmentPolicy } from "../../engine/segments/merge-policy.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import type { SegmentStoreOptions } from "./segment-core.ts";
import { withDefaults } from "../../runtime/with-defaults.ts";

/** Options common to all segment stores. */
export interface StoreOptions {
  /** Text to terms, for chunks and queries alike. Default: `defaultAnalyzer`. */
  readonly analyzer?: Analyzer | undefined;
  /** Similarity of a search that does not say which. Default `"cosine"`. */
  readonly metric?: Metric | undefined;
  readonly bm25?: Bm25Options | undefined;
  /** A dense leg that the store makes of its own terms. Default: none. */
  readonly corpusModel?: CorpusModel | undefined;
  /** When segments are sealed and merged; changes no result. */
  readonly segments?: Chosen<SegmentPolicy> | undefined;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** A vector engine that proposes candidates, such as that of `ibid/stores/qdrant`. Default: none; every vector is compared. */
  readonly engine?: Engine | undefined;
}

export const storeOptionNames = {
  analyzer: true,
  metric: true,
  bm25: true,
  corpusModel: true,
  segments: true,
  now: true,
  engine: true,
} as const;

/** Fills in the defaults. **Errors** `invalid-argument` for a value that cannot be. */
export function decideStoreOptions(options: StoreOptions): Omit<SegmentStoreOptions, "secret" | "embeddings"> {
  checkOptions("segments", options.segments, { sealAt: true, settleAt: true, mergeFactor: true, maxMerged: true });
  const { metric = "cosine" } = options;
  if (!Object.hasOwn(metrics, metric)) {
    throw new IbidError("invalid-argument", `There is no metric "${metric}".`, {
      hint: `Known metrics: ${Object.keys(metrics).join(", ")}.`,
    });
  }
  const policy = withDefaults(defaultPolicy, options.segments);
  const whole = [policy.sealAt, policy.settleAt, policy.maxMerged].every(
    (count) => Number.isInteger(count) && count >= 1,
  );
  if (!whole || !Number.isInteger(policy.mergeFactor) || policy.mergeFactor < 2) {
    throw new IbidError("invalid-argument", `segments is ${JSON.stringify(policy)}.`, {
      hint: "Counts of chunks are whole numbers from 1, mergeFactor from 2.",
    });
  }
  return {
    analyzer: options.analyzer ?? defaultAnalyzer,
    metric,
    bm25: decideBm25(options.bm25),
    corpusModel: options.corpusModel,
    policy,
    now: options.now ?? platformNow,
  };
}

function decideBm25(options: Bm25Options = {}): Bm25Settings {
  checkOptions("bm25", options, {
    variant: true,
    k1: true,
    b: true,
    nameWeight: true,
    nameB: true,
    fileWeight: true,
    fileB: true,
    naming: true,
    document: true,
    heading: true,
  });
  const b = options.b ?? ownB[options.variant ?? defaultBm25.variant];
  const settings = withDefaults(defaultBm25, { ...options, ...(b !== undefined && { b }) });
  const { variant, k1, nameWeight, nameB, fileWeight, fileB, naming, document, heading } = settings;
  if (!Object.hasOwn(bm25Formulas, variant)) {
    throw new IbidError("invalid-argument", `There is no variant of BM25 called "${variant}".`, {
      hint: `Known variants: ${Object.keys(bm25Formulas).join(", ")}.`,
    });
  }
  const isShare = (value: number): boolean => value >= 0 && value <= 1;
  const isWeight = (value: number): boolean => value >= 0 && value < Infinity;
  if (
    ![k1, nameWeight, fileWeight, naming, document, heading].every(isWeight) ||
    ![settings.b, nameB, fileB].every(isShare)
  ) {
    throw new IbidError("invalid-argument", `bm25 is ${JSON.stringify(settings)}.`, {
      hint: "b, nameB and fileB are from 0 to 1, every other number is 0 or more.",
    });
  }
  return settings;
}
