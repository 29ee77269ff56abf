import { IbidError } from "../../contracts/errors.ts";
import type { Hit, RetrieverStep } from "../../contracts/retriever.ts";
import { addStep, hitKey, joinEvidence, rankHits } from "./rank-hits.ts";

/**
 * How the hits of several searches become one ranking.
 *
 * @experimental
 */
export type SearchFusion = "rrf" | "best";

/** **Source** Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (SIGIR 2009). */
const rankConstant = 60;
/** By rank, a search is looked into this deep at least, so that asking for more hits does not reorder the first; as `fuse` does. */
const rankDepth = 128;

/** **Errors** `invalid-argument` for any other name. */
export function checkSearchFusion(where: string, fusion: SearchFusion): void {
  if (fusion === "rrf" || fusion === "best") return;
  throw new IbidError("invalid-argument", `${where}: fusion cannot be "${String(fusion)}".`, {
    hint: "Choose from rrf, best.",
  });
}

/** How many hits each search must give for `topK` of them all. */
export function searchDepth(fusion: SearchFusion, topK: number | "all"): number | "all" {
  return topK === "all" || fusion === "best" ? topK : Math.max(4 * topK, rankDepth);
}

export interface FuseSearches {
  readonly retriever: string;
  readonly fusion: SearchFusion;
  readonly topK: number | "all";
  /** Whose judgement of evidence counts: that of every search, or of the question's own alone. */
  readonly evidence: "any" | "question";
  readonly fallback?: RetrieverStep["fallback"];
  readonly failed?: RetrieverStep["failed"];
}

/**
 * Several searches as one ranking; the first is that of the question itself. A hit that several searches found appears once, as the first of them
 * gave it. By `"best"`, it appears as the search with its highest score gave it.
 *
 * **Shape** by `"rrf"`, `Σ 1 / (60 + rank)` over the searches that found it; by `"best"`, its highest score. `"best"` is only fair where scores mean the same
 * for every query (`absolute`, `weighted`, a cosine). Equal scores by uri, start, scope and id. `explain.parts` add up to the score.
 */
export function fuseSearches(searches: readonly (readonly Hit[])[], how: FuseSearches): readonly Hit[] {
  const found = new Map<string, { readonly query: number; readonly hit: Hit }[]>();
  for (const [index, hits] of searches.entries()) {
    for (const hit of hits) {
      const key = hitKey(hit);
      const known = found.get(key);
      if (known === undefined) found.set(key, [{ query: index + 1, hit }]);
      // A retriever may give a chunk once only; if it does not, its better place counts.
      else if (known.at(-1)!.query !== index + 1) known.push({ query: index + 1, hit });
    }
  }
  return rankHits(
    Array.from(found.values(), (seen) => fuseHit(seen, how)),
    how.topK,
  );
}

function fuseHit(seen: readonly { readonly query: number; readonly hit: Hit }[], how: FuseSearches): Hit {
  const { retriever, fallback, failed } = how;
  const step: RetrieverStep = {
    retriever,
    searches: seen.map(({ query, hit }) => ({ query, score: hit.score, rank: hit.rank })),
    ...(fallback && { fallback }),
    ...(failed && { failed }),
  };
  const counted = how.evidence === "any" ? seen : seen.filter(({ query }) => query === 1);
  const hitsOf = (some: typeof seen): Hit[] => some.map(({ hit }) => hit);
  const evidence = joinEvidence(hitsOf(seen), hitsOf(counted));
  if (how.fusion === "best") {
    let best = seen[0]!.hit;
    for (const { hit } of seen) if (hit.score > best.score) best = hit;
    return addStep({ ...best, evidence }, step);
  }
  const parts = seen.map(({ query, hit }) => ({ name: `query ${query}`, value: 1 / (rankConstant + hit.rank) }));
  let score = 0;
  for (const { value } of parts) score += value;
  return addStep({ ...seen[0]!.hit, score, evidence }, step, { parts, fusion: "rrf" });
}
