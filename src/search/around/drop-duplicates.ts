import { IbidError } from "../../contracts/errors.ts";
import type { Hit, Retriever } from "../../contracts/retriever.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { shinglesOf } from "../../text/shingles.ts";
import { poolSize } from "../fuse.ts";
import { addStep, numberHits } from "./rank-hits.ts";
import { readRequest } from "./read-request.ts";
import { checkCount } from "./write-queries.ts";

/**
 * Threshold for equal texts.
 *
 * @experimental
 */
export interface DropDuplicatesOptions {
  /** The least share of runs of words that two texts have in common, above 0 and up to 1. Default 0.9; 1 for the same words in the same order. */
  readonly threshold?: number | undefined;
  /** Words in a run. Default 4. */
  readonly words?: number | undefined;
}

/** **Source** Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008), 19.6: runs of four words, .9 in common. */
const defaults = { threshold: 0.9, words: 4 } as const;
/** When too few are left, so many times more are fetched. */
const growth = 4;

/**
 * Drops hits that repeat a better hit: copies, and texts that hardly differ, in any document or scope.
 *
 * **Shape** the order, scores and texts of the retriever within; `explain.steps` of a hit names its dropped duplicates. As many hits as requested
 * where so many differ. Texts without a word are no duplicates.
 * **Errors** errors of the retriever within; `invalid-argument` for an invalid threshold.
 * **Cost** a search of `max(4 · topK, 32)` hits, and further ones of four times more while too few are left. Each hit is compared with those before it that share a run of words. Put it within a
 * retriever that calls a model, not around it, or the model is called again each time.
 * **Source** resemblance by shingles: Broder, Glassman, Manasse and Zweig, Syntactic Clustering of the Web (1997).
 *
 * @experimental
 */
export function dropDuplicates(retriever: Retriever, options: DropDuplicatesOptions = {}): Retriever {
  checkOptions("dropDuplicates", options, { threshold: true, words: true });
  const { threshold = defaults.threshold, words = defaults.words } = options;
  checkCount("dropDuplicates", "words", words);
  if (!(threshold > 0 && threshold <= 1)) {
    throw new IbidError("invalid-argument", `dropDuplicates: threshold is ${String(threshold)}.`, {
      hint: "Give a share above 0 and up to 1.",
    });
  }
  return {
    async retrieve(scopes, query, search = {}) {
      const plan = readRequest(scopes, query, search);
      for (let pool = poolSize(plan.topK); ; pool *= growth) {
        const hits = await retriever.retrieve(scopes, query, { ...search, topK: pool });
        const kept = keepFirst(hits, threshold, words);
        if (pool === "all" || plan.topK === "all" || kept.length >= plan.topK || hits.length < pool) {
          const shown = kept.slice(0, plan.topK === "all" ? undefined : plan.topK);
          return numberHits(
            shown.map(({ hit, copies }) => addStep(hit, { retriever: "dropDuplicates", chunkIds: copies })),
          );
        }
      }
    },
  };
}

interface Kept {
  readonly hit: Hit;
  readonly copies: string[];
  readonly shingles: number;
}

/** Each hit that none of those before it resembles. Only better hits decide whether a hit is left out, so a larger `topK` changes nothing. */
function keepFirst(hits: readonly Hit[], threshold: number, words: number): readonly Kept[] {
  const kept: Kept[] = [];
  /** From a shingle to the indices of the kept hits that have it. Few do, so most hits are never compared. */
  const holders = new Map<string, number[]>();
  for (const hit of hits) {
    const shingles = shinglesOf(hit.text, words);
    const shared = new Map<number, number>();
    for (const shingle of shingles)
      for (const index of holders.get(shingle) ?? []) shared.set(index, (shared.get(index) ?? 0) + 1);
    const resembles = ([index, count]: readonly [number, number]): boolean =>
      count / (shingles.size + kept[index]!.shingles - count) >= threshold;
    const same = Math.min(
      ...Array.from(shared)
        .filter(resembles)
        .map(([index]) => index),
    );
    if (same !== Infinity) {
      kept[same]!.copies.push(hit.chunkId);
      continue;
    }
    for (const shingle of shingles) hold(holders, shingle, kept.length);
    kept.push({ hit, copies: [], shingles: shingles.size });
  }
  return kept;
}

function hold(holders: Map<string, number[]>, shingle: string, index: number): void {
  const known = holders.get(shingle);
  if (known === undefined) holders.set(shingle, [index]);
  else known.push(index);
}
